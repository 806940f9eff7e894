package attest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/assurance/internal/strict"
)

// Form names a statement that says part of what a verdict says, for readers who do not know Lane's own.
type Form string

// The forms that a verdict can be derived into. None of them holds evidence: a reader of one believes whoever signed it, and the gate
// takes none.
const (
	// TestResult is in-toto's test result, https://github.com/in-toto/attestation/blob/main/spec/predicates/test-result.md.
	TestResult Form = "test-result"
	// SVR is in-toto's simple verification result, https://github.com/in-toto/attestation/blob/main/spec/predicates/svr.md.
	SVR Form = "svr"
	// VSA is SLSA's verification summary, https://slsa.dev/spec/v1.0/verification_summary.
	VSA Form = "vsa"
)

// Forms returns all forms.
func Forms() []Form { return []Form{TestResult, SVR, VSA} }

// Derivation says how a verdict is told in another form.
type Derivation struct {
	Form Form
	// Verifier is the URI by which readers know who verifies. SVR and VSA need it.
	Verifier string
	// Resource is the URI of what was verified, such as git+https://example.org/cart. A VSA needs it.
	Resource string
}

// Derive signs what a verdict says in another form. A verdict under whose level nothing was verified has no SVR, which can only say
// what holds; the two others say that it failed.
func Derive(verdict []byte, d Derivation, key PrivateKey) ([]byte, error) {
	fault := func(err error) ([]byte, error) { return nil, fmt.Errorf("derive %s from the verdict: %w", d.Form, err) }
	var v assurance.Verdict
	if err := strict.Read(verdict, "the verdict", &v); err != nil {
		return fault(err)
	}
	if v.Subject.TreeSHA256 == "" {
		return fault(errors.New("it is about no tree: its check ended before there was one"))
	}
	var kind string
	var predicate any
	var err error
	switch d.Form {
	case TestResult:
		kind, predicate = "https://in-toto.io/attestation/test-result/v0.1", testResult(&v)
	case SVR:
		kind = "https://in-toto.io/attestation/svr/v0.1"
		predicate, err = svr(&v, d)
	case VSA:
		kind = "https://slsa.dev/verification_summary/v1"
		predicate, err = vsa(&v, d, verdict)
	default:
		err = fmt.Errorf("there is no such form; use %s, %s or %s", TestResult, SVR, VSA)
	}
	if err != nil {
		return fault(err)
	}
	body, err := json.Marshal(predicate)
	if err != nil {
		return fault(err)
	}
	payload, err := json.Marshal(statement{StatementType, subject(v.Subject), kind, body})
	if err != nil {
		return fault(err)
	}
	return seal(payload, key)
}

// descriptor is in-toto's ResourceDescriptor, as far as it is needed.
type descriptor struct {
	Name   string            `json:"name,omitempty"`
	URI    string            `json:"uri,omitempty"`
	Digest map[string]string `json:"digest"`
}

type testResults struct {
	Result        string       `json:"result"` // PASSED, WARNED or FAILED
	Configuration []descriptor `json:"configuration"`
	Passed        []string     `json:"passedTests"`
	Warned        []string     `json:"warnedTests"`
	Failed        []string     `json:"failedTests"`
}

// testResult tells of the required tests. Warned are those that both passed and did not.
func testResult(v *assurance.Verdict) testResults {
	r := testResults{Result: "FAILED", Configuration: configuration(v), Passed: []string{}, Warned: []string{}, Failed: []string{}}
	switch v.Outcome {
	case assurance.OutcomePassed:
		r.Result = "PASSED"
	case assurance.Unstable:
		r.Result = "WARNED"
	}
	warned, failed := map[string]bool{}, map[string]bool{}
	for _, t := range v.Unstable {
		warned[t.ID] = true
	}
	for _, t := range v.Failed {
		failed[t.ID] = true
	}
	if v.Evidence == nil {
		return r
	}
	for _, t := range v.Evidence.Plan.Tests {
		switch {
		case !t.Required:
		case warned[t.ID]:
			r.Warned = append(r.Warned, t.ID)
		case failed[t.ID]:
			r.Failed = append(r.Failed, t.ID)
		case v.Tests.Runs > 0:
			r.Passed = append(r.Passed, t.ID)
		}
	}
	return r
}

// configuration names the spec and the closures.
func configuration(v *assurance.Verdict) []descriptor {
	out := []descriptor{{Name: "spec " + v.Spec.ID, Digest: digests(v.Spec.Digest)}}
	for _, c := range v.Closures {
		out = append(out, descriptor{Name: "closure " + c.Name, Digest: digests(c.Digest)})
	}
	return out
}

// digests turns Lane's notation into in-toto's.
func digests(s string) map[string]string {
	algorithm, value, ok := strings.Cut(s, ":")
	if !ok {
		return map[string]string{}
	}
	return map[string]string{algorithm: value}
}

type verifierID struct {
	ID string `json:"id"`
}

type simpleResult struct {
	Verifier   verifierID `json:"verifier"`
	Created    string     `json:"timeCreated"`
	Properties []string   `json:"properties"`
}

func svr(v *assurance.Verdict, d Derivation) (simpleResult, error) {
	if err := isURI("verifier", d.Verifier); err != nil {
		return simpleResult{}, err
	}
	if !verified(v) {
		return simpleResult{}, fmt.Errorf("an SVR can only say what holds, and this verdict is %s at %s; use %s or %s", outcome(v), v.Level, VSA, TestResult)
	}
	r := simpleResult{verifierID{d.Verifier}, v.Finished.UTC().Format(time.RFC3339), []string{level(v)}}
	for _, c := range v.Clauses {
		if c.State == assurance.Held {
			r.Properties = append(r.Properties, "LANE_"+strings.ToUpper(strings.ReplaceAll(string(c.ID), "-", "_")))
		}
	}
	return r, nil
}

type summary struct {
	Verifier    verifierID   `json:"verifier"`
	Time        string       `json:"timeVerified"`
	Resource    string       `json:"resourceUri"`
	Policy      descriptor   `json:"policy"`
	Inputs      []descriptor `json:"inputAttestations"`
	Result      string       `json:"verificationResult"` // PASSED or FAILED
	Levels      []string     `json:"verifiedLevels"`
	SLSAVersion string       `json:"slsaVersion"`
}

func vsa(v *assurance.Verdict, d Derivation, verdict []byte) (summary, error) {
	if err := isURI("verifier", d.Verifier); err != nil {
		return summary{}, err
	}
	if err := isURI("resource", d.Resource); err != nil {
		return summary{}, err
	}
	digest, err := Digest(verdict)
	if err != nil {
		return summary{}, err
	}
	s := summary{
		Verifier: verifierID{d.Verifier}, Time: v.Finished.UTC().Format(time.RFC3339), Resource: d.Resource,
		Policy: descriptor{URI: "urn:lane:spec:" + url.PathEscape(v.Spec.ID), Digest: digests(v.Spec.Digest)},
		Inputs: []descriptor{{URI: VerdictType, Digest: digests(digest)}},
		Result: "FAILED", Levels: []string{"FAILED"}, SLSAVersion: "1.0",
	}
	if verified(v) && v.Level >= v.Require {
		s.Result, s.Levels = "PASSED", []string{level(v)}
	}
	return s, nil
}

// Digest is "sha256:" and hex over the compact JSON of a verdict: what the next verdict about its subject names as the one before it.
func Digest(verdict []byte) (string, error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, verdict); err != nil {
		return "", err
	}
	sum := sha256.Sum256(compact.Bytes())
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// verified reports whether a verdict says that anything was verified.
func verified(v *assurance.Verdict) bool {
	return v.Status == assurance.StatusDone && v.Outcome == assurance.OutcomePassed && v.Level >= assurance.VAL0
}

// level names the level as readers of SLSA's tracks expect.
func level(v *assurance.Verdict) string { return fmt.Sprintf("LANE_VAL_%d", int(v.Level)) }

func outcome(v *assurance.Verdict) string {
	if v.Outcome == "" {
		return string(v.Status)
	}
	return string(v.Outcome)
}

func isURI(what, s string) error {
	if u, err := url.Parse(s); err != nil || u.Scheme == "" {
		return fmt.Errorf("the %s %q is no URI; write one such as https://ci.example.org/lane", what, s)
	}
	return nil
}
