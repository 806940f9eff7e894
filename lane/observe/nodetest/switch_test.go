//go:build linux

package nodetest

import (
	"slices"
	"strings"
	"testing"

	"github.com/vallane/lane/lane/observe"
)

// switched runs the plans of a switched run one after the other, until one fails, and returns what each test file was seen to do.
func switched(t *testing.T, b *bench, value string, tests []string, failFast bool) (out []string) {
	t.Helper()
	sw, err := Reporter{}.Switch(b.request("node", "--no-warnings", "--test"), nil)
	if err != nil {
		t.Fatal(err)
	}
	plans, err := sw.Run(value, tests, failFast)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range plans {
		b.lay(t, p)
		o := b.run(t, p)
		if !o.session.Complete() || !o.end.Exited {
			t.Errorf("%s: exit status %d, %+v\n%s", p.Expected, o.end.Code, o.session, o.output)
		}
		for _, x := range o.session.Tests {
			out = append(out, x.ID+"="+string(x.Status))
		}
	}
	return out
}

// A test file is run as the runner would run it: the same tests report the same, in the order in which they are asked.
func TestSwitchedRuns(t *testing.T) {
	b := newBench(t, "passes")
	tests := []string{"test/cart.test.js > nothing is zero", "lib/shop.test.mjs > shop"}
	want := []string{"test/cart.test.js > nothing is zero=passed", "lib/shop.test.mjs > shop=passed", "lib/shop.test.mjs > shop > sells=passed"}
	if got := switched(t, b, "", tests, true); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// What a test file can see of how it was started is what it sees below the runner, but for who its parent is.
func TestSwitchedRunsLookAlike(t *testing.T) {
	b := newBench(t, "sees_how_it_runs")
	tests := []string{"a.test.js > says"}
	if got := switched(t, b, "7", tests, false); !slices.Equal(got, []string{"a.test.js > says=failed"}) {
		t.Errorf("%q", got)
	}
	says := func(p observe.Plan) string {
		b.lay(t, p)
		return b.run(t, p).session.Find(tests[0]).Message
	}
	r := b.request("node", "--no-warnings", "--test")
	sw, err := Reporter{}.Switch(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	plans, err := sw.Run("", tests, false)
	if err != nil {
		t.Fatal(err)
	}
	r.Select = tests
	alone, err := Reporter{}.Instrument(r)
	if err != nil {
		t.Fatal(err)
	}
	got, want := says(plans[0]), says(alone)
	if first, _, _ := strings.Cut(got, "\n"); !strings.HasPrefix(want, first) || !strings.Contains(first, "argv") {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestSwitchRefuses(t *testing.T) {
	for _, argv := range []string{"npm test", "node --test --test-global-setup=setup.js"} {
		if _, err := (Reporter{}).Switch(observe.Request{Argv: strings.Fields(argv), TreeHost: t.TempDir()}, nil); err == nil {
			t.Errorf("%s: no error", argv)
		}
	}
}
