package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/vallane/lane/assurance"
)

// Terminal prints a verdict for somebody who wants to know what to do next: first line outcome and level,
// then what stands in the way, last line the sum of it.
func Terminal(w io.Writer, v assurance.Verdict, o Options) error {
	p := newPage(o)
	p.title(v)
	if v.Status == assurance.StatusRefused {
		p.refusal(v)
		p.fetched(v)
		p.sum(v)
		return p.writeTo(w)
	}
	p.facts(v)
	p.failed(v)
	p.unstable(v)
	p.lost(v)
	p.survivors(v)
	p.vacuous(v)
	p.leftovers(v)
	p.downstream(v)
	p.services(v)
	p.deploy(v)
	p.criteria(v)
	p.clauses(v)
	p.change(v)
	p.fetched(v)
	p.runs(v)
	p.how(v)
	p.limits(v)
	p.sum(v)
	return p.writeTo(w)
}

// colour is that of an outcome: green only for what reached the required level.
func colour(v assurance.Verdict) style {
	switch {
	case v.ExitCode() == int(assurance.ExitOK):
		return green
	case v.Outcome == assurance.OutcomePassed, v.Outcome == assurance.Unstable:
		return yellow
	}
	return red
}

// word is the outcome, or the status where there is none.
func word(v assurance.Verdict) string {
	if v.Outcome == "" {
		return string(v.Status)
	}
	return string(v.Outcome)
}

func level(l assurance.Level) string {
	if l < assurance.VAL0 {
		return "no level"
	}
	return l.String() + ", " + l.Means()
}

func (p *page) title(v assurance.Verdict) {
	head := Line(word(v))
	if v.Status != assurance.StatusRefused {
		head += "  " + level(v.Level)
	}
	rest := "  " + cut(Line(v.Spec.ID), max(10, p.o.Width-width(head)-2))
	if room := p.o.Width - width(head) - width(rest); v.Spec.Title != "" && room > 12 {
		rest += cut(": "+Line(v.Spec.Title), room)
	}
	p.raw(p.in(colour(v), head) + rest)
	if v.Status == assurance.StatusRefused {
		return
	}
	if why := whyNot(v); why != "" {
		p.line(0, plain, why)
	}
}

// whyNot says in one line what is missing for the next level, or what went wrong.
func whyNot(v assurance.Verdict) string {
	if v.Outcome != assurance.OutcomePassed {
		return v.Reason
	}
	if len(v.WhyNot) == 0 {
		return ""
	}
	first := v.WhyNot[0]
	s := fmt.Sprintf("not %s: %s", v.NextLevel, first.Clause)
	if first.Code != "" {
		s += " (" + first.Code + ")"
	}
	s += ": " + first.Reason
	if n := len(v.WhyNot) - 1; n > 0 {
		s += fmt.Sprintf("; and %d more", n)
	}
	return s
}

func (p *page) refusal(v assurance.Verdict) {
	if v.Refusal == nil {
		p.prose(2, "", v.Reason)
		return
	}
	p.line(0, plain, v.Refusal.Code)
	first, more, _ := strings.Cut(v.Refusal.Msg, "\n")
	p.prose(2, "", first)
	p.block(4, plain, more)
	if v.Refusal.Hint != "" {
		p.prose(8, p.in(bold, "  hint: "), v.Refusal.Hint)
	}
}

// label prints a fact beside its name.
func (p *page) label(name, text string) {
	p.prose(10, p.in(dim, pad(name, 10)), text)
}

func (p *page) facts(v assurance.Verdict) {
	p.raw("")
	p.label("tests", testCounts(v.Tests))
	if s := forgeable(v.Tasks); s != "" {
		p.label("reporter", s)
	}
	if h := v.Hidden; h != nil {
		p.label("hidden", h.Label())
	}
	if v.Target != nil {
		for _, t := range v.Target.Tasks {
			p.label("target", fmt.Sprintf("%s task %s: %s", t.Kind, Line(t.Name), t.Label()))
		}
	}
	if m := v.Mutants; m.Planned+m.Quota > 0 {
		p.label("mutants", mutantCounts(m))
	}
	p.label("change", changeLine(v))
	p.label("rules", fmt.Sprintf("spec by authority of %s, requires %s; venue %s", v.Authority, v.Require, v.Venue))
	if k := v.Contract; k != nil {
		p.label("contract", fmt.Sprintf("%s, signed by %s, until %s", k.Digest, k.Key, k.Expires.Format(time.DateOnly)))
	}
}

// forgeable names the tasks whose reports the code under test can write itself; "" where there is none.
func forgeable(tasks []assurance.Task) string {
	var names []string
	for _, t := range tasks {
		if t.Class == assurance.Forgeable {
			names = append(names, fmt.Sprintf("%s of task %s", Line(t.Reporter), Line(t.Name)))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return strings.Join(names, ", ") + ": forgeable by the code under test"
}

func testCounts(t assurance.TestCounts) string {
	parts := []string{fmt.Sprintf("%d of %d required passed", t.Passed, t.Required)}
	for _, c := range []struct {
		n    int
		what string
	}{{t.Failed, "failed"}, {t.Skipped, "skipped"}, {t.Missing, "not seen"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	s := strings.Join(parts, ", ") + fmt.Sprintf("; %d seen in %s", t.Observed, plural(t.Runs, "run", "runs"))
	if t.Canaries > 0 {
		s += fmt.Sprintf("; %d of %s seen failing", t.SeenFailed, plural(t.Canaries, "canary", "canaries"))
	}
	return s
}

func mutantCounts(m assurance.MutantCounts) string {
	parts := []string{fmt.Sprintf("%d of %d viable killed", m.Killed, m.Viable)}
	if m.Viable > 0 {
		if m.Lower == m.Upper {
			parts[0] += fmt.Sprintf(" (%.0f %%)", 100*m.Lower)
		} else {
			parts[0] += fmt.Sprintf(" (%.0f to %.0f %%)", 100*m.Lower, 100*m.Upper)
		}
	}
	for _, c := range []struct {
		n    int
		what string
	}{{m.Survived, "survived"}, {m.Inconclusive, "inconclusive"}, {m.NotRun, "not run"}, {m.Arid, "arid"}, {m.Unviable, "unviable"},
		{m.Equivalent, "equivalent"}, {m.Quota, "more for criteria"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return strings.Join(parts, ", ")
}

func changeLine(v assurance.Verdict) string {
	s := fmt.Sprintf("%s (says %s), %s", v.Change.Kind, v.Change.SaidBy, plural(v.Change.Files, "file", "files"))
	switch sub := v.Subject; {
	case sub.Commit != "":
		s += ", commit " + short(sub.Commit)
	case sub.Dirty:
		s += ", work tree with edits"
	case sub.Patch != "":
		s += ", a patch"
	}
	if v.Subject.BaseCommit != "" {
		s += " on " + short(v.Subject.BaseCommit)
	}
	return s
}

func short(hash string) string { return hash[:min(len(hash), 12)] }

// sum is the last line.
func (p *page) sum(v assurance.Verdict) {
	s := fmt.Sprintf("%s: %s", v.Spec.ID, word(v))
	if v.Outcome == assurance.OutcomePassed {
		s += " at " + v.Level.String()
		if v.Level < v.Require {
			s += fmt.Sprintf(", below the required %s", v.Require)
		}
	}
	if n := v.Finished.Sub(v.Started).Milliseconds(); !v.Started.IsZero() && n >= 0 {
		s += " in " + duration(n)
	}
	s += fmt.Sprintf(", exit code %d", v.ExitCode())
	p.raw("")
	p.line(0, colour(v), s)
}
