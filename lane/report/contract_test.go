package report_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/vallane/lane/assurance"
	at "github.com/vallane/lane/assurance/assurancetest"
	"github.com/vallane/lane/assurance/attest"
	"github.com/vallane/lane/lane/contract"
	"github.com/vallane/lane/lane/report"
)

// sampleContract is that of assurance/attest's golden files.
func sampleContract(t *testing.T) *attest.Contract {
	t.Helper()
	data, err := os.ReadFile("../../assurance/attest/testdata/contract.json")
	if err != nil {
		t.Fatal(err)
	}
	var c attest.Contract
	if err := json.Unmarshal(data, &struct{ Predicate *attest.Contract }{&c}); err != nil {
		t.Fatal(err)
	}
	c.Base = attest.BaseTree{SHA256: strings.Repeat("0d", 32), GitTree: strings.Repeat("9a", 20)}
	return &c
}

func TestContract(t *testing.T) {
	var b bytes.Buffer
	if err := report.Contract(&b, sampleContract(t), "sha256:"+strings.Repeat("ee", 32), report.Options{}); err != nil {
		t.Fatal(err)
	}
	golden(t, "contract", b.Bytes())
}

func TestDifferences(t *testing.T) {
	for want, all := range map[string][]contract.Difference{
		"they ask for the same\n": nil,
		"terms.require: \"VAL-0\", was \"VAL-1\"\nhidden: added {}\nterms.tasks[x]: gone, was {}\n": {
			{Key: "terms.require", Was: `"VAL-1"`, Is: `"VAL-0"`}, {Key: "hidden", Is: "{}"}, {Key: "terms.tasks[x]", Was: "{}"}},
	} {
		var b bytes.Buffer
		if err := report.Differences(&b, all); err != nil || b.String() != want {
			t.Errorf("%q, %v, want %q", b.String(), err, want)
		}
	}
}

// A verdict says which contract it was made under.
func TestVerdictUnderAContract(t *testing.T) {
	v := at.Judged(func(e *assurance.Evidence) {
		e.Plan.Spec.Authority, e.Plan.Change.SaidBy = assurance.ByContract, assurance.ByContract
		e.Plan.Contract = &assurance.Contract{Digest: "sha256:aa", Nonce: "bb", Key: "SHA256:cc", Expires: e.Record.Finished}
	})
	var b bytes.Buffer
	if err := report.Terminal(&b, v, report.Options{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "contract  sha256:aa, signed by SHA256:cc, until 2026-03-01") {
		t.Error(b.String())
	}
}

// A contract is a stranger's text until somebody has verified it, and does nothing to a terminal.
func TestHostileContract(t *testing.T) {
	const evil = "a\x1b[31m\u202e\r\nb\x00"
	c := sampleContract(t)
	c.Terms.Target = &attest.TargetTerms{Name: evil, Task: evil, Health: evil, Timeout: evil, Up: []string{evil}, Check: []string{evil}}
	c.Terms.Tasks[0].Kind = evil
	c.Spec.ID, c.Spec.Title, c.Spec.Path, c.Terms.Change, c.Terms.Protected, c.Terms.Required = evil, evil, evil, evil, []string{evil}, []string{evil}
	c.Terms.Criteria[0].Text, c.Terms.Tasks[0].Name, c.Terms.Tasks[0].Run, c.Files[0].Path, c.Files[0].SHA256, c.Files[0].Role, c.Nonce = evil, evil, []string{evil}, evil, evil, evil, evil
	var b bytes.Buffer
	if err := report.Contract(&b, c, evil, report.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := report.Differences(&b, []contract.Difference{{Key: evil, Was: evil, Is: evil}}); err != nil {
		t.Fatal(err)
	}
	harmless(t, b.Bytes())
}
