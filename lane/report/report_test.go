package report_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/vallane/lane/assurance"
	at "github.com/vallane/lane/assurance/assurancetest"
	"github.com/vallane/lane/assurance/gate"
	"github.com/vallane/lane/lane/report"
)

var update = flag.Bool("update", false, "write the golden files anew")

var heads = []string{at.HeadPlain, at.HeadOrder, at.HeadZone}

func failing(message string) func(*assurance.Evidence) {
	return func(e *assurance.Evidence) {
		for _, id := range heads {
			at.Set(e.Observations[id], at.Once, assurance.TestFailed, message)
			e.Observations[id].Run.Exit = 1
		}
		e.Record.Reproduce = []assurance.Reproduction{{Test: at.Once, Command: "lane check specs/cart.toml --test " + at.Once}}
	}
}

func survivor(e *assurance.Evidence) {
	*e.Observations[at.Killed].Mutant = assurance.MutantObservation{Verdict: assurance.MutantSurvived, Reach: []string{at.Once}, PassedAlone: []string{at.Once}}
	e.Observations["audit/"+at.Killed].Audit.Verdict = assurance.MutantSurvived
	*e.Observations[at.Reverted].Mutant = assurance.MutantObservation{Verdict: assurance.MutantKilled, Killers: []string{at.Total}}
	*e.Observations[at.Quota].Mutant = assurance.MutantObservation{Verdict: assurance.MutantUncovered}
	e.Plan.Criteria = append(e.Plan.Criteria, assurance.Criterion{ID: "AC-2", Kind: assurance.CriterionManual, Text: "The discount is shown in green"})
}

func unstable(e *assurance.Evidence) {
	at.Set(e.Observations[at.HeadZone], at.Round, assurance.TestFailed, "rate_test.go:12: want 5.50, got 5.49")
	e.Observations[at.HeadZone].Run.Exit = 1
	e.Observations[at.HeadOrder].Run.Census = assurance.Census{Peak: 9, Left: 2, Names: []string{"sleep", "sh"}}
	e.Observations[at.HeadOrder].Run.Leaky = true
}

func lost(e *assurance.Evidence) {
	for _, id := range heads {
		at.Set(e.Observations[id], at.Round, "", "")
	}
	e.Plan.Removals = []assurance.Removal{{Test: at.Round, ListedBy: assurance.ByChange}}
	e.Plan.Spec.Authority, e.Plan.Change.SaidBy = assurance.ByChange, assurance.ByChange
	e.Plan.Change.Environment = []assurance.EnvironmentEdit{{Path: "flake.lock"}}
	e.Plan.Change.Ignored = []string{"baseline lane.baseline.json"}
}

func forgeable(e *assurance.Evidence) {
	e.Plan.Tasks[0].Reporter, e.Plan.Tasks[0].Class = "tap", assurance.Forgeable
	e.Plan.Unmutated = []string{"cart.js"}
	for i := range e.Plan.Runs {
		p := &e.Plan.Runs[i]
		for _, c := range p.Canaries {
			o := e.Observations[p.ID].Run
			o.Exit = 0
			o.Tests = slices.DeleteFunc(o.Tests, func(t assurance.TestResult) bool { return t.ID == c.Test })
		}
		p.Canaries, p.CanariesFailRun = nil, false
	}
}

func refused(e *assurance.Evidence) {
	*e = assurance.Evidence{Version: 1, Plan: assurance.Plan{Spec: e.Plan.Spec, Require: assurance.VAL1}, Stop: assurance.Stop{Phase: "closure", Refusal: &assurance.Refusal{
		Code: "unlocked-flake", Msg: "flake.lock has no entry for input nixpkgs", Hint: "run nix flake lock, and commit flake.lock"}}}
}

func fetched(e *assurance.Evidence) {
	e.Record.Fetched = []assurance.Fetched{
		{Tasks: []string{"unit"}, Trees: []assurance.TreeRole{assurance.Base, assurance.Hybrid}, Commands: []string{"go mod download"}, Manifests: []string{"go.mod", "go.sum"},
			Digest: "sha256-kk4d8Y6VnDE7Xs283VBf5icqQWzGlXfmSuMp5bkMnYE=", Kept: true, Hosts: []assurance.FetchedHost{}},
		{Tasks: []string{"unit"}, Trees: []assurance.TreeRole{assurance.Head}, Commands: []string{"go mod download"}, Manifests: []string{"go.mod", "go.sum"},
			Digest: "sha256-2K2SbG1izp0sk1F0iFm06B9yjumIe1+Ds7UNH1wX00M=", Hosts: []assurance.FetchedHost{
				{Host: "proxy.example.org", Port: 443, Connections: 2, Sent: 2013, Received: 481_223},
				{Host: "sums.example.org", Port: 443, Connections: 1, Refused: "not-allowed", Detail: "sums.example.org:443 is not on the list of allowed hosts"}}},
	}
}

func fetchFailed(e *assurance.Evidence) {
	refused(e)
	e.Stop = assurance.Stop{Phase: "fetch", Refusal: &assurance.Refusal{Code: "fetch-failed", Msg: "`npm ci` failed in the fetch phase: exit status 1\nnpm error code E403\nevil.example.org:443: not-allowed",
		Hint: `add "evil.example.org:443" to allow, if the project is to be fetched from there`}}
	e.Record.Fetched = []assurance.Fetched{{Tasks: []string{"unit"}, Trees: []assurance.TreeRole{assurance.Head}, Commands: []string{"npm ci"}, Manifests: []string{"package.json"},
		Hosts: []assurance.FetchedHost{{Host: "evil.example.org", Port: 443, Connections: 3, Refused: "not-allowed", Detail: "evil.example.org:443 is not on the list of allowed hosts"}}}}
}

func rehearsed(e *assurance.Evidence) {
	at.Rehearse(e)
	at.Refuse(e)
	d := e.Plan.Deploy
	d.Disposable, d.Gone = false, []string{"Service old in shop (deploy/old.yaml)"}
	d.Objects = append(d.Objects, assurance.PlannedObject{ID: "object/3", Source: "deploy/widget.yaml", Number: 1, APIVersion: "example.org/v1", Kind: "Widget", Namespace: "shop", Name: "w"})
	e.Observations["object/3"] = assurance.Observation{Object: &assurance.ObjectObservation{Answer: assurance.AnswerUnanswered, Reason: "the server knows no API group example.org"}}
	e.Observations[at.APIServer].Server.CanWrite = []string{"patch deployments.apps in shop"}
}

// broken has one user whose test breaks, and one whose suite nobody ran.
func broken(e *assurance.Evidence) {
	at.WithDownstream(e)
	for _, id := range []string{at.DownstreamHead, at.DownstreamCanary} {
		at.Set(e.Observations[id], at.Box2, assurance.TestFailed, "box_test.go:7: the lid is open")
		e.Observations[id].Run.Exit = 1
	}
	e.Plan.Downstream = append(e.Plan.Downstream, assurance.PlannedDownstream{Name: "drawer", Source: "https://example.org/drawer.git",
		Commit: "5f0c2c1e8a3cbb0c8cf1a1c2c8a4d1c3b5a69788", Unasked: "the suite of drawer was not run: nobody gave its repository"})
}

func served(e *assurance.Evidence) {
	at.AddService(e)
	e.Plan.Services = append(e.Plan.Services, assurance.PlannedService{Name: "queue", Task: "unit", Foreign: "sh runs what it is told to", Up: []string{"sh", "queue.sh"},
		Address: "127.0.0.1:5672", Uses: []assurance.PlannedUse{{ID: "use/1", Run: at.HeadPlain}, {ID: "use/2", Run: at.HeadOrder}, {ID: "use/3", Run: at.HeadZone}}, Control: "unit/spoilt-queue"})
}

// hostile has text everywhere that wants to do something to a terminal or to a reader's eyes (F14, R17).
func hostile(e *assurance.Evidence) {
	evil := "\x1b]0;owned\a\x1b[2J\x1b[31mred\r\nPASSED VAL-3\x00\x9b1m \u202egnp.exe\u2066 \u200b\U000e0041 \xff\xfe </script> " + strings.Repeat("long ", 80)
	failing(evil + strings.Repeat("\nline", 40))(e)
	e.Plan.Spec.ID, e.Plan.Spec.Title = "cart\x1b[1m", evil
	e.Plan.Criteria[0].ID, e.Plan.Criteria[0].Text = "AC\x1b-1", evil
	for i := range e.Plan.Mutants {
		m := &e.Plan.Mutants[i]
		for j, c := range m.Criteria {
			if c == "AC-1" {
				m.Criteria[j] = "AC\x1b-1"
			}
		}
		m.File, m.Description, m.Diff = "cart/\x1b[31mcart.go", evil, "--- a\n+++ b\n@@ -1 +1 @@\n-\x1b[2J old\n+\u202enew"
	}
	*e.Observations[at.Other].Mutant = assurance.MutantObservation{Verdict: assurance.MutantSurvived}
	add := "example.org/shop/cart.Test\x1b[31m名前が長い" + strings.Repeat("試", 60)
	e.Plan.Tests = append(e.Plan.Tests, assurance.PlannedTest{ID: add, Task: "unit", Unit: at.Cart, Required: true})
	e.Observations[at.HeadOrder].Run.Census = assurance.Census{Peak: 3, Left: 1, Names: []string{evil}}
	e.Record.Notes = []string{evil}
	e.Record.Fetched = []assurance.Fetched{{Trees: []assurance.TreeRole{assurance.TreeRole(evil)}, Commands: []string{evil}, Manifests: []string{evil}, Digest: evil,
		Hosts: []assurance.FetchedHost{{Host: evil, Refused: evil, Detail: evil}, {Host: evil, Port: -1}}}}
	at.Rehearse(e)
	e.Plan.Deploy.Gone = []string{evil}
	e.Plan.Deploy.Objects[0].Source, e.Plan.Deploy.Objects[0].Name = evil, evil
	e.Observations[at.Web].Object.Answer, e.Observations[at.Web].Object.Reason = assurance.AnswerRefused, evil
	e.Observations[at.APIServer].Server.Version = evil
	broken(e)
	e.Plan.Downstream[0].Name, e.Plan.Downstream[0].Source, e.Plan.Downstream[1].Unasked = evil, evil, evil
	at.Set(e.Observations[at.DownstreamHead], at.Box2, assurance.TestFailed, evil)
	e.Record.Logs = []assurance.Log{{Name: evil, Path: "/state/\x1b[31m/" + evil}}
	e.Record.Stages = []assurance.Timing{{Name: evil, MS: -5}}
	e.Record.Reproduce[0].Command = evil
	e.Plan.Change.Protected, e.Plan.Change.Ignored = []string{evil}, []string{evil}
	e.Observations[at.HeadPlain].Run.Problems = []string{evil}
}

func TestTerminal(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*assurance.Evidence)
		o    report.Options
	}{
		{"val-1", nil, report.Options{}},
		{"val-1-verbose", nil, report.Options{Verbose: true, Width: 120}},
		{"survivor", survivor, report.Options{}},
		{"survivor-colour", survivor, report.Options{Color: true}},
		{"tests-failed", failing("--- FAIL: TestDiscountAppliesOnce\n    cart_test.go:31: want 1, got 2"), report.Options{}},
		{"unstable", unstable, report.Options{}},
		{"lost", lost, report.Options{}},
		{"forgeable", forgeable, report.Options{}},
		{"refused", refused, report.Options{}},
		{"fetched", fetched, report.Options{}},
		{"deploy", rehearsed, report.Options{}},
		{"downstream", broken, report.Options{}},
		{"service", served, report.Options{}},
		{"fetch-failed", fetchFailed, report.Options{}},
		{"fault", func(e *assurance.Evidence) {
			e.Stop = assurance.Stop{Fault: "write log: no space left on device", Phase: "runs"}
		}, report.Options{}},
		{"hostile", hostile, report.Options{Width: 72}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := report.Terminal(&b, at.Judged(c.edit), c.o); err != nil {
				t.Fatal(err)
			}
			golden(t, c.name, b.Bytes())
		})
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s\nrun go test -update and look at the difference", file, got, want)
	}
}

// harmless fails where output has a byte that a terminal would act on, or a character that cannot be seen.
func harmless(t testing.TB, out []byte) {
	t.Helper()
	if !utf8.Valid(out) {
		t.Error("it is not UTF-8")
	}
	for _, r := range string(out) {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("it has %U", r)
			return
		}
	}
}

func TestNothingReachesTheTerminal(t *testing.T) {
	v := at.Judged(hostile)
	for _, o := range []report.Options{{}, {Verbose: true}, {Width: 1}, {Width: 200, Verbose: true}} {
		var b bytes.Buffer
		d, err := gate.Check(gate.Options{AllowUnsigned: true}, encoded(t, v))
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{report.Terminal(&b, v, o), report.Summary(&b, []assurance.Verdict{v, v}, o), report.Gate(&b, d, o)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		harmless(t, b.Bytes())
		if strings.Contains(b.String(), "\nPASSED") {
			t.Error("a line of somebody else's begins a line of the report")
		}
	}
}

// Lines stay within the width, but for what is of use only whole.
func TestWidth(t *testing.T) {
	for _, columns := range []int{40, 60, 80, 140} {
		var b bytes.Buffer
		v := at.Judged(hostile)
		v.Logs, v.Reproduce = nil, nil
		if err := report.Terminal(&b, v, report.Options{Width: columns, Verbose: true}); err != nil {
			t.Fatal(err)
		}
		for l := range strings.Lines(b.String()) {
			if n := len([]rune(strings.TrimSuffix(l, "\n"))); n > columns {
				t.Errorf("width %d: %d columns: %s", columns, n, l)
			}
		}
	}
}

func encoded(t testing.TB, v assurance.Verdict) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestSummary(t *testing.T) {
	named := func(id string, edit func(*assurance.Evidence)) assurance.Verdict {
		return at.Judged(func(e *assurance.Evidence) {
			if edit != nil {
				edit(e)
			}
			e.Plan.Spec.ID = id
		})
	}
	var b bytes.Buffer
	if err := report.Summary(&b, []assurance.Verdict{named("cart-discounts", nil), named("survivor", survivor), named("a-spec-with-quite-a-long-id-that-has-to-be-cut", failing("")),
		named("flips", unstable), named("environment", refused)}, report.Options{}); err != nil {
		t.Fatal(err)
	}
	golden(t, "summary", b.Bytes())
}

func TestGate(t *testing.T) {
	for name, c := range map[string]struct {
		o    gate.Options
		edit func(*assurance.Evidence)
	}{
		"gate-open":     {gate.Options{MinVAL: 1, AllowUnsigned: true}, nil},
		"gate-short":    {gate.Options{MinVAL: 1, AllowUnsigned: true}, survivor},
		"gate-unsigned": {gate.Options{MinVAL: 1}, nil},
	} {
		d, err := gate.Check(c.o, encoded(t, at.Judged(c.edit)))
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := report.Gate(&b, d, report.Options{}); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
	}
}

// A log's decision in each form: two specs, one of them short, one line of a stranger, one spec that the policy misses.
func TestGateLog(t *testing.T) {
	short := func(e *assurance.Evidence) { survivor(e); e.Plan.Spec.ID = "other: 100%" }
	line := func(edit func(*assurance.Evidence)) string { return string(encoded(t, at.Judged(edit))) }
	var compact bytes.Buffer
	for _, l := range []string{line(nil), line(short), `{"kind":"something else"}`} {
		if err := json.Compact(&compact, []byte(l)); err != nil {
			t.Fatal(err)
		}
		compact.WriteByte('\n')
	}
	policy, err := gate.ParsePolicy([]byte("[[rule]]\nspecs = [\"third\"]"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := gate.CheckLog(gate.Options{MinVAL: 1, AllowUnsigned: true, Policy: policy}, compact.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for name, print := range map[string]func(io.Writer) error{
		"gate-log":    func(w io.Writer) error { return report.GateLog(w, d, report.Options{}) },
		"gate-github": func(w io.Writer) error { return report.GateGitHub(w, d) },
		"gate-sarif":  func(w io.Writer) error { return report.GateSARIF(w, d, "0.0.0") },
	} {
		var b bytes.Buffer
		if err := print(&b); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
	}
}

func TestJSON(t *testing.T) {
	v := at.Judged(hostile)
	var b bytes.Buffer
	if err := report.JSON(&b, []assurance.Verdict{v, at.Judged(nil)}); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"</script>", "\x1b", "\x00", "\u202e"} {
		if bad != "\u202e" && bytes.Contains(b.Bytes(), []byte(bad)) {
			t.Errorf("it has %q as it is", bad)
		}
	}
	var back struct {
		Kind     string              `json:"kind"`
		Exit     int                 `json:"exit_code"`
		Verdicts []assurance.Verdict `json:"verdicts"`
	}
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if back.Kind != "lane/report" || back.Exit != 3 || len(back.Verdicts) != 2 || back.Verdicts[1].Level != assurance.VAL1 || back.Verdicts[0].Evidence != nil {
		t.Errorf("got %+v", back)
	}
	b.Reset()
	if err := report.JSON(&b, nil); err != nil || !strings.Contains(b.String(), `"verdicts": []`) {
		t.Errorf("of none: %s %v", b.String(), err)
	}
}

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"plain":               "plain",
		"tab\there":           "tab  here",
		"\x1b[31mred\x1b[0m":  `\x1b[31mred\x1b[0m`,
		"bell\a del\x7f":      `bell\x07 del\x7f`,
		"c1 \u009b31m":        `c1 \x9b31m`,
		"two\nlines\r":        `two\nlines\x0d`,
		"\u202eevil\u2066":    `\u202eevil\u2066`,
		"zero\u200bwidth":     `zero\u200bwidth`,
		"tag \U000e0041":      `tag \U000e0041`,
		"no-break\u00a0space": `no-break\xa0space`,
		"\u2028line":          `\u2028line`,
		"bad \xff\xc3":        `bad \xff\xc3`,
		"prüfung 試験 👍":        "prüfung 試験 👍",
	} {
		if got := report.Line(in); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}

// FuzzTerminal puts any text in many places of a verdict.
func FuzzTerminal(f *testing.F) {
	f.Add("\x1b[2J\nPASSED", 80, true)
	f.Add(strings.Repeat("試", 300), 41, false)
	f.Add("\u0301\u0301", -7, true)
	f.Fuzz(func(t *testing.T, s string, columns int, verbose bool) {
		v := at.Judged(survivor)
		v.Spec.ID, v.Spec.Title, v.Reason, v.Outcome = s, s, s, assurance.Outcome(s)
		v.Failed = []assurance.FailedTest{{ID: s, Task: s, Status: s, Runs: []string{s}, Message: s}}
		v.Unstable = []assurance.UnstableTest{{ID: s, Runs: []assurance.RunStatus{{Run: s, Status: s, Variation: map[string]string{s: s}}}, Message: s}}
		v.Lost = []assurance.LostTest{{ID: s, ListedBy: assurance.Authority(s)}}
		v.Survivors[0].Diff, v.Survivors[0].File, v.Survivors[0].Explained = s, s, s
		v.Criteria = append(v.Criteria, assurance.CriterionResult{ID: s, Kind: s, Text: s, State: s, Reason: s})
		v.Clauses = append(v.Clauses, assurance.Clause{ID: assurance.ClauseID(s), State: assurance.State(s), Reason: s, Facts: []string{s, s}})
		v.Logs, v.Notes, v.DoesNotProve = []assurance.Log{{Path: s}}, []string{s}, []string{s}
		v.Fetched = []assurance.Fetched{{Trees: []assurance.TreeRole{assurance.TreeRole(s)}, Commands: []string{s}, Manifests: []string{s}, Digest: s, Hosts: []assurance.FetchedHost{{Host: s, Refused: s, Detail: s}, {Host: s}}}}
		v.Subject.Commit, v.Change.Kind = s, s
		var b bytes.Buffer
		o := report.Options{Width: columns % 500, Verbose: verbose}
		if err := report.Terminal(&b, v, o); err != nil {
			t.Fatal(err)
		}
		if err := report.Summary(&b, []assurance.Verdict{v}, o); err != nil {
			t.Fatal(err)
		}
		harmless(t, b.Bytes())
	})
}

func ExampleLine() {
	fmt.Println(report.Line("\x1b[32mok\x1b[0m"))
	// Output: \x1b[32mok\x1b[0m
}
