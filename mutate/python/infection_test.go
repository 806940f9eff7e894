//go:build linux

package python_test

import (
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


def spawned(n):
    return n > 1


def moved(n):
    return (n := n + 1) > n - 1


def same(x):
    return x is None or x == 2
`

const valuesTests = `import subprocess
import sys

import shop


def test_limit():
    assert shop.limit(1, 5) == 1 and shop.limit(9, 5) == 5


def test_add():
    assert shop.add(3) == 3


def test_loud():
    log = []
    assert shop.loud(shop.Loud(log))


def test_effects():
    assert shop.effects(lambda: 3) == 1


def test_both():
    assert shop.both(lambda: True, 3) is True


def test_raises():
    shop.raises(0, 3)


def test_zero():
    shop.zero(0.0)


def test_kind():
    shop.kind(0)


def test_items():
    assert shop.items([1, 2, 4], 3) == [4]


def test_elements():
    class Empty(list):
        pass

    shop.elements([1])
    shop.elements(Empty([1]))


def test_counted():
    assert list(shop.counted(2)) == [2, 1]


def test_chosen():
    assert shop.chosen(3, None) == 3


def test_spawned():
    subprocess.run([sys.executable, "-c", "import shop; shop.spawned(1)"], check=True)
    shop.spawned(3)


def test_moved():
    shop.moved(1)


def test_same():
    shop.same(None)
`

// What never differs is found beside the run, and whatever might differ, or do something, is run.
func TestPythonMutantsThatNeverDiffer(t *testing.T) {
	rep := fork(t, closure(t, "pytest"), map[string]string{"shop.py": values, "test_shop.py": valuesTests})
	var got []string
	for _, r := range rep.Results {
		if r.Inferred {
			got = append(got, r.Mutant.Func+" "+r.Mutant.Description)
			if r.Verdict != mutate.Survived || r.Tier != mutate.T3 || r.Trials > 0 {
				t.Errorf("%s is %s at %s after %d trials", &r.Mutant, r.Verdict, r.Tier, r.Trials)
			}
		}
	}
	slices.Sort(got)
	want := []string{
		"add `+=` -> `-=`", "add assignment `n += 0` taken away",
		"both `0` -> `1`", "both `>` -> `>=`",
		"chosen `10` -> `11`", "chosen `<` -> `<=`", "chosen `n < 10` -> `True`",
		"effects `0` -> `1`", "effects `2` -> `0`", "effects `>` -> `>=`",
		"items `1` -> `2`", "items `>=` -> `>`", "items `>` -> `>=`",
		"kind `4` -> `5`",
		"limit `>` -> `>=`",
		"same `2` -> `3`", "same `==` -> `!=`",
	}
	if !slices.Equal(got, want) {
		t.Errorf("not run:\n%s\nwant\n%s\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"), strings.Join(rep.Facts, "\n"))
	}
}
