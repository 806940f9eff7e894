package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vallane/lane/assurance"
)

// failed prints required tests that did not pass, less those that have a section of their own below.
func (p *page) failed(v assurance.Verdict) {
	list := slices.DeleteFunc(slices.Clone(v.Failed), func(f assurance.FailedTest) bool {
		return slices.ContainsFunc(v.Unstable, func(u assurance.UnstableTest) bool { return u.ID == f.ID && u.Task == f.Task }) ||
			slices.ContainsFunc(v.Lost, func(l assurance.LostTest) bool { return l.ID == f.ID && l.Task == f.Task })
	})
	if len(list) == 0 {
		return
	}
	p.head(fmt.Sprintf("required tests that did not pass (%d)", len(list)))
	for _, f := range list[:p.shown(len(list))] {
		p.line(2, red, f.ID)
		p.line(4, plain, fmt.Sprintf("%s in %s of task %s: %s", f.Status, plural(len(f.Runs), "run", "runs"), f.Task, strings.Join(f.Runs, ", ")))
		p.block(6, plain, f.Message)
	}
	p.rest(len(list))
}

func (p *page) unstable(v assurance.Verdict) {
	if len(v.Unstable) == 0 {
		return
	}
	p.head(fmt.Sprintf("tests whose runs differ (%d)", len(v.Unstable)))
	for _, u := range v.Unstable[:p.shown(len(v.Unstable))] {
		note := ""
		if u.PreExisting {
			note += "  pre-existing: it differs on base too"
		}
		if !u.Required {
			note += "  not required"
		}
		p.line(2, yellow, u.ID+note)
		for _, r := range u.Runs {
			p.line(4, plain, strings.TrimRight(pad(Line(r.Status), 10)+"  "+r.Run+"  "+variation(r.Variation), " "))
		}
		p.block(6, plain, u.Message)
	}
	p.rest(len(v.Unstable))
}

// variation writes what differed in a run.
func variation(m map[string]string) string {
	var out []string
	for k, v := range m {
		out = append(out, k+"="+v)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func (p *page) lost(v assurance.Verdict) {
	if len(v.Lost) == 0 {
		return
	}
	p.head(fmt.Sprintf("lost tests: they pass on base and are not on head (%d)", len(v.Lost)))
	for _, l := range v.Lost[:p.shown(len(v.Lost))] {
		s := l.ID
		if l.ListedBy != "" {
			s += fmt.Sprintf("  (removal listed by %s, whose word does not count)", l.ListedBy)
		}
		p.line(2, red, s)
	}
	p.rest(len(v.Lost))
}

func (p *page) survivors(v assurance.Verdict) {
	// What counts against the change comes first.
	list := slices.Clone(v.Survivors)
	slices.SortStableFunc(list, func(a, b assurance.Survivor) int { return weight(a) - weight(b) })
	if len(list) == 0 {
		return
	}
	p.head(fmt.Sprintf("faults that no test noticed (%d)", len(list)))
	for _, s := range list[:p.shown(len(list))] {
		note := string(s.Verdict)
		if !s.InChange {
			note += ", outside of the change"
		}
		if s.Explained != "" {
			note += ", explained: " + s.Explained
		}
		what := s.Description
		if what == "" {
			what = s.Operator
		}
		p.line(2, yellow, fmt.Sprintf("%s:%d  %s  (%s)", s.File, s.Line, what, note))
		p.diff(4, s.Diff)
	}
	p.rest(len(list))
}

func weight(s assurance.Survivor) int {
	switch {
	case s.Explained != "":
		return 2
	case !s.InChange:
		return 1
	}
	return 0
}

// diff prints a unified diff, without the lines that name the file, which is named above it.
func (p *page) diff(indent int, text string) {
	if text == "" {
		return
	}
	for _, l := range lines(text) {
		s := plain
		switch {
		case strings.HasPrefix(l, "--- "), strings.HasPrefix(l, "+++ "):
			continue
		case strings.HasPrefix(l, "-"):
			s = red
		case strings.HasPrefix(l, "+"):
			s = green
		case strings.HasPrefix(l, "@@"):
			s = dim
		}
		p.raw(strings.Repeat(" ", indent) + p.in(s, cut(l, p.o.Width-indent)))
	}
}

func (p *page) vacuous(v assurance.Verdict) {
	if len(v.Vacuous) == 0 {
		return
	}
	p.head(fmt.Sprintf("vacuous tests: they ran alone on every mutant that they reach and killed none (%d)", len(v.Vacuous)))
	for _, t := range v.Vacuous[:p.shown(len(v.Vacuous))] {
		p.line(2, yellow, fmt.Sprintf("%s  (%s)", t.ID, plural(t.Mutants, "mutant", "mutants")))
	}
	p.rest(len(v.Vacuous))
}

func (p *page) leftovers(v assurance.Verdict) {
	if len(v.Leftovers) == 0 {
		return
	}
	p.head("left behind, and ended by Lane")
	for _, l := range v.Leftovers[:p.shown(len(v.Leftovers))] {
		s := l.Run + ": " + plural(l.Left, "process", "processes")
		if len(l.Names) > 0 {
			s += " (" + strings.Join(l.Names, ", ") + ")"
		}
		if l.Leaky {
			s += ", held the output open"
		}
		p.line(2, yellow, s)
	}
	p.rest(len(v.Leftovers))
}

func (p *page) criteria(v assurance.Verdict) {
	if len(v.Criteria) == 0 {
		return
	}
	p.head("criteria")
	ids, states := 0, 0
	for _, c := range v.Criteria {
		ids, states = min(max(ids, width(Line(c.ID))), p.o.Width/4), min(max(states, width(Line(c.State))), 12)
	}
	for _, c := range v.Criteria {
		s := green
		if c.State != assurance.CriterionMet {
			s = yellow
		}
		lead := 2 + ids + 2 + states + 2
		p.raw("  " + pad(cut(Line(c.ID), ids), ids) + "  " + p.in(s, pad(cut(Line(c.State), states), states)) + "  " + cut(Line(c.Text), p.o.Width-lead))
		if c.State != assurance.CriterionMet || p.o.Verbose {
			p.prose(min(lead, p.o.Width/2), "", c.Reason)
		}
	}
}

// clauses prints the clauses that do not hold; with Verbose, all of them. What was not run is left out above
// VAL-1, where nobody asked, and where the outcome says why.
func (p *page) clauses(v assurance.Verdict) {
	var list []assurance.Clause
	for _, c := range v.Clauses {
		missed := c.State == assurance.NotRun && c.Level <= assurance.VAL1 && v.Outcome == assurance.OutcomePassed
		if p.o.Verbose || c.State == assurance.Failed || missed {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return
	}
	if p.o.Verbose {
		p.head("clauses")
	} else {
		p.head("clauses that do not hold")
	}
	p.clauseList(list)
}

func (p *page) clauseList(list []assurance.Clause) {
	for _, c := range list {
		id := string(c.ID)
		if c.Code != "" {
			id += " (" + c.Code + ")"
		}
		head := fmt.Sprintf("%s %s %s", pad(Line(string(c.State)), 8), pad(c.Level.String(), 6), Line(id))
		p.raw("  " + p.in(stateStyle(c.State), cut(head, p.o.Width-2)))
		p.prose(18, "", c.Reason)
		facts := c.Facts
		if !p.o.Verbose {
			facts = facts[:min(len(facts), 3)]
		}
		for _, f := range facts {
			p.prose(20, strings.Repeat(" ", 18)+"- ", f)
		}
		if n := len(c.Facts) - len(facts); n > 0 {
			p.line(18, dim, plural(n, "fact more", "facts more")+" in the verdict")
		}
	}
}

func stateStyle(s assurance.State) style {
	switch s {
	case assurance.Held:
		return green
	case assurance.Failed:
		return red
	}
	return yellow
}

// change prints what the change did that has no effect, or should not have been done.
func (p *page) change(v assurance.Verdict) {
	c := v.Change
	if len(c.Environment)+len(c.Protected)+len(c.Ignored)+len(v.Notes) == 0 {
		return
	}
	p.head("to know about the change")
	for _, e := range c.Environment {
		if e.ListedBy != "" {
			p.prose(2, "", fmt.Sprintf("it edits %s, which makes the environment; %s lists the new digest", e.Path, e.ListedBy))
		} else {
			p.prose(2, "", fmt.Sprintf("it edits %s, which makes the environment; base's was used", e.Path))
		}
	}
	for _, f := range c.Protected {
		p.prose(2, "", fmt.Sprintf("it edits %s, which is protected", f))
	}
	for _, s := range c.Ignored {
		p.prose(2, "", "without effect, since the change brought it: "+s)
	}
	for _, n := range v.Notes {
		p.prose(2, "", n)
	}
}

// how prints how it was made and where more of it is.
func (p *page) how(v assurance.Verdict) {
	var stages []string
	for _, s := range v.Stages {
		stages = append(stages, s.Name+" "+duration(s.MS))
	}
	logs := v.Logs[:p.shown(len(v.Logs))]
	again := v.Reproduce
	if len(stages)+len(logs)+len(again) == 0 {
		return
	}
	p.raw("")
	if len(stages) > 0 {
		p.label("time", strings.Join(stages, ", "))
	}
	if v.Phase != "" {
		p.label("stopped", "in phase "+v.Phase)
	}
	for i, l := range logs {
		name := ""
		if i == 0 {
			name = "logs"
		}
		// A path is of use only whole, so it is not cut.
		p.raw(p.in(dim, pad(name, 10)) + Line(l.Path))
	}
	p.rest(len(v.Logs))
	if len(again) > 0 {
		p.raw(p.in(dim, pad("again", 10)) + Line(again[0].Command))
	}
}

func (p *page) limits(v assurance.Verdict) {
	if len(v.DoesNotProve) == 0 {
		return
	}
	p.head("what this does not prove")
	for _, s := range v.DoesNotProve {
		p.prose(4, "  - ", s)
	}
}
