package javascript

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/edit"
	"github.com/vallane/lane/mutate/treesitter"
)

// Annotate adds to reverts what the language knows about them: the function that they lie in, which tests reach them, whether they are
// of the language, whether they change anything but layout and comments. Mutants of other files and of other origins are left as they
// are. The ids do not change.
func Annotate(ctx context.Context, o Options, ms []mutate.Mutant) (err error) {
	parsers := treesitter.Parsers{}
	defer func() { err = errors.Join(err, parsers.Close(ctx)) }()
	heads := map[string]*head{}
	for i := range ms {
		m := &ms[i]
		if m.Origin != mutate.Revert || m.Kind != mutate.Edit || !IsSource(m.File) {
			continue
		}
		h, ok := heads[m.File]
		if !ok {
			if h, err = readHead(ctx, o, parsers, m.File); err != nil {
				return err
			}
			heads[m.File] = h
		}
		if h == nil {
			continue // nothing is known of it
		}
		other, err := m.Apply(h.src)
		if err != nil {
			m.Known, m.Why = mutate.Unviable, err.Error()
			continue
		}
		if h.unwanted != "" && m.Arid == "" {
			m.Arid = h.unwanted
		}
		h.locate(m)
		root, err := parsers.Of(grammarOf(m.File)).Parse(ctx, other)
		switch {
		case treesitter.WhyUnread(err) != "":
			m.Known, m.Why = mutate.Unviable, err.Error()
		case err != nil:
			return fmt.Errorf("check reverts of %s: %w", m.File, err)
		case tokens(root, other) == h.tokens:
			m.Known, m.Why = mutate.Equivalent, "it differs in layout and comments alone"
		}
	}
	return nil
}

// head is a file of the head tree.
type head struct {
	src              []byte
	tokens, unwanted string
	functions        []function
}

// function is a function that has a name, and its lines, the body's own without those of its braces.
type function struct {
	name        string
	lines, body mutate.Range
}

// readHead returns nil for a file that is not read.
func readHead(ctx context.Context, o Options, parsers treesitter.Parsers, file string) (*head, error) {
	src, err := fs.ReadFile(o.Tree, file)
	if err != nil {
		return nil, fmt.Errorf("check reverts: %w", err)
	}
	root, err := parsers.Of(grammarOf(file)).Parse(ctx, src)
	if treesitter.WhyUnread(err) != "" {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("check reverts of %s: %w", file, err)
	}
	w := &walker{file: file, src: src, f: edit.New(file, src)}
	h := &head{src: src, tokens: tokens(root, src), unwanted: unwanted(file, src, root)}
	var visit func(n *node)
	visit = func(n *node) {
		if body := n.Child("body"); isFunction(n) && body != nil && body.Kind == "statement_block" {
			first, _ := w.position(n.Start)
			last, _ := w.position(n.End - 1)
			open, _ := w.position(body.Start)
			if name := w.function(n); name != "" && last > open {
				h.functions = append(h.functions, function{name, mutate.Range{Start: first, End: last}, mutate.Range{Start: open + 1, End: last - 1}})
			}
		}
		for _, c := range n.Children {
			visit(c)
		}
	}
	visit(root)
	return h, nil
}

// locate finds the innermost function that a hunk lies in. Where it touches anything else, which any code may use, lines cannot tell
// who reaches it.
func (h *head) locate(m *mutate.Mutant) {
	start, end := m.Line, m.EndLine
	if m.Length == 0 {
		end-- // a deletion lies before its line
	}
	for _, f := range h.functions {
		if f.body.Start <= start && end <= f.body.End {
			m.Func, m.Reach = f.name, f.lines
		}
	}
}

// verbatim are nodes in which blanks count.
var verbatim = strings.Fields("string template_string jsx_text jsx_element regex")

// tokens is a program without layout and comments: two files with the same one are the same program, but for the places in its
// traces. What belongs together stands in brackets, since the end of a line may end a statement. A semicolon is left out: the brackets
// say where a statement ends.
func tokens(root *node, src []byte) string {
	var b strings.Builder
	var visit func(n *node)
	visit = func(n *node) {
		switch {
		case n.Kind == "comment":
			return
		case n.Kind == ";" && n.Parent.Kind != "for_statement":
			return
		case len(n.Children) == 0:
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

// gap writes what lies between the parts of a node, where it counts.
func gap(b *strings.Builder, n *node, between []byte) {
	if len(between) > 0 && (slices.Contains(verbatim, n.Kind) || strings.TrimSpace(string(between)) != "") {
		fmt.Fprintf(b, "%q ", between)
	}
}
