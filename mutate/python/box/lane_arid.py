"""Says why nobody would want a test that notices a fault at a place; "" where somebody would."""

import ast

GENERATED, LOG, ERROR_TEXT, DEBUG, TYPES, PROGRAM = (
    "generated code", "log line", "error text", "debug text", "type annotation", "run as a program only",
)
LOGGERS = {"log", "logger", "logging", "_log", "_logger", "LOG", "LOGGER", "warnings"}
LEVELS = {"debug", "info", "warning", "warn", "error", "exception", "critical", "log", "trace", "success", "fatal"}


def reason(stack, source):
    """stack holds the nodes from the module down to the one that the fault is in."""
    if source.generated:
        return GENERATED
    for node, child in zip(stack, stack[1:]):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name in ("__repr__",):
            return DEBUG
        if isinstance(node, ast.If) and child is not node.test:
            if guards(node.test, "TYPE_CHECKING") and child in node.body:
                return TYPES
            if is_main(node.test) and child in node.body:
                return PROGRAM
        if isinstance(node, ast.Expr) and is_log(node.value):
            return LOG
        if isinstance(node, ast.Raise) and child is node.exc and isinstance(child, ast.Call):
            at = stack[stack.index(child) + 1 :]
            if at and at[0] is not child.func:
                return ERROR_TEXT
        if isinstance(node, ast.Assert) and child is node.msg:
            return ERROR_TEXT
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id in ("__all__", "__version__", "__author__") for t in node.targets):
            return DEBUG
    if isinstance(stack[-1], ast.Expr) and is_log(stack[-1].value):
        return LOG
    return ""


def guards(test, name):
    return isinstance(test, ast.Name) and test.id == name or isinstance(test, ast.Attribute) and test.attr == name


def is_main(test):
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def is_log(call):
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    owner = call.func.value
    name = owner.attr if isinstance(owner, ast.Attribute) else owner.id if isinstance(owner, ast.Name) else ""
    return (name in LOGGERS or name.lower().endswith("logger")) and call.func.attr in LEVELS
