package report

import (
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/vallane/lane/mutate"
)

// MutationRun is what became of the mutants of a plan.
type MutationRun struct {
	Plan    *mutate.Plan
	Results []mutate.Result
	Score   mutate.Score
	Diffs   map[string]string // by mutant's id, the fault as a unified diff
	Tests   []mutate.TestSummary
	Facts   []string // what a reader has to know, in sentences
	Whole   bool     // every test was asked, so that the tests are worth a list
}

// Mutation prints what became of mutants, for the person whose code they are: the score, and each fault that no test noticed as a
// diff. Of a plan that was not tried it lists the mutants.
func Mutation(w io.Writer, r MutationRun, o Options) error {
	p := newPage(o)
	if r.Score.Counts == nil {
		for i := range r.Results {
			m := &r.Results[i].Mutant
			p.line(0, plain, fmt.Sprintf("%s  %s", m.ID, m.String()))
		}
		for i := range r.Plan.Arid {
			m := &r.Plan.Arid[i]
			p.line(0, dim, fmt.Sprintf("%s  %s", m.ID, Line(m.String())))
			p.prose(2, "", "not tried: "+Line(m.Arid))
		}
		p.line(0, plain, fmt.Sprintf("%d mutants", len(r.Results)))
		p.leftOut(r.Plan)
		return p.writeTo(w)
	}
	for i := range r.Results {
		if x := &r.Results[i]; x.Verdict.Unnoticed() && x.Accepted == nil {
			p.mutant(x, r.Diffs[x.Mutant.ID])
		}
	}
	p.accepted(r.Results)
	if r.Whole {
		p.tests(r.Tests)
	}
	var counts []string
	for _, v := range mutate.Verdicts() {
		if n := r.Score.Counts[v]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, v))
		}
	}
	p.label("mutants", r.Score.String()+"; "+strings.Join(counts, ", "))
	p.tiers(r.Results)
	p.leftOut(r.Plan)
	for _, f := range r.Facts {
		p.prose(0, "note ", Line(f))
	}
	return p.writeTo(w)
}

// tiers says how verdicts were found, and which of them were not found now.
func (p *page) tiers(results []mutate.Result) {
	tiers, cached := map[mutate.Tier]int{}, 0
	for _, r := range results {
		tiers[r.Tier]++
		if r.Cached {
			cached++
		}
	}
	var by []string
	for _, t := range []mutate.Tier{mutate.T0, mutate.T1, mutate.T2, mutate.T3} {
		if tiers[t] > 0 {
			by = append(by, fmt.Sprintf("%d by %s", tiers[t], t))
		}
	}
	if len(by) > 0 {
		p.label("tiers", strings.Join(by, ", "))
	}
	if cached > 0 {
		p.label("cached", fmt.Sprintf("%d of %d verdicts are those of earlier runs: nothing that they rest on has changed", cached, len(results)))
	}
}

// leftOut counts what is not tried, by its reason.
func (p *page) leftOut(plan *mutate.Plan) {
	why := map[string]int{}
	for i := range plan.Arid {
		why[plan.Arid[i].Arid]++
	}
	var all []string
	for _, w := range slices.Sorted(maps.Keys(why)) {
		all = append(all, fmt.Sprintf("%d %s", why[w], Line(w)))
	}
	for _, x := range []struct {
		n   int
		why string
	}{
		{plan.SameLine, "on lines of others (--all tries them)"}, {plan.Unsampled, "not drawn"}, {plan.OtherShards, "of other parts"},
		{plan.OutOfScope, "out of scope"},
	} {
		if x.n > 0 {
			all = append(all, fmt.Sprintf("%d %s", x.n, x.why))
		}
	}
	if len(all) > 0 {
		p.label("not tried", strings.Join(all, ", "))
	}
}

// accepted lists the survivors that a baseline accepts.
func (p *page) accepted(results []mutate.Result) {
	for i := range results {
		if r := &results[i]; r.Accepted != nil && r.Verdict.Unnoticed() {
			p.line(0, plain, fmt.Sprintf("%s  %s  (accepted)", r.Mutant.Place(), Line(r.Mutant.Description)))
			p.prose(2, "", Line(fmt.Sprintf("by %s until %s: %s", r.Accepted.Author, r.Accepted.Expires.Format(time.DateOnly), r.Accepted.Reason)))
		}
	}
}

// tests lists what each test is worth.
func (p *page) tests(all []mutate.TestSummary) {
	for _, t := range all {
		text := fmt.Sprintf("%-10s %s noticed %d mutants, %d of them alone", t.State, Line(t.Test), t.Killed, len(t.Only))
		if t.Reason != "" && t.State != mutate.Bites {
			text += ": " + Line(t.Reason)
		}
		p.line(0, plain, text)
	}
}

// Mutants prints mutants as diffs.
func Mutants(w io.Writer, results []mutate.Result, diffs map[string]string, o Options) error {
	p := newPage(o)
	for i := range results {
		p.mutant(&results[i], diffs[results[i].Mutant.ID])
	}
	return p.writeTo(w)
}

func (p *page) mutant(r *mutate.Result, diff string) {
	title := fmt.Sprintf("%s  %s", r.Mutant.Place(), Line(r.Mutant.Description))
	if r.Verdict != "" {
		title += fmt.Sprintf("  (%s)", r.Verdict)
	}
	p.line(0, bold, title)
	p.line(2, dim, "id "+r.Mutant.ID+", operator "+r.Mutant.Operator)
	p.diff(2, diff)
}

// MutationGitHub prints each fault that no test noticed as a workflow command, which GitHub shows beside the line.
func MutationGitHub(w io.Writer, results []mutate.Result) error {
	escape := workflowText()
	for i := range results {
		r := &results[i]
		if !r.Verdict.Unnoticed() || r.Accepted != nil {
			continue
		}
		_, err := fmt.Fprintf(w, "::warning file=%s,line=%d,title=%s::%s\n", escape.Replace(r.Mutant.File), r.Mutant.Line,
			escape.Replace("No test noticed this fault"), escape.Replace(Line(r.Mutant.Operator+" "+r.Mutant.Description)))
		if err != nil {
			return err
		}
	}
	return nil
}

// workflowText escapes what stands in a workflow command.
func workflowText() *strings.Replacer {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
}

// schemaStatus are the words of the mutation-testing report schema for Lane's verdicts.
var schemaStatus = map[mutate.Verdict]string{
	mutate.Killed: "Killed", mutate.Survived: "Survived", mutate.Uncovered: "NoCoverage", mutate.Hung: "Timeout",
	mutate.Exhausted: "RuntimeError", mutate.Crashed: "RuntimeError", mutate.Flaky: "RuntimeError", mutate.NotRun: "Pending",
	mutate.Unviable: "CompileError", mutate.Equivalent: "Ignored",
}

type schemaMutant struct {
	ID          string         `json:"id"`
	Operator    string         `json:"mutatorName"`
	Replacement string         `json:"replacement"`
	Description string         `json:"description"`
	Location    schemaLocation `json:"location"`
	Status      string         `json:"status"`
	Reason      string         `json:"statusReason,omitempty"`
	KilledBy    []string       `json:"killedBy,omitempty"`
}

type schemaLocation struct {
	Start schemaPlace `json:"start"`
	End   schemaPlace `json:"end"`
}

type schemaPlace struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

type schemaFile struct {
	Language string         `json:"language"`
	Source   string         `json:"source"`
	Mutants  []schemaMutant `json:"mutants"`
}

// MutationSchema prints results in the schema of mutation-testing-elements, version 2, that viewers of several tools read. source
// returns the text of a file.
func MutationSchema(w io.Writer, results []mutate.Result, source func(file string) string) error {
	files := map[string]*schemaFile{}
	for i := range results {
		r := &results[i]
		m := &r.Mutant
		f := files[m.File]
		if f == nil {
			f = &schemaFile{Language: strings.TrimPrefix(path.Ext(m.File), "."), Source: source(m.File)}
			files[m.File] = f
		}
		status, reason := schemaStatus[r.Verdict], r.Reason
		switch {
		case status == "":
			status = "Pending"
		case r.Accepted != nil:
			status, reason = "Ignored", "accepted by "+r.Accepted.Author+": "+r.Accepted.Reason
		}
		end := schemaPlace{max(m.EndLine, m.Line), max(m.Col, 1) + m.Length}
		if lines := strings.Count(string(m.Original), "\n"); lines > 0 {
			end = schemaPlace{m.Line + lines, 1 + len(m.Original) - 1 - strings.LastIndexByte(string(m.Original), '\n')}
		}
		f.Mutants = append(f.Mutants, schemaMutant{
			ID: m.ID, Operator: m.Operator, Replacement: string(m.Replacement), Description: m.Description,
			Location: schemaLocation{schemaPlace{m.Line, max(m.Col, 1)}, end}, Status: status, Reason: reason, KilledBy: r.Killers,
		})
	}
	return encode(w, map[string]any{"schemaVersion": "2", "thresholds": map[string]int{"high": 100, "low": 80}, "files": files})
}
