"""Puts a mutant into a loaded program: every function that has the code which the mutant changes gets the mutant's.

lane_fork calls begin before anything of the tree is loaded, loaded when everything is, examine once, prepare before each child, and what
that returns in the child.
What a swap cannot express is left to a run of its own: code that lies outside of functions or has run already, functions that are
not loaded or are not what their source says, and a frame that is suspended in one."""

import ast
import base64
import bisect
import gc
import json
import linecache
import mmap
import os
import sys
import threading
import types
import warnings

import lane_compile
import lane_text
import lane_values

WORD = 4  # bytes
OPTIMIZED = 1  # the flag of functions, which module and class bodies lack
SHAPE = 0x2A0  # flags of generators, coroutines and asynchronous generators
SUSPENDED = (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)

files = {}  # absolute path -> File
_known = {}  # file name of a code -> File, or None
_values = {}  # value -> (kind, File, mutants)
_ran = {}  # code -> lines of it that ran while the tests were loaded
_tracer = None
notes = None  # memory shared with the children, for what a recorded run notes of each mutant


class CannotSwap(Exception):
    """The text says why."""


class File:
    def __init__(self, tree, name):
        self.name, self.path = name, os.path.join(tree, name)
        with open(self.path, "rb") as f:
            self.source = lane_text.Source(f.read())
        self.compiler = lane_compile.Compiler(self.source)
        self.imports = sorted(_imports(self.source.tree.body))  # the compiler looks at them where it calls what they hold
        self.live = {}  # code -> functions that have it
        self.places = {}  # (name, first line) -> codes of live functions
        self.suspended = set()
        self.compiled = {}
        self.names = set()  # that the file has in codes

    def character(self, offset):
        return len(self.source.data[self.source.base : offset].decode(self.source.encoding))

    def place(self, offset):
        """Line and column, as ast counts them, of an offset in bytes."""
        at = self.character(offset)
        line = max(bisect.bisect_right(self.source.starts, at), 1)
        return line, len(self.source.text[self.source.starts[line - 1] : at].encode("utf-8"))

    def segment(self, mutant):
        """What is compiled for a mutant: (lines before it, head, start, stop in characters)."""
        start, stop = self.character(mutant["off"]), self.character(mutant["off"] + mutant["len"])
        line = self.place(mutant["off"])[0]
        node, head = lane_compile.holder(self.source.tree.body, line), ""
        if isinstance(node, ast.ClassDef) and not getattr(node, "type_params", None):
            method = lane_compile.holder(node.body, line)
            if isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)) and lane_compile.first_line(method) > node.lineno:
                node, head = method, "class %s:\n" % node.name
        if node is None:
            raise CannotSwap("it lies outside of functions")
        first = lane_compile.first_line(node)
        begin = self.source.starts[first - 1]
        end = self.source.starts[node.end_lineno] if node.end_lineno < len(self.source.starts) else len(self.source.text)
        if start < begin or stop > end:
            raise CannotSwap("it lies in more than one function")
        room = first - 1 - bool(head)  # lines before it
        if self.imports and room < 1:
            return "", 0, len(self.source.text), start, stop
        imports = "import " + ", ".join(self.imports) if self.imports else ""
        return imports + "\n" * room + head, begin, end, start, stop

    def compile(self, what):
        return compile(what, self.path, "exec", self.compiler.flags, dont_inherit=True)

    def original(self, mutant):
        before, begin, end, _, _ = self.segment(mutant)
        if (begin, end) not in self.compiled:
            self.compiled[begin, end] = self.compile(before + self.source.text[begin:end])
        return self.compiled[begin, end]

    def mutated(self, mutant):
        """The text of what holds the mutant, and the whole file's."""
        before, begin, end, start, stop = self.segment(mutant)
        text = base64.b64decode(mutant["text"]).decode(self.source.encoding)
        all = self.source.text
        return before + all[begin:start] + text + all[stop:end], all[:start] + text + all[stop:]


def _imports(nodes):
    """The names that statements bind by imports, not within functions and classes."""
    out = set()
    for node in nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            if getattr(node, "module", None) != "__future__":
                out |= {a.asname or a.name.partition(".")[0] for a in node.names if a.name != "*"}
        elif not isinstance(node, FUNCTIONS + (ast.ClassDef,)):
            out |= _imports(ast.iter_child_nodes(node))
    return out


# The hook


def begin(tree, module):
    """Reads what may be asked, and takes note from now on of what runs."""
    global _tracer, notes
    with open(os.path.join(os.path.dirname(module), "swap.json"), encoding="utf-8") as f:
        plan = json.load(f)
    by_name = {}

    def file(name):
        if name not in by_name:
            by_name[name] = File(tree, name)
        return by_name[name]

    for value, (kind, name, mutants) in plan.items():
        if kind == "record":
            _values[value] = (kind, None, [(file(f), of) for f, of in mutants])
            notes = mmap.mmap(-1, WORD * (lane_values.HEAD + 1) * sum(len(of) for _, of in mutants))
        else:
            _values[value] = (kind, file(name), mutants)
    files.update({f.path: f for f in by_name.values()})
    _tracer = _trace
    threading.settrace(_trace)
    sys.settrace(_trace)


def _file(name):
    """The file that a code's file name stands for: a folder of sys.path may be relative, or a link."""
    if name not in _known:
        file = _known[name] = None if name.startswith("<") else files.get(os.path.realpath(name))
        if file is not None:
            file.names.add(name)
    return _known[name]


def _trace(frame, event, arg):
    code = frame.f_code
    if not code.co_flags & OPTIMIZED or _file(code.co_filename) is None:
        return None
    lines = _ran.setdefault(code, set())
    lines.add(frame.f_lineno)

    def local(frame, event, arg):
        if event == "line":
            lines.add(frame.f_lineno)
        return local

    return local


def loaded():
    """Finds the functions that are there; why nothing can be swapped, or ""."""
    if sys.gettrace() is not _tracer:
        return "loading traces for itself"
    sys.settrace(None)
    threading.settrace(None)
    for o in gc.get_objects():
        if isinstance(o, types.FunctionType):
            code = o.__code__
            file = _file(code.co_filename)
            if file is not None:
                file.live.setdefault(code, []).append(o)
                file.places.setdefault((code.co_name, code.co_firstlineno), set()).add(code)
        elif isinstance(o, SUSPENDED):
            code = getattr(o, "gi_code", None) or getattr(o, "cr_code", None) or getattr(o, "ag_code", None)
            file = _file(code.co_filename) if code is not None else None
            if file is not None:
                file.suspended.add(code)
    for kind, file, mutants in _values.values():
        if kind == "mutant":
            try:
                file.original(mutants[0])  # once, and not in each child
            except CannotSwap:
                pass
    return ""


def examine():
    """Yields each value that cannot be applied, with the reason."""
    for value, (kind, file, mutants) in _values.items():
        if kind == "mutant":
            try:
                _swaps(kind, file, mutants)
            except Exception as e:  # noqa: B902: whatever a strange source does to a compiler
                yield value, str(e) if isinstance(e, CannotSwap) else "%s: %s" % (type(e).__name__, e)


def prepare(value):
    """What swaps the code where it is called; why that cannot be done, where it is a text."""
    kind, file, mutants = _values[value]
    if kind == "record":
        return _record(mutants)
    try:
        swaps, text = _swaps(kind, file, mutants)
    except CannotSwap as e:
        return str(e)
    return _Swap(swaps, [(file, text)])


class _Swap:
    def __init__(self, swaps, texts):
        self.swaps = swaps
        # What shows or reads its source line by line sees the mutant's. A time of None is never compared with the file's.
        self.lines = [(name, (len(text), None, text.splitlines(True), name)) for file, text in texts for name in file.names | {file.path}]

    def __call__(self):
        for function, code in self.swaps:
            function.__code__ = code
        for name, entry in self.lines:
            linecache.cache[name] = entry


def _record(files):
    """Gives all functions that hold mutants code that does the same and notes what the mutants would do. A mutant differs
    unless it is noted."""
    if "greenlet" in sys.modules:
        return "what one stack saw is not told from what another did"
    words = memoryview(notes).cast("I")
    for at in range(lane_values.HEAD, len(words), lane_values.HEAD + 1):
        words[at] = 1
    swaps = []
    for file, mutants in files:
        for (before, begin, end), group in _segments(file, mutants).items():
            try:
                swaps += _record_in(file, before + file.source.text[begin:end], group, words)
            except (CannotSwap, *lane_compile.ERRORS):  # its mutants have runs of their own, or cannot be swapped either
                pass
    return _Swap(swaps, [(file, file.source.text) for file, _ in files])


def _record_in(file, text, mutants, words):
    recorded = lane_values.Recorded(text, words)
    taken = [m for m in mutants if recorded.add(m["at"], file.mutated(m)[0])]
    if not taken:
        return []
    with warnings.catch_warnings():  # the texts that stand for functions cannot be called, a compiler says
        warnings.simplefilter("ignore")
        swaps = _Changed(file, taken[0], recorded.written()).swaps()
    for at in recorded.noted:
        words[at + lane_values.HEAD] = 0
    return [(function, recorded.bound(code)) for function, code in swaps]


def _swaps(kind, file, mutants):
    """[(function, code)], and the text of the file that they stand for."""
    if kind == "mutant":
        (mutant,) = mutants
        segment, text = file.mutated(mutant)
        changed = _Changed(file, mutant, segment)
        changed.check(mutant)
        return changed.swaps(), text
    text, swaps, done, why = file.source.text, {}, set(), None
    if kind == "null":
        text += ("" if text.endswith(("\n", "\r")) else "\n") + "# end of %s\n" % os.path.basename(file.name)
    for (before, begin, end), group in _segments(file, mutants).items():
        tree = ast.parse(before + file.source.text[begin:end])
        for mutant in group:
            node = _holder(tree, *file.place(mutant["off"]))
            if node is not None and node not in done:
                done.add(node)
                _prefix(node, kind, mutant.get("salt", 0))
        try:
            for function, code in _Changed(file, group[0], ast.fix_missing_locations(tree), prefixed=True).swaps():
                swaps[id(function)] = (function, code)
        except CannotSwap as e:  # its mutants cannot be swapped either
            why = e
    if not swaps:
        raise why or CannotSwap("it lies outside of functions")
    return list(swaps.values()), text


def _segments(file, mutants):
    out = {}
    for mutant in mutants:
        try:
            out.setdefault(file.segment(mutant)[:3], []).append(mutant)
        except CannotSwap:
            pass
    return out


def _holder(tree, line, column):
    """The innermost function whose body holds a place."""
    found = None
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS):
            body = node.body if isinstance(node.body, list) else [node.body]
            first = min([(body[0].lineno, body[0].col_offset)] + [(d.lineno, d.col_offset) for d in getattr(body[0], "decorator_list", [])])
            if first <= (line, column) <= (node.end_lineno, node.end_col_offset):
                found = node  # ast.walk comes to what is within later
    return found


def _prefix(node, kind, salt):
    """Gives a function a first act: one that changes nothing, or one that nothing survives."""
    text = "lambda: %d" % salt if kind == "null" else "__import__('posix')._exit(86)"
    if isinstance(node, ast.Lambda):
        act = ast.parse("(%s, 0)[1]" % text, mode="eval").body
        _lay(act, node.body)
        act.value.elts[1] = node.body
        node.body = act
        return
    at = 1 if isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant) else 0
    act = ast.parse(text).body[0]
    _lay(act, node.body[min(at, len(node.body) - 1)])
    node.body.insert(at, act)


def _lay(tree, where):
    for node in ast.walk(tree):
        ast.copy_location(node, where)


class _Changed:
    """The codes of a segment of a file and those that a mutant makes of them."""

    def __init__(self, file, mutant, what, prefixed=False):
        self.file, self.prefixed = file, prefixed
        self.own = []  # codes that do something else themselves
        self.pairs = []  # (code, new code) of functions that do, or that hold such code
        old = file.original(mutant)
        if not self.walk(old, _kept(file, old, what), False):
            raise CannotSwap("its code is the same")

    def walk(self, old, new, within):
        """Whether anything differs in a code or in what it holds; within is true below a function."""
        function = bool(old.co_flags & OPTIMIZED)
        differs = _own(old) != _own(new)
        if differs and not (function or within):
            raise CannotSwap("it lies outside of functions")
        if differs:
            self.own.append((old, new))
        olds, news = _inner(old), _inner(new)
        if self.prefixed:  # a lambda may have come in front
            news = news[len(news) - len(olds) :]
        held = False
        if len(olds) == len(news):
            for pair in zip(olds, news):
                held = self.walk(*pair, within or function) or held
        if function and (differs or held):
            self.pairs.append((old, new))
        return differs or held

    def check(self, mutant):
        first, last = mutant["reach"]
        for old, new in self.own:
            if (old.co_flags ^ new.co_flags) & SHAPE:
                raise CannotSwap("it makes another kind of function")
            if any(first <= line <= last for line in _ran.get(old, ())):
                raise CannotSwap("it runs while the tests are loaded")
        for old, _ in self.pairs:
            if old in self.file.suspended:
                raise CannotSwap("its function is suspended when the tests begin")
            if old.co_name[0] != "<" and self.file.places.get((old.co_name, old.co_firstlineno), set()) - {old}:
                raise CannotSwap("code was generated from its function")

    def swaps(self):
        out = []
        for old, new in self.pairs:
            for function in self.file.live.get(old, ()):
                if old.co_freevars != new.co_freevars:
                    raise CannotSwap("it uses other variables of enclosing functions")
                out.append((function, _named(new, function.__code__.co_filename)))
        if not out:
            raise CannotSwap("its function is not loaded when the tests begin, or is not what its source says")
        return out


def _kept(file, old, what):
    """The code of a mutated segment in which every function has the variables of enclosing functions that it had: those that
    it no longer uses are named where nothing runs."""
    new = file.compile(what)
    lost = [a for a, b in _matched(old, new) if set(b.co_freevars) < set(a.co_freevars)]
    if not lost:
        return new
    tree = ast.parse(what) if isinstance(what, str) else what
    for code in lost:
        nodes = [n for n in ast.walk(tree) if isinstance(n, FUNCTIONS[:2]) and n.name == code.co_name and lane_compile.first_line(n) == code.co_firstlineno]
        if len(nodes) == 1:
            body = nodes[0].body
            kept = ast.If(ast.Constant(False), [ast.Expr(ast.Name(v, ast.Load())) for v in code.co_freevars], [])
            _lay(kept, body[-1])
            body.append(kept)
    return file.compile(ast.fix_missing_locations(tree))


def _matched(old, new):
    """The functions of two codes that are built alike, in pairs."""
    if old.co_flags & new.co_flags & OPTIMIZED:
        yield old, new
    olds, news = _inner(old), _inner(new)
    if len(olds) == len(news):
        for pair in zip(olds, news):
            yield from _matched(*pair)


def _inner(code):
    return [c for c in code.co_consts if isinstance(c, types.CodeType)]


def _own(code):
    """What a code does by itself."""
    consts = tuple("code" if isinstance(c, types.CodeType) else (type(c).__name__, repr(c)) for c in code.co_consts)
    return (
        code.co_code, consts, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_flags, code.co_name,
        code.co_argcount, code.co_kwonlyargcount, code.co_posonlyargcount, getattr(code, "co_exceptiontable", b""),
    )


def _named(code, name):
    """A code, and all that it holds, with the file name that the function had."""
    if code.co_filename == name:
        return code
    consts = tuple(_named(c, name) if isinstance(c, types.CodeType) else c for c in code.co_consts)
    return code.replace(co_filename=name, co_consts=consts)
