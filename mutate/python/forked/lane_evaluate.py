"""Says what an expression makes of the values that its parts had, without running any code of the tree.

Operators of Python call what their operands define. So an operator is only ever applied here to operands whose types are exactly
those of the language itself, and whose operators do nothing but give a value; anything else is Unknown. Nothing is computed that
could take long or much memory."""

import ast
import builtins
import collections
import operator
import struct
import types


class Unknown(Exception):
    """Nobody can tell without running code."""


NOTHING = type(None)
NUMBERS = {int, float, complex, bool}
ORDERED = {int, float, bool}
SCALARS = NUMBERS | {str, bytes, NOTHING, type(Ellipsis)}
SIZED = {str, bytes, bytearray, list, tuple, dict, set, frozenset, range, collections.deque}
TRUTHS = SCALARS | SIZED | {types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType, types.GeneratorType}
CALLS = {"len": builtins.len, "isinstance": builtins.isinstance}

BITS = 4096  # of an integer that is calculated with
POWER = 64  # bits of a base, and an exponent
LETTERS = 1 << 16  # of a text that is calculated with
ELEMENTS = 32  # of what is searched

ARITHMETIC = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod, ast.Pow: operator.pow, ast.LShift: operator.lshift, ast.RShift: operator.rshift, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_, ast.BitXor: operator.xor,
}
ORDER = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}
_mro = type.__dict__["__mro__"].__get__


def same(a, b):
    """Whether two values are one for every program: the same object, or of one plain type and equal to the last bit."""
    if a is b:
        return True
    kind = type(a)
    if kind is not type(b) or kind not in SCALARS:
        return False
    if kind is float:
        return struct.pack("=d", a) == struct.pack("=d", b)
    if kind is complex:
        return struct.pack("=dd", a.real, a.imag) == struct.pack("=dd", b.real, b.imag)
    return a == b


def truth(value):
    """What `if` makes of a value."""
    kind = type(value)
    if kind in TRUTHS:
        return bool(value)
    if type(kind) is type and not any("__bool__" in c.__dict__ or "__len__" in c.__dict__ for c in _mro(kind)):
        return True
    raise Unknown


def calculate(op, a, b):
    left, right = type(a), type(b)
    if left in NUMBERS and right in NUMBERS:
        for n in (a, b):
            if type(n) is int and n.bit_length() > BITS:
                raise Unknown
        if op is ast.Pow and (type(a) is int and a.bit_length() > POWER or type(b) is int and abs(b) > POWER):
            raise Unknown
        if op in (ast.LShift, ast.RShift) and type(b) is int and b > BITS:
            raise Unknown
        return ARITHMETIC[op](a, b)
    if left is right and left in (str, bytes) and op is ast.Add and len(a) + len(b) <= LETTERS:
        return a + b
    raise Unknown


def equal(a, b):
    if type(a) is type and type(b) is type:
        return a is b
    if type(a) not in SCALARS or type(b) not in SCALARS or {type(a), type(b)} == {str, bytes}:  # python -b warns of those
        raise Unknown
    return a == b


def ordered(op, a, b):
    if type(a) in ORDERED and type(b) in ORDERED or type(a) is type(b) and type(a) in (str, bytes):
        return ORDER[op](a, b)
    raise Unknown


def contains(a, b):
    if type(a) is str and type(b) is str and len(a) + len(b) <= LETTERS:
        return a in b
    if type(b) in (list, tuple, set, frozenset, dict) and len(b) <= ELEMENTS and all(type(x) in SCALARS - {bytes} for x in (a, *b)):
        return a in b
    raise Unknown


def length(x):
    if type(x) not in SIZED:
        raise Unknown
    return len(x)


def is_instance(x, kind):
    kinds = kind if type(kind) is tuple else (kind,)
    if type(x) not in SCALARS | SIZED or any(type(k) is not type for k in kinds):
        raise Unknown
    return isinstance(x, kind)


def is_call(node):
    """Whether a node looks like a call of a function that this module knows. What the name stands for is looked at when it is called."""
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS and not node.keywords
        and len(node.args) == (2 if node.func.id == "isinstance" else 1) and not any(isinstance(a, ast.Starred) for a in node.args)
    )


def parts(node):
    """The operands of an operation that can be told here, in the order in which they are evaluated; None for anything else."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right] if type(node.op) in ARITHMETIC else None
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, ast.BoolOp):
        return node.values
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.IfExp):
        return [node.test, node.body, node.orelse]
    if is_call(node):
        return [node.func, *node.args]
    return [] if isinstance(node, ast.Constant) else None


def leaves(node):
    """What an expression is made of that cannot be told here, in the order in which it is evaluated."""
    inner = parts(node)
    if inner is None:
        return [node]
    return [leaf for part in inner for leaf in leaves(part)]


class Expression:
    """An expression over leaves that have numbers. number gives that of a leaf, or None where nobody can tell which one it is."""

    def __init__(self, node, number):
        self.number = number
        self.tell = self.make(node)

    def __call__(self, values):
        """The value that it has by those of its leaves, and the numbers of the leaves that it took, in order."""
        taken = []
        return self.tell(values, taken), taken

    def make(self, node):
        inner = parts(node)
        if inner is None:
            return self.leaf(node)
        if isinstance(node, ast.Constant):
            value = node.value
            return lambda values, taken: value
        made = [self.make(part) for part in inner]
        if isinstance(node, ast.BinOp):
            return self.binary(type(node.op), *made)
        if isinstance(node, ast.UnaryOp):
            return self.unary(node.op, *made)
        if isinstance(node, ast.BoolOp):
            return self.logical(isinstance(node.op, ast.And), made)
        if isinstance(node, ast.Compare):
            return self.compare([self.comparison(type(op), *pair) for op, *pair in zip(node.ops, inner, inner[1:])], made)
        if isinstance(node, ast.IfExp):
            test, body, other = made
            return lambda values, taken: (body if truth(test(values, taken)) else other)(values, taken)
        return self.call(node.func.id, *made)

    def leaf(self, node):
        number = self.number(node)

        def tell(values, taken):
            if number not in values:
                raise Unknown  # the run did not come by
            taken.append(number)
            return values[number]

        return tell

    def binary(self, op, left, right):
        return lambda values, taken: calculate(op, left(values, taken), right(values, taken))

    def unary(self, op, operand):
        if isinstance(op, ast.Not):
            return lambda values, taken: not truth(operand(values, taken))
        apply = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}[type(op)]
        fit = {int} if isinstance(op, ast.Invert) else NUMBERS  # ~True warns

        def tell(values, taken):
            value = operand(values, taken)
            if type(value) not in fit or type(value) is int and value.bit_length() > BITS:
                raise Unknown
            return apply(value)

        return tell

    def logical(self, both, operands):
        def tell(values, taken):
            for operand in operands[:-1]:
                value = operand(values, taken)
                if truth(value) != both:
                    return value
            return operands[-1](values, taken)

        return tell

    def comparison(self, op, left, right):
        if op in ORDER:
            return lambda a, b: ordered(op, a, b)
        if op in (ast.In, ast.NotIn):
            return lambda a, b: contains(a, b) == (op is ast.In)
        if op in (ast.Eq, ast.NotEq):
            return lambda a, b: equal(a, b) == (op is ast.Eq)
        # What is made anew here is another object than the one that was there.
        if any(parts(n) is not None and not (isinstance(n, ast.Constant) and n.value in (None, True, False) and type(n.value) in (bool, NOTHING)) for n in (left, right)):
            raise Unknown
        return lambda a, b: (a is b) == (op is ast.Is)

    def compare(self, comparisons, operands):
        def tell(values, taken):
            left, result = operands[0](values, taken), None
            for comparison, operand in zip(comparisons, operands[1:]):
                right = operand(values, taken)
                result = comparison(left, right)
                if not result:
                    break
                left = right
            return result

        return tell

    def call(self, name, function, *arguments):
        apply = {"len": length, "isinstance": is_instance}[name]

        def tell(values, taken):
            if function(values, taken) is not CALLS[name]:
                raise Unknown
            return apply(*[a(values, taken) for a in arguments])

        return tell
