package spec

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Explain prints a resolved spec for people: what is given, what it comes to,
// and "(default)" behind everything that the spec leaves open. The error is
// that of w.
func Explain(w io.Writer, r Resolved) error {
	p := &page{}
	p.line(0, "spec", r.ID)
	p.value(0, "title", r.Title)
	p.line(0, "file", r.File)
	p.line(0, "digest", r.Digest)
	p.value(0, "change", r.Change)
	p.value(0, "authority", Value{Text: orUnknown(r.Authority.Text), Note: r.Authority.Note})
	p.heading("source")
	p.value(1, "repo", r.Source.Repo)
	p.value(1, "base", r.Source.Base)
	p.line(1, "merge-base", orUnknown(r.Source.MergeBase))
	if r.Source.Patch != "" {
		p.line(1, "patch", r.Source.Patch)
	}
	if r.Source.Head.Text != "" {
		p.value(1, "head", r.Source.Head)
	}
	p.value(1, "git", r.Source.Git)
	p.heading("closures")
	for _, c := range r.Closures {
		p.line(1, c.Flake, "")
		p.line(2, "key", orUnknown(c.Key))
		p.line(2, "state", orUnknown(c.State))
		p.line(2, "tasks", strings.Join(c.Tasks, ", "))
	}
	p.heading("box")
	p.value(1, "fence", r.Fence)
	p.value(1, "tree", r.Tree)
	p.tasks(r.Tasks)
	p.criteria(r.Criteria)
	p.services(r.Services)
	p.target(r.Target)
	p.hidden(r.Hidden)
	p.heading("required tests: " + orUnknown(r.RequiredRule))
	p.names(1, r.Required)
	if len(r.Removes) > 0 {
		p.heading("tests that may go")
		p.names(1, r.Removes)
	}
	p.heading("stability")
	p.value(1, "runs", r.Stability.Runs)
	p.value(1, "vary", r.Stability.Vary)
	p.heading("mutation")
	p.value(1, "scope", r.Mutation.Scope)
	p.value(1, "budget", r.Mutation.Budget)
	if r.Mutation.Baseline != "" {
		p.line(1, "baseline", r.Mutation.Baseline)
	}
	for _, x := range r.Mutation.Plugins {
		p.line(1, "plugin", x.Path+" "+x.SHA256)
	}
	if len(r.Deploy) > 0 {
		p.heading("deploy")
		p.names(1, r.Deploy)
	}
	p.downstream(r.Downstream)
	p.heading("limits")
	p.value(1, "deadline", r.Limits.Deadline)
	p.value(1, "memory", r.Limits.Memory)
	p.value(1, "processes", r.Limits.Processes)
	p.value(1, "cpus", r.Limits.CPUs)
	p.heading("assurance")
	p.value(1, "require", r.Require)
	if len(r.Protect) > 0 {
		p.line(1, "protect", strings.Join(r.Protect, ", "))
	}
	if len(r.Notes) > 0 {
		p.heading("notes")
		p.names(1, r.Notes)
	}
	_, err := w.Write(p.text.Bytes())
	return err
}

// page lays out labels and values in two columns.
type page struct {
	text bytes.Buffer
}

func (p *page) tasks(tasks []ResolvedTask) {
	for _, t := range tasks {
		p.heading("task " + t.Name)
		if t.Kind != "" {
			p.line(1, "kind", t.Kind)
		}
		if len(t.Build) > 0 {
			p.line(1, "build", commandLine(t.Build))
		}
		p.line(1, "run", commandLine(t.Run))
		p.value(1, "reporter", t.Reporter)
		p.value(1, "timeout", t.Timeout)
		p.value(1, "dir", t.Dir)
		p.value(1, "flake", t.Flake)
		if t.Fetch.Text != "" {
			p.value(1, "fetch", t.Fetch)
			p.value(1, "allow", t.Allow)
		}
		if len(t.Env) > 0 {
			p.line(1, "env", commandLine(t.Env))
		}
		if len(t.Tests) > 0 {
			p.line(1, "tests", strings.Join(t.Tests, ", "))
		}
	}
}

func (p *page) criteria(criteria []ResolvedCriterion) {
	for _, c := range criteria {
		p.heading("criterion " + c.ID)
		p.line(1, "text", strings.Join(strings.Fields(c.Text), " "))
		p.value(1, "kind", c.Kind)
		if len(c.Code) > 0 {
			p.line(1, "code", strings.Join(c.Code, ", "))
		}
		if len(c.Tests) > 0 {
			p.line(1, "tests", strings.Join(c.Tests, ", "))
		}
	}
}

func (p *page) heading(title string) { fmt.Fprintf(&p.text, "\n%s\n", plain(title)) }

func (p *page) line(indent int, label, text string) {
	line := fmt.Sprintf("%s%-10s %s", strings.Repeat("  ", indent), plain(label), plain(text))
	p.text.WriteString(strings.TrimRight(line, " ") + "\n")
}

func (p *page) value(indent int, label string, v Value) {
	text := v.Text
	if v.Default {
		text += " (default)"
	}
	if v.Note != "" {
		text += ", " + v.Note
	}
	p.line(indent, label, text)
}

func (p *page) names(indent int, names []string) {
	for _, name := range names {
		fmt.Fprintf(&p.text, "%s%s\n", strings.Repeat("  ", indent), plain(name))
	}
}

const unknown = "not known yet"

func orUnknown(s string) string {
	if s == "" {
		return unknown
	}
	return s
}

// commandLine shows arguments so that a reader sees where each ends.
func commandLine(args []string) string {
	shown := make([]string, len(args))
	for i, arg := range args {
		if arg == "" || strings.ContainsAny(arg, " \t\n\r\"'`$\\|&;<>()*?[]#~{}!") {
			arg = strconv.Quote(arg)
		}
		shown[i] = arg
	}
	return strings.Join(shown, " ")
}

// plain shows the characters that would act on a terminal, or hide or reorder
// what stands around them, as escapes.
func plain(s string) string {
	if !strings.ContainsFunc(s, isHidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if isHidden(r) {
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
