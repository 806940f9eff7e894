package lane

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/contract"
	"github.com/vallane/lane/lane/hidden"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/runner"
	"github.com/vallane/lane/lane/spec"
)

// packed writes an archive of one file beside the keys and returns its path.
func (a agreed) packed(name string, h tar.Header) string {
	a.t.Helper()
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b)
	must(a.t, err)
	w := tar.NewWriter(z)
	must(a.t, w.WriteHeader(&h))
	must(a.t, errors.Join(w.Close(), z.Close()))
	file := filepath.Join(a.dir, name)
	must(a.t, os.WriteFile(file, b.Bytes(), 0o600))
	return file
}

// An archive counts where a contract names that very one, and it can be unpacked; without it, a check goes on and runs none.
func TestWhichArchiveIsTaken(t *testing.T) {
	a := newAgreed(t, agreedSpec+"\n[hidden]\n")
	good := a.packed("good.tar.zst", tar.Header{Name: "test_hidden.py", Typeflag: tar.TypeReg})
	other := a.packed("other.tar.zst", tar.Header{Name: "test_other.py", Typeflag: tar.TypeReg})
	climbs := a.packed("climbs.tar.zst", tar.Header{Name: "../x", Typeflag: tar.TypeReg})
	a.change(map[string]string{"app.py": "x = 2\n"})
	if _, _, err := SignContract(t.Context(), a.o, a.spec, ContractOptions{Key: filepath.Join(a.dir, "author.key"), Hidden: climbs}); err == nil || !strings.Contains(err.Error(), "leaves the archive") {
		t.Errorf("an archive that climbs was signed: %v", err)
	}
	if _, _, err := SignContract(t.Context(), a.o, a.spec, ContractOptions{Key: filepath.Join(a.dir, "author.key")}); err == nil || !strings.Contains(err.Error(), "--hidden") {
		t.Errorf("hidden tests without an archive were signed: %v", err)
	}
	o := a.o
	o.Contract = a.sign(ContractOptions{Hidden: good})
	for file, code := range map[string]string{good: "", other: contract.Archive, climbs: contract.Archive, "": ""} {
		o.Hidden = file
		j, err := a.planned(o)
		var r *contract.Refused
		if code != "" {
			if !errors.As(err, &r) || r.Code != code {
				t.Errorf("%s: %v", file, err)
			}
			continue
		}
		if err != nil || (j.archive != nil) != (file != "") || (j.archiveDigest() != "") != (file != "") {
			t.Errorf("%q: %v", file, err)
		}
	}
	data, err := os.ReadFile(good)
	must(t, err)
	a.change(map[string]string{"acceptance.tar.zst": string(data)}) // where the change can read it
	o.Hidden = good                                                 // and its name does not matter
	var r *contract.Refused
	if _, err := a.planned(o); !errors.As(err, &r) || r.Code != contract.Archive || !strings.Contains(r.Msg, "part of the tree") {
		t.Errorf("an archive in the tree: %v", err)
	}
	o.Hidden = filepath.Join(a.dir, "nowhere")
	if _, _, err := o.load(a.spec); err == nil {
		t.Error("an archive that is not there is no mistake")
	}
	o.Contract, o.Trust, o.Hidden = "", "", good // a spec alone has no hidden tests
	if j, err := a.planned(o); err != nil || j.archive != nil {
		t.Errorf("hidden tests without a contract: %v", err)
	}
}

// What has to pass is what only the hidden runs show, and never the tree's own tests in its place.
func TestWhichHiddenTestsAreRequired(t *testing.T) {
	session := func(units []string, tests ...string) *observe.Session {
		s := &observe.Session{Expected: true}
		for _, id := range units {
			s.Units = append(s.Units, observe.Unit{ID: id, Expected: true, Started: true})
		}
		for _, id := range tests {
			s.Tests = append(s.Tests, observe.Test{ID: id, Status: observe.Passed})
		}
		return s
	}
	own := session([]string{"m", "m/old"}, "m.TestOwn") // on base; the change takes m/old away
	for _, c := range []struct {
		name       string
		head, base *observe.Session
		want       []string
	}{
		{"beside the tree's own", session([]string{"m", "m/acceptance"}, "m.TestOwn", "m/acceptance.TestKept"), own, []string{"m/acceptance.TestKept"}},
		{"the tree's own alone", own, own, nil},
		{"a package that the change takes away", session([]string{"m"}, "m.TestOwn"), own, nil},
		{"kept out of head, and not built on base", own, session([]string{"m", "m/acceptance"}, "m.TestOwn"), []string{"m/acceptance"}},
		{"one of two kept out", session([]string{"m", "m/one"}, "m.TestOwn", "m/one.TestKept"), session([]string{"m", "m/one", "m/two"}, "m.TestOwn"), []string{"m/one.TestKept", "m/two"}},
	} {
		x := &hiddenTests{j: &job{spec: &spec.Spec{Hidden: &spec.Hidden{}}, archive: &hidden.Archive{}}, task: &task{onBase: &runner.Seen{Session: own}, seen: []seenRun{{seen: runner.Seen{Session: own}}}},
			plan: &assurance.HiddenPlan{Kind: assurance.HiddenInProcess}, veil: newVeil(), told: told{Names: map[string]string{}},
			seen: map[string]runner.Seen{"hidden/head": {Session: c.head}, "hidden/base": {Session: c.base}}}
		x.require()
		var got []string
		for _, id := range x.plan.Tests {
			got = append(got, x.told.Names[id])
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q are required, want %q", c.name, got, c.want)
		}
	}
}

// Nothing of a hidden test's name or words is in what a verdict says of it, and two checks do not call it alike.
func TestVeil(t *testing.T) {
	seen := &assurance.RunObservation{End: assurance.EndExited, Exit: 1, Output: "SECRET out", Detail: "SECRET detail", Problems: []string{"SECRET ended twice"}, Written: []string{"SECRET"},
		Tests:  []assurance.TestResult{{ID: "a.SECRET", Unit: "a.SECRETunit", Status: assurance.TestFailed, Message: "SECRET != 3", MS: 7}, {ID: "b.SECRET", Status: assurance.TestPassed}},
		Units:  []assurance.UnitResult{{ID: "a.SECRETunit", Started: true, Message: "SECRET.go:3"}},
		Census: assurance.Census{Peak: 3, Left: 1, Names: []string{"SECRET"}}}
	v, names := newVeil(), map[string]string{}
	out := v.over(seen, names)
	data, err := json.Marshal(out)
	must(t, err)
	if strings.Contains(string(data), "SECRET") || strings.Contains(string(data), `"ms"`) {
		t.Errorf("the veil has a hole: %s", data)
	}
	if out.Exit != 1 || len(out.Problems) != 1 || len(out.Tests) != 2 || out.Census.Left != 1 || !out.Units[0].Started || names[v.of("a.SECRET")] != "a.SECRET" {
		t.Errorf("it hides too much: %s", data)
	}
	if newVeil().of("a.SECRET") == v.of("a.SECRET") {
		t.Error("two checks call a test alike")
	}
}
