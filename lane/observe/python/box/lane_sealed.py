"""Keeps what the tree says of itself from changing what is run or what a result means: cached bytecode, and addopts."""

import ast
import dataclasses
import marshal
import os
import shlex
import sys

import _pytest.assertion.rewrite as rewrite
import _pytest.config
import pytest

import lane_addopts

VERSION = b"pytest " + pytest.__version__.encode()


def seal_rewriting(cache):
    """Lets no rewritten bytecode of the tree be read but Lane's own: see lane_cache."""
    original = rewrite._read_pyc

    def read_pyc(source, *args, **kwargs):
        if not cache.inside(str(source)):
            return original(source, *args, **kwargs)
        entry = cache.entry("rewritten", str(source), VERSION)
        if entry is None:
            return None
        with open(entry, "rb") as f:
            return marshal.loads(f.read())

    rewrite._read_pyc = read_pyc


def rewritten(path):
    """The code of a test file as pytest rewrites it; None where it does not compile."""
    with open(path, "rb") as f:
        source = f.read()
    try:
        tree = ast.parse(source, filename=path)
        rewrite.rewrite_asserts(tree, source, path, None)
        return compile(tree, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def rehearse(scratch):
    """Loads what every session loads, by one without tests."""
    os.makedirs(scratch, exist_ok=True)
    code = "def test_nothing():\n    value = [1]\n    assert value == [2]\n"
    with open(os.path.join(scratch, "test_nothing.py"), "w") as f:
        f.write(code)
    pytest.main(["-q", "-p", "no:cacheprovider", "--rootdir", scratch, "-c", os.devnull, scratch])


def seal_configuration(plugin):
    """Lets the tree's own configuration hold, but for most of its addopts, until the session is configured: a suite that
    runs pytest within pytest has its own."""
    original = _pytest.config.determine_setup

    def determine_setup(*args, **kwargs):
        return tuple(sealed(v, plugin.cache) if isinstance(v, dict) else v for v in original(*args, **kwargs))

    def restore():
        _pytest.config.determine_setup = original

    _pytest.config.determine_setup = determine_setup
    plugin.configured = restore


def sealed(ini, cache):
    ini = dict(ini)
    if "enable_assertion_pass_hook" in ini:
        cache.known["rewritten"].clear()  # it changes what is rewritten
    value = ini.pop("addopts", None)
    raw = getattr(value, "value", value)  # pytest 9 keeps where a value came from beside it
    if not raw:
        return ini
    kept, left = lane_addopts.part(shlex.split(raw) if isinstance(raw, str) else [str(w) for w in raw])
    if left:
        sys.stderr.write("lane: left out of the tree's addopts, for the command of the spec to say: %s\n" % " ".join(left))
    if kept:
        text = " ".join(shlex.quote(w) for w in kept)
        if not isinstance(raw, str):
            text = kept
        ini["addopts"] = text if value is raw else dataclasses.replace(value, value=text)
    return ini
