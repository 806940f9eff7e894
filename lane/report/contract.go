package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/vallane/lane/assurance/attest"
	"github.com/vallane/lane/lane/contract"
)

// Contract prints what a contract asks for, whole: nobody reads what was cut.
func Contract(w io.Writer, c *attest.Contract, digest string, o Options) error {
	o.Verbose = true
	p := newPage(o)
	p.line(0, bold, c.Spec.ID+"  "+c.Spec.Title)
	p.fact("contract", digest)
	p.fact("holds", "from "+c.Issued.Format(time.RFC3339)+" until "+c.Expires.Format(time.RFC3339))
	p.fact("nonce", c.Nonce)
	p.fact("base", "git tree "+c.Base.GitTree)
	p.fact("", "sha256 "+c.Base.SHA256)
	p.fact("spec", c.Spec.Digest)
	if c.Spec.Path != "" {
		p.fact("", c.Spec.Path)
	}
	if h := c.Hidden; h != nil {
		p.fact("hidden", fmt.Sprintf("sha256 %s, %d bytes", h.SHA256, h.Size))
	}
	p.terms(&c.Terms)
	if len(c.Files) > 0 {
		p.head("files of base that steer the check")
		for _, f := range c.Files {
			p.raw("  " + pad(Line(string(f.Role)), 12) + Line(f.Path))
			p.raw(p.in(dim, "              sha256 "+Line(f.SHA256)))
		}
	}
	return p.writeTo(w)
}

// fact prints a fact that is of use only whole.
func (p *page) fact(name, text string) { p.raw(p.in(dim, pad(name, 10)) + Line(text)) }

// commands prints those of a target.
func (p *page) commands(build, up, check, down []string) {
	for i, argv := range [][]string{build, up, check, down} {
		if len(argv) > 0 {
			p.label("  "+[]string{"build", "up", "check", "down"}[i], fmt.Sprintf("%q", argv))
		}
	}
}

func (p *page) terms(t *attest.Terms) {
	p.head("asks for")
	p.label("change", t.Change+", from "+t.Source.Base)
	p.label("level", t.Require.String())
	for _, c := range t.Criteria {
		p.label("criterion", fmt.Sprintf("%s (%s): %s", c.ID, c.Kind, c.Text))
		p.listed("  tests", c.Tests)
		p.listed("  code", c.Code)
		p.listed("  may go", c.Removes)
	}
	for _, x := range t.Tasks {
		name := x.Name
		if x.Kind != "" {
			name += " (" + x.Kind + ")"
		}
		p.label("task", fmt.Sprintf("%s: %q, reporter %s, in %s, at most %s", name, x.Run, x.Reporter, x.Flake, x.Timeout))
		if len(x.Build) > 0 {
			p.label("  build", fmt.Sprintf("%q", x.Build))
		}
		for _, f := range x.Fetch {
			p.label("  fetch", fmt.Sprintf("%q", f))
		}
	}
	if x := t.Target; x != nil {
		p.label("target", fmt.Sprintf("%s, as task %s, on port %d with health at %s, at most %s", x.Name, x.Task, x.Port, x.Health, x.Timeout))
		p.commands(x.Build, x.Up, x.Check, x.Down)
	}
	if h := t.Hidden; h != nil {
		p.label("hidden", fmt.Sprintf("%s, as task %s: %q, reporter %s, at most %s", h.Kind, h.Task, h.Run, h.Reporter, h.Timeout))
		if len(h.Program) > 0 {
			p.label("  program", fmt.Sprintf("%q", h.Program))
		}
		p.listed("  tests", h.Tests)
	}
	for _, d := range t.Downstream {
		p.label("downstream", fmt.Sprintf("%s, commit %s of %s, as task %s: %q, reporter %s, at most %s", d.Name, d.Commit, d.Source, d.Task, d.Run, d.Reporter, d.Timeout))
		p.label("  place", d.Place+", which holds "+d.Folder+" of the tree")
		p.listed("  tests", d.Tests)
	}
	required := t.Required
	if len(required) == 0 {
		required = []string{"every test that passes on base, and every test that the change adds"}
	}
	p.listed("required", required)
	p.listed("may go", t.Removable)
	p.listed("protected", t.Protected)
	p.listed("hosts", t.Hosts)
	p.label("stability", fmt.Sprintf("%d runs, varied by %s", t.Stability.Runs, strings.Join(t.Stability.Vary, ", ")))
	p.label("mutation", fmt.Sprintf("%s, for %s, threshold %g", t.Mutation.Scope, t.Mutation.Budget, t.Mutation.Threshold))
	for _, x := range t.Mutation.Plugins {
		p.label("  plugin", x.Path+" "+x.SHA256)
	}
	p.label("limits", fmt.Sprintf("%s, %d bytes, %d processes, %d processors", t.Limits.Deadline, t.Limits.Memory, t.Limits.Processes, t.Limits.CPUs))
}

func (p *page) listed(name string, all []string) {
	if len(all) > 0 {
		p.label(name, strings.Join(all, ", "))
	}
}

// Differences prints what two contracts ask for differently, one thing per line.
func Differences(w io.Writer, all []contract.Difference) error {
	p := newPage(Options{})
	for _, d := range all {
		p.raw(Line(d.String()))
	}
	if len(all) == 0 {
		p.raw("they ask for the same")
	}
	return p.writeTo(w)
}
