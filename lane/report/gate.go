package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/assurance/gate"
)

// Gate prints a decision of the gate: each of its steps, and every clause, on pass too.
func Gate(w io.Writer, d gate.Decision, o Options) error {
	p := newPage(o)
	decision(p, d)
	return p.writeTo(w)
}

// GateLog prints a decision on a log.
func GateLog(w io.Writer, d gate.LogDecision, o Options) error {
	p := newPage(o)
	for i, v := range d.Verdicts {
		if i > 0 {
			p.raw("")
		}
		decision(p, v)
	}
	p.raw("")
	s, text := green, "passes"
	if !d.Passes() {
		s, text = red, "does not pass"
	}
	p.line(0, s, fmt.Sprintf("the log %s, exit code %d", text, d.Exit))
	p.prose(2, "  ", fmt.Sprintf("%d of its %d verdicts are about the subject; the newest one decides, of %d specs", d.About, d.Lines, len(d.Verdicts)))
	for _, r := range d.Reasons {
		p.prose(2, "  ", r)
	}
	for _, r := range d.PassedOver {
		p.prose(2, "  passed over: ", r)
	}
	return p.writeTo(w)
}

func decision(p *page, d gate.Decision) {
	s, head := green, "open"
	if !d.Passes() {
		s, head = red, "shut"
	}
	p.line(0, s, fmt.Sprintf("%s  %s, %s asked for  %s", head, d.Level, d.MinVAL, d.Verdict.Spec.ID))
	for _, r := range d.Steps {
		p.prose(22, "  "+p.in(stateStyle(r.State), pad(Line(string(r.State)), 8))+" "+pad(string(r.Step), 11), r.Reason)
	}
	if len(d.Clauses) > 0 {
		p.head("clauses")
		p.clauseList(d.Clauses)
	}
	p.raw("")
	last := fmt.Sprintf("passes at %s, exit code %d", d.Level, d.Exit)
	if !d.Passes() {
		last = fmt.Sprintf("does not pass: exit code %d", d.Exit)
		if len(d.Reasons) > 0 {
			last = fmt.Sprintf("does not pass, exit code %d: %s", d.Exit, d.Reasons[0])
		}
	}
	p.line(0, s, last)
}

// GateJSON prints a decision of the gate for programs.
func GateJSON(w io.Writer, d gate.Decision) error { return encode(w, d) }

// GateLogJSON prints a decision on a log for programs.
func GateLogJSON(w io.Writer, d gate.LogDecision) error { return encode(w, d) }

// GateGitHub prints each reason why the gate is shut as a workflow command, which GitHub shows on the run, and one line where it is open.
func GateGitHub(w io.Writer, d gate.LogDecision) error {
	workflow := workflowText()
	var b strings.Builder
	say := func(level, title, text string) {
		fmt.Fprintf(&b, "::%s title=%s::%s\n", level, workflow.Replace(title), workflow.Replace(text))
	}
	for _, v := range d.Verdicts {
		title := "lane gate: " + Line(v.Verdict.Spec.ID)
		if v.Passes() {
			say("notice", title, fmt.Sprintf("passes at %s, %s asked for", v.Level, v.MinVAL))
		}
		for _, r := range v.Reasons {
			say("error", title, Line(r))
		}
		for _, c := range missing(v) {
			say("warning", title, Line(fmt.Sprintf("%s (%s): %s", c.ID, c.Level, c.Reason)))
		}
	}
	for _, r := range d.Reasons {
		say("error", "lane gate", Line(r))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// missing are the clauses that keep a verdict from the level that is asked for.
func missing(d gate.Decision) (out []assurance.Clause) {
	if d.Passes() {
		return nil
	}
	for _, c := range d.Clauses {
		if c.Level <= d.MinVAL && !c.Holds() {
			out = append(out, c)
		}
	}
	return out
}

// GateSARIF prints each reason why the gate is shut in SARIF 2.1.0: a rule for each step and clause. Where it is open there is no result.
func GateSARIF(w io.Writer, d gate.LogDecision, version string) error {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "lane", Version: version, Rules: []sarifRule{}}
	seen := map[string]bool{}
	add := func(rule, means, spec, text string) {
		if !seen[rule] {
			seen[rule] = true
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{rule, sarifText{means}})
		}
		run.Results = append(run.Results, sarifResult{Rule: rule, Level: "error", Message: sarifText{Line(strings.TrimPrefix(spec+": ", ": ") + text)},
			Fingerprints: map[string]string{"laneGate/v1": spec + "/" + rule}, Suppressions: []sarifSuppression{}, Locations: []sarifLocation{}})
	}
	for _, v := range d.Verdicts {
		for _, r := range v.Steps {
			if r.State == assurance.Failed {
				add("gate/"+string(r.Step), r.Step.Means(), v.Verdict.Spec.ID, r.Reason)
			}
		}
		for _, c := range missing(v) {
			add("clause/"+string(c.ID), meaning(c.ID), v.Verdict.Spec.ID, c.Reason)
		}
	}
	for _, r := range d.Reasons {
		add("gate/log", "the log has what the reader asks for", "", r)
	}
	return encode(w, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

func meaning(id assurance.ClauseID) string {
	for _, m := range assurance.Clauses() {
		if m.ID == id {
			return m.Means
		}
	}
	return string(id)
}
