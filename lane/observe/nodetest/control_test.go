//go:build linux

package nodetest

import (
	"slices"
	"strings"
	"testing"

	"github.com/vallane/lane/lane/observe"
)

// Canaries fail in an honest suite, beside its own results, and expose those that only look green.
func TestCanaries(t *testing.T) {
	for _, x := range []struct {
		project, argv string
		honest        bool
		tests         string
	}{
		{"passes", "", true, "lib/shop.test.mjs > shop=passed; lib/shop.test.mjs > shop > sells=passed; " +
			"test/cart.test.js > adds up=passed; test/cart.test.js > nothing is zero=passed"},
		{"passes", "--test-name-pattern=zero test/cart.test.js", true, "test/cart.test.js > nothing is zero=passed"},
		{"skips_everything", "", true, "ANY"},
		{"runs_at_once", "", true, "ANY"},
		{"mocks_time", "", true, "ANY"},
		{"registers_none", "", true, ""},
		{"fails_to_load", "", true, "ANY"},
		{"exits_zero_at_import", "", false, "ANY"},
		{"forges_records", "", false, "ANY"},
		{"replaces_function", "", false, "ANY"},
		{"forges_the_runners_stream", "", false, "ANY"},
	} {
		t.Run(x.project+" "+x.argv, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, x.project)
			r := b.request(append([]string{"node", "--test"}, strings.Fields(x.argv)...)...)
			r.Canaries, r.CanarySeed = true, [32]byte{1}
			p := b.instrument(t, r)
			o := b.run(t, p)
			unseen := o.session.CanariesUnseen(p.Canaries)
			if len(p.Canaries) == 0 || len(unseen) == 0 != x.honest {
				t.Errorf("%d canaries, unseen: %v; honest: %v\n%s", len(p.Canaries), unseen, x.honest, o.output)
			}
			if got := describeTests(o.session); x.tests != "ANY" && got != x.tests {
				t.Errorf("tests: %s", got)
			}
			if x.honest && (o.end.Code == 0 || len(o.session.Problems) > 0 || len(o.session.Contradictions(o.end)) > 0) {
				t.Errorf("exit status %d, problems %q, contradictions %v", o.end.Code, o.session.Problems, o.session.Contradictions(o.end))
			}
		})
	}
}

// Code that bends the means by which its own tests fail bends them for a canary of the same file.
func TestCanariesFailByTheSuitesMeans(t *testing.T) {
	b := newBench(t, "bends_assert")
	r := b.request("node", "--test")
	r.Canaries, r.CanarySeed = true, [32]byte{7}
	p := b.instrument(t, r)
	if unseen := b.run(t, p).session.CanariesUnseen(p.Canaries); len(unseen) == 0 {
		t.Error("every canary was seen failing although assert.strictEqual does nothing")
	}
}

// A file without tests of node:test holds none, and is not blamed for it.
func TestNoCanaryInAPlainScript(t *testing.T) {
	b := newBench(t, "plain_script")
	r := b.request("node", "--test")
	r.Canaries = true
	if p := b.instrument(t, r); len(p.Canaries) > 0 {
		t.Errorf("canaries %v", p.Canaries)
	}
}

func TestCanariesFollowTheSeed(t *testing.T) {
	b := newBench(t, "passes")
	names := func(seed byte) (out []string) {
		r := b.request("node", "--test")
		r.Canaries, r.CanarySeed = true, [32]byte{seed}
		for _, c := range b.instrument(t, r).Canaries {
			out = append(out, c.ID)
		}
		return out
	}
	if !slices.Equal(names(1), names(1)) || slices.Equal(names(1), names(2)) {
		t.Errorf("canaries %q and %q", names(1), names(2))
	}
}

// Every way to fail fails.
func TestEveryCanaryFails(t *testing.T) {
	for _, form := range strings.Fields("equal notEqual strictEqual notStrictEqual deepEqual deepStrictEqual ok match throws rejects assert none") {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, "passes")
			r := b.request("node", "--test", "test/cart.test.js")
			s, err := prepare(r)
			if err != nil {
				t.Fatal(err)
			}
			c := canary{Name: "says no", Body: canaryBody(form, "total", 9), Async: form == "rejects"}
			s.canaries = map[string][]canary{"test/cart.test.js": {c}}
			p, err := s.vary(observe.Variation{})
			if err != nil {
				t.Fatal(err)
			}
			b.lay(t, p)
			o := b.run(t, p)
			if unseen := o.session.CanariesUnseen(p.Canaries); len(unseen) > 0 || len(p.Canaries) != 1 {
				t.Errorf("%s: unseen %v", c.Body, unseen)
			}
		})
	}
}

// Only the selected tests run and are told, whatever is in their names.
func TestSelect(t *testing.T) {
	for _, x := range []struct {
		project string
		ids     []string
		want    string
	}{
		{"passes", []string{"test/cart.test.js > adds up"}, "test/cart.test.js > adds up=passed"},
		{"passes", []string{"test/cart.test.js > adds up", "lib/shop.test.mjs > shop > sells"},
			"lib/shop.test.mjs > shop=passed; lib/shop.test.mjs > shop > sells=passed; test/cart.test.js > adds up=passed"},
		{"nested", []string{"sum.test.js > alone"}, "sum.test.js > alone=passed"},
		{"same_name_twice", []string{"a.test.js > twin #2"}, "a.test.js > twin #2=failed"},
		{"odd_names", []string{"a.test.js > a › b"}, "a.test.js > a › b=passed"},
		{"odd_names", []string{"a.test.js > nothing \x00 here"}, "a.test.js > nothing \x00 here=passed"},
		{"odd_names", []string{"a.test.js > closes #12"}, "a.test.js > closes #12=passed"},
		{"odd_names", []string{"a.test.js > two lines"}, "a.test.js > two lines=passed"},
		{"odd_names", []string{"a.test.js > </script><b>\x1b[31m"}, "a.test.js > </script><b>\x1b[31m=passed"},
		{"odd_names", []string{"a.test.js > " + strings.Repeat("x", 500) + "…"}, "a.test.js > " + strings.Repeat("x", 500) + "…=passed"},
		{"plain_script", []string{"test/check.js"}, "test/check.js=passed"},
	} {
		t.Run(x.project+" "+strings.Join(x.ids, " "), func(t *testing.T) {
			t.Parallel()
			b := newBench(t, x.project)
			r := b.request("node", "--test")
			r.Select = x.ids
			o := b.run(t, b.instrument(t, r))
			if got := describeTests(o.session); got != x.want || len(o.session.Problems) > 0 || describeUnits(o.session) != "" {
				t.Errorf("got %s, want %s; problems %q, units %s\n%s", got, x.want, o.session.Problems, describeUnits(o.session), o.output)
			}
		})
	}
}

func TestFailFast(t *testing.T) {
	b := newBench(t, "same_name_twice")
	r := b.request("node", "--test")
	r.FailFast = true
	o := b.run(t, b.instrument(t, r))
	if got := describeTests(o.session); got != "a.test.js > twin=passed; a.test.js > twin #2=failed" || o.end.Code != 1 {
		t.Errorf("%s, exit status %d\n%s", got, o.end.Code, o.output)
	}
	if len(o.session.Problems) > 0 || len(o.session.Contradictions(o.end)) > 0 {
		t.Errorf("problems %q, contradictions %v", o.session.Problems, o.session.Contradictions(o.end))
	}
}

// A seed shuffles where the release can, and is said to do nothing where it cannot.
func TestSeed(t *testing.T) {
	b := newBench(t, "passes")
	r := b.request("node", "--test")
	r.Seed = 1<<40 + 5
	p := b.instrument(t, r)
	if randomized := slices.Contains(p.Argv, "--test-random-seed=5"); randomized == (len(p.Notes) > 0) {
		t.Errorf("argv %q, notes %q", p.Argv, p.Notes)
	}
	if o := b.run(t, p); len(o.session.Tests) != 4 || o.end.Code != 0 {
		t.Errorf("%s, exit status %d\n%s", describeTests(o.session), o.end.Code, o.output)
	}
}
