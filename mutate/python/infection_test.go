//go:build linux

package python_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/vallane/lane/mutate"
)

// values has a function for each thing that values can do.
const values = `class Loud:
    def __init__(self, log):
        self.log = log

    def __gt__(self, other):
        self.log.append(1)
        return True

    def __ge__(self, other):
        self.log.append(2)
        return True


def limit(n, most):
    return most if n > most else n


def add(n):
    n += 0
    return n


def loud(x):
    return x > 1


def effects(f):
    if f() > 0:
        return 1
    return 2


def both(f, n):
    return f() and n > 0


def raises(a, b):
    try:
        return 1 // a > 1 or b
    except ZeroDivisionError:
        return None


def zero(x):
    return x * -1


def kind(n):
    return n * 4


def items(xs, n):
    return [x for x in xs if len(xs) > 1 and x >= n]


def elements(xs):
    return len(xs) > 0


def counted(n):
    while n > 0:
        yield n
        n -= 1


def chosen(n, f):
    return n if n < 10 else f(n)


def moved(n):
    return (n := n + 1) > n - 1


def same(x):
    return x is None or x == 2
`

// valuesUsed is what a recorded run runs of them.
const valuesUsed = `
assert shop.limit(1, 5) == 1 and shop.limit(9, 5) == 5
assert shop.add(3) == 3
log = []
assert shop.loud(shop.Loud(log)) and log == [1]
assert shop.effects(lambda: 3) == 1
assert shop.both(lambda: True, 3) is True
assert shop.raises(0, 3) is None
shop.zero(0.0)
shop.kind(0)
assert shop.items([1, 2, 4], 3) == [4]


class Empty(list):
    def __len__(self):
        return 3


shop.elements([1])
shop.elements(Empty([1]))
assert list(shop.counted(2)) == [2, 1]
assert shop.chosen(3, None) == 3
shop.moved(1)
shop.same(None)
`

// recording is a script of the box that runs used on the recorded form of shop.py, and writes what was noted.
const recording = `import sys

module, value, out = sys.argv[1:]
sys.path[:0] = ["/lane/mutants", "/tree"]
import lane_swap

lane_swap.begin("/tree", module)
import shop

assert not lane_swap.loaded()
lane_swap.prepare(value)()
`

// recorded runs code on the recorded form of a file shop.py. It returns the mutants whose value never differed.
func recorded(t *testing.T, shop, used string) (same []string) {
	t.Helper()
	dir := project(t, map[string]string{"shop.py": shop})
	stage := closure(t, "pytest").On(dir, "")
	t.Cleanup(stage.Close)
	found := find(t, options(t, map[string]string{"shop.py": shop}), "shop.py")
	var ms []*mutate.Mutant
	for i := range found.Mutants {
		if found.Mutants[i].Known == "" {
			ms = append(ms, &found.Mutants[i])
		}
	}
	f, err := found.Fork(ms, [32]byte{1})
	if err != nil {
		t.Fatal(err)
	}
	f.Files["/lane/mutants/recording.py"] = []byte(recording + used + "\nwith open(out, 'wb') as f:\n    f.write(lane_swap.notes)\n")
	out := "/tmp/notes"
	notes, err := stage.Script(t.Context(), []string{"python3", "-B", "/lane/mutants/recording.py", f.Module, f.Record, out}, f.Files, out)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range f.Sites {
		word := func(n int) uint32 { return binary.LittleEndian.Uint32(notes[4*(s.At+n):]) }
		if word(0) == word(1) && word(mutate.SiteHead) == 0 {
			same = append(same, ms[i].Func+" "+ms[i].Description)
		}
	}
	slices.Sort(same)
	return same
}

// What never differs is found beside the run, and whatever might differ, or do something, is run.
func TestPythonMutantsThatNeverDiffer(t *testing.T) {
	got := recorded(t, values, valuesUsed)
	want := []string{
		"Loud.__ge__ `2` -> `3`", "Loud.__ge__ `True` -> `False`", // nobody comes by
		"add `+=` -> `-=`", "add assignment `n += 0` taken away",
		"both `0` -> `1`", "both `>` -> `>=`", "both `and` -> `or`",
		"chosen `10` -> `11`", "chosen `<` -> `<=`", "chosen `n < 10` -> `True`",
		"effects `0` -> `1`", "effects `2` -> `0`", "effects `>` -> `>=`",
		"items `1` -> `2`", "items `>=` -> `>`", "items `>` -> `>=`",
		"kind `4` -> `5`",
		"limit `>` -> `>=`",
		"same `2` -> `3`", "same `==` -> `!=`",
		"zero `*` -> `/`", "zero `1` -> `2`", // but not `-1` -> `1`, which is 0.0 in place of -0.0
	}
	if !slices.Equal(got, want) {
		t.Errorf("the same:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
