"""Records which lines of the tree each test runs, all tests in one process.

What runs while no test does (imports, shared fixtures) counts for every test that may depend on it: module code for all
tests, a fixture's for the tests of its scope. A test that starts processes, or traces for itself, is blind: what it reaches
is not known, and nothing is said of it. What a test leaves behind in memory, so that a later one need not run it, is counted
for the first alone."""

import json
import os
import sys
import threading

# What a process does that a test starts is not seen.
PROCESSES = set("subprocess.Popen os.fork os.forkpty os.posix_spawn os.spawn os.exec os.system _posixsubprocess.fork_exec".split())

_settrace = sys.settrace
_gettrace = sys.gettrace


class Recorder:
    def __init__(self, tree, dirs, top):
        self.top = top  # name of a test -> name of the top-level test, for which its parts count
        tree = tree.rstrip("/")
        self.tree = tree + "/"
        self.inside = tuple(os.path.join(tree, d).rstrip("/") + "/" for d in dirs) or (self.tree,)
        self.files = {}  # code's file name -> path in the tree, or None
        self.everyone = set()  # (path, line) for all tests
        self.shared = {}  # prefix of names -> lines
        self.own = {}  # name -> lines
        self.current = self.everyone
        self.blind = set()  # tests whose reach is not known
        self.blind_prefixes = set()  # the same for all tests whose names begin so
        self.prefix = None  # of the shared fixture that runs
        self.names = []
        self.importing = 0
        self.at = None
        self.pid = os.getpid()

    def start(self):
        sys.addaudithook(self.audit)
        threading.settrace(self.trace)
        _settrace(self.trace)

    def audit(self, event, args):
        if event not in PROCESSES or os.getpid() != self.pid:
            return
        if self.prefix is not None:
            self.blind_prefixes.add(self.prefix)
        elif self.at is not None:
            self.blind.add(self.at)
        # What is imported may ask another program about the machine: that runs no code of the tree.

    def tests(self, names):
        self.names = list(names)

    def path(self, file):
        try:
            return self.files[file]
        except KeyError:
            full = os.path.abspath(file)
            path = full[len(self.tree) :] if full.startswith(self.inside) and not file.startswith("<") else None
            self.files[file] = path
            return path

    def trace(self, frame, event, arg):
        code = frame.f_code
        path = self.path(code.co_filename)
        if path is None:
            return None
        if code.co_name == "<module>":
            # Imported once, by whom ever comes first, and needed by all.
            self.importing += 1
            return self.module(path)
        lines = self.everyone if self.importing else self.current
        lines.add((path, code.co_firstlineno))

        def local(frame, event, arg):
            if event == "line":
                lines.add((path, frame.f_lineno))
            return local

        return local

    def module(self, path):
        def local(frame, event, arg):
            if event == "line":
                self.everyone.add((path, frame.f_lineno))
            elif event == "return":
                self.importing -= 1
            return local

        return local

    def enter(self, name):
        self.at = name
        self.current = self.own.setdefault(name, set())
        threading.settrace(self.trace)
        _settrace(self.trace)

    def leave(self):
        if _gettrace() != self.trace:
            self.blind.add(self.at)
        self.current = self.everyone
        self.at = None

    def share(self, scope, name):
        """Counts what follows for all tests of a scope around the named one; returns what to give to back."""
        before = (self.current, self.prefix)
        prefix = ""
        if scope in ("module", "class") and "::" in name:
            prefix = name.partition("::")[0] + "::"
            if scope == "class" and name.count("::") > 1:
                prefix = name.rpartition("::")[0] + "::"
        self.current, self.prefix = self.shared.setdefault(prefix, set()), prefix
        return before

    def back(self, before):
        self.current, self.prefix = before

    def save(self, out):
        _settrace(None)
        threading.settrace(None)
        reach, blind = {}, {self.top(n) for n in self.blind}
        for name in self.names:
            if name.startswith(tuple(self.blind_prefixes)):
                blind.add(self.top(name))
            lines = reach.setdefault(self.top(name), set(self.everyone))
            lines |= self.own.get(name, set())
            for prefix, more in self.shared.items():
                if name.startswith(prefix):
                    lines |= more
        with open(out, "w", encoding="ascii") as f:
            json.dump({"tests": {n: ranges(lines) for n, lines in reach.items() if n not in blind}}, f)


def ranges(lines):
    """{(path, line)} as {path: [[first, last], ...]}."""
    out = {}
    for path, line in sorted((p, n) for p, n in lines if n):
        runs = out.setdefault(path, [])
        if runs and line <= runs[-1][1] + 1:
            runs[-1][1] = max(runs[-1][1], line)
        else:
            runs.append([line, line])
    return out
