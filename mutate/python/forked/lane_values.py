"""Makes code that does what it did, and notes beside it what mutants would make of the values of its expressions.

An expression becomes done(begin(), expression), in which each part that is not an operator stands as part(top(), number, part): the
operators are still applied by the code itself, to the same values in the same order, and called functions find the frame that they would
have found. What the mutants would have made of those values is told when the expression is done, by lane_evaluate.

The functions are put into the constants of the code, so that no name is new to it."""

import ast
import operator
import os
import threading
import types

import lane_evaluate

HEAD = 2  # words of a mutant before the one that says whether its value differed: how often it was begun, and how often ended
SUSPENDING = (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
PATTERNS = (ast.pattern,) if hasattr(ast, "pattern") else ()
INPLACE = {
    ast.Add: operator.iadd, ast.Sub: operator.isub, ast.Mult: operator.imul, ast.Div: operator.itruediv, ast.FloorDiv: operator.ifloordiv,
    ast.Mod: operator.imod, ast.Pow: operator.ipow, ast.LShift: operator.ilshift, ast.RShift: operator.irshift, ast.BitAnd: operator.iand,
    ast.BitOr: operator.ior, ast.BitXor: operator.ixor,
}

DEEP = 100_000  # expressions that are not done, most of which raised

_stacks = {}  # thread -> the values of the expressions that it is in, outer ones first: {number of a part: its value}
_thread = threading.get_ident


def _stack():
    thread = _thread()
    try:
        return _stacks[thread]
    except KeyError:
        return _stacks.setdefault(thread, [])


def top():
    stack = _stack()
    return stack[-1] if stack else {}


def part(values, number, value):
    """Takes note of a part's value, in what top said before the part was evaluated."""
    stack = _stack()
    while stack and stack[-1] is not values:
        stack.pop()  # of an expression that raised what the part caught
    values[number] = value
    return value


class Site:
    """One expression, and its mutants. What is forgotten of its parts, whatever the reason, makes all of them differ."""

    def __init__(self, words, truth):
        self.words, self.truth = words, truth  # truth: nothing but whether it is true matters
        self.original = None
        self.pure = set()  # numbers of parts that are names: to leave one out changes nothing
        self.mutants = []  # (its first word, Expression); those whose value has not differed yet

    def begin(self):
        for at, _ in self.mutants:
            self.words[at] = self.words[at] + 1 & 0x7FFFFFFF
        values, stack = {}, _stack()
        if len(stack) > DEEP:
            stack.clear()
        stack.append(values)
        return values

    def done(self, values, value):
        stack = _stack()
        while stack and stack.pop() is not values:
            pass
        if self.mutants:
            self.compare(values, value)
        return value

    def compare(self, values, value):
        for at, _ in self.mutants:
            self.words[at + 1] = self.words[at + 1] + 1 & 0x7FFFFFFF
        result = value
        try:
            told, taken = self.original(values)
            known = lane_evaluate.same(told, value)
            if self.truth:
                result = lane_evaluate.truth(value)
        except Exception:  # noqa: B902: nobody can tell what is left out, or the values are those of another time
            known = False
        left = []
        for mutant in self.mutants:
            if known and self.agrees(mutant[1], values, result, taken):
                left.append(mutant)
            else:
                self.words[mutant[0] + HEAD] = 1
        self.mutants = left

    def agrees(self, expression, values, result, taken):
        try:
            other, others = expression(values)
            if self.truth:
                other = lane_evaluate.truth(other)
        except Exception:  # noqa: B902: to raise is to differ
            return False
        return lane_evaluate.same(result, other) and self.calls(taken) == self.calls(others)

    def calls(self, taken):
        return [n for n in taken if n not in self.pure]


class Recorded:
    """A tree whose expressions note what mutants would make of them. A mutant is known by the number of its first word."""

    def __init__(self, text, words):
        self.tree, self.words = ast.parse(text), words
        self.noted = []  # first words of the mutants that are noted
        self.constants = {}  # what stands for a function in the tree -> the function
        self.mark = "\0lane %s " % os.urandom(8).hex()
        self.roots = {}  # node -> [(word, the mutant's form of it)]
        self.above = {child: (node, field) for node in ast.walk(self.tree) for field, child in _children(node)}

    def add(self, at, text):
        """Takes a mutant in, given what it makes of the text; whether that is possible."""
        path = _difference(self.tree, ast.parse(text))
        if path is None:
            return False
        at_root = self.root(path)
        if at_root is None:
            return False
        node, other = at_root
        self.roots.setdefault(node, []).append((at, other))
        return True

    def root(self, path):
        """The largest expression around a difference whose value can be told from its parts, in both forms."""
        while path and not isinstance(path[-1][0], (ast.expr, ast.AugAssign)):
            path.pop()
        if not path:
            return None
        best = None
        while path:
            node, other = path.pop()
            if isinstance(node, ast.AugAssign):
                fits = best is None and isinstance(node.target, ast.Name) and isinstance(other, (ast.AugAssign, ast.Pass)) and not _suspends(node)
                return (node, other) if fits else best
            if not isinstance(node, ast.expr) or not isinstance(other, ast.expr) or _suspends(node):
                break
            if not self.replaceable(node):
                break
            best = node, other
            above = self.above[node][0]
            inner = lane_evaluate.parts(above) if isinstance(above, ast.expr) else None
            if not inner or node not in inner or lane_evaluate.is_call(above) and node is above.func:
                break
        return best

    def replaceable(self, node):
        """Whether a call may stand there."""
        if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load) or isinstance(node, (ast.Starred, ast.Slice)):
            return False
        while node in self.above:
            node, field = self.above[node]
            if type(node).__name__ in ("JoinedStr", "TemplateStr") or isinstance(node, PATTERNS) or field in ("annotation", "returns", "type_params"):
                return False
        return True

    def written(self):
        """The tree with all that was added."""
        return ast.fix_missing_locations(_Writer(self).visit(self.tree))

    def bound(self, code):
        """A code of that tree, and all that it holds, with the functions in their places."""
        consts = tuple(self.bound(c) if isinstance(c, types.CodeType) else self.constants.get(c, c) if type(c) is str else c for c in code.co_consts)
        return code.replace(co_consts=consts)

    def constant(self, function):
        name = self.mark + str(len(self.constants))
        self.constants[name] = function
        return name

    def site(self, node, mutants, truth):
        """(site, numbers of the parts) of an expression."""
        site = Site(self.words, truth)
        numbers = {p: n for n, p in enumerate(lane_evaluate.leaves(node))}
        site.pure = {n for p, n in numbers.items() if isinstance(p, ast.Name)}
        site.original = lane_evaluate.Expression(node, numbers.get)
        for at, other in mutants:
            try:
                site.mutants.append((at, lane_evaluate.Expression(other, _numbers(node, other, numbers))))
                self.noted.append(at)
            except lane_evaluate.Unknown:
                pass
        return site, numbers


class _Writer(ast.NodeTransformer):
    def __init__(self, recorded):
        self.recorded, self.parts = recorded, {}
        self.top, self.part = recorded.constant(top), recorded.constant(part)

    def visit(self, node):
        mutants = self.recorded.roots.get(node)
        if mutants is None:
            return self.plain(node)
        if isinstance(node, ast.AugAssign):
            return self.assignment(node, mutants)
        parent, field = self.recorded.above[node]
        truth = isinstance(parent, (ast.If, ast.While, ast.IfExp, ast.Assert)) and field == "test" or isinstance(parent, ast.comprehension) and field == "ifs"
        return self.site(node, node, mutants, truth)

    def site(self, node, model, mutants, truth, write=None):
        """The form of a node of which model says what it does; write makes it from what visit made of the model."""
        try:
            site, numbers = self.recorded.site(model, mutants, truth)
        except lane_evaluate.Unknown:
            return self.plain(node)
        outer, self.parts = self.parts, numbers
        inner = self.plain(model)
        self.parts = outer
        begin = _call(self.recorded.constant(site.begin))
        done = _call(self.recorded.constant(site.done), begin, write(inner) if write else inner)
        return self.at(done, node)

    def plain(self, node):
        number = self.parts.get(node)
        if number is None:
            return self.generic_visit(node)
        outer, self.parts = self.parts, {}
        inner = self.generic_visit(node)
        self.parts = outer
        return self.at(_call(self.part, _call(self.top), ast.Constant(number), inner), node)

    def assignment(self, node, mutants):
        """x += y as x = iadd(x, y): what the statement does, with an operator that is a function."""
        model = _calculation(node)
        forms = [(at, _calculation(other) if isinstance(other, ast.AugAssign) else model.left) for at, other in mutants]
        apply = self.recorded.constant(INPLACE[type(node.op)])
        value = self.site(node, model, forms, False, lambda made: _call(apply, made.left, made.right))
        return value if value is node else ast.copy_location(ast.Assign([node.target], value), node)

    def at(self, tree, where):
        for n in ast.walk(tree):
            if "lineno" in n._attributes and not hasattr(n, "lineno"):
                ast.copy_location(n, where)
        return tree


def _call(constant, *arguments):
    return ast.Call(ast.Constant(constant), list(arguments), [])


def _calculation(assignment):
    left = ast.copy_location(ast.Name(assignment.target.id, ast.Load()), assignment.target)
    return ast.copy_location(ast.BinOp(left, assignment.op, assignment.value), assignment)


def _numbers(node, other, numbers):
    """Finds the number of a leaf of another form of a node, by those of the node's own: that of the leaf in its place, or, within
    what differs, that which stands at the same place among those that look the same. Where one was left out nobody knows which, but
    among names alone, which all have the same value."""
    found, names = {}, all(isinstance(p, ast.Name) for p in numbers)

    def align(a, b):
        own, others = lane_evaluate.parts(a), lane_evaluate.parts(b)
        if type(a) is type(b) and own and others and len(own) == len(others):
            for pair in zip(own, others):
                align(*pair)
            return
        known = _by_look(lane_evaluate.leaves(a))
        for look, leaves in _by_look(lane_evaluate.leaves(b)).items():
            same = known.get(look, [])
            if len(same) == len(leaves):
                found.update((leaf, numbers[p]) for leaf, p in zip(leaves, same))
            elif same and names:
                found.update((leaf, numbers[same[0]]) for leaf in leaves)

    align(node, other)
    return found.get


def _by_look(leaves):
    out = {}
    for leaf in leaves:
        out.setdefault(ast.dump(leaf), []).append(leaf)
    return out


def _suspends(node):
    """Whether an expression may be left before it is done, to be gone on with later, or sets what its own parts read."""
    return any(isinstance(n, SUSPENDING) or isinstance(n, ast.comprehension) and n.is_async for n in ast.walk(node))


def _children(node):
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield field, child


def _difference(a, b):
    """The pairs of nodes from two roots to the smallest that hold all that differs; None where nothing does."""
    if ast.dump(a) == ast.dump(b):
        return None
    path = [(a, b)]
    while type(a) is type(b):
        pairs = list(_pairs(a, b))
        differing = [p for p in pairs if not _alike(*p)]
        if len(differing) != 1 or not all(isinstance(n, ast.AST) for n in differing[0]):
            break
        a, b = differing[0]
        path.append((a, b))
    return path


def _pairs(a, b):
    for field in a._fields:
        left, right = getattr(a, field, None), getattr(b, field, None)
        if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
            yield from zip(left, right)
        else:
            yield left, right


def _alike(a, b):
    if isinstance(a, ast.AST) and isinstance(b, ast.AST):
        return ast.dump(a) == ast.dump(b)
    return type(a) is type(b) and not isinstance(a, list) and lane_evaluate.same(a, b)
