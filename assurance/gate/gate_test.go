package gate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/assurance"
	at "github.com/vallane/lane/assurance/assurancetest"
	"github.com/vallane/lane/assurance/gate"
)

func encoded(t testing.TB, v assurance.Verdict) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// edit changes the JSON of the verdict on Good, as somebody with an editor would.
func edit(t testing.TB, old, new string) []byte {
	t.Helper()
	data := encoded(t, at.Judged(nil))
	out := bytes.Replace(data, []byte(old), []byte(new), 1)
	if bytes.Equal(out, data) {
		t.Fatalf("there is no %s in the verdict", old)
	}
	return out
}

func check(t testing.TB, o gate.Options, data []byte) gate.Decision {
	t.Helper()
	d, err := gate.Check(o, data)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestGate(t *testing.T) {
	made := at.Good().Record.Finished
	short := at.Judged(func(e *assurance.Evidence) { e.Plan.Subject.Dirty = true })
	failed := at.Judged(func(e *assurance.Evidence) {
		for _, id := range []string{at.HeadPlain, at.HeadOrder, at.HeadZone} {
			at.Set(e.Observations[id], at.Once, assurance.TestFailed, "")
			e.Observations[id].Run.Exit = 1
		}
	})
	baseless := at.Judged(func(e *assurance.Evidence) { delete(e.Observations, at.OnBase) })
	good := encoded(t, at.Judged(nil))
	indented := func() []byte {
		var b bytes.Buffer
		if err := json.Indent(&b, good, "", "    "); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}()
	stops := func(s assurance.Stop) []byte {
		return encoded(t, assurance.Judge(assurance.Evidence{Version: 1, Stop: s}))
	}
	for _, c := range []struct {
		name string
		o    gate.Options
		data []byte
		exit assurance.Exit
		step gate.Step // the first that failed
		says string
	}{
		{"passes", gate.Options{MinVAL: 1}, good, 0, "", ""},
		{"passes with more than is asked for", gate.Options{}, good, 0, "", ""},
		{"passes in any layout", gate.Options{MinVAL: 1}, indented, 0, "", ""},
		{"level too low", gate.Options{MinVAL: 2}, good, 4, gate.StepLevel, "VAL-2"},
		{"level too low for what it passes otherwise", gate.Options{MinVAL: 1}, encoded(t, short), 4, gate.StepLevel, ""},
		{"level enough for the reader, not for the spec", gate.Options{MinVAL: 0}, encoded(t, short), 0, "", ""},
		{"none passes no gate", gate.Options{MinVAL: 0}, encoded(t, baseless), 4, gate.StepLevel, "the level is none"},

		{"tests failed", gate.Options{}, encoded(t, failed), 1, gate.StepOutcome, at.Once},
		{"refused", gate.Options{}, stops(assurance.Stop{Refusal: &assurance.Refusal{Code: "no-fence", Msg: "user namespaces are off"}}), 3, gate.StepOutcome, "user namespaces"},
		{"lane's own fault", gate.Options{}, stops(assurance.Stop{Fault: "killed"}), 5, gate.StepOutcome, "killed"},
		{"out of time", gate.Options{}, stops(assurance.Stop{Deadline: true}), 7, gate.StepOutcome, ""},
		{"interrupted", gate.Options{}, stops(assurance.Stop{Signal: 2}), 130, gate.StepOutcome, ""},

		{"nothing", gate.Options{}, nil, 3, gate.StepForm, ""},
		{"no JSON", gate.Options{}, []byte("passed\n"), 3, gate.StepForm, "no JSON"},
		{"not an object", gate.Options{}, []byte("[]"), 3, gate.StepForm, ""},
		{"an empty object", gate.Options{}, []byte("{}"), 3, gate.StepForm, "it has no kind"},
		{"a report of several", gate.Options{}, []byte(`{"verdicts":[]}`), 3, gate.StepForm, "several"},
		{"an envelope that nobody signed", gate.Options{}, []byte(`{"payloadType":"application/vnd.in-toto+json","payload":"","signatures":[]}`), 3, gate.StepForm, "no signature"},
		{"cut off", gate.Options{}, good[:len(good)-1], 3, gate.StepForm, ""},
		{"something after its end", gate.Options{}, append(bytes.Clone(good), "{}"...), 3, gate.StepForm, "after top-level value"},
		{"not UTF-8", gate.Options{}, edit(t, `"cart-discounts"`, "\"cart-\xff\""), 3, gate.StepForm, "UTF-8"},
		{"a later schema", gate.Options{}, edit(t, `"schema_version":1`, `"schema_version":2,"new":true`), 3, gate.StepForm, "schema 2"},
		{"another kind", gate.Options{}, edit(t, assurance.VerdictKind, "lane/other"), 3, gate.StepForm, "kind"},
		{"unknown key", gate.Options{}, edit(t, `{"schema_version"`, `{"waiver":"me","schema_version"`), 3, gate.StepForm, `"waiver"`},
		{"unknown key deep inside", gate.Options{}, edit(t, `"census":{`, `"census":{"ok":true,`), 3, gate.StepForm, `"ok"`},
		{"a key in another case", gate.Options{}, edit(t, `{"schema_version"`, `{"VAL":"VAL-1","schema_version"`), 3, gate.StepForm, `"VAL"`},
		{"a key twice, once in disguise", gate.Options{}, edit(t, `{"schema_version"`, `{"v\u0061l":"VAL-1","schema_version"`), 3, gate.StepForm, "twice"},
		{"a key twice", gate.Options{}, edit(t, `{"schema_version"`, `{"val":"VAL-1","schema_version"`), 3, gate.StepForm, "twice"},
		{"an observation twice", gate.Options{}, edit(t, `"observations":{`, `"observations":{"`+at.Quota+`":{"mutant":{"verdict":"survived"}},`), 3, gate.StepForm, "twice"},
		{"null for a value", gate.Options{}, edit(t, `"outcome":"passed"`, `"outcome":null`), 3, gate.StepForm, "null"},
		{"no evidence", gate.Options{}, func() []byte { v := at.Judged(nil); v.Evidence = nil; return encoded(t, v) }(), 3, gate.StepForm, "no evidence"},

		{"says production", gate.Options{}, edit(t, `"val":"VAL-1"`, `"val":"VAL-4"`), 3, gate.StepEvidence, "VAL-4"},
		{"says more than VAL-4", gate.Options{}, edit(t, `"val":"VAL-1"`, `"val":"VAL-9"`), 3, gate.StepEvidence, "VAL-9"},
		{"says more than its evidence", gate.Options{}, edit(t, `"val":"VAL-1"`, `"val":"VAL-2"`), 3, gate.StepEvidence, "earns VAL-1"},
		{"says less than its evidence", gate.Options{MinVAL: 1}, edit(t, `"val":"VAL-1"`, `"val":"VAL-0"`), 4, gate.StepLevel, "VAL-0"},
		{"says failed and its evidence does not", gate.Options{}, edit(t, `"outcome":"passed"`, `"outcome":"tests-failed"`), 1, gate.StepOutcome, ""},
		{"an outcome that nobody knows", gate.Options{}, edit(t, `"outcome":"passed"`, `"outcome":"splendid"`), 5, gate.StepOutcome, ""},
		{"says passed and its evidence does not", gate.Options{}, func() []byte {
			v := failed
			v.Outcome, v.Reason = assurance.OutcomePassed, "fine"
			return encoded(t, v)
		}(), 3, gate.StepEvidence, "its evidence says tests-failed"},
		{"a clause made up", gate.Options{}, func() []byte {
			v := short
			v.Clauses = append([]assurance.Clause{}, v.Clauses...)
			for i := range v.Clauses {
				v.Clauses[i].State = assurance.Held
			}
			return encoded(t, v)
		}(), 3, gate.StepEvidence, "clean"},
		{"white space added", gate.Options{}, edit(t, `"peak":4`, `"peak": 4`), 0, "", ""},
		{"evidence changed without its digest", gate.Options{}, func() []byte {
			v := at.Judged(nil)
			e := at.Good()
			e.Observations[at.HeadPlain].Run.PeakMemory++
			v.Evidence = &e
			return encoded(t, v)
		}(), 3, gate.StepEvidence, "evidence_digest"},
		{"an observation of nothing planned", gate.Options{}, encoded(t, at.Judged(func(e *assurance.Evidence) {
			e.Observations["extra"] = assurance.Observation{}
		})), 3, gate.StepEvidence, "planned"},
		{"subject exchanged (C40)", gate.Options{}, edit(t, `"commit":"1111`, `"commit":"2222`), 3, gate.StepEvidence, "subject"},
		{"made younger", gate.Options{}, edit(t, `"finished":"2026-03-01`, `"finished":"2026-04-01`), 3, gate.StepEvidence, "finished"},

		{"of this commit", gate.Options{Subject: assurance.Subject{Commit: at.Good().Plan.Subject.Commit, GitTree: at.Good().Plan.Subject.GitTree}}, good, 0, "", ""},
		{"of this commit in capitals", gate.Options{Subject: assurance.Subject{Commit: strings.ToUpper(at.Good().Plan.Subject.Commit)}}, good, 0, "", ""},
		{"of another commit", gate.Options{Subject: assurance.Subject{Commit: "3333"}}, good, 3, gate.StepSubject, "commit is 1111"},
		{"of this commit and another tree", gate.Options{Subject: assurance.Subject{Commit: at.Good().Plan.Subject.Commit, TreeSHA256: "00"}}, good, 3, gate.StepSubject, "tree (sha256)"},

		{"young enough", gate.Options{Now: made.Add(time.Hour), MaxAge: time.Hour}, good, 0, "", ""},
		{"too old", gate.Options{Now: made.Add(time.Hour + time.Second), MaxAge: time.Hour}, good, 3, gate.StepFresh, "1h0m1s old"},
		{"a little from the future", gate.Options{Now: made.Add(-4 * time.Minute), MaxAge: time.Hour}, good, 0, "", ""},
		{"from the future", gate.Options{Now: made.Add(-6 * time.Minute)}, good, 3, gate.StepFresh, "future"},
		{"of no time", gate.Options{Now: made, MaxAge: time.Hour}, encoded(t, at.Judged(func(e *assurance.Evidence) { e.Record.Finished = time.Time{} })), 3, gate.StepFresh, "does not say when"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := c.o
			o.AllowUnsigned = true
			d := check(t, o, c.data)
			first := gate.Result{}
			for _, s := range d.Steps {
				if s.State == assurance.Failed {
					first = s
					break
				}
			}
			if d.Exit != c.exit || first.Step != c.step || !strings.Contains(first.Reason, c.says) {
				t.Errorf("exit %d at step %q: %s\nwant %d at %q: %s\n%+v", d.Exit, first.Step, first.Reason, c.exit, c.step, c.says, d.Steps)
			}
			if d.Passes() != (c.exit == 0) || d.Passes() != (len(d.Reasons) == 0) || len(d.Steps) != len(gate.Steps()) {
				t.Errorf("passes %v, reasons %q, %d steps", d.Passes(), d.Reasons, len(d.Steps))
			}
		})
	}
}

func TestUnsignedIsRefused(t *testing.T) {
	d := check(t, gate.Options{}, encoded(t, at.Judged(nil)))
	if d.Exit != assurance.ExitDistrust || !strings.Contains(d.Reasons[0], "not signed") {
		t.Errorf("exit %d: %q", d.Exit, d.Reasons)
	}
	if len(d.Clauses) != 0 {
		t.Error("clauses of a verdict that nobody vouches for")
	}
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	for _, o := range []gate.Options{{MinVAL: -1}, {MinVAL: 4}, {MaxAge: time.Hour}, {MaxAge: -1, Now: time.Now()}, {Skew: -1}} {
		d, err := gate.Check(o, encoded(t, at.Judged(nil)))
		if err == nil || d.Exit != assurance.ExitUsage || d.Passes() {
			t.Errorf("%+v: exit %d, %v", o, d.Exit, err)
		}
	}
}

// A verdict by other rules may state more in good faith; the lower result stands.
func TestOtherRules(t *testing.T) {
	v := at.Judged(func(e *assurance.Evidence) { e.Plan.Subject.Dirty = true })
	v.RulesVersion, v.Level = 99, assurance.VAL1
	d := check(t, gate.Options{AllowUnsigned: true, MinVAL: 1}, encoded(t, v))
	if d.Exit != assurance.ExitShort || d.Level != assurance.VAL0 {
		t.Errorf("exit %d at %s: %q", d.Exit, d.Level, d.Reasons)
	}
}

// FuzzGate holds that the gate opens only to a verdict whose evidence earns the level by itself.
func FuzzGate(f *testing.F) {
	f.Add(encoded(f, at.Judged(nil)))
	f.Add(encoded(f, at.Judged(func(e *assurance.Evidence) { e.Plan.Subject.Dirty = true })))
	f.Add(encoded(f, assurance.Judge(assurance.Evidence{})))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := gate.Check(gate.Options{AllowUnsigned: true}, data)
		if err != nil {
			t.Fatal(err)
		}
		if !d.Passes() {
			if len(d.Reasons) == 0 {
				t.Fatal("it does not pass and nobody says why")
			}
			return
		}
		var v assurance.Verdict
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatalf("it passes and cannot be read: %v", err)
		}
		again := assurance.Judge(*v.Evidence)
		if again.Level < assurance.VAL0 || again.Outcome != assurance.OutcomePassed || d.Level > again.Level {
			t.Fatalf("it passes at %s, and its evidence is %s at %s", d.Level, again.Outcome, again.Level)
		}
	})
}

// The bar is 30 ms for a verdict of a suite of ordinary size.
func BenchmarkGate(b *testing.B) {
	e := at.Good()
	for i := range 1500 {
		id := fmt.Sprintf("%s.TestMany/case_%d", at.Cart, i)
		e.Plan.Tests = append(e.Plan.Tests, assurance.PlannedTest{ID: id, Task: "unit", Unit: at.Cart, Required: true, BasePasses: true, Why: []string{"base-passes"}})
		for _, run := range []string{at.HeadPlain, at.HeadOrder, at.HeadZone, at.OnBase, at.OnHybrid} {
			r := e.Observations[run].Run
			r.Tests = append(r.Tests, assurance.TestResult{ID: id, Unit: at.Cart, Status: assurance.TestPassed})
		}
	}
	data := encoded(b, assurance.Judge(e))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if d, err := gate.Check(gate.Options{AllowUnsigned: true, MinVAL: 1}, data); err != nil || !d.Passes() {
			b.Fatal(d.Reasons, err)
		}
	}
}
