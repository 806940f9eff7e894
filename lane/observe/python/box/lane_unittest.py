"""Runs unittest as its command line says, with a runner and a result of Lane's own.

A test's name is its id (module.Class.method). Its subtests are parts of it, named by what unittest says of them after a
blank. What a class or module fixture does to its tests is told of the tests."""

import os
import sys
import types
import unittest
import unittest.case
import unittest.suite

import lane_order
import lane_reach
import lane_records
import lane_source


def top(name):
    """module.Class.method (i=1) is a part of module.Class.method."""
    return name.partition(" ")[0]


class Runner:
    def __init__(self, plan, cache, server=None):
        self.plan, self.server = plan, server

    def run(self, channel):
        ledger = lane_records.Ledger(channel, top)
        server = self.server
        reach = None
        if self.plan["cover"]:
            reach = lane_reach.Recorder(self.plan["tree"], self.plan["cover"]["dirs"], top)
            reach.start()
        plan = self.plan

        class TextRunner(unittest.TextTestRunner):
            def _makeResult(self):
                return Result(self.stream, self.descriptions, self.verbosity, ledger, reach, server)

            def run(self, suite):
                nonlocal plan
                if server:  # goes on in the children alone, each with the tests of its order
                    broken = any(is_broken(t) for t in flat(suite))
                    picker = lane_order.Picker(list(flat(suite)), group_of, lambda t: top(next(iter(names(t)), "")))
                    order = server.serve("not everything could be loaded" if broken else "")
                    plan = dict(plan, select=order["tests"], failfast=order["failfast"])
                    suite = unittest.TestSuite(picker.pick(order))
                self.failfast = plan["failfast"] or self.failfast and not plan["canaries"]
                suite = arrange(suite, plan, ledger, self.failfast)
                if reach:
                    reach.tests([t.id() for t in flat(suite)])
                return super().run(suite)

        code = 1
        try:
            # unittest gives its runner verbosity, failfast and so on as it does for its own.
            program = unittest.TestProgram(module=None, argv=self.plan["argv"], testRunner=TextRunner, exit=False)
            code = 0 if program.result.wasSuccessful() else 1
            if not ledger.started and not plan["canaries"]:
                code = 5  # as later releases of unittest, and pytest, say "no tests"
        except SystemExit as e:  # a usage error, or a module that exits as it is loaded
            code = {None: 0}.get(e.code, e.code if isinstance(e.code, int) else 1)
        if reach:
            reach.save(self.plan["cover"]["out"])
        ledger.end(code)
        return code


def flat(suite):
    """The tests of nested suites, in order. A suite of another kind runs its tests in a way of its own and stays whole."""
    for test in suite:
        if type(test) is unittest.TestSuite:
            yield from flat(test)
        else:
            yield test


def names(test):
    if isinstance(test, unittest.BaseTestSuite):
        return [n for t in test for n in names(t)]
    return [test.id()]


def is_broken(test):
    return type(test).__module__ == "unittest.loader" and type(test).__name__ in ("_FailedTest", "ModuleSkipped")


class Broken(unittest.TestCase):
    """Stands for a test whose module could not be loaded."""

    def __init__(self, name, test):
        super().__init__("runTest")
        self.name, self.test = name, test

    def id(self):
        return self.name

    def runTest(self):
        method = getattr(self.test, self.test._testMethodName)
        method()


def unfold(test):
    """The tests of a module that could not be loaded, by its syntax, and then the module itself: a run that stops at the first
    failure shall have told of a test."""
    module = test._testMethodName
    out = []
    base = os.path.join(*module.split("."))
    for root in sys.path:
        path = os.path.join(root, base + ".py")
        if os.path.isfile(path):
            out += [Broken(".".join((module, *n)), test) for n in lane_source.tests(path) if len(n) == 2]
            break
    return [*out, Broken(module, test)]


def arrange(suite, plan, ledger, failfast):
    """Puts the tests into the order of the run, with the canaries among them, and says what will run."""
    tests = []
    for test in flat(suite):
        tests += unfold(test) if is_broken(test) else [test]
    if plan["select"] is not None:
        wanted = {top(n) for n in plan["select"]}
        found = [t for t in tests if wanted & {top(n) for n in names(t)}]
        known = {top(n) for t in found for n in names(t)}
        broken = [t for t in tests if isinstance(t, Broken)]
        for name in sorted(wanted - known):
            if broken:
                found.append(Broken(name, broken[0].test))
        tests = found
    before = len(tests)
    for planned in plan["canaries"]:
        at = int(planned["at"] * (before + 1))
        tests[at:at] = canary(planned)
    if plan["seed"]:
        tests = lane_order.shuffle(tests, group_of, plan["seed"])
    listed = [n for t in tests for n in names(t)]
    ledger.begin(listed, (), failfast)
    return unittest.TestSuite(tests)


def group_of(test):
    cls = type(test)
    return (cls.__module__, cls.__qualname__)


def canary(planned):
    module = types.ModuleType(planned["module"])
    module.__file__ = planned["path"]
    sys.modules.setdefault(planned["module"], module)
    exec(compile(planned["source"], planned["path"], "exec", dont_inherit=True), module.__dict__)
    return list(flat(unittest.defaultTestLoader.loadTestsFromModule(module)))


class Result(unittest.TextTestResult):
    """Sends what happens to each test as it happens."""

    def __init__(self, stream, descriptions, verbosity, ledger, reach, server=None):
        super().__init__(stream, descriptions, verbosity)
        self.ledger, self.reach, self.server = ledger, reach, server
        self.running = None  # the id of the test
        self.verdict = None  # of the running test: (status, text)
        self.seen = {}  # names of the running test's subtests
        self.broken = []  # fixtures that kept tests from running: (class or module, status, text)
        self.held = None  # the test that ended last: (name, status, text)

    def startTest(self, test):
        super().startTest(test)
        self.release()
        self.running, self.verdict, self.seen = test.id(), None, {}
        if self.server:
            self.server.turn()
        self.ledger.start(test.id())
        if self.reach:
            self.reach.enter(test.id())

    def stopTest(self, test):
        if self.running is None:
            return super().stopTest(test)
        if self.reach:
            self.reach.leave()
        status, text = self.verdict or ("failed", "it ended and said neither how nor why")
        if status == "failed":
            self.ledger.fail(test.id(), text)
        if self.reach and status != "passed":
            self.reach.blind.add(test.id())  # it may have ended early
        self.held, self.running = (test.id(), status, text), None
        super().stopTest(test)

    def release(self):
        """Tells how the last test ended, once the fixtures that it was the last to use are gone."""
        if self.held:
            self.ledger.finish(*self.held)
            self.held = None

    def note(self, status, text=""):
        """The worst of what is said of one test counts."""
        rank = {"passed": 0, "skipped": 1, "failed": 2}
        if self.verdict is None or rank[status] > rank[self.verdict[0]]:
            self.verdict = (status, text)

    def failed(self, test, err):
        text = lane_records.describe(err[1], file_of(test))
        if not isinstance(test, unittest.TestCase):
            self.fixture(test, "failed", text)
            return
        self.note("failed", text)
        self.ledger.fail(test.id(), text)
        if self.server and test.id() == self.running:
            self.server.settle(self.ledger, test.id())

    def addSuccess(self, test):
        self.note("passed")
        super().addSuccess(test)

    def addFailure(self, test, err):
        self.failed(test, err)
        super().addFailure(test, err)

    def addError(self, test, err):
        self.failed(test, err)
        super().addError(test, err)

    def addSkip(self, test, reason):
        if isinstance(test, unittest.case._SubTest):
            self.part(test.test_case, test, "skipped", "skipped: %s" % reason)
        elif isinstance(test, unittest.TestCase) and self.running is None:
            self.ledger.whole(test.id(), "skipped", "skipped: %s" % reason)  # Python 3.12.1 skips before it begins
        elif isinstance(test, unittest.TestCase):
            self.note("skipped", "skipped: %s" % reason)
        else:
            self.fixture(test, "skipped", "skipped: %s" % reason)
        super().addSkip(test, reason)

    def addExpectedFailure(self, test, err):
        self.note("skipped", "expected to fail: " + lane_records.describe(err[1], file_of(test)))
        super().addExpectedFailure(test, err)

    def addUnexpectedSuccess(self, test):
        self.note("failed", "passed although it was expected to fail")
        self.ledger.fail(test.id(), "passed although it was expected to fail")
        super().addUnexpectedSuccess(test)

    def addSubTest(self, test, subtest, err):
        if err is None:
            self.part(test, subtest, "passed", "")
        elif issubclass(err[0], unittest.SkipTest):
            self.part(test, subtest, "skipped", "skipped: %s" % err[1])
        else:
            text = lane_records.describe(err[1], file_of(test))
            self.part(test, subtest, "failed", text)
            self.note("failed", text)
        super().addSubTest(test, subtest, err)

    def part(self, test, subtest, status, text):
        name = "%s %s" % (test.id(), subtest._subDescription())
        self.seen[name] = self.seen.get(name, 0) + 1
        if self.seen[name] > 1:
            name += " #%d" % self.seen[name]
        self.ledger.whole(name, status, text)

    def fixture(self, holder, status, text):
        """A fixture of a class or module broke. A test that used it is as bad; unittest runs none of those that would."""
        what, _, scope = str(holder.description).partition(" (")
        if what.startswith("tearDown") and self.held:
            if status == "failed":
                self.ledger.fail(self.held[0], "%s: %s" % (what, text))
            return
        self.broken.append((scope.rstrip(")"), status, "%s: %s" % (what, text)))

    def stopTestRun(self):
        self.release()
        for scope, status, text in self.broken:
            for name in self.ledger.waiting():
                if name.startswith(scope + "."):
                    self.ledger.whole(name, status, text)
        super().stopTestRun()


def file_of(test):
    module = sys.modules.get(type(test).__module__)
    return getattr(module, "__file__", None)
