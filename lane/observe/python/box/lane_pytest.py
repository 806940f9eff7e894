"""Runs pytest as the command says, and reports what each test did from where it is done.

What a test did is seen at its own call (item.runtest) and at the calls that set it up and tear it down, below every hook
that a conftest.py may wrap around them; what pytest's reports say later can only make it worse."""

import os
import unittest

import _pytest.outcomes
import _pytest.skipping
import pytest

import lane_canary
import lane_order
import lane_reach
import lane_records
import lane_sealed
import lane_source

OLDEST = (7, 0)


def top(name):
    """tests/test_x.py::test_m[param] is a part of tests/test_x.py::test_m."""
    at = name.find("::")
    if at >= 0 and name.endswith("]"):
        bracket = name.find("[", at)
        if bracket > 0:
            return name[:bracket]
    return name


class Runner:
    def __init__(self, plan, cache, server=None):
        if tuple(int(n) for n in pytest.__version__.split(".")[:2]) < OLDEST:
            raise SystemExit("lane: pytest %s is older than %d.%d, which Lane does not know" % (pytest.__version__, *OLDEST))
        self.plan, self.cache, self.server = plan, cache, server

    def run(self, channel):
        ledger = lane_records.Ledger(channel, top)
        plugin = Plugin(self.plan, ledger, self.cache, self.server)
        lane_sealed.seal_rewriting(self.cache)
        lane_sealed.seal_configuration(plugin)
        os.environ.pop("PYTEST_ADDOPTS", None)
        if any("enable_assertion_pass_hook" in a for a in self.plan["args"]):
            self.cache.known["rewritten"].clear()
        args = ["-o", "cache_dir=" + self.plan["scratch"] + "/pytest-cache", *self.plan["args"]]
        code = int(pytest.main(args, plugins=[plugin]))
        select = self.plan["select"]
        if not ledger.begun and code != 0 and select is not None:
            # A conftest.py that cannot be loaded ends the session before any test: none of those asked for can pass.
            ledger.begin(select)
            for name in select:
                ledger.whole(name, "failed", "the session could not begin: pytest ended with status %d" % code)
        if plugin.reach:
            plugin.reach.save(self.plan["cover"]["out"])
        ledger.end(code)
        return code


class State:
    """What was seen of one item."""

    def __init__(self):
        self.returned = self.failed = False
        self.skipped = None  # why, where it was


class Plugin:
    def __init__(self, plan, ledger, cache, server=None):
        self.plan, self.ledger, self.cache, self.server = plan, ledger, cache, server
        self.skips = (_pytest.outcomes.Skipped, unittest.SkipTest)
        self.states = {}  # item -> State
        self.current = None
        self.broken = []  # (names, status, text) of what could not be collected
        self.left = []
        self.canaries = {}  # item -> planned id
        self.configured = None
        self.reach = None
        if plan["cover"]:
            self.reach = lane_reach.Recorder(plan["tree"], plan["cover"]["dirs"], top)
            self.reach.start()

    def name(self, item):
        return self.canaries.get(item) or item.nodeid

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config):
        self.configured()
        option = config.option
        option.continue_on_collection_errors = True
        if self.plan["failfast"]:
            option.maxfail = 1
        elif self.plan["canaries"]:
            option.maxfail = 0  # a canary would end the run
        for name, value in (("numprocesses", None), ("dist", "no"), ("tx", [])):  # workers would report past Lane
            if hasattr(option, name):
                setattr(option, name, value)
        if self.plan["select"] is not None:
            self.narrow(config)

    def narrow(self, config):
        """Collects the files of the selected tests alone, where all of them are files."""
        files = []
        for name in self.plan["select"]:
            path = os.path.join(str(config.rootpath), name.partition("::")[0])
            if not os.path.isfile(path):
                return
            if path not in files:
                files.append(path)
        config.args[:] = files

    # Collection

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_make_collect_report(self, collector):
        outcome = yield
        try:
            report = outcome.get_result()
            error = report.call.excinfo.value if report.call.excinfo else None
        except BaseException as e:
            error = e
        if error is None:
            return
        text = lane_records.describe(error, str(getattr(collector, "path", "")))
        names = self.names_in(collector)
        if isinstance(error, self.skips):
            self.broken.append((names or [collector.nodeid], "skipped", text))
        else:
            self.broken.append(([collector.nodeid or "collection", *names], "failed", text))

    def names_in(self, collector):
        """The tests that a file holds by its syntax, for a file that cannot be loaded."""
        if not isinstance(collector, pytest.Module):
            return []
        config = collector.config
        found = lane_source.tests(str(collector.path), config.getini("python_functions"), config.getini("python_classes"))
        return ["::".join((collector.nodeid, *names)) for names in found]

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, session, config, items):
        before = list(items)
        for planned in self.plan["canaries"]:
            at = int(planned["at"] * (len(before) + 1)) if before else 0
            canary = lane_canary.items(session, items, planned)
            items[at:at] = canary
            self.canaries.update({c: planned["id"] for c in canary})
        yield
        if config.option.keyword or config.option.markexpr or getattr(config.option, "deselect", None):
            # The command's own filter knows nothing of canaries.
            for canary in [c for c in self.canaries if c not in items]:
                items.insert(len(items) // 2, canary)
        if self.plan["select"] is not None:
            wanted = {top(n) for n in self.plan["select"]}
            items[:] = [i for i in items if top(i.nodeid) in wanted or i in self.canaries]
        if self.plan["seed"]:
            items[:] = lane_order.shuffle(items, group_of, self.plan["seed"])
        kept = {top(i.nodeid) for i in items}
        self.left = [n for n in (top(i.nodeid) for i in before) if n not in kept]

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session):
        for item in session.items:
            self.watch(item)
        self.watch_fixtures(session._setupstate)
        if self.server is None:
            self.open(session)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        """In a session to be forked, goes on in the children alone, each with the tests of its order."""
        if self.server is None:
            return
        why = "not everything could be collected" if self.broken else ""
        for item in session.items:
            item.location, item.ihook  # each child would find them out for itself
        picker = lane_order.Picker(session.items, group_of, lambda i: top(i.nodeid))
        order = self.server.serve(why, captured(session.config))
        self.plan = dict(self.plan, select=order["tests"])
        session.items = picker.pick(order)  # the picker keeps the others
        session.testscollected = len(session.items)
        option = session.config.option
        option.maxfail = 1 if order["failfast"] else 0
        # Nobody reads why a mutant fails or what failed last, and to show and keep it takes longer than to find it.
        option.tbstyle, option.showcapture, option.no_summary, option.cacheshow = "native", "no", True, True
        self.open(session)

    def open(self, session):
        """Says which tests will run."""
        names = [self.name(i) for i in session.items]
        known = {top(n) for n in names}
        select = self.plan["select"]
        wanted = None if select is None else {top(n) for n in select}
        broken = []
        for group, status, text in self.broken:
            broken += [(n, status, text) for n in group if n not in known and (wanted is None or n in wanted)]
        if wanted is not None and any(status == "failed" for _, status, _ in self.broken):
            lost = wanted - known - {n for n, _, _ in broken}
            broken += [(n, "failed", "it was not found where something could not be collected") for n in sorted(lost)]
        broken = list({b[0]: b for b in broken}.values())
        self.ledger.begin(names + [n for n, _, _ in broken], self.left, bool(session.config.option.maxfail))
        for name, status, text in broken:
            self.ledger.whole(name, status, text)
        if self.reach:
            self.reach.tests([self.name(i) for i in session.items])

    # What each test did

    def watch(self, item):
        """Puts Lane's own wrapper around the call of a test."""
        state = self.states[item] = State()
        run = item.runtest

        def runtest():
            __tracebackhide__ = True
            try:
                run()
            except BaseException as e:
                self.raised(item, e)
                raise
            self.noticed(item)
            state.returned = True

        item.runtest = runtest
        add = getattr(item, "_addexcinfo", None)
        if add is not None:  # a TestCase tells its failures, and raises nothing

            def addexcinfo(rawexcinfo):
                add(rawexcinfo)
                self.noticed(item)

            item._addexcinfo = addexcinfo

    def noticed(self, item):
        for info in getattr(item, "_excinfo", None) or []:
            self.raised(item, info.value)

    def watch_fixtures(self, stack):
        setup, teardown = stack.setup, stack.teardown_exact

        def watched_setup(item):
            __tracebackhide__ = True
            try:
                return setup(item)
            except BaseException as e:
                self.raised(item, e)
                raise

        def watched_teardown(*args, **kwargs):
            __tracebackhide__ = True
            try:
                return teardown(*args, **kwargs)
            except BaseException as e:
                self.raised(self.current, e)
                raise

        stack.setup, stack.teardown_exact = watched_setup, watched_teardown

    def raised(self, item, error):
        """Takes note of what came out of a test, its fixtures or its report."""
        state = self.states.get(item)
        if state is None or item is not self.current:
            return
        reason = self.excuse(item, error)
        if reason is not None:
            if state.skipped is None:
                state.skipped = reason
            return
        state.failed = True
        self.ledger.fail(self.name(item), lane_records.describe(error, str(getattr(item, "path", ""))))
        if self.server:
            self.server.settle(self.ledger, self.name(item))

    def excuse(self, item, error):
        """Why an exception is a skip, or None where it is a failure."""
        if isinstance(error, self.skips):
            return "skipped: " + lane_records.describe(error)
        if item.config.option.runxfail:
            return None
        if isinstance(error, _pytest.outcomes.XFailed):
            return "expected to fail: %s" % getattr(error, "msg", "")
        mark = self.xfail(item)
        if mark is None:
            return None
        raises = mark.raises
        try:
            fits = raises is None or isinstance(error, raises)
        except TypeError:
            fits = raises.matches(error)  # RaisesGroup, since pytest 8.4
        return "expected to fail: %s" % mark.reason if fits else None

    def xfail(self, item):
        mark = item.stash.get(_pytest.skipping.xfailed_key, None)
        if mark is None:
            try:
                mark = _pytest.skipping.evaluate_xfail_marks(item)
            except BaseException:  # a condition that cannot be evaluated is a failure of its own
                return None
        return mark

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_makereport(self, item, call):
        if call.excinfo is not None:
            self.raised(item, call.excinfo.value)
        yield
        if call.excinfo is not None:
            self.raised(item, call.excinfo.value)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item, nextitem):
        state = self.states.get(item)
        name = self.name(item)
        self.current = item
        if self.server:
            self.server.turn()
        if state is not None:
            self.ledger.start(name)
        if self.reach:
            self.reach.enter(name)
        yield
        if self.reach:
            self.reach.leave()
        if state is not None:
            self.strict(item, state)
            status, text = self.status(state)
            if self.reach and status != "passed":
                self.reach.blind.add(name)  # it may have ended early
            self.ledger.finish(name, status, text)
        self.current = None

    def strict(self, item, state):
        """A test that was to fail, strictly, and did not."""
        if state.returned and not state.failed and state.skipped is None and not item.config.option.runxfail:
            mark = self.xfail(item)
            if mark is not None and mark.strict:
                state.failed = True
                self.ledger.fail(self.name(item), "passed although it was expected to fail: %s" % mark.reason)

    def status(self, state):
        if state.failed:
            return "failed", ""
        if state.skipped is not None:
            return "skipped", state.skipped
        if not state.returned:
            return "skipped", "it was never called"
        return "passed", ""

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef, request):
        if self.reach is None or fixturedef.scope == "function":
            yield
            return
        before = self.reach.share(fixturedef.scope, self.name(self.current) if self.current else "")
        yield
        self.reach.back(before)


def group_of(item):
    """The file, the classes and the function that hold an item."""
    name = item.nodeid
    file, _, rest = name.partition("::")
    return (file, *top("::" + rest).split("::")[1:])


def captured(config):
    """The descriptors that pytest opened to capture output."""
    out = set()
    capture = getattr(config.pluginmanager.getplugin("capturemanager"), "_global_capturing", None)
    for stream in (getattr(capture, name, None) for name in ("in_", "out", "err")):
        for name in ("targetfd_save", "tmpfile", "_tmpfile"):
            held = getattr(stream, name, None)
            for one in (held, getattr(getattr(stream, "syscapture", None), name, None)):
                try:
                    out.add(one if isinstance(one, int) else one.fileno())
                except (AttributeError, OSError, ValueError):
                    pass
    return out
