"""Makes the canary of a session: a test that must fail, as a module beside the suite's own which is in no folder."""

import ast
import linecache
import os
import sys
import types

import pytest
from _pytest.assertion.rewrite import rewrite_asserts


def module(planned, path, config=None):
    """Loads the canary's source as if it lay at path."""
    name = os.path.splitext(os.path.basename(path))[0]
    source = planned["source"]
    tree = ast.parse(source)
    rewrite_asserts(tree, source.encode(), path, config)
    loaded = types.ModuleType(name)
    loaded.__file__ = path
    linecache.cache[path] = (len(source), None, source.splitlines(True), path)
    sys.modules.setdefault(name, loaded)
    exec(compile(tree, path, "exec", dont_inherit=True), loaded.__dict__)
    return loaded


def items(session, suite, planned):
    """Collects the canary as pytest collects any file of its folder."""
    path = planned["path"]
    parent = session
    for item in suite:
        file = item.getparent(pytest.Module)
        if file is not None and os.path.dirname(str(file.path)) == os.path.dirname(path):
            parent = file.parent
            break
    file = pytest.Module.from_parent(parent, path=type(session.path)(path))
    file._obj = module(planned, path, session.config)
    file.funcnamefilter = lambda name: name.startswith("test")
    file.classnamefilter = lambda name: name.startswith("Test")
    return [i for i in session.genitems(file)]
