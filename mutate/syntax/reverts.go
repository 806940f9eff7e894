package syntax

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/treesitter"
)

// Annotate adds to reverts what the language knows about them: the function that they lie in, whether they are of the language, whether
// they change anything but layout and comments, and whether they are about tests that stand in a file of code. Mutants of other files and
// of other origins are left as they are. The ids do not change.
func Annotate(ctx context.Context, o Options, ms []mutate.Mutant) (err error) {
	parsers := treesitter.Parsers{}
	defer func() { err = errors.Join(err, parsers.Close(ctx)) }()
	heads := map[string]*outline{}
	for i := range ms {
		m := &ms[i]
		if m.Origin != mutate.Revert || m.Kind != mutate.Edit || !IsSource(m.File) {
			continue
		}
		h, ok := heads[m.File]
		if !ok {
			src, err := fs.ReadFile(o.Tree, m.File)
			if err != nil {
				return fmt.Errorf("check reverts: %w", err)
			}
			if h, err = newOutline(ctx, parsers, m.File, src); err != nil {
				return err
			}
			heads[m.File] = h
		}
		if h == nil {
			continue // nothing is known of it
		}
		src, err := m.Apply(h.w.f.Src)
		if err != nil {
			m.Known, m.Why = mutate.Unviable, err.Error()
			continue
		}
		if h.w.everywhere != "" && m.Arid == "" {
			m.Arid = h.w.everywhere
		}
		h.locate(m)
		other, err := newOutline(ctx, parsers, m.File, src)
		switch {
		case err != nil:
			return err
		case other == nil || other.broken && !h.broken:
			m.Known, m.Why = mutate.Unviable, "it is no syntax of the language"
		case other.tokens == h.tokens:
			m.Known, m.Why = mutate.Equivalent, "it differs in layout and comments alone"
		case m.Arid == "" && onlyTests(h, m.Offset, m.Offset+m.Length, other, m.Offset, m.Offset+len(m.Replacement)):
			m.Arid = AridTest
		}
	}
	return nil
}

// outline is what reverts ask about a source.
type outline struct {
	w         *walker
	tokens    string
	broken    bool
	functions []*node
	tests     []span // with their attributes
	comments  []span
}

// newOutline returns nil for a source that is not read.
func newOutline(ctx context.Context, parsers treesitter.Parsers, file string, src []byte) (*outline, error) {
	root, bad, err := parsers.Of(grammarOf(file)).ParseAround(ctx, src)
	if treesitter.WhyUnread(err) != "" {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("check reverts of %s: %w", file, err)
	}
	o := &outline{w: newWalker(file, src, root), broken: bad != nil, tokens: tokens(root, src)}
	var visit func(n *node)
	visit = func(n *node) {
		switch {
		case isComment(n):
			o.comments = append(o.comments, span{n.Start, n.End})
		case o.w.inTests != nil && o.w.inTests(o.w, n):
			start := n.Start
			for i := n.Index() - 1; i >= 0 && (n.Parent.Children[i].Kind == "attribute_item" || isComment(n.Parent.Children[i])); i-- {
				start = n.Parent.Children[i].Start
			}
			o.tests = append(o.tests, span{start, n.End})
		case o.w.functions[n.Kind]:
			o.functions = append(o.functions, n)
		}
		for _, c := range n.Children {
			visit(c)
		}
	}
	visit(root)
	return o, nil
}

// locate finds the innermost function that a hunk lies in.
func (o *outline) locate(m *mutate.Mutant) {
	for _, f := range o.functions {
		if f.Start <= m.Offset && m.Offset+m.Length <= f.End {
			m.Func = o.w.function(f)
		}
	}
}

// onlyTests reports whether runs of two sources hold tests and nothing else but comments and layout.
func onlyTests(a *outline, aStart, aEnd int, b *outline, bStart, bEnd int) bool {
	x, some := a.testsIn(aStart, aEnd)
	y, more := b.testsIn(bStart, bEnd)
	return x && y && (some || more)
}

// testsIn reports whether nothing but tests, comments and layout lies in a run of bytes, and whether there are tests.
func (o *outline) testsIn(start, end int) (only, some bool) {
	only = true
	in := func(at int, spans []span) bool {
		return slices.ContainsFunc(spans, func(s span) bool { return s.start <= at && at < s.end })
	}
	for at := start; at < end; at++ {
		switch c := o.w.f.Src[at]; {
		case in(at, o.tests):
			some = true
		case c == ' ' || c == '\t' || c == '\n' || c == '\r', in(at, o.comments):
		default:
			only = false
		}
	}
	return only, some
}

// tokens is a program without layout and comments: two files with the same one are the same program, but for the places in its traces.
// What belongs together stands in brackets, since the end of a line may end a statement.
func tokens(root *node, src []byte) string {
	var b strings.Builder
	var visit func(n *node)
	visit = func(n *node) {
		if isComment(n) {
			return
		}
		if len(n.Children) == 0 {
			fmt.Fprintf(&b, "%q ", n.Text(src))
			return
		}
		b.WriteString(n.Kind + "(")
		at := n.Start
		for _, c := range n.Children {
			gap(&b, n, src[at:c.Start])
			visit(c)
			at = c.End
		}
		gap(&b, n, src[at:n.End])
		b.WriteString(")")
	}
	visit(root)
	return b.String()
}

// gap writes what lies between the parts of a node, where it counts: in texts, and where it is more than blanks.
func gap(b *strings.Builder, n *node, between []byte) {
	verbatim := strings.Contains(n.Kind, "string") || strings.Contains(n.Kind, "heredoc") || strings.Contains(n.Kind, "regex") || strings.HasPrefix(n.Kind, "preproc")
	if len(between) > 0 && (verbatim || strings.TrimSpace(string(between)) != "") {
		fmt.Fprintf(b, "%q ", between)
	}
}
