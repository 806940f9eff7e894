package attest

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vallane/lane/assurance"
	at "github.com/vallane/lane/assurance/assurancetest"
)

// derived reads the predicate of what Derive signs.
func derived(t *testing.T, v assurance.Verdict, d Derivation) (kind string, predicate map[string]any, err error) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	key := newKey(t)
	signed, err := Derive(data, d, key)
	if err != nil {
		return "", nil, err
	}
	e, err := ParseEnvelope(signed)
	if err != nil || !e.SignedBy(key.Public()) {
		t.Fatalf("its signature does not hold: %v", err)
	}
	if _, _, err := e.Verdict(); err == nil {
		t.Errorf("%s is taken for a verdict", d.Form)
	}
	var s struct {
		Type      string           `json:"_type"`
		Subject   []map[string]any `json:"subject"`
		Kind      string           `json:"predicateType"`
		Predicate map[string]any   `json:"predicate"`
	}
	if err := json.Unmarshal(e.payload, &s); err != nil {
		t.Fatal(err)
	}
	if want := map[string]any{"sha256": v.Subject.TreeSHA256, "gitTree": v.Subject.GitTree, "gitCommit": v.Subject.Commit}; s.Type != StatementType || !cmp.Equal(s.Subject[0]["digest"], any(want)) {
		t.Errorf("%s is about %v, want %v", s.Type, s.Subject, want)
	}
	return s.Kind, s.Predicate, nil
}

// the key of the tests' verdicts
var ci = Derivation{Verifier: "https://ci.example.org/lane", Resource: "git+https://example.org/cart"}

func (d Derivation) as(f Form) Derivation { d.Form = f; return d }

// failing lets a test fail in every run, flipping in one of them.
func failing(e *assurance.Evidence)  { failIn(e, at.HeadPlain, at.HeadOrder, at.HeadZone) }
func flipping(e *assurance.Evidence) { failIn(e, at.HeadPlain) }

func failIn(e *assurance.Evidence, runs ...string) {
	for _, run := range runs {
		at.Set(e.Observations[run], at.Once, assurance.TestFailed, "no")
		e.Observations[run].Run.Exit = 1
	}
}

func TestTestResult(t *testing.T) {
	kind, p, err := derived(t, at.Judged(nil), ci.as(TestResult))
	if err != nil || kind != "https://in-toto.io/attestation/test-result/v0.1" || p["result"] != "PASSED" || len(p["passedTests"].([]any)) == 0 || len(p["failedTests"].([]any)) != 0 {
		t.Errorf("%s %v %v", kind, p, err)
	}
	if c := p["configuration"].([]any); len(c) < 2 || len(c[0].(map[string]any)["digest"].(map[string]any)["sha256"].(string)) != 64 {
		t.Errorf("%v", p["configuration"])
	}
	for _, c := range []struct {
		edit           func(*assurance.Evidence)
		result         string
		failed, warned int
	}{{failing, "FAILED", 1, 0}, {flipping, "WARNED", 0, 1}} {
		_, p, err = derived(t, at.Judged(c.edit), ci.as(TestResult))
		if err != nil || p["result"] != c.result || len(p["failedTests"].([]any)) != c.failed || len(p["warnedTests"].([]any)) != c.warned {
			t.Errorf("%v %v, want %s", p, err, c.result)
		}
	}
}

func TestSVR(t *testing.T) {
	v := at.Judged(nil)
	kind, p, err := derived(t, v, ci.as(SVR))
	if err != nil || kind != "https://in-toto.io/attestation/svr/v0.1" || p["verifier"].(map[string]any)["id"] != ci.Verifier || p["timeCreated"] == "" {
		t.Fatalf("%s %v %v", kind, p, err)
	}
	var has []string
	for _, x := range p["properties"].([]any) {
		has = append(has, x.(string))
	}
	for _, want := range []string{"LANE_VAL_1", "LANE_NO_NETWORK", "LANE_MUTANTS_KILLED"} {
		if !slices.Contains(has, want) {
			t.Errorf("it lacks %s: %v", want, has)
		}
	}
	if slices.Contains(has, "LANE_COUNTERPART") {
		t.Errorf("a clause that does not hold is a property: %v", has)
	}
	if _, _, err := derived(t, at.Judged(failing), ci.as(SVR)); err == nil || !strings.Contains(err.Error(), "what holds") {
		t.Errorf("a red verdict has an SVR: %v", err)
	}
}

func TestVSA(t *testing.T) {
	v := at.Judged(nil)
	kind, p, err := derived(t, v, ci.as(VSA))
	if err != nil || kind != "https://slsa.dev/verification_summary/v1" || p["verificationResult"] != "PASSED" || !cmp.Equal(p["verifiedLevels"], any([]any{"LANE_VAL_1"})) || p["resourceUri"] != ci.Resource {
		t.Errorf("%s %v %v", kind, p, err)
	}
	_, p, err = derived(t, at.Judged(failing), ci.as(VSA))
	if err != nil || p["verificationResult"] != "FAILED" || !cmp.Equal(p["verifiedLevels"], any([]any{"FAILED"})) {
		t.Errorf("%v %v", p, err)
	}
	// A level below the one that the spec asks for has not passed, whatever it holds.
	_, p, err = derived(t, at.Judged(func(e *assurance.Evidence) { e.Plan.Require = assurance.VAL2 }), ci.as(VSA))
	if err != nil || p["verificationResult"] != "FAILED" {
		t.Errorf("%v %v", p, err)
	}
}

func TestDeriveRefuses(t *testing.T) {
	v := at.Judged(nil)
	for _, d := range []Derivation{{}, {Form: "slsa"}, {Form: SVR}, {Form: VSA, Verifier: ci.Verifier}, {Form: VSA, Resource: ci.Resource}, {Form: SVR, Verifier: "ci"}} {
		if _, _, err := derived(t, v, d); err == nil {
			t.Errorf("%+v is derived", d)
		}
	}
	v.Subject.TreeSHA256 = ""
	if _, _, err := derived(t, v, ci.as(VSA)); err == nil || !strings.Contains(err.Error(), "no tree") {
		t.Error(err)
	}
}

// A digest is that of what was signed, however the file of the verdict is written.
func TestDigest(t *testing.T) {
	data, err := json.Marshal(at.Judged(nil))
	if err != nil {
		t.Fatal(err)
	}
	pretty, err := json.MarshalIndent(at.Judged(nil), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	signed, err := Sign(pretty, newKey(t))
	if err != nil {
		t.Fatal(err)
	}
	e, err := ParseEnvelope(signed)
	if err != nil {
		t.Fatal(err)
	}
	_, inside, err := e.Verdict()
	if err != nil {
		t.Fatal(err)
	}
	want, _ := Digest(data)
	for name, form := range map[string][]byte{"pretty": pretty, "signed": inside} {
		if got, err := Digest(form); err != nil || got != want {
			t.Errorf("%s: %s, want %s (%v)", name, got, want, err)
		}
	}
	if _, err := Digest([]byte(base64.StdEncoding.EncodeToString(data))); err == nil {
		t.Error("what is no JSON has a digest")
	}
}
