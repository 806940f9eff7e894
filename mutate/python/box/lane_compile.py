"""Judges mutants by the compiler: what does not compile is unviable, what gives the same code is equivalent.

Only the function or statement that holds a mutant is compiled; its code depends on nothing else of the file but the name of
its class and the futures that the file imports."""

import __future__
import ast

UNVIABLE, EQUIVALENT = "unviable", "equivalent"
ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)


class Compiler:
    def __init__(self, source):
        self.source = source
        self.flags = futures(source.tree)
        self.originals = {}

    def judge(self, fault):
        text = self.source.text
        head, start, stop = self.segment(fault)
        original = self.original(head, start, stop)
        if original is None:  # a segment that shares a line with another: the whole file tells
            head, start, stop = "", 0, len(text)
            original = self.original(head, start, stop)
        try:
            code = self.compile(head + text[start : fault.start] + fault.text + text[fault.stop : stop])
        except ERRORS as e:
            return UNVIABLE, ("%s: %s" % (type(e).__name__, getattr(e, "msg", e)))[:200]
        if shape(code) == original:
            return EQUIVALENT, "the same bytecode"
        return "", ""

    def original(self, head, start, stop):
        key = (start, stop)
        if key not in self.originals:
            try:
                self.originals[key] = shape(self.compile(head + self.source.text[start:stop]))
            except ERRORS:
                self.originals[key] = None
        return self.originals[key]

    def compile(self, text):
        return compile(text, "<mutant>", "exec", self.flags, dont_inherit=True)

    def segment(self, fault):
        """What is compiled for a fault: the statement at the top of the file, or a method alone in its class."""
        node = holder(self.source.tree.body, fault.line)
        if node is None:
            return "", 0, len(self.source.text)
        head = ""
        if isinstance(node, ast.ClassDef):
            method = holder(node.body, fault.line)
            if isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)):
                head, node = "class %s:\n" % node.name, method
        last = node.end_lineno
        stop = self.source.starts[last] if last < len(self.source.starts) else len(self.source.text)
        return head, self.source.starts[first_line(node) - 1], stop


def first_line(node):
    return min([node.lineno] + [d.lineno for d in getattr(node, "decorator_list", [])])


def holder(nodes, line):
    for node in nodes:
        if first_line(node) <= line <= node.end_lineno:
            return node
    return None


def futures(tree):
    flags = 0
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            for alias in node.names:
                feature = getattr(__future__, alias.name, None)
                flags |= getattr(feature, "compiler_flag", 0)
    return flags


def shape(code):
    """What a code object does, without the places that it came from."""
    consts = tuple(shape(c) if hasattr(c, "co_code") else (type(c).__name__, repr(c)) for c in code.co_consts)
    return (
        code.co_code, consts, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_flags, code.co_name,
        code.co_argcount, code.co_kwonlyargcount, code.co_posonlyargcount, getattr(code, "co_exceptiontable", b""),
    )


def compare(head, other):
    """Whether other compiles, and whether it gives the same code as head; None is a head that does not compile."""
    try:
        code = compile(other, "<mutant>", "exec", dont_inherit=True)
    except ERRORS as e:
        return UNVIABLE, ("%s: %s" % (type(e).__name__, getattr(e, "msg", e)))[:200]
    if head is not None:
        try:
            if shape(compile(head, "<mutant>", "exec", dont_inherit=True)) == shape(code):
                return EQUIVALENT, "it differs in layout and comments alone"
        except ERRORS:
            pass
    return "", ""
