package mutate_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/golang"
)

// switchOn makes the project's mutants anew with proof that they compile, and lets the engine build them into one program. The
// value comes from a descriptor here, as the place where Lane puts it is in a box only.
func (p *project) switchOn(t *testing.T, files ...string) {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	found, err := golang.Mutants(t.Context(), golang.Options{Tree: os.DirFS(p.dir), GOROOT: os.DirFS(strings.TrimSpace(string(root)))}, files)
	if err != nil || len(found.Unproven) > 0 {
		t.Fatal(err, found.Unproven)
	}
	p.mutants, p.records = found.Mutants, t.TempDir()
	p.engine.SwitchAll, p.engine.AskAll = true, true
	p.engine.Switch = func(_ context.Context, ms []*mutate.Mutant) (*mutate.Switched, error) {
		sw := found.Switch(ms, [32]byte{1})
		p.switched = map[string]mutate.Content{}
		for name, text := range sw.Files {
			text = bytes.ReplaceAll(text, []byte(golang.SwitchFile), []byte("/proc/self/fd/9"))
			text = bytes.ReplaceAll(text, []byte(golang.TurnsFile), []byte(p.records+"/turns"))
			p.switched[name] = mutate.Content{Data: bytes.ReplaceAll(text, []byte(golang.RecordDir+"/lane-"), []byte(p.records+"/lane-"))}
		}
		return &mutate.Switched{
			Value: sw.Value, Null: sw.Null, Record: sw.Record, Records: sw.Records, Sites: sw.Sites, Limit: sw.Limit, Ended: sw.Ended,
		}, nil
	}
}

// Every mutant gets the same verdict from the same tests behind a switch and in a build of its own, whatever shape its function
// has.
func TestSwitchedMutantsAreTheSame(t *testing.T) {
	t.Parallel()
	var passing []string
	for _, name := range strings.Fields("Start Largest Stack Guarded Kind Line Grid Total Log Name Unsure Values") {
		passing = append(passing, "many_shapes.Test"+name)
	}
	p := loadCovered(t, "testdata/many_shapes", passing...)
	p.switchOn(t, "shapes.go")
	plan := everything(slices.DeleteFunc(p.mutants, func(m mutate.Mutant) bool { return m.Operator == "incdec" })) // a loop that hangs takes its time
	behind := p.run(t, plan)
	p.engine.Switch = nil
	alone := p.run(t, plan)

	tiers, values := map[mutate.Tier]int{}, 0
	for i, r := range behind.Results {
		tiers[r.Tier]++
		if a := alone.Results[i]; a.Mutant.ID != r.Mutant.ID || a.Verdict != r.Verdict {
			t.Errorf("%s: %s behind a switch (%s), %s alone (%s)", &r.Mutant, r.Verdict, r.Reason, a.Verdict, a.Reason)
		}
		if r.Mutant.Func == "grid" && r.Tier == mutate.T2 {
			t.Errorf("%s: a function with a label is behind a switch", &r.Mutant)
		}
		if r.Mutant.Func == "" && r.Tier == mutate.T2 {
			values++
		}
	}
	if tiers[mutate.T2] < 60 || tiers[mutate.T1] == 0 {
		t.Errorf("tiers %v", tiers)
	}
	if values != 5 {
		t.Errorf("%d initial values of variables are behind a switch", values)
	}
	if a := behind.Audit; len(a) < 20 || slices.ContainsFunc(a, func(a mutate.Audited) bool { return !a.Agrees }) {
		t.Errorf("audit %+v", a)
	}
	if alone.Audit != nil {
		t.Errorf("an audit of nothing: %+v", alone.Audit)
	}
}
