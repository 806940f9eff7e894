package syntax

import "github.com/vallane/lane/mutate/edit"

// statement takes one statement away.
func statement(w *walker, name string, n *node) {
	if what := w.dropped(w, n); what != "" {
		w.add(fault{op: name, start: n.Start, end: n.End, text: w.empty, at: n, say: what + " `" + edit.OneLine(w.text(n)) + "` taken away"})
	}
}

// expressionStatement is dropped for languages whose statements are expressions that something ends.
func expressionStatement(w *walker, n *node) string {
	if n.Kind == "throw_statement" {
		return "exception"
	}
	if n.Kind != "expression_statement" || n.Token(";") == nil {
		return ""
	}
	parts := w.parts(n)
	if len(parts) != 1 {
		return ""
	}
	x := parts[0]
	for x.Kind == "try_expression" || x.Kind == "await_expression" || x.Kind == "parenthesized_expression" {
		if x = w.last(x); x == nil {
			return ""
		}
	}
	return w.statement[x.Kind]
}

// takeElse takes an else and what follows it away.
func (w *walker) takeElse(name string, from, to *node) {
	w.add(fault{op: name, start: from.Start, end: to.End, text: "", at: from, say: "`else` taken away"})
}

// takeCase takes a case away.
func (w *walker) takeCase(name string, n *node) {
	w.add(fault{op: name, start: n.Start, end: n.End, text: "", at: n, say: "case `" + edit.OneLine(w.text(n)) + "` taken away"})
}
