"""Keeps bytecode by the content that it was compiled from.

Python trusts cached bytecode by the time and size of the source: a mutant of equal length and time, or a cache that came with
the tree, would run in place of the source. So no cache of the tree is ever read or written. In its place stands one that
Lane made before any code of the tree ran: an entry's name is the SHA-256 of path and source, and for the closure, which never
changes, of the path. A run only reads it. This module needs nothing but builtins, so that what it loads is read from the cache."""

import _frozen_importlib_external as external

try:
    from _sha256 import sha256
except ImportError:
    try:
        from _sha2 import sha256
    except ImportError:
        from hashlib import sha256

CLOSURE = "/nix/store/"
# The head of bytecode that nobody compares with a source.
UNCHECKED = external.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)


class Cache:
    def __init__(self, tree, folder):
        self.tree = tree.rstrip("/") + "/"
        self.folder = folder
        self.known = {"plain": set(), "rewritten": set()}
        for kind in self.known:
            try:
                self.known[kind].update(external._os.listdir("%s/%s" % (folder, kind)))
            except OSError:
                pass

    def install(self):
        original = external.cache_from_source

        def cache_from_source(path, *args, **kwargs):
            name = external._os.fspath(path)
            entry = self.entry("plain", name)
            if entry is not None:
                return entry
            if self.inside(name):
                raise NotImplementedError("no cached bytecode")
            return original(path, *args, **kwargs)

        external.cache_from_source = cache_from_source

    def inside(self, path):
        if path[:1] != "/":
            path = external._path_join(external._os.getcwd(), path)
        return path.startswith(self.tree)

    def entry(self, kind, path, more=b""):
        """The file of the bytecode of a source, or None where there is none."""
        if not self.known[kind]:
            return None
        name = self.name(path, more)
        return "%s/%s/%s" % (self.folder, kind, name) if name in self.known[kind] else None

    def name(self, path, more=b""):
        sum = sha256(external.MAGIC_NUMBER + more + b"\0" + path.encode("utf-8", "surrogateescape") + b"\0")
        if not path.startswith(CLOSURE):
            try:
                with open(path, "rb") as f:
                    sum.update(f.read())
            except OSError:
                return ""
        return sum.hexdigest()
