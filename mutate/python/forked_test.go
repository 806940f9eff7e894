//go:build linux

package python_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vallane/lane/lane/observe"
	pyobserve "github.com/vallane/lane/lane/observe/python"
	"github.com/vallane/lane/lane/runner"
	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/python"
)

// forking lets an engine fork loaded tests where it is told to (SwitchAll) or has many mutants.
func forking(t testing.TB, e *mutate.Engine, found *python.Result, stage *runner.Stage, trials *runner.Trials) {
	e.Switch = func(ctx context.Context, ms []*mutate.Mutant) (*mutate.Switched, error) {
		f, err := found.Fork(ms, [32]byte{1})
		if err != nil || len(f.Value) == 0 {
			return nil, errors.Join(err, errors.New("nothing to fork"))
		}
		if trials.Forked, err = stage.Fork(ctx, observe.ForkHook{Module: f.Module, Files: f.Files}); err != nil {
			return nil, err
		}
		t.Cleanup(trials.Forked.Close)
		var facts []string
		for why, n := range f.Keep(trials.Forked.Left()) {
			facts = append(facts, fmt.Sprintf("%d left: %s", n, why))
		}
		return &mutate.Switched{
			Tier: mutate.T3, Value: f.Value, Null: f.Null, Canary: f.Canary, Facts: facts, Record: f.Record, Records: f.Records, Sites: f.Sites,
		}, nil
	}
}

// tiers tells the verdict of each mutant with its tier.
func tiers(rep *mutate.Report) string {
	var out []string
	for _, r := range rep.Results {
		out = append(out, fmt.Sprintf("%s %s %s %s", r.Mutant.Func, r.Mutant.Description, r.Verdict, r.Tier))
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// fork runs the engine on all mutants of shop.py, in forked sessions wherever that is possible.
func fork(t *testing.T, task *runner.Task, files map[string]string) *mutate.Report {
	t.Helper()
	e, found := engine(t, task, project(t, files), "", "shop.py")
	e.SwitchAll, e.Judge = true, nil
	rep := mutants(t, e, found)
	for _, c := range rep.Nulls {
		if !c.OK {
			t.Errorf("null mutant: %+v", c)
		}
	}
	for _, a := range rep.Audit {
		if !a.Agrees {
			t.Errorf("audit: %+v", a)
		}
	}
	return rep
}

func unittest(t testing.TB, argv ...string) *runner.Task {
	task := closure(t, argv...)
	task.Reporter = pyobserve.Unittest{}
	return task
}

func wantTiers(t *testing.T, rep *mutate.Report, want ...string) {
	t.Helper()
	got := tiers(rep)
	for _, w := range want {
		if !strings.Contains("\n"+got, "\n"+w) {
			t.Errorf("not %q:\n%s\n%s", w, got, strings.Join(rep.Facts, "\n"))
		}
	}
}

// M10: whatever form a function has, it gets the mutant's code, and what is no function's code has a run of its own.
func TestForkedMutantsOfEveryForm(t *testing.T) {
	shop := `import functools
from dataclasses import dataclass


def twice(f):
    @functools.wraps(f)
    def wrapper(*args):
        return f(*args) * 2
    return wrapper


@twice
def decorated(n):
    return n + 1


@functools.lru_cache
def cached(n):
    return n + 2


@dataclass
class Price:
    amount: int
    tax: int = 3

    def __post_init__(self):
        if self.amount < 0:
            raise ValueError

    def gross(self):
        return self.amount + self.tax

    @property
    def net(self):
        return self.amount - 1

    @staticmethod
    def free():
        return 0

    @classmethod
    def of(cls, n):
        return cls(n * 2)


class Special(Price):
    def __post_init__(self):
        super().__post_init__()
        self.special = True


def adder(k):
    def add(n):
        return n + k
    return add


add_four = adder(4)


def numbers(n):
    while n > 0:
        yield n
        n -= 1


async def later(n):
    return n * 3


biggest = lambda xs: max(xs) + 5

LIMIT = 6 + 1


def limited(n, most=7):
    return [x for x in range(n) if x < min(LIMIT, most)]
`
	tests := `import asyncio

import pytest

import shop


def test_forms():
    assert shop.decorated(1) == 4
    assert shop.cached(1) == 3
    p = shop.Price(10)
    assert (p.gross(), p.net, p.free()) == (13, 9, 0)
    assert shop.Price.of(2).amount == 4
    assert shop.add_four(1) == 5 and shop.adder(1)(1) == 2
    assert list(shop.numbers(2)) == [2, 1]
    assert asyncio.run(shop.later(2)) == 6
    assert shop.biggest([1, 2]) == 7
    assert shop.limited(9) == [0, 1, 2, 3, 4, 5, 6]


def test_negative():
    with pytest.raises(ValueError):
        shop.Special(-1)
    assert shop.Special(1).special
`
	rep := fork(t, closure(t, "pytest"), map[string]string{"shop.py": shop, "test_shop.py": tests})
	wantTiers(t, rep, "twice.wrapper `*` -> `/` killed T3", "decorated `+` -> `-` killed T3", "cached `+` -> `-` killed T3",
		"Price.__post_init__ `<` -> `<=` survived T3", "Price.gross `+` -> `-` killed T3", "Price.net `-` -> `+` killed T3", "Price.free `0` -> `1` killed T3",
		"Price.of `*` -> `/` killed T3", "Special.__post_init__ call `super().__post_init__()` taken away killed T3",
		"adder.add `+` -> `-` killed T3", "numbers `-=` -> `+=` hung T3", "later `*` -> `/` killed T3", "limited `x < min(LIMIT, most)` -> `True` killed T3",
		" `3` -> `4` killed T1", " `6` -> `7` survived T1")
}

// What one child does is not there for the next, and what a process of its own would have done otherwise is asked of one.
func TestForkedChildrenAreApart(t *testing.T) {
	shop := `import os
import signal
import sys

CALLS = []


def count(n):
    CALLS.append(n)
    return len(CALLS) + n


def left(n):
    if n > 1:
        os._exit(0)
    return n


def leaves(n):
    if n > 1:
        sys.exit(0)
    return n


def dies(n):
    if n > 1:
        os.kill(os.getpid(), signal.SIGSEGV)
    return n


def swallowed(n):
    try:
        assert n > 0
        return 1
    except BaseException:
        return 1


def writes(n):
    for name in ("/tmp/mark", "mark"):
        assert not os.path.exists(name)
        with open(name, "w") as f:
            f.write(str(n + 1))
    return n


def spawns(n):
    if n > 1 and os.fork() == 0:
        os.setsid()
        while True:
            signal.pause()
    return n


def anew(n):
    return n + 20


def source(n):
    return n + 30
`
	tests := `import importlib
import os

import shop


def test_count():
    assert shop.count(1) == 2


def test_left():
    assert shop.left(1) == 1


def test_leaves():
    assert shop.leaves(1) == 1


def test_dies():
    assert shop.dies(1) == 1


def test_swallowed():
    assert shop.swallowed(1) == 1


def test_writes():
    assert shop.writes(1) == 1


def test_spawns():
    assert shop.spawns(1) == 1


def test_anew():
    assert shop.anew(1)
    assert importlib.reload(shop).anew(1) == 21


def test_source():
    assert shop.source(1)
    with open(shop.__file__) as f:
        assert "return n + 30" in f.read()


def test_environment():
    os.environ.clear()
    assert shop.count(0) == 1
`
	rep := fork(t, closure(t, "pytest"), map[string]string{"shop.py": shop, "test_shop.py": tests})
	wantTiers(t, rep,
		"count `+` -> `-` killed T3", "count `len(CALLS) + n` -> `None` killed T3",
		"left `>` -> `>=` crashed T3", "leaves `>` -> `>=` killed T3", "dies `>` -> `>=` crashed T3",
		"swallowed `>` -> `<=` survived T3", "writes `+` -> `-` survived T3", "writes `1` -> `2` survived T3", "spawns `>` -> `>=` survived T3",
		"anew `+` -> `-` killed T1", "source `+` -> `-` killed T1")
	if rep.Left == 0 {
		t.Error("no process was left behind")
	}
}

// A program that a test starts runs the file as it lies there: its tests are asked again where the mutant does.
func TestForkedTestThatStartsAProgram(t *testing.T) {
	rep := fork(t, closure(t, "pytest"), map[string]string{
		"shop.py": "def add(n):\n    return n + 10\n\n\nif __name__ == '__main__':\n    print(add(1))\n",
		"test_shop.py": "import subprocess\nimport sys\n\nimport shop\n\n\ndef test_add():\n    assert shop.add(1)\n" +
			"    assert subprocess.run([sys.executable, 'shop.py'], capture_output=True).stdout == b'11\\n'\n",
	})
	wantTiers(t, rep, "add `+` -> `-` killed T1", "add `n + 10` -> `None` killed T3")
	if !strings.Contains(strings.Join(rep.Facts, "\n"), "without a forked session: a test starts another program") {
		t.Errorf("facts %q", rep.Facts)
	}
}

// Code that finds out that it was forked, or that its code is not what it was, gains nothing by it: none of its mutants is forked.
func TestForkedCodeThatNotices(t *testing.T) {
	for _, tt := range []struct{ name, head, check string }{
		{"its process id", "import os\n\nPID = os.getpid()\n", "os.getpid() == PID"},
		{"a hook for forks", "import os\n\nFORKED = []\nos.register_at_fork(after_in_child=lambda: FORKED.append(1))\n", "not FORKED"},
		{"its own code", "import sys\n\nCODE = {}\n", "CODE.setdefault(0, add.__code__.co_code) == add.__code__.co_code"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			shop := tt.head + "\n\ndef add(n):\n    assert " + tt.check + "\n    return n + 1\n"
			if tt.name == "its own code" {
				shop += "\n\nCODE[0] = add.__code__.co_code\n"
			}
			e, found := engine(t, closure(t, "pytest"), project(t, map[string]string{
				"shop.py": shop, "test_shop.py": "import shop\n\n\ndef test_add():\n    assert shop.add(1) == 2\n",
			}), "", "shop.py")
			e.SwitchAll, e.Judge = true, nil
			rep := mutants(t, e, found)
			wantTiers(t, rep, "add `+` -> `-` killed T1")
			if !strings.Contains(strings.Join(rep.Facts, "\n"), "shop.py: not forked for test_shop.py::test_add") || len(rep.Audit) > 0 {
				t.Errorf("facts %q, audit %v", rep.Facts, rep.Audit)
			}
			for _, c := range rep.Nulls {
				if !c.OK {
					t.Errorf("a null mutant that no verdict rests on counts: %+v", c)
				}
			}
		})
	}
}

// Tests that need each other's order cannot be asked in another, and are not.
func TestForkedTestsThatNeedAnOrder(t *testing.T) {
	rep := fork(t, closure(t, "pytest"), map[string]string{
		"shop.py": "STATE = []\n\n\ndef first(n):\n    STATE.append(n + 1)\n    return STATE\n\n\ndef second(n):\n    return n * 2\n",
		"test_shop.py": "import shop\n\n\ndef test_first():\n    assert shop.first(1) == [2]\n\n\ndef test_then():\n    assert shop.STATE and shop.first(1) and shop.second(2) == 4\n" +
			"\n\ndef test_second():\n    assert shop.second(3) == 6\n",
	})
	wantTiers(t, rep, "first `+` -> `-` killed T1", "second `*` -> `/` killed T1")
}

// M12: what must not be forked is told apart when it is loaded.
func TestLoadedSessionsThatMustNotBeForked(t *testing.T) {
	for _, tt := range []struct{ name, shop, why string }{
		{"a thread", "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True, name='ticker').start()\n", "loading started a thread (ticker)"},
		{"a pool that is at work", "from concurrent.futures import ThreadPoolExecutor\nPOOL = ThreadPoolExecutor(1)\nPOOL.submit(int).result()\n", "loading started a thread"},
		{"a database", "import sqlite3\nDB = sqlite3.connect('shop.db')\nDB.execute('create table t (a)')\n", "loading left a descriptor open (/tree/shop.db)"},
		{"an event loop", "import asyncio\nLOOP = asyncio.new_event_loop()\n", "loading left a descriptor open"},
		{"a process", "import subprocess\nCHILD = subprocess.Popen(['sleep', '60'])\n", "loading started a process"},
		{"a tracer", "import sys\nsys.settrace(None)\n", "loading traces for itself"},
		{"a file that does not load", "raise ImportError\n", "not everything could be"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			shop := tt.shop + "\n\ndef add(n):\n    return n + 1\n"
			test := "import unittest\n\nimport shop\n\n\nclass ShopCase(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(shop.add(1), 2)\n"
			dir := project(t, map[string]string{"shop.py": shop, "test_shop.py": test})
			for _, task := range []*runner.Task{closure(t, "pytest"), unittest(t, "python3", "-m", "unittest")} {
				stage := task.On(dir, "")
				t.Cleanup(stage.Close)
				f := &python.Forked{Module: "/lane/mutants/lane_swap.py", Files: map[string][]byte{}}
				found, err := (&python.Result{}).Fork(nil, [32]byte{})
				if err == nil {
					f = found
				}
				_, err = stage.Fork(t.Context(), observe.ForkHook{Module: f.Module, Files: f.Files})
				if err == nil || !strings.Contains(err.Error(), tt.why) {
					t.Errorf("%s: %v, want %q", task.Argv, err, tt.why)
				}
			}
		})
	}
}

// unittest's own forms: fixtures of classes and modules, subtests, and what is found by discovery.
func TestForkedUnittest(t *testing.T) {
	rep := fork(t, unittest(t, "python3", "-m", "unittest"), map[string]string{
		"shop.py": "def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    if a < b:\n        return 0\n    return a - b\n",
		"test_shop.py": `import unittest

import shop


def setUpModule():
    global BASE
    BASE = shop.add(1, 1)


class ShopCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.three = shop.add(BASE, 1)

    def test_add(self):
        for n in range(3):
            with self.subTest(n=n):
                self.assertEqual(shop.add(self.three, n), 3 + n)

    def test_sub(self):
        self.assertEqual(shop.sub(self.three, 1), 2)
        self.assertEqual(shop.sub(1, 2), 0)
`,
	})
	wantTiers(t, rep, "add `+` -> `-` killed T3", "sub `<` -> `<=` survived T3", "sub `<` -> `>=` killed T3", "sub `0` -> `1` killed T3")
}

// R3: bytecode that lies in the tree, of a mutant of equal length and time, is not what is forked.
func TestForkedSourceBesideStaleBytecode(t *testing.T) {
	files := map[string]string{
		"shop.py": "def add(n):\n    return n + 1\n", "test_shop.py": "import shop\n\n\ndef test_add():\n    assert shop.add(1) == 2\n",
	}
	files["__pycache__/shop.cpython-311.pyc"] = staleBytecode
	rep := fork(t, closure(t, "pytest"), files)
	wantTiers(t, rep, "add `+` -> `-` killed T3", "add `1` -> `2` killed T3")
}

// staleBytecode is what Python 3.11 compiles "return n - 1" to, marked to be read without a look at the source.
const staleBytecode = "\xa7\x0d\x0d\x0a\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x63\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\xf3\x0c\x00\x00\x00\x97\x00\x64\x00\x84\x00\x5a\x00\x64\x01\x53\x00\x29\x02\x63\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\xf3\x0c\x00\x00\x00\x97\x00\x7c\x00\x64\x01\x7a\x0a\x00\x00\x53\x00\x29\x02\x4e\xe9\x01\x00\x00\x00\xa9\x00\x29\x01\xda\x01\x6e\x73\x01\x00\x00\x00\x20\xfa\x0d\x2f\x74\x72\x65\x65\x2f\x73\x68\x6f\x70\x2e\x70\x79\xda\x03\x61\x64\x64\x72\x06\x00\x00\x00\x01\x00\x00\x00\x73\x0b\x00\x00\x00\x80\x00\xd8\x0b\x0c\x88\x71\x89\x35\x80\x4c\xf3\x00\x00\x00\x00\x4e\x29\x01\x72\x06\x00\x00\x00\x72\x03\x00\x00\x00\x72\x07\x00\x00\x00\x72\x05\x00\x00\x00\xfa\x08\x3c\x6d\x6f\x64\x75\x6c\x65\x3e\x72\x08\x00\x00\x00\x01\x00\x00\x00\x73\x1e\x00\x00\x00\xf0\x03\x01\x01\x01\xf0\x02\x01\x01\x11\xf0\x00\x01\x01\x11\xf0\x00\x01\x01\x11\xf0\x00\x01\x01\x11\xf0\x00\x01\x01\x11\x72\x07\x00\x00\x00"
