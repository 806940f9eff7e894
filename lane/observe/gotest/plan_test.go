//go:build linux

package gotest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vallane/lane/lane/observe"
)

// TestCanariesAreSeenFailing runs every project in which real tests get to run with a canary beside them.
func TestCanariesAreSeenFailing(t *testing.T) {
	for project, want := range map[string]int{
		"passes": 2, "external_tests": 1, "testmain": 1, "prints_without_newline": 1, "clears_environment": 1, "embeds_files": 1,
		"no_tests": 1, "skips_everything": 1, "nested_module": 2,
	} {
		t.Run(project, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, project)
			r := b.request("go", "test", "./...")
			r.Canaries, r.CanarySeed = true, [32]byte{byte(len(project))}
			r.NoVet = project != "passes" && project != "external_tests"
			p := b.instrument(t, r)
			o := b.run(t, p)
			if len(p.Canaries) != want {
				t.Errorf("canaries %v, want %d", p.Canaries, want)
			}
			if unseen := o.session.CanariesUnseen(p.Canaries); len(unseen) > 0 {
				t.Errorf("unseen %v\n%s", unseen, o.output)
			}
			if o.end.Code != 1 || !o.session.Complete() || len(o.session.Problems) > 0 {
				t.Errorf("exit status %d, complete %v, problems %q", o.end.Code, o.session.Complete(), o.session.Problems)
			}
			if found := o.session.Contradictions(o.end); len(found) > 0 {
				t.Errorf("contradictions %v", found)
			}
		})
	}
}

// TestCanaryExposesForgery: C9, C10. The whole stream is forged, and nothing but the canary is missing from it.
func TestCanaryExposesForgery(t *testing.T) {
	for _, project := range []string{"forges_records", "forges_test2json", "exits_zero_in_init", "patches_the_failure_method"} {
		t.Run(project, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, project)
			r := b.request("go", "test", "./...")
			r.Canaries, r.NoVet = true, true
			p := b.instrument(t, r)
			o := b.run(t, p)
			if o.end.Code != 0 {
				t.Errorf("exit status %d: the forgery does not work\n%s", o.end.Code, o.output)
			}
			if unseen := o.session.CanariesUnseen(p.Canaries); len(unseen) != 1 {
				t.Errorf("unseen canaries %v", unseen)
			}
		})
	}
}

func TestSelection(t *testing.T) {
	tests := []struct {
		name     string
		argv     string
		sel      []string
		canaries bool
		failFast bool
		want     string
	}{
		{"one test", "-short ./...", []string{"example.org/passes.TestTotal"}, false, false, "TestTotal=passed"},
		{"one package", "./...", []string{"example.org/passes/till.TestPay"}, false, false, "/till.TestPay=passed"},
		{"a subtest selects its test", "./...", []string{"example.org/passes.TestTotal/x", "example.org/passes/till.TestPay"}, false, true,
			"TestTotal=passed /till.TestPay=passed"},
		{"instead of the command's own", "-run=Negative -v ./... -args x", []string{"example.org/passes.TestTotal"}, false, true, "TestTotal=passed"},
		{"with canaries", "./till .", []string{"example.org/passes/till.TestPay"}, true, false, "/till.TestPay=passed"},
		{"canaries beside a filter", "-run=Negative|Pay -skip=Pay -failfast ./...", nil, true, false, "TestTotalNegative=passed"},
		{"from a folder", "-C till . ..", []string{"example.org/passes.TestTotal"}, false, false, "TestTotal=passed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, "passes")
			r := b.request(append([]string{"go", "test"}, strings.Fields(tt.argv)...)...)
			r.Select, r.Canaries, r.FailFast, r.NoVet, r.Seed = tt.sel, tt.canaries, tt.failFast, true, 7
			r.Env = []string{"GOFLAGS=-mod=mod -run=None -trimpath"}
			p := b.instrument(t, r)
			o := b.run(t, p)
			if got := describeTests(o.session, "example.org/passes"); got != tt.want {
				t.Errorf("%q ran %s, want %s\n%s", p.Argv, got, tt.want, o.output)
			}
			if unseen := o.session.CanariesUnseen(p.Canaries); len(unseen) > 0 || tt.canaries == (len(p.Canaries) == 0) {
				t.Errorf("%q: canaries %v, unseen %v\n%s", p.Argv, p.Canaries, unseen, o.output)
			}
			if !o.session.Complete() || len(o.session.Contradictions(o.end)) > 0 {
				t.Errorf("contradictions %v", o.session.Contradictions(o.end))
			}
		})
	}
}

// TestVariationsShareOneBuild: whatever a variation selects, the files that are laid are the same, and with the tree gone.
func TestVariationsShareOneBuild(t *testing.T) {
	b := newBench(t, "passes")
	r := b.request("go", "test", "-v", "./...")
	r.Canaries = true
	p := b.instrument(t, r)
	if err := os.Rename(b.tree, b.tree+".gone"); err != nil {
		t.Fatal(err)
	}
	pay := []string{"example.org/passes/till.TestPay"}
	for _, tt := range []struct {
		vary     observe.Variation
		canaries int
		argv     string
	}{
		{observe.Variation{}, 2, "go test -v ./..."},
		{observe.Variation{Seed: 3, NoVet: true}, 2, "go test -v ./..."},
		{observe.Variation{Select: pay}, 1, "go test -v -run=^(TestPay)$|^(NAME)$ ./till"},
		{observe.Variation{Select: pay, FailFast: true}, 0, "go test -v -failfast=true -run=^(TestPay)$ ./till"},
	} {
		v, err := p.Vary(tt.vary)
		if err != nil {
			t.Fatal(err)
		}
		if len(v.Files) != len(p.Files) || string(v.Files[overlayFile]) != string(p.Files[overlayFile]) {
			t.Errorf("%+v lays other files", tt.vary)
		}
		argv := strings.Join(v.Argv, " ")
		for _, c := range v.Canaries {
			argv = strings.ReplaceAll(argv, strings.TrimPrefix(c.ID, c.Unit+"."), "NAME")
		}
		if len(v.Canaries) != tt.canaries || argv != tt.argv {
			t.Errorf("%+v: canaries %v, argv %s, want %s", tt.vary, v.Canaries, argv, tt.argv)
		}
		flags := envValue(v.Env, "GOFLAGS", "")
		if strings.Contains(flags, "-shuffle=3") != (tt.vary.Seed == 3) || strings.Contains(flags, "-vet=off") != tt.vary.NoVet {
			t.Errorf("%+v: GOFLAGS=%s", tt.vary, flags)
		}
	}
	if _, err := p.Vary(observe.Variation{FailFast: true}); err == nil {
		t.Error("a run with canaries may stop at the first failure")
	}
	if _, err := p.Vary(observe.Variation{Select: []string{"example.org/none.TestX"}}); err == nil {
		t.Error("a test of no package was selected")
	}
}

func TestOtherCommandsReportToo(t *testing.T) {
	b := newBench(t, "passes")
	r := b.request("sh", "-c", "go test . && cd till && go test")
	r.Canaries = true
	p := b.instrument(t, r)
	if p.Selectable || p.Known || len(p.Expected) > 0 {
		t.Errorf("selectable %v, expected %v", p.Selectable, p.Expected)
	}
	o := b.run(t, p)
	if o.session.Find("example.org/passes.TestTotal") == nil || len(o.session.Canaries) != 1 {
		t.Errorf("%+v\n%s", o.session, o.output)
	}
	r.Select = []string{"example.org/passes.TestTotal"}
	if _, err := (Reporter{}).Instrument(r); err == nil {
		t.Error("tests of an unknown command could be selected")
	}
}

func TestExplain(t *testing.T) {
	b := newBench(t, "fails_to_build")
	o := b.run(t, b.instrument(t, b.request("go", "test", "./...")))
	got := strings.Join(Reporter{}.Explain([]byte(o.output)), "\n")
	if !strings.Contains(got, "a.go:3:") || !strings.Contains(got, "example.org/fails_to_build [build failed]") || strings.Contains(got, "fine") {
		t.Errorf("explained as %q:\n%s", got, o.output)
	}
	if got := (Reporter{}).Explain([]byte(strings.Repeat("# x\nFAIL\ty [build failed]\n\x1b[31m", 1e4))); len(got) > maxExplained {
		t.Errorf("%d lines", len(got))
	}
}

func TestTreeWithoutModule(t *testing.T) {
	b := newBench(t, "no_go_mod")
	r := b.request("go", "test", "./...")
	r.Canaries = true
	p := b.instrument(t, r)
	o := b.run(t, p)
	unit := "_" + b.tree
	if want := []string{unit, unit + "/sub"}; !slices.Equal(p.Expected, want) {
		t.Errorf("expected %q, want %q", p.Expected, want)
	}
	if got := describeTests(o.session, unit); got != "TestQuote=passed /sub.TestSub=passed" || !o.session.Complete() || len(o.session.Canaries) != 2 {
		t.Errorf("%s\n%+v\n%s", got, o.session, o.output)
	}
}

// TestWarmCacheIsComplete runs the warm steps and then counts what the run itself still has to compile or vet.
func TestWarmCacheIsComplete(t *testing.T) {
	b := newBench(t, "passes")
	marker := filepath.Join(b.tree, "executed")
	init := "package cart\n\nimport \"os\"\n\nfunc init() { os.WriteFile(" + `"` + marker + `"` + ", nil, 0o600) }\n"
	if err := os.WriteFile(filepath.Join(b.tree, "init.go"), []byte(init), 0o600); err != nil {
		t.Fatal(err)
	}
	r := b.request("go", "test", "-v", "-run=Total|Pay", "./...", "-args", "x")
	r.Canaries, r.CanarySeed = true, [32]byte{9}
	steps, err := Reporter{}.Warm(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range steps {
		b.lay(t, s.Files)
		if end, out := b.exec(t, s, nil); end.Code != 0 {
			t.Fatalf("%q: exit status %d\n%s", s.Argv, end.Code, out)
		}
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("warming executed code of the tree")
	}
	r.Seed = 5
	p := b.instrument(t, r)
	p.Argv = slices.Insert(slices.Clone(p.Argv), 2, "-x")
	o := b.run(t, p)
	tools := []string{"/compile "}
	if release(t, b.goroot) >= 26 { // the go command before that keeps no results of vet
		tools = append(tools, "/vet ")
	}
	for _, tool := range tools {
		if n := strings.Count(o.output, tool); n > 0 {
			t.Errorf("%d calls of %s\n%s", n, tool, o.output)
		}
	}
	if !o.session.Complete() || len(o.session.Canaries) != 2 {
		t.Errorf("the run is not complete:\n%s", o.output)
	}
}

// cover runs the whole plan for coverage, with what would lie in the box's /tmp laid elsewhere.
func (b *bench) cover(t *testing.T, r observe.Request) map[string]observe.Reach {
	t.Helper()
	plan, err := Reporter{}.Cover(r)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(b.lane, "cover")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	moved := func(argv []string) []string {
		var out []string
		for _, a := range argv {
			out = append(out, strings.ReplaceAll(a, coverDir, dir))
		}
		return out
	}
	reach := make(map[string]observe.Reach)
	for _, s := range slices.Concat(plan.Build, plan.Measure) {
		b.lay(t, s.Files)
		s.Argv = moved(s.Argv)
		if end, out := b.exec(t, s, nil); end.Code != 0 {
			t.Fatalf("%q: exit status %d\n%s", s.Argv, end.Code, out)
		}
		for _, file := range moved(s.Collect) {
			profile, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if reach[s.Tests[0]], err = plan.Parse(profile); err != nil {
				t.Fatal(err)
			}
		}
	}
	return reach
}

func TestCoverage(t *testing.T) {
	b := newBench(t, "passes")
	reach := b.cover(t, b.request("go", "test", "-v", "-short", "./...", "-args", "x"))
	for _, tt := range []struct {
		test, file string
		line       int
		want       bool
	}{
		{"example.org/passes.TestTotal", "cart.go", 8, false},
		{"example.org/passes.TestTotal", "cart.go", 10, true},
		{"example.org/passes.TestTotalNegative", "cart.go", 8, true},
		{"example.org/passes.TestTotalNegative", "cart.go", 16, false},
		{"example.org/passes/till.TestPay", "cart.go", 16, true},
		{"example.org/passes/till.TestPay", "till/till.go", 7, true},
		{"example.org/passes/till.TestPay", "cart.go", 10, false},
	} {
		if got := reach[tt.test].Has(tt.file, tt.line); got != tt.want {
			t.Errorf("%s reaches %s:%d: %v, want %v (%v)", tt.test, tt.file, tt.line, got, tt.want, reach[tt.test])
		}
	}
	r := b.request("go", "test", "./...")
	r.Select, r.Cover = []string{"example.org/passes/till.TestPay"}, []string{"till"}
	reach = b.cover(t, r)
	if len(reach) != 1 || !reach["example.org/passes/till.TestPay"].Has("till/till.go", 7) || reach["example.org/passes/till.TestPay"]["cart.go"] != nil {
		t.Errorf("of till alone: %v", reach)
	}
}

func TestCoverageWithoutModule(t *testing.T) {
	b := newBench(t, "no_go_mod")
	reach := b.cover(t, b.request("go", "test", "./..."))
	if !reach["_"+b.tree+".TestQuote"].Has("quote.go", 5) {
		t.Errorf("got %v", reach)
	}
}
