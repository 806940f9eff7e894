package syntax

import (
	"slices"
	"strings"

	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/edit"
	"github.com/vallane/lane/mutate/treesitter"
)

type node = treesitter.Node

// walker visits the nodes of one file.
type walker struct {
	*language
	f          *edit.File
	operators  []string
	everywhere string // why nobody would want a test of anything in the file; "" = somebody would

	contexts map[*node]string  // of statements
	around   map[string][]span // of each mutant, by id: what may be read alone to see whether it is of the language, smallest first
	unread   []mutate.Range
	heredocs heredocs
}

func (w *walker) text(n *node) string {
	if n == nil {
		return ""
	}
	return n.Text(w.f.Src)
}

func (w *walker) walk(n *node) {
	// What lies around a place that the grammar does not know is read as far as it is whole by itself.
	if n.Kind == "ERROR" || n.Broken && !w.brokenBelow(n) {
		w.unread = append(w.unread, w.f.Range(n.Start, n.End))
		return
	}
	if w.noCode[n.Kind] || n.Parent != nil && w.noCode[n.Parent.Kind+"."+n.Field] {
		return
	}
	if !n.Broken {
		for _, op := range operators {
			if w.operators == nil || slices.Contains(w.operators, op.name) {
				op.apply(w, op.name, n)
			}
		}
	}
	for _, c := range w.parts(n) {
		w.walk(c)
	}
}

// brokenBelow reports whether it is a part of a node that is broken.
func (w *walker) brokenBelow(n *node) bool {
	return slices.ContainsFunc(w.parts(n), func(c *node) bool { return c.Broken })
}

// parts are the children that are more than words and signs.
func (w *walker) parts(n *node) (out []*node) {
	for _, c := range n.Children {
		if c.Named && !isComment(c) {
			out = append(out, c)
		}
	}
	return out
}

func isComment(n *node) bool { return strings.HasSuffix(n.Kind, "comment") }

// operator is the sign of an expression that has one.
func operatorOf(n *node) *node {
	if op := n.Child("operator"); op != nil {
		return op
	}
	for _, c := range n.Children {
		if !c.Named {
			return c
		}
	}
	return nil
}

// fault is one application of an operator: an edit of the bytes from start to end.
type fault struct {
	op         string
	start, end int
	text       string
	at         *node // that is shown and that the fault is about
	say        string
}

func (w *walker) add(f fault) {
	if !w.takeTexts(&f) {
		return
	}
	f.text = edit.Apart(w.f.Src, f.start, f.end, f.text)
	id := w.f.Add(edit.Fault{
		Operator: f.op, Start: f.start, End: f.end, Text: f.text, From: f.at.Start, To: f.at.End, Say: f.say,
		Func: w.function(f.at), Context: w.context(w.statementOf(f.at)), Arid: w.aridAt(f.at),
	})
	if w.around[id] == nil {
		w.around[id] = w.enclosing(f)
	}
}

// replace makes a fault of a node in place of another text.
func (w *walker) replace(op string, n *node, text string) {
	w.add(fault{op: op, start: n.Start, end: n.End, text: text, at: n, say: edit.Swap(w.text(n), text)})
}

// enclosing are the statement, the function and the member of a file that hold a fault.
func (w *walker) enclosing(f fault) (out []span) {
	for n := f.at; n.Parent != nil; n = n.Parent {
		whole := n.Start <= f.start && f.end <= n.End
		if whole && (w.functions[n.Kind] || n.Parent.Parent == nil || len(out) == 0 && w.bodies[n.Parent.Kind]) {
			out = append(out, span{n.Start, n.End})
		}
	}
	return append(out, span{0, len(w.f.Src)})
}

// statementOf returns the innermost statement, declaration or member that holds a node.
func (w *walker) statementOf(n *node) *node {
	for n.Parent != nil && !w.bodies[n.Parent.Kind] {
		n = n.Parent
	}
	return n
}

// context is a statement in one line, whatever its layout, without the statements below it.
func (w *walker) context(statement *node) string {
	if c, ok := w.contexts[statement]; ok {
		return c
	}
	var b strings.Builder
	var visit func(n *node)
	visit = func(n *node) {
		switch {
		case isComment(n) || n != statement && w.bodies[n.Kind]:
		case len(n.Children) == 0:
			b.WriteString(w.text(n) + " ")
		default:
			for _, c := range n.Children {
				visit(c)
			}
		}
	}
	visit(statement)
	w.contexts[statement] = b.String()
	return b.String()
}

// function names the place of a node as people do: "total", "Order.total"; "" outside of functions.
func (w *walker) function(n *node) string {
	var names []string
	inside := false
	for ; n != nil; n = n.Parent {
		if !w.functions[n.Kind] && !w.classes[n.Kind] {
			continue
		}
		inside = inside || w.functions[n.Kind]
		name := w.text(n.Child("name"))
		if w.name != nil {
			name = w.name(w, n)
		}
		if name != "" {
			names = append(names, strings.Join(strings.Fields(name), ""))
		}
	}
	if !inside {
		return ""
	}
	slices.Reverse(names)
	return strings.Join(names, ".")
}

// last is the last child that is more than a sign; nil = none.
func (w *walker) last(n *node) *node {
	parts := w.parts(n)
	if len(parts) == 0 {
		return nil
	}
	return parts[len(parts)-1]
}

// inner returns what stands in parentheses, or the node itself.
func (w *walker) inner(n *node) *node {
	for n != nil && (n.Kind == "parenthesized_expression" || n.Kind == "parenthesized_statements") {
		parts := w.parts(n)
		if len(parts) != 1 {
			return n
		}
		n = parts[0]
	}
	return n
}
