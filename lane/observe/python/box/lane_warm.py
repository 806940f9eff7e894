"""Fills the cache of lane_cache with what runs will load, before any code of the tree has run: sources of the tree are compiled
and nothing else."""

import importlib
import marshal
import os
import sys

import lane_cache

MOST_FILES = 5000
MOST_BYTES = 64 << 20
LONGEST = 1 << 20  # bytes of one file; longer ones are compiled by the runs that need them
# What tests often import of the standard library.
COMMON = """argparse array ast asyncio bisect calendar codecs collections collections.abc concurrent.futures configparser contextlib copy csv
dataclasses datetime decimal difflib doctest email.message enum fractions functools glob gzip hashlib heapq html http.client importlib.metadata
importlib.resources inspect io itertools json logging logging.handlers math multiprocessing numbers operator os pathlib pdb pickle pprint
queue random re secrets shutil signal socket sqlite3 statistics string struct subprocess tempfile textwrap threading time timeit tomllib
traceback types typing unittest unittest.mock urllib.parse urllib.request uuid warnings weakref xml.etree.ElementTree zipfile zlib zoneinfo""".split()


def fill(plan, cache):
    for folder in cache.known:
        os.makedirs(os.path.join(cache.folder, folder), exist_ok=True)
    sealed = None
    if plan["kind"] == "pytest":
        import lane_sealed as sealed

        sealed.rehearse(plan["scratch"])
    for name in COMMON:
        try:
            importlib.import_module(name)
        except ImportError:
            pass
    for module in list(sys.modules.values()):
        origin = getattr(getattr(module, "__spec__", None), "origin", None)
        if isinstance(origin, str) and origin.endswith(".py") and (origin.startswith(lane_cache.CLOSURE) or origin.startswith("/lane/")):
            put(cache, origin)
    left, size = MOST_FILES, MOST_BYTES
    for folder, folders, files in os.walk(plan["tree"]):
        folders[:] = [d for d in folders if not d.startswith(".") and d not in ("node_modules", "__pycache__")]
        for name in sorted(files):
            path = os.path.join(folder, name)
            if not name.endswith(".py") or os.path.islink(path) or not os.path.isfile(path) or os.path.getsize(path) > LONGEST:
                continue
            left, size = left - 1, size - os.path.getsize(path)
            if left < 0 or size < 0:
                return
            put(cache, path)
            if sealed and (name.startswith(("test", "conftest")) or name.endswith("_test.py")):
                code = sealed.rewritten(path)
                if code is not None:
                    write(cache, "rewritten", cache.name(path, sealed.VERSION), marshal.dumps(code))


def put(cache, path):
    if cache.entry("plain", path):
        return
    try:
        with open(path, "rb") as f:
            code = compile(f.read(), path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, OSError, RecursionError, MemoryError):
        return
    write(cache, "plain", cache.name(path), lane_cache.UNCHECKED + marshal.dumps(code))


def write(cache, kind, name, data):
    if name and name not in cache.known[kind]:
        with open(os.path.join(cache.folder, kind, name), "wb") as f:
            f.write(data)
        cache.known[kind].add(name)
