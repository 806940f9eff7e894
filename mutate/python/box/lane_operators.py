"""The operators: each turns a node into small faults, as edits of text. What lies outside of an edit never changes."""

import ast
import bisect
import hashlib

import lane_arid


class Fault:
    """An edit of text[start:stop]; context stands for the statement around it, whatever its layout."""

    def __init__(self, op, start, stop, text, say):
        self.op, self.start, self.stop, self.text, self.say = op, start, stop, text, say
        self.func = self.arid = self.context = ""
        self.line = self.end_line = 0
        self.reach = [0, 0]


BOUNDARY = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
COMPARISON = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Lt: ">=", ast.GtE: "<", ast.Gt: "<=", ast.LtE: ">",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}
ARITHMETIC = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "*", ast.Pow: "*",
    ast.LShift: ">>", ast.RShift: "<<", ast.BitAnd: "|", ast.BitOr: "&", ast.BitXor: "&",
}
WORDS = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.GtE: ">=", ast.Gt: ">", ast.LtE: "<=", ast.Is: "is", ast.IsNot: "is not", ast.In: "in",
    ast.NotIn: "not in", ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.And: "and", ast.Or: "or",
    ast.Not: "not", ast.USub: "-", ast.UAdd: "+", ast.Invert: "~",
}
# Operators that bind otherwise than what replaces them.
REBINDING = (ast.Pow, ast.BitAnd, ast.BitOr, ast.BitXor)
NO_CODE = (ast.expr_context, ast.operator, ast.cmpop, ast.boolop, ast.unaryop) + ((ast.pattern,) if hasattr(ast, "pattern") else ())
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def faults(source, operators=None):
    """All faults of a source, in the order of their places."""
    walker = Walker(source, operators)
    walker.walk(source.tree)
    walker.out.sort(key=lambda f: (f.start, f.stop))
    return walker.out


def functions(source):
    """[name, first line of the body, last line] of each function that is not within another."""
    out = []

    def visit(nodes, prefix):
        for node in nodes:
            if isinstance(node, FUNCTIONS):
                out.append([prefix + node.name, node.body[0].lineno, node.end_lineno])
            elif isinstance(node, ast.ClassDef):
                visit(node.body, prefix + node.name + ".")
            else:
                visit([n for n in ast.iter_child_nodes(node) if isinstance(n, ast.stmt)], prefix)

    visit(source.tree.body, "")
    return out


class Walker:
    def __init__(self, source, operators):
        self.source, self.text = source, source.text
        self.operators = None if operators is None else set(operators)
        self.stack, self.names, self.out = [], [], []
        self.contexts = {}  # statement -> its context

    # The way through the tree

    def walk(self, node):
        self.stack.append(node)
        named = isinstance(node, FUNCTIONS + (ast.ClassDef,))
        for decorator in getattr(node, "decorator_list", []):
            self.walk(decorator)
        if named:
            self.names.append(node.name)
        for apply in (self.compare, self.calculation, self.logical, self.boolean, self.unary, self.condition, self.results, self.statement, self.constant):
            apply(node)
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "decorator_list", "type_comment", "type_params", "format_spec"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not self.passes_over(node, child):
                    self.walk(child)
        if named:
            self.names.pop()
        self.stack.pop()

    def passes_over(self, node, child):
        if isinstance(child, ast.JoinedStr) or type(child).__name__ in ("TemplateStr", "TypeAlias"):
            return True  # places within are not reliable before Python 3.12
        if isinstance(child, NO_CODE):
            return True
        return isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)  # a docstring, or an ellipsis

    def parent(self, above=1):
        return self.stack[-1 - above] if len(self.stack) > above else None

    def add(self, op, start, stop, text, say):
        if self.operators is not None and op not in self.operators:
            return
        text = self.apart(start, stop, text)
        fault = Fault(op, start, stop, text, say)
        statement = next((n for n in reversed(self.stack) if isinstance(n, (ast.stmt, ast.excepthandler))), None) or self.stack[0]
        head = header(statement)
        fault.func = ".".join(self.names) if any(isinstance(n, FUNCTIONS) for n in self.stack) else ""
        fault.line = self.line(start)
        fault.end_line = max(fault.line, self.line(max(start, stop - 1)))
        fault.reach = head
        if statement not in self.contexts:
            self.contexts[statement] = hashlib.sha256(context(statement).encode("utf-8", "surrogatepass")).hexdigest()[:24]
        fault.context = self.contexts[statement]
        fault.arid = lane_arid.reason(self.stack, self.source)
        self.out.append(fault)

    def line(self, place):
        return bisect.bisect_right(self.source.starts, place)

    def apart(self, start, stop, text):
        """Adds a blank where an edit would melt with its neighbours into another word."""
        before = self.text[start - 1 : start]
        after = self.text[stop : stop + 1]
        if not text:
            return " " if melts(before, after) else ""
        if melts(before, text[0]):
            text = " " + text
        if melts(text[-1], after):
            text += " "
        return text

    def operator(self, start, stop, op):
        """Where the operator stands between two operands."""
        words = WORDS[type(op)].split()
        first = None
        for i in self.source.code(start, stop):
            if self.text.startswith(words[0], i):
                first = i
                break
        if first is None:
            return None
        last = first + len(words[0])
        if len(words) > 1:
            for i in self.source.code(last, stop):
                return (first, i + len(words[1])) if self.text.startswith(words[1], i) else None
        return first, last

    # The operators

    def compare(self, node):
        if not isinstance(node, ast.Compare):
            return
        left = node.left
        for op, right in zip(node.ops, node.comparators):
            place = self.operator(self.source.span(left)[1], self.source.span(right)[0], op)
            left = right
            if place is None:
                continue
            for name, table in (("boundary", BOUNDARY), ("comparison", COMPARISON)):
                if type(op) in table:
                    self.add(name, *place, table[type(op)], swap(WORDS[type(op)], table[type(op)]))

    def calculation(self, node):
        if isinstance(node, ast.AugAssign) and type(node.op) in ARITHMETIC:
            place = self.operator(self.source.span(node.target)[1], self.source.span(node.value)[0], node.op)
            if place:
                to = ARITHMETIC[type(node.op)]
                self.add("arithmetic", *place, to, swap(WORDS[type(node.op)] + "=", to + "="))
            return
        if not isinstance(node, ast.BinOp) or type(node.op) not in ARITHMETIC:
            return
        if isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant) and isinstance(node.left.value, (str, bytes)):
            return  # it formats
        place = self.operator(self.source.span(node.left)[1], self.source.span(node.right)[0], node.op)
        if place is None:
            return
        to = ARITHMETIC[type(node.op)]
        say = swap(WORDS[type(node.op)], to)
        if not isinstance(node.op, REBINDING):
            self.add("arithmetic", *place, to, say)
            return
        start, stop = self.source.span(node)
        text = "((%s) %s (%s))" % (self.text[start : place[0]].rstrip(" \t"), to, self.text[place[1] : stop].lstrip(" \t"))
        self.add("arithmetic", start, stop, text, say)

    def logical(self, node):
        if not isinstance(node, ast.BoolOp):
            return
        to = "or" if isinstance(node.op, ast.And) else "and"
        lowest, highest = self.source.span(node)
        alone = len(node.values) == 2 and not isinstance(self.parent(), (ast.BoolOp, ast.UnaryOp, ast.Compare, ast.BinOp, ast.IfExp))
        before = lowest
        for left, right in zip(node.values, node.values[1:]):
            place = self.operator(self.source.span(left)[1], self.source.span(right)[0], node.op)
            if place is None:
                return
            say = swap(WORDS[type(node.op)], to)
            if alone:
                self.add("logical", *place, to, say)
            else:
                start = self.source.outer(left, before, place[0])[0]
                stop = self.source.outer(right, place[1], highest)[1]
                self.add("logical", start, stop, "(" + self.text[start : place[0]] + to + self.text[place[1] : stop] + ")", say)
            before = place[1]

    def boolean(self, node):
        if isinstance(node, ast.Constant) and isinstance(node.value, bool) and not isinstance(self.parent(), ast.Return):
            self.replace("boolean", node, str(not node.value))

    def unary(self, node):
        if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.UAdd):
            start = self.source.span(node)[0]
            stop = start + len(WORDS[type(node.op)])
            operand = next(self.source.code(stop, len(self.text)), stop)
            if "\n" in self.text[stop:operand] or "\r" in self.text[stop:operand]:
                operand = stop
            whole = self.text[start : self.source.span(node)[1]]
            self.add("unary", start, operand, "", swap(whole, whole[operand - start :]))

    def condition(self, node):
        tests = []
        if isinstance(node, (ast.If, ast.IfExp)):
            tests = [(node.test, ("True", "False"))]
        elif isinstance(node, ast.While):
            tests = [(node.test, ("False",))]
        elif isinstance(node, ast.comprehension):
            tests = [(test, ("True", "False")) for test in node.ifs]
        for test, values in tests:
            if not isinstance(test, ast.Constant):
                for value in values:
                    self.replace("condition", test, value)

    def results(self, node):
        if isinstance(node, (ast.Return, ast.Yield)) and node.value is not None:
            to = self.other(node.value)
            if to is not None:
                self.replace("return", node.value, to)

    def other(self, value):
        """What a result may become."""
        if isinstance(value, ast.Constant):
            if isinstance(value.value, bool):
                return str(not value.value)
            if isinstance(value.value, (int, float, complex)):
                return "0" if value.value else "1"
            if isinstance(value.value, str):
                return '""' if value.value else '"lane"'
            if isinstance(value.value, bytes):
                return 'b""' if value.value else 'b"lane"'
            return None
        if isinstance(value, ast.Compare) or isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not):
            return "not (%s)" % self.text[slice(*self.source.span(value))]
        empty = {ast.List: "[]", ast.Tuple: "()", ast.Dict: "{}", ast.Set: "set()"}.get(type(value))
        if empty is not None:
            return empty if getattr(value, "elts", None) or getattr(value, "keys", None) else "None"
        function = next((n for n in reversed(self.stack) if isinstance(n, FUNCTIONS + (ast.Lambda,))), None)
        returns = getattr(function, "returns", None)
        if isinstance(returns, ast.Constant) and isinstance(returns.value, str):
            spelled = returns.value
        else:
            spelled = ast.unparse(returns) if returns is not None else ""
        if spelled == "bool":
            return "not (%s)" % self.text[slice(*self.source.span(value))]
        return {"int": "0", "float": "0.0", "str": '""', "bytes": 'b""'}.get(spelled, "None")

    def statement(self, node):
        what = None
        if isinstance(node, ast.Expr) and isinstance(node.value, (ast.Call, ast.Await)):
            what = "call"
        elif isinstance(node, ast.AugAssign):
            what = "assignment"
        elif isinstance(node, ast.Assign) and all(isinstance(t, (ast.Attribute, ast.Subscript)) for t in node.targets):
            what = "assignment"
        elif isinstance(node, ast.Delete):
            what = "deletion"
        elif isinstance(node, ast.Raise):
            what = "exception"
        if what:
            start, stop = self.source.span(node)
            self.add("statement", start, stop, "pass", "%s `%s` taken away" % (what, one_line(self.text[start:stop])))

    def constant(self, node):
        if not isinstance(node, ast.Constant) or isinstance(node.value, bool) or isinstance(self.parent(), (ast.Return, ast.Yield)):
            return
        value = node.value
        if isinstance(value, int):
            to = str(value + 1)
        elif isinstance(value, float):
            to = repr(value + 1.0)
            if to in ("inf", "nan") or value + 1.0 == value:
                return
        elif isinstance(value, str):
            to = '""' if value else '"lane"'
        elif isinstance(value, bytes):
            to = 'b""' if value else 'b"lane"'
        else:
            return
        if isinstance(self.parent(), ast.Attribute):
            to = "(%s)" % to  # 1 .real
        self.replace("constant", node, to)

    def replace(self, op, node, to):
        start, stop = self.source.span(node)
        self.add(op, start, stop, to, swap(self.text[start:stop], to))


def header(statement):
    """The lines of a statement, without the blocks that hang below it."""
    first = min([statement.lineno] + [d.lineno for d in getattr(statement, "decorator_list", [])]) if hasattr(statement, "lineno") else 1
    last = getattr(statement, "end_lineno", first)
    body = getattr(statement, "body", None) or getattr(statement, "cases", None)
    if isinstance(body, list) and body:
        below = getattr(body[0], "lineno", getattr(getattr(body[0], "pattern", None), "lineno", last))
        last = max(first, below - 1) if below > statement.lineno else statement.lineno
    return [first, last]


def context(statement):
    """A statement in one line, whatever its layout, without the blocks below it."""
    if isinstance(statement, (ast.If, ast.While)):
        return type(statement).__name__ + " " + ast.unparse(statement.test)
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        return "for %s in %s" % (ast.unparse(statement.target), ast.unparse(statement.iter))
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        return "with " + ", ".join(ast.unparse(i) for i in statement.items)
    if isinstance(statement, FUNCTIONS):
        return "def %s(%s)" % (statement.name, ast.unparse(statement.args))
    if isinstance(statement, ast.ClassDef):
        return "class %s(%s)" % (statement.name, ", ".join(ast.unparse(b) for b in statement.bases))
    if hasattr(statement, "body"):
        return type(statement).__name__
    return ast.unparse(statement)


def melts(a, b):
    word = lambda c: c == "_" or c.isalnum() or c in "\"'"  # a word before a quote is a prefix of the string
    return bool(a) and bool(b) and word(a) and word(b)


def one_line(text):
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."


def swap(a, b):
    return "`%s` -> `%s`" % (one_line(a), one_line(b))
