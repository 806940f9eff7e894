package javascript

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
	file       string
	src        []byte
	f          *edit.File
	operators  []string
	everywhere string // why nobody would want a test of anything in the file; "" = somebody would

	contexts map[*node]string // of statements
	whole    map[string]span
}

// position returns the line and the column in bytes of a place, from 1.
func (w *walker) position(at int) (line, col int) { return w.f.Position(at) }

func (w *walker) text(n *node) string { return n.Text(w.src) }

// noCode are kinds of nodes that no program runs.
var noCode = map[string]bool{
	"comment": true, "hash_bang_line": true, "import_statement": true, "import": true, "decorator": true,
	// of TypeScript
	"type_annotation": true, "type_arguments": true, "type_parameters": true, "type_predicate_annotation": true, "asserts_annotation": true,
	"implements_clause": true, "interface_declaration": true, "type_alias_declaration": true, "ambient_declaration": true,
	"abstract_method_signature": true, "function_signature": true, "method_signature": true, "index_signature": true, "literal_type": true,
	"import_alias": true, "omitting_type_annotation": true, "opting_type_annotation": true, "adding_type_annotation": true,
}

func (w *walker) walk(n *node) {
	if noCode[n.Kind] {
		return
	}
	for _, op := range operators {
		if w.operators == nil || slices.Contains(w.operators, op.name) {
			op.apply(w, op.name, n)
		}
	}
	for i, c := range n.Children {
		if i > 0 && (n.Kind == "as_expression" || n.Kind == "satisfies_expression") {
			break // its type
		}
		if c.Named {
			w.walk(c)
		}
	}
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
	f.text = edit.Apart(w.src, f.start, f.end, f.text)
	if w.continues(f) {
		return
	}
	statement := statementOf(f.at)
	id := w.f.Add(edit.Fault{
		Operator: f.op, Start: f.start, End: f.end, Text: f.text, From: f.at.Start, To: f.at.End, Say: f.say,
		Func: w.function(f.at), Context: w.context(statement), Arid: w.arid(f.at), Reach: w.head(statement),
	})
	top := f.at
	for top.Parent != nil && top.Parent.Parent != nil {
		top = top.Parent
	}
	w.whole[id] = span{top.Start, top.End}
}

// replace makes a fault of a node in place of another text.
func (w *walker) replace(op string, n *node, text string) {
	w.add(fault{op: op, start: n.Start, end: n.End, text: text, at: n, say: swap(w.text(n), text)})
}

// continues reports whether a fault that begins a statement would be read as going on with the line above, where nothing but the
// end of that line ends it.
func (w *walker) continues(f fault) bool {
	s := f.at
	for s.Parent != nil && s.Kind != "expression_statement" {
		s = s.Parent
	}
	if s.Kind != "expression_statement" || s.Start != f.start || strings.HasPrefix(f.text, ";") {
		return false
	}
	rest := strings.TrimSpace(f.text + string(w.src[f.end:s.End]))
	return rest == "" || strings.IndexByte("([`+-*/.,", rest[0]) >= 0 || strings.HasPrefix(rest, "function") || strings.HasPrefix(rest, "class") || rest[0] == '{'
}

// statementOf returns the innermost statement, declaration or member of a class that holds a node.
func statementOf(n *node) *node {
	for n.Parent != nil {
		switch n.Kind {
		case "statement_block", "class_body", "switch_body", "else_clause":
		case "variable_declarator", "method_definition", "field_definition", "public_field_definition", "switch_case", "switch_default", "enum_assignment":
			return n
		default:
			if strings.HasSuffix(n.Kind, "_statement") || strings.HasSuffix(n.Kind, "_declaration") {
				return n
			}
		}
		n = n.Parent
	}
	return n
}

// below are the parts of a statement that are statements of their own.
func below(n *node) bool {
	return n.Kind == "statement_block" || n.Kind == "class_body" || n.Kind == "switch_body" || n.Kind == "else_clause" ||
		strings.HasSuffix(n.Kind, "_statement")
}

// head returns the lines of a statement, without the blocks that hang below it.
func (w *walker) head(statement *node) mutate.Range {
	first, _ := w.position(statement.Start)
	last, _ := w.position(max(statement.Start, statement.End-1))
	for _, c := range statement.Children {
		if below(c) {
			if at, _ := w.position(c.Start); at <= last {
				last = max(first, at)
			}
			break
		}
	}
	return mutate.Range{Start: first, End: last}
}

// context is a statement in one line, whatever its layout, without the blocks below it.
func (w *walker) context(statement *node) string {
	if c, ok := w.contexts[statement]; ok {
		return c
	}
	var b strings.Builder
	var visit func(n *node)
	visit = func(n *node) {
		switch {
		case n.Kind == "comment" || n != statement && below(n):
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

// oneLine and swap are short names for what is written often.
func oneLine(s string) string { return edit.OneLine(s) }

func swap(from, to string) string { return edit.Swap(from, to) }
