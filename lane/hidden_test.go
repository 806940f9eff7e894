package lane

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/contract"
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
	o.Hidden = filepath.Join(a.dir, "repo", "acceptance.tar.zst")
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
