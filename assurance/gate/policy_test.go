package gate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/assurance"
	at "github.com/vallane/lane/assurance/assurancetest"
	"github.com/vallane/lane/assurance/gate"
)

// docs makes the change one into which no fault can be put, and which nothing else keeps from VAL-1.
func docs(paths ...string) func(*assurance.Evidence) {
	return func(e *assurance.Evidence) {
		e.Plan.Change.Files = nil
		for _, name := range paths {
			e.Plan.Change.Files = append(e.Plan.Change.Files, assurance.ChangedFile{Path: name, Kind: assurance.FileDocs})
		}
		e.Plan.Places, e.Plan.Mutants, e.Plan.Nulls, e.Plan.Breaks, e.Plan.Audits, e.Plan.Criteria = nil, nil, nil, nil, nil, nil
		at.Set(e.Observations[at.OnHybrid], at.Once, assurance.TestPassed, "")
		e.Observations[at.OnHybrid].Run.Exit = 0
		for _, id := range e.Unplanned() {
			delete(e.Observations, id)
		}
	}
}

func TestPolicy(t *testing.T) {
	now := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	touched := at.Good().Plan.Change.Files[0].Path
	made := func(e *assurance.Evidence) { e.Record.Finished = now.Add(-2 * time.Hour) }
	for _, c := range []struct {
		name, policy, branch string
		edit                 func(*assurance.Evidence)
		exit                 assurance.Exit
		says                 string
	}{
		{"raises the level", "[[rule]]\nmin_val = 2", "main", made, 4, "VAL-2 is asked for"},
		{"never lowers it", "[[rule]]\nmin_val = 0\nvenues = [\"self\"]", "main", made, 0, "VAL-1 is asked for"},
		{"of another branch", "[[rule]]\nbranch = \"release/*\"\nmin_val = 2", "main", made, 0, ""},
		{"of the branch", "[[rule]]\nbranch = \"release/*\"\nmin_val = 2", "release/1", made, 4, "VAL-2"},
		{"of a branch that nobody names", "[[rule]]\nbranch = \"release/*\"\nmin_val = 2", "", made, 4, "VAL-2"},
		{"of the paths", "[[rule]]\npaths = [\"" + touched + "\"]\nmin_val = 2", "main", made, 4, "VAL-2"},
		{"of all paths", "[[rule]]\npaths = [\"**\"]\nmin_val = 2", "main", made, 4, "VAL-2"},
		{"of other paths", "[[rule]]\npaths = [\"payments/**\"]\nmin_val = 2", "main", made, 0, ""},
		{"two rules, the higher one", "[[rule]]\nmin_val = 2\n[[rule]]\nmin_val = 1", "main", made, 4, "VAL-2"},
		{"authority", "[[rule]]\nauthority = \"contract\"", "main", made, 3, "by the word of"},
		{"authority of base", "[[rule]]\nauthority = \"base\"", "main", func(e *assurance.Evidence) { made(e); e.Plan.Spec.Authority = assurance.ByBase }, 0, ""},
		{"authority of base, by a contract", "[[rule]]\nauthority = \"base\"", "main", func(e *assurance.Evidence) {
			made(e)
			e.Plan.Spec.Authority = assurance.ByContract
			e.Plan.Contract = &assurance.Contract{Digest: "sha256:" + strings.Repeat("c", 64), Nonce: strings.Repeat("0a", 32), Key: "SHA256:k", Expires: now.Add(time.Hour)}
		}, 0, ""},
		{"authority of base, by the change", "[[rule]]\nauthority = \"base\"", "main", func(e *assurance.Evidence) { made(e); e.Plan.Spec.Authority = assurance.ByChange }, 3, "by the word of change"},
		{"venue", "[[rule]]\nvenues = [\"independent\"]", "main", made, 3, "venue"},
		{"age", "[[rule]]\nmax_age = \"1h\"", "main", made, 3, "2h0m0s old"},
		{"young enough", "[[rule]]\nmax_age = \"3h\"", "main", made, 0, ""},
		{"a word for production", "production_words = [\"Shop\"]", "main", func(e *assurance.Evidence) { made(e); at.AddTarget(e) }, 3, "\"shop\" is what the policy calls production"},
		{"a pattern for production", "production_words = [\"sh?p-*\"]", "main", func(e *assurance.Evidence) { made(e); at.AddTarget(e) }, 3, "\"sh?p-*\" is what"},
		{"another word for production", "production_words = [\"kunde\"]", "main", func(e *assurance.Evidence) { made(e); at.AddTarget(e) }, 0, ""},
		{"a word for production, and no target", "production_words = [\"shop\"]", "main", made, 0, ""},
		{"nobody knows how old", "[[rule]]\nmax_age = \"3h\"", "main", func(e *assurance.Evidence) { e.Record.Finished = time.Time{} }, 3, "not known"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := gate.ParsePolicy([]byte(c.policy))
			if err != nil {
				t.Fatal(err)
			}
			d := check(t, gate.Options{AllowUnsigned: true, MinVAL: 1, Policy: p, Branch: c.branch, Now: now}, encoded(t, at.Judged(c.edit)))
			var all []string
			for _, s := range d.Steps {
				all = append(all, s.Reason)
			}
			if d.Exit != c.exit || !strings.Contains(strings.Join(all, "\n"), c.says) {
				t.Errorf("exit %d: %s\nwant %d: %s", d.Exit, strings.Join(all, "\n"), c.exit, c.says)
			}
		})
	}
}

// The one thing that a policy takes less for is a change into which no fault can be put, of paths that it names.
func TestNothingToBite(t *testing.T) {
	for _, c := range []struct {
		name, patterns string
		edit           func(*assurance.Evidence)
		exit           assurance.Exit
	}{
		{"docs", `"docs/**", "*.md"`, docs("docs/a/b.txt", "README.md", "x/y.md"), 0},
		{"another path among them", `"docs/**"`, docs("docs/a.txt", "main.go"), 4},
		{"not named", `"other/**"`, docs("docs/a.txt"), 4},
		{"something else is amiss", `"docs/**"`, func(e *assurance.Evidence) { docs("docs/a.txt")(e); e.Plan.Subject.Dirty = true }, 4},
		{"code", `"**"`, func(e *assurance.Evidence) { e.Plan.Subject.Dirty = true }, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := gate.ParsePolicy([]byte("nothing_to_bite = [" + c.patterns + "]"))
			if err != nil {
				t.Fatal(err)
			}
			v := encoded(t, at.Judged(c.edit))
			if d := check(t, gate.Options{AllowUnsigned: true, MinVAL: 1, Policy: p}, v); d.Exit != c.exit {
				t.Errorf("exit %d, want %d: %v", d.Exit, c.exit, d.Reasons)
			}
			if d := check(t, gate.Options{AllowUnsigned: true, MinVAL: 1}, v); d.Exit != 4 {
				t.Errorf("without a policy: exit %d", d.Exit)
			}
		})
	}
	// Of a change with code no less is asked, whatever it holds.
	p, err := gate.ParsePolicy([]byte(`nothing_to_bite = ["**"]`))
	if err != nil {
		t.Fatal(err)
	}
	if d := check(t, gate.Options{AllowUnsigned: true, MinVAL: 2, Policy: p}, encoded(t, at.Judged(nil))); d.Exit != 4 {
		t.Errorf("code at VAL-1 where VAL-2 is asked for: exit %d", d.Exit)
	}
}

func TestVenue(t *testing.T) {
	v := encoded(t, at.Judged(nil))
	if d := check(t, gate.Options{AllowUnsigned: true, Venues: []string{"self"}}, v); !d.Passes() {
		t.Error(d.Reasons)
	}
	if d := check(t, gate.Options{AllowUnsigned: true, Venues: []string{"hosted"}}, v); d.Exit != 3 {
		t.Error(d.Exit)
	}
}

// Mistakes in a policy are errors, never a rule that asks for less than was meant.
func TestParsePolicy(t *testing.T) {
	for text, says := range map[string]string{
		"":                            "asks for nothing",
		"[[rule]]":                    "asks for nothing",
		"[[rule]]\nbranch = \"main\"": "asks for nothing",
		"[[rule]\n":                   "line 2, column",
		"[[rule]]\nmin-val = 1":       "unknown key rule.min-val",
		"[[rule]]\nmin_val = 4":       "min_val is 4",
		"[[rule]]\nmin_val = -1":      "min_val is -1",
		"[[rule]]\nmin_val = 1\nauthority=\"change\"": `authority is "change"`,
		"[[rule]]\nmin_val = 1\npaths=[\"/etc\"]":     "no pattern",
		"[[rule]]\nmin_val = 1\npaths=[\"a[\"]":       "no pattern",
		"[[rule]]\nmin_val = 1\nbranch=\"[\"":         "no pattern",
		"[[rule]]\nmax_age = \"yesterday\"":           "yesterday",
		"[[rule]]\nmax_age = \"-1h\"":                 "above zero",
		"nothing_to_bite = [\"\"]":                    "no pattern",
	} {
		if _, err := gate.ParsePolicy([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %s", text, err, says)
		}
	}
}

func FuzzPolicy(f *testing.F) {
	f.Add("[[rule]]\nbranch = \"release/*\"\npaths = [\"a/**/b\"]\nmin_val = 2\n", "a/x/b")
	f.Fuzz(func(t *testing.T, text, name string) {
		p, err := gate.ParsePolicy([]byte(text))
		if err != nil || len(name) > 100 || len(text) > 1000 {
			return
		}
		v := encoded(t, at.Judged(docs(name)))
		bare := check(t, gate.Options{AllowUnsigned: true, MinVAL: 1}, v)
		if d := check(t, gate.Options{AllowUnsigned: true, MinVAL: 1, Policy: p}, v); d.Passes() && !bare.Passes() && !strings.Contains(text, "nothing_to_bite") {
			t.Error("a policy opened the gate")
		}
	})
}
