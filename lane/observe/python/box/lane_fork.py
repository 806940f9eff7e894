"""Loads a session once and forks it for each order that comes on standard input: see package observe of Lane for both.

The process that loaded runs no test. A child changes what the hook changes for the order's value, runs the order's tests, reports
them over the channel, and ends. What it did to memory dies with it, what it left in the folders for temporary files is taken
away, and all processes that it started are killed. Where it may have changed anything else, the answer says so, and the session is
not to be used again. Where a child did something that would not have been the same in a process of its own (it read the
source, loaded it anew, started another program), the answer is spoiled: only a failed test still means something."""

import atexit
import base64
import fcntl
import gc
import importlib
import json
import mmap
import os
import select
import signal
import stat
import sys
import threading
import time

import lane_reach

HIGH = 64  # the lowest descriptor of Lane's own in a child
SOON = 0.5  # seconds within which nobody asks which test runs
LOOK = 0.05  # seconds between two looks at what a long run used
STRAGGLERS = 0.1  # seconds that what a child started has to end by itself
EMPTYING = 2.0  # seconds that killing may take
EXIT_GRACE = 5.0  # seconds from the last result to the end of the process
TAIL = 8 << 10  # bytes kept of what a child printed
MOST_OUTPUT = 16 << 20  # bytes
MOST_REASON = 300
TURN = 1024  # where the note says how many tests have begun, and the nanoseconds of CPU time that one of them used at most
BATCH = 50  # values in one record
NOTED = 24 << 10  # bytes of notes in one record
TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# Audit events of what changes files, by name; the arguments that are paths.
CHANGES = dict.fromkeys("os.mkdir os.rmdir os.remove os.truncate os.chmod os.chown os.utime os.mkfifo os.mknod os.setxattr sqlite3.connect".split(), 1)
CHANGES.update({"os.rename": 2, "os.link": 2, "os.symlink": 2, "shutil.rmtree": 1})

_exit, _fork, _read, _write, _kill, _wait4, _clock = os._exit, os.fork, os.read, os.write, os.kill, os.wait4, time.monotonic
_times = os.times
_decode = json.JSONDecoder().decode
_ticks = os.sysconf("SC_CLK_TCK")
CPUS = len(os.sched_getaffinity(0))


class Server:
    def __init__(self, plan, channel):
        self.plan, self.channel, self.parent = plan, channel, os.getpid()
        self.orders = os.dup(0)
        os.set_inheritable(self.orders, False)
        null = os.open(os.devnull, os.O_RDONLY)  # tests see an empty standard input
        os.dup2(null, 0)
        os.close(null)
        self.rest, self.failfast = b"", False
        self.turns, self.most, self.used = 0, 0, 0.0
        self.note = mmap.mmap(-1, 4096)  # shared with the children: what they did, and why an answer is spoiled
        self.files = None
        folder, name = os.path.split(plan["fork"]["module"])
        sys.path.insert(0, folder)
        self.hook = importlib.import_module(os.path.splitext(name)[0])
        sys.path.remove(folder)
        self.roots = [r for r in (*TEMPORARY, os.environ.get("HOME", "")) if r and os.path.isdir(r)]
        self.processes = processes()
        self.descriptors = descriptors()

    def begin(self):
        """Call it before anything of the tree is loaded."""
        self.hook.begin(self.plan["tree"], self.plan["fork"]["module"])

    # In the process that loaded

    def serve(self, why="", own=()):
        """Answers orders, and returns the order in each child. why says what speaks against forking, own are descriptors that
        the runner itself opened."""
        why = why or self.unfit(own)
        loaded = self.hook.loaded()
        why = why or loaded
        self.channel.send("loaded", m=why[:MOST_REASON])
        if why:
            _exit(0)
        self.before = self.snapshot()
        here = descriptors()
        printing = {here.get(1), here.get(2)}
        self.printing = [fd for fd, target in here.items() if target in printing]  # a runner that captures output keeps copies
        sys.stdout.flush()
        sys.stderr.flush()
        gc.collect()
        gc.freeze()  # a collection in a child would copy every page
        while True:
            order = self.next()
            if order is None:
                _exit(0)
            if self.fork(order):
                return order

    def unfit(self, own):
        """Why what was loaded cannot be forked."""
        names = [t.name for t in threading.enumerate() if t is not threading.main_thread()]
        if names or len(os.listdir("/proc/self/task")) > 1:
            return "loading started a thread (%s)" % (", ".join(names) or "of a library")
        if processes() - self.processes:
            return "loading started a process that goes on"
        for fd, target in sorted(descriptors().items()):
            if self.descriptors.get(fd) != target and target not in self.descriptors.values() and fd not in own and target != os.devnull:
                return "loading left a descriptor open (%s)" % target
        return ""

    def next(self):
        while b"\n" not in self.rest:
            data = _read(self.orders, 1 << 16)
            if not data:
                return None
            self.rest += data
        line, _, self.rest = self.rest.partition(b"\n")
        return _decode(line.decode("utf-8"))

    def fork(self, order):
        self.note[:] = bytes(len(self.note))
        notes = self.hook.notes if order.get("record") else None
        if notes:
            notes[:] = bytes(len(notes))
        out, theirs = os.pipe()
        life, held = os.pipe()
        alive = fcntl.fcntl(held, fcntl.F_DUPFD_CLOEXEC, HIGH)  # tests may expect the low descriptors to be free
        os.close(held)
        since = _clock()
        change = None if order.get("examine") else self.change(order["value"])
        pid = _fork()
        if pid == 0:
            os.close(out)
            os.close(life)
            self.enter(order, theirs, change)
            return True
        os.close(theirs)
        os.close(alive)
        child = Child(pid, out, life, since, self)
        try:
            child.watch(order)
        finally:
            os.close(out)
            os.close(life)
        left, unclean = self.empty()
        dirty = self.tidy() or unclean or bool(self.note[1])
        for at in range(0, len(notes) if notes else 0, NOTED):
            self.channel.send("noted", data=base64.b64encode(notes[at : at + NOTED]).decode("ascii"))
        self.channel.send(
            "forked", order=order["n"], end=child.end, c=child.code, cpu=child.cpu, most=int.from_bytes(self.note[TURN + 8 : TURN + 16], "little"), ns=int((_clock() - since) * 1e9), left=left,
            m=self.reason() or child.odd, dirty=dirty, out=child.tail.decode("utf-8", "replace"),
        )
        return False

    def change(self, value):
        """What is to be called in a child, or a text that says why nothing can be. It is found out before there is a child, which
        would pay for each page that this writes."""
        try:
            return self.hook.prepare(value)
        except Exception as e:
            return "%s: %s" % (type(e).__name__, e)

    def reason(self):
        if not self.note[0]:
            return ""
        size = int.from_bytes(self.note[4:6], "little")
        return self.note[6 : 6 + size].decode("utf-8", "replace")

    def empty(self):
        """Kills what a child left behind; how many there were, and whether any is still there."""
        left = processes() - self.processes
        until = _clock() + STRAGGLERS
        while left and _clock() < until:
            time.sleep(0.005)
            left = processes() - self.processes
        found, until = len(left), _clock() + EMPTYING
        while left and _clock() < until:
            try:
                _kill(-1, signal.SIGKILL)  # everything in the box but this process and pid 1
            except OSError:
                pass
            time.sleep(0.002)
            left = processes() - self.processes
        return found, bool(left)

    def snapshot(self):
        """Every entry below the folders for temporary files, with what a change of it would change."""
        out = {}
        for root in self.roots:
            for folder, folders, files in os.walk(root):
                for name in folders + files:
                    path = os.path.join(folder, name)
                    try:
                        s = os.lstat(path)
                    except OSError:
                        continue
                    out[path] = (s.st_ino, s.st_mode) if stat.S_ISDIR(s.st_mode) else (s.st_ino, s.st_mode, s.st_size, s.st_mtime_ns)
        return out

    def tidy(self):
        """Takes away what is new in the folders for temporary files; whether they are not as they were."""
        now = self.snapshot()
        for path in sorted(set(now) - set(self.before), reverse=True):  # what is in a folder before the folder
            try:
                if os.path.isdir(path) and not os.path.islink(path):
                    os.rmdir(path)
                else:
                    os.unlink(path)
            except OSError:
                return True
        return any(now.get(path) != was for path, was in self.before.items())

    # In a child

    def enter(self, order, out, change):
        os.close(self.orders)
        os.setsid()  # as a command of its own leads its session
        for fd in self.printing:
            os.dup2(out, fd, fd < 3)
        os.close(out)
        self.channel.pid, self.channel.number = os.getpid(), 0
        self.failfast = order.get("failfast", False)
        if order.get("examine"):
            self.examine()
        sys.addaudithook(self.audit)
        if isinstance(change, str):
            self.spoil(change)
            _exit(0)
        change()

    def examine(self):
        """Tells of every value that the hook cannot apply."""
        left, out = self.hook.examine(), {}
        for value, why in left:
            out[value] = why[:MOST_REASON]
            if len(out) == BATCH:
                self.channel.send("left", values=out)
                out = {}
        self.channel.send("left", values=out)
        _exit(0)

    def spoil(self, why):
        """Only the first reason counts."""
        if not self.note[0]:
            text = why.encode("utf-8", "replace")[:MOST_REASON]
            self.note[4:6] = len(text).to_bytes(2, "little")
            self.note[6 : 6 + len(text)] = text
            self.note[0] = 1

    def audit(self, event, args):
        if event == "open":
            path, _, flags = args
            if isinstance(flags, int) and flags & WRITING:
                self.changes(path)
            elif self.watches(path):
                self.spoil("a test reads the source of %s" % os.path.basename(path))
        elif event == "exec":
            if self.watches(getattr(args[0], "co_filename", None)):
                self.spoil("a test loads %s anew" % os.path.basename(args[0].co_filename))
        elif event in CHANGES:
            for path in args[: CHANGES[event]]:
                self.changes(path)
        elif event in lane_reach.PROCESSES and event not in ("os.fork", "os.forkpty"):
            self.spoil("a test starts another program")
            self.note[1] = 1

    def watches(self, path):
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        return isinstance(path, str) and path.endswith(".py") and os.path.abspath(path) in self.hook.files

    def changes(self, path):
        """Takes note of a change of files that the parent does not undo."""
        try:
            if isinstance(path, int) or path in ("", ":memory:"):
                return
            path = os.path.abspath(os.fsdecode(path)) + "/"
        except Exception:
            path = ""
        if not path.startswith(tuple(r + "/" for r in (*self.roots, "/dev"))):
            self.note[1] = 1

    def turn(self):
        """Call it where a test begins."""
        self.measure()
        self.turns += 1
        self.note[TURN : TURN + 8] = self.turns.to_bytes(8, "little")

    def measure(self):
        """Takes note of what was used since the last test began."""
        used = sum(_times()[:4])
        if self.turns:
            self.most = max(self.most, int((used - self.used) * 1e9))
            self.note[TURN + 8 : TURN + 16] = self.most.to_bytes(8, "little")
        self.used = used

    def settle(self, ledger, name):
        """Ends a child whose first failure settles it: how its test, its fixtures and the session end does not matter any more."""
        if self.failfast:
            ledger.finish(name, "failed")
            ledger.end(1)
            _exit(1)

    def leave(self, code):
        """Ends a child, in which everything is reported, as the interpreter ends, but for taking every module apart."""
        if self.channel.pid == self.parent:
            return
        self.measure()
        self.note[2] = 1
        threading._shutdown()
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError, AttributeError):
                pass
        _exit(code & 0xFF)


class Child:
    """One child, seen from the process that loaded."""

    def __init__(self, pid, out, life, since, server):
        self.pid, self.out, self.since, self.server = pid, out, since, server
        self.life = life  # is hung up when the child ends, and later where its own children go on
        self.end, self.code, self.cpu, self.odd = "", 0, 0, ""
        self.tail, self.printed = bytearray(), 0
        self.turn, self.turned, self.before = b"", since, 0.0  # the last test that was seen to begin, when, and what was used by then

    def watch(self, order):
        poll = select.poll()
        poll.register(self.out, select.POLLIN)
        poll.register(self.life, 0)
        looked, reported, ending = self.since, None, False
        while not self.over():
            for ready, _ in poll.poll(1 if ending else LOOK * 1000):
                if ready == self.life:
                    poll.unregister(self.life)
                    ending = True
                elif not self.take():
                    poll.unregister(self.out)
            now = _clock()
            if self.server.note[2] and reported is None:
                reported = now
            if now - looked < LOOK:
                continue
            looked = now
            if not self.end:
                self.end = self.beyond(order, now, reported)
                if self.end or self.odd:
                    self.end = self.end or "killed"
                    _kill(self.pid, signal.SIGKILL)
        while self.take(False):
            pass

    def beyond(self, order, now, reported):
        """The budget that is used up, or ""."""
        if self.printed > MOST_OUTPUT:
            self.odd = "it prints without end"
        if now - self.since > order["wall"] > 0:
            return "timeout"
        turn = self.server.note[TURN : TURN + 8]
        if turn != self.turn and now - self.since > SOON:
            self.turn, self.turned, self.before = turn, now, self.used()
        # Until then not even all processors at once can have used it up.
        if 0 < order["each"] < (now - self.turned) * CPUS and self.used() - self.before > order["each"]:
            return "cpu"
        if 0 < order["cpu"] < (now - self.since) * CPUS and self.used() > order["cpu"]:
            return "cpu"
        if reported is not None and now - reported > EXIT_GRACE:
            return "did-not-exit"
        return ""

    def used(self):
        """Seconds of CPU time of all that the child is and started."""
        total = 0
        for pid in processes() - self.server.processes:
            try:
                with open("/proc/%d/stat" % pid, "rb") as f:
                    total += sum(int(n) for n in f.read().rpartition(b")")[2].split()[11:15])
            except (OSError, ValueError):
                pass
        return total / _ticks

    def over(self):
        pid, status, usage = _wait4(self.pid, os.WNOHANG)
        if pid == 0:
            return False
        self.cpu = int((usage.ru_utime + usage.ru_stime) * 1e9)
        if os.WIFEXITED(status):
            self.code = os.WEXITSTATUS(status)
            self.end = self.end or "exited"
        elif not self.end:
            self.end, self.code = "signaled", os.WTERMSIG(status)
            if self.code == signal.SIGKILL:
                self.odd = "it was killed from outside"
        return True

    def take(self, wait=True):
        """Reads what the child printed; whether more may come."""
        if not wait:
            ready = select.select([self.out], [], [], 0)[0]
            if not ready:
                return False
        data = _read(self.out, 1 << 16)
        self.printed += len(data)
        self.tail += data
        del self.tail[:-TAIL]
        return bool(data)


def processes():
    return {int(n) for n in os.listdir("/proc") if n.isdigit()}


def descriptors():
    out = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            out[int(name)] = os.readlink("/proc/self/fd/" + name)
        except OSError:  # that of the folder itself
            pass
    return out
