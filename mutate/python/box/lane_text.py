"""Keeps a source and its bytes in step: ast counts columns in UTF-8 of decoded lines, edits are of the file's own bytes."""

import ast
import bisect
import io
import re
import tokenize

GENERATED = re.compile(r"generated\b.*\bdo not edit|@generated", re.I)


class Source:
    """A source file. Places are numbers of characters in text."""

    def __init__(self, data):
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        self.base = 0
        if encoding == "utf-8-sig":
            encoding, self.base = "utf-8", 3
        self.encoding = encoding
        self.data = data
        self.text = data[self.base :].decode(encoding)
        if self.text.encode(encoding) != data[self.base :]:
            raise ValueError("its encoding %s does not give back the same bytes" % encoding)
        self.tree = ast.parse(data)
        self.lines = re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z", self.text) or [""]
        self.starts, self.byte_starts = [], []
        at, byte = 0, self.base
        for line in self.lines:
            self.starts.append(at)
            self.byte_starts.append(byte)
            at += len(line)
            byte += len(line.encode(encoding))
        self.generated = any(GENERATED.search(l) for l in self.lines[:8] if l.lstrip().startswith("#"))

    def at(self, line, column):
        """The place of a line and a column in UTF-8 bytes, as ast has them."""
        text = self.lines[line - 1]
        start = self.starts[line - 1]
        if text.isascii():
            return start + column
        return start + len(text.encode("utf-8")[:column].decode("utf-8", "ignore"))

    def span(self, node):
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)

    def byte(self, place):
        """The offset in bytes of a place."""
        line = max(bisect.bisect_right(self.starts, place) - 1, 0)
        return self.byte_starts[line] + len(self.text[self.starts[line] : place].encode(self.encoding))

    def column(self, place):
        """The column of a place in bytes, from 1."""
        line = max(bisect.bisect_right(self.starts, place) - 1, 0)
        return self.byte(place) - self.byte_starts[line] + 1

    def code(self, start, stop):
        """Yields the places from start to stop that are neither in comments nor white space. No string may lie between."""
        i = start
        while i < stop:
            c = self.text[i]
            if c == "#":
                while i < stop and self.text[i] not in "\r\n":
                    i += 1
            elif c.isspace() or c == "\\":
                i += 1
            else:
                yield i
                i += 1

    def outer(self, node, lowest, highest):
        """The span of an expression with the parentheses around it that open after lowest."""
        start, stop = self.span(node)
        opened = [i for i in self.code(lowest, start) if self.text[i] == "("]
        closed = [i for i in self.code(stop, highest) if self.text[i] == ")"]
        n = min(len(opened), len(closed))
        if n:
            start, stop = opened[-n], closed[n - 1] + 1
        return start, stop
