"""The records of a run: see package observe of Lane for their format. What is needed to send one is bound when this
module loads, before any code of the tree, so that a test which replaces os.write or json.dumps changes nothing here."""

import fcntl
import hashlib
import json
import os
import threading
import time
import traceback

MAX_MESSAGE = 4000  # characters of a message
MAX_ENCODED = 30 << 10  # bytes of a message in a record
MAX_NAME = 1000  # bytes of a name; longer ones are cut and told apart by a hash
BATCH = 100  # names in one list

_write = os.write
_getpid = os.getpid
_encode = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode
_clock = time.perf_counter_ns
_sha256 = hashlib.sha256


class Channel:
    """Sends numbered records. A process that was forked from this one sends none: it is not the runner."""

    def __init__(self, unit, fd=3):
        self.unit = unit
        self.pid = _getpid()
        self.number = 0
        self.lock = threading.RLock()
        try:
            self.fd = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 64)
            os.close(fd)  # tests may expect the low descriptors to be free
        except OSError:
            self.fd = -1

    def send(self, event, **fields):
        if self.fd < 0 or _getpid() != self.pid:
            return
        with self.lock:
            self.number += 1
            record = {"v": 1, "e": event, "p": self.pid, "n": self.number, "u": self.unit}
            record.update(fields)
            try:
                _write(self.fd, _encode(record).encode("ascii"))
            except OSError:
                self.fd = -1


def short(name):
    """Cuts a name that is too long for a record."""
    raw = name.encode("utf-8", "replace")
    if len(raw) <= MAX_NAME:
        return name
    end = name[-1] if name[-1] in ")]" else ""  # what shows that it is a part of a test
    return raw[: MAX_NAME - 20].decode("utf-8", "ignore") + "~" + _sha256(raw).hexdigest()[:16] + end


def clip(text):
    """Cuts a message to what a record holds."""
    text = text[:MAX_MESSAGE]
    while len(_encode(text)) > MAX_ENCODED:
        text = text[: len(text) // 2]
    return text


def describe(error, file=None):
    """What an exception says, after the place in the test's file where it passed. Its own code may fail, too."""
    try:
        text = "%s: %s" % (type(error).__name__, error)
    except BaseException as again:  # noqa: B036: an exception's __str__ is code of the tree
        text = "%s, which cannot be printed (%s)" % (type(error).__name__, type(again).__name__)
    try:
        frames = [(f.f_code.co_filename, line) for f, line in traceback.walk_tb(error.__traceback__)]
        own = [f for f in frames if file and f[0] == file] or frames[-1:]
        if own:
            text = "%s:%s: %s" % (os.path.basename(own[-1][0]), own[-1][1], text)
    except Exception:
        pass
    return text


class Ledger:
    """Tells of the tests of one run, and of each top-level test that has parts: it begins with the first of them, ends
    with the last, and is as bad as the worst."""

    def __init__(self, channel, top):
        self.channel = channel
        self.top = top  # name of a test -> name of the top-level test
        self.begun = False
        self.started = 0
        self.names = []  # what will run
        self.ran = set()  # names that began
        self.due = {}  # top -> parts that have not ended
        self.parts = {}  # top -> statuses of its parts
        self.since = {}  # name -> clock at its start, or time that it took
        self.failed = set()  # names whose failure was sent
        self.open = {}  # tops that have begun and not ended

    def begin(self, names, left=(), failfast=False):
        """Says what will run: the names of all tests in order, parts and tops, one for each run of it."""
        counts = {}
        self.names = list(names)
        for name in names:
            counts[name] = counts.get(name, 0) + 1
            top = self.top(name)
            if top != name:
                self.due[top] = self.due.get(top, 0) + 1
        tops = list(dict.fromkeys(short(self.top(n)) for n in names))
        self.begun = True
        self.channel.send("begin", runs=max(counts.values(), default=1), listed=len(tops), failfast=bool(failfast))
        for at in range(0, len(tops), BATCH):
            self.channel.send("list", tests=tops[at : at + BATCH])
        asked = set(tops)
        left = [n for n in map(short, dict.fromkeys(left)) if n not in asked]
        for at in range(0, len(left), BATCH):
            self.channel.send("list", left=left[at : at + BATCH])

    def start(self, name):
        top = self.top(name)
        if top != name and top not in self.open and top not in self.since:  # a test with subtests runs itself
            self.open[top] = _clock()
            self.parts[top] = []
            self._start(top)
        self.since[name] = _clock()
        self._start(name)

    def _start(self, name):
        self.started += 1
        self.ran.add(name)
        self.channel.send("start", t=short(name))

    def fail(self, name, text):
        """Sends the first failure of a test at once, so that an exit cannot take it back."""
        if name in self.failed:
            return
        self.failed.add(name)
        self.channel.send("fail", t=short(name), m=clip(text))
        top = self.top(name)
        if top != name:
            self.fail(top, "%s failed" % name)

    def finish(self, name, status, text=""):
        if name in self.failed:
            status, text = "failed", ""
        self._finish(name, status, text, self.since.pop(name, None))
        self.failed.discard(name)
        top = self.top(name)
        if top == name or top not in self.open:
            return
        self.parts[top].append((status, text))
        self.due[top] = self.due.get(top, 0) - 1
        if self.due[top] == 0:
            self._close(top, "")

    def _finish(self, name, status, text, since):
        took = _clock() - since if since is not None else 0
        self.channel.send("finish", t=short(name), s=status, ns=max(took, 0), m=clip(text))

    def _close(self, top, unfinished):
        since = self.open.pop(top)
        statuses = [s for s, _ in self.parts[top]]
        status, text = "passed", ""
        if top in self.failed or "failed" in statuses:
            status = "failed"
        elif unfinished:
            status, text = "skipped", unfinished
        elif all(s == "skipped" for s in statuses):
            status, text = "skipped", self.parts[top][0][1] if statuses else ""
        self._finish(top, status, text, since)
        self.failed.discard(top)

    def whole(self, name, status, text):
        """Tells of a test that could not run at all."""
        self.start(name)
        if status == "failed":
            self.fail(name, text)
        self.finish(name, status, text)

    def waiting(self):
        """The names that have not begun."""
        return [n for n in dict.fromkeys(self.names) if n not in self.ran]

    def end(self, code):
        if not self.begun:
            return
        for top in list(self.open):
            if top not in self.since:  # it runs no test of its own name
                self._close(top, "the run stopped before all of its parts had run")
        self.channel.send("end", c=code if 0 <= code < 256 else 1, started=self.started)
