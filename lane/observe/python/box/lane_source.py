"""Names the tests in a test file by its syntax alone, for files that cannot be loaded."""

import ast
import fnmatch


def tests(path, functions=("test",), classes=("Test",)):
    """Yields tuples of names: (function,) or (class, method)."""
    try:
        with open(path, "rb") as f:
            tree = ast.parse(f.read())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return
    for node in tree.body:
        if _is_function(node) and _fits(node.name, functions):
            yield (node.name,)
        elif isinstance(node, ast.ClassDef):
            case = any("TestCase" in ast.dump(b) for b in node.bases)
            if case or _fits(node.name, classes):
                for inner in node.body:
                    if _is_function(inner) and _fits(inner.name, ("test",) if case else functions):
                        yield (node.name, inner.name)


def _is_function(node):
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))


def _fits(name, patterns):
    return any(name.startswith(p) or ("*" in p or "?" in p or "[" in p) and fnmatch.fnmatchcase(name, p) for p in patterns)
