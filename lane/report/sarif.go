package report

import (
	"io"
	"net/url"
	"slices"

	"github.com/vallane/lane/mutate"
)

// The parts of SARIF 2.1.0 that are used here.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string    `json:"id"`
		Short sarifText `json:"shortDescription"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		Rule         string             `json:"ruleId"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions []sarifSuppression `json:"suppressions"` // none = it is an open one; the key is there in all or in none
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact struct {
			URI  string `json:"uri"`
			Base string `json:"uriBaseId"`
		} `json:"artifactLocation"`
		Region struct {
			Line    int `json:"startLine"`
			EndLine int `json:"endLine"`
		} `json:"region"`
	}
)

// MutationSARIF prints each fault that no test noticed in SARIF 2.1.0: accepted ones are suppressed from outside, and those that a
// comment in the source ignores within it.
func MutationSARIF(w io.Writer, r MutationRun, version string) error {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "lane", Version: version, Rules: []sarifRule{}}
	add := func(m *mutate.Mutant, text string, suppressed []sarifSuppression) {
		id := "mutant/" + m.Operator
		if !slices.ContainsFunc(run.Tool.Driver.Rules, func(r sarifRule) bool { return r.ID == id }) {
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{id, sarifText{"No test notices a fault of the operator " + m.Operator}})
		}
		x := sarifResult{Rule: id, Level: "warning", Message: sarifText{text + ": " + Line(m.Description)},
			Fingerprints: map[string]string{"laneMutant/v1": m.ID}, Suppressions: suppressed, Locations: make([]sarifLocation, 1)}
		at := &x.Locations[0].Physical
		at.Artifact.URI, at.Artifact.Base = (&url.URL{Path: m.File}).EscapedPath(), "%SRCROOT%"
		at.Region.Line, at.Region.EndLine = max(m.Line, 1), max(m.EndLine, m.Line, 1)
		run.Results = append(run.Results, x)
	}
	for i := range r.Results {
		x := &r.Results[i]
		suppressed := []sarifSuppression{}
		if x.Accepted != nil {
			suppressed = append(suppressed, sarifSuppression{"external", Line(x.Accepted.Author + ": " + x.Accepted.Reason)})
		}
		switch x.Verdict {
		case mutate.Survived:
			add(&x.Mutant, "No test notices this fault", suppressed)
		case mutate.Uncovered:
			add(&x.Mutant, "No test reaches this code, nor notices this fault", suppressed)
		}
	}
	for i := range r.Plan.Arid {
		if m := &r.Plan.Arid[i]; m.Ignored {
			add(m, "This fault was not tried", []sarifSuppression{{"inSource", Line(m.Arid)}})
		}
	}
	return encode(w, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}
