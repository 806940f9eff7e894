package syntax

import (
	"strings"

	"github.com/vallane/lane/mutate/edit"
)

// operator makes faults of one kind.
type operator struct {
	name  string
	doc   string
	apply func(w *walker, name string, n *node)
}

// operators in the order in which a place is mutated. Those that do what they do in Go have the same names.
var operators = [...]operator{
	{"boundary", "`<` becomes `<=`, `>` becomes `>=`, and back", func(w *walker, name string, n *node) { w.swap(name, n, boundaries) }},
	{"comparison", "a comparison becomes its negation", func(w *walker, name string, n *node) { w.swap(name, n, comparisons) }},
	{"arithmetic", "`+` becomes `-`, `*` becomes `/`, `%` becomes `*`, shifts and bits, and back; also in assignments", arithmetic},
	{"logical", "`&&` becomes `||`, and back", func(w *walker, name string, n *node) { w.swap(name, n, w.connections) }},
	{"boolean", "`true` becomes `false`, and back", boolean},
	{"unary", "`!x`, `-x` and `~x` become `x`", unary},
	{"incdec", "`x++` becomes `x--`, and back", incDec},
	{"condition", "a condition always holds, or never; a loop is never entered", condition},
	{"return", "a result becomes the empty value of what the syntax says that it is, or another value where it is that already", returnValue},
	{"constant", "a number is one more", constant},
	{"statement", "a call, an assignment or an exception is taken away", statement},
	{"branch", "an else or a case is taken away", func(w *walker, name string, n *node) { w.branches(w, name, n) }},
	{"jump", "a break becomes a continue, and back", jump},
}

// OperatorDoc names an operator and says what it does.
type OperatorDoc struct{ Name, Doc string }

// Operators lists all operators.
func Operators() []OperatorDoc {
	var out []OperatorDoc
	for _, o := range operators {
		out = append(out, OperatorDoc{o.name, o.doc})
	}
	return out
}

var (
	boundaries  = map[string]string{"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
	comparisons = map[string]string{"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "=~": "!~", "!~": "=~"}
	andOr       = map[string]string{"&&": "||", "||": "&&"}
)

const highest = 100

// precedence of an expression: that of its operator, or higher than any.
func (w *walker) precedence(n *node) int {
	if !w.binary[n.Kind] {
		return highest
	}
	if p, ok := w.precedences[w.text(n.Child("operator"))]; ok {
		return p
	}
	return highest
}

// swap replaces the operator of an expression alone where that leaves the expression's shape as it is. Where the new operator binds
// otherwise, operands and the whole are put in parentheses: `a && b && c` becomes `(a || b) && c`.
func (w *walker) swap(name string, n *node, by map[string]string) {
	if !w.binary[n.Kind] {
		return
	}
	left, op, right := n.Child("left"), n.Child("operator"), n.Child("right")
	if left == nil || op == nil || right == nil {
		return
	}
	from := w.text(op)
	to := by[from]
	if to == "" {
		return
	}
	f := fault{op: name, start: op.Start, end: op.End, text: to, at: op, say: edit.Swap(from, to)}
	new, old := w.precedences[to], w.precedences[from]
	x, y := w.precedence(left) < new, w.precedence(right) <= new && w.binary[right.Kind]
	whole := w.binary[n.Parent.Kind] && new < old
	if x || y || whole {
		src := w.f.Src
		text := edit.Wrap(w.text(left), x) + string(src[left.End:op.Start]) + to + string(src[op.End:right.Start]) + edit.Wrap(w.text(right), y)
		f.start, f.end, f.text = n.Start, n.End, edit.Wrap(text, whole)
	}
	w.add(f)
}

func arithmetic(w *walker, name string, n *node) {
	if w.isText(n) {
		return // pieces of text are put together
	}
	w.swap(name, n, w.calculations)
	if !w.compound[n.Kind] {
		return
	}
	op := n.Child("operator")
	from := w.text(op)
	if to := w.calculations[strings.TrimSuffix(from, "=")]; to != "" && strings.HasSuffix(from, "=") && !w.isText(n.Child("right")) {
		w.replace(name, op, to+"=")
	}
}

// isText reports whether an expression is plainly a string.
func (w *walker) isText(n *node) bool {
	n = w.inner(n)
	switch {
	case n == nil:
		return false
	case strings.HasPrefix(n.Kind, "string") || n.Kind == "raw_string_literal" || n.Kind == "concatenated_string":
		return true
	case w.binary[n.Kind]:
		return w.isText(n.Child("left")) || w.text(n.Child("operator")) == "+" && w.isText(n.Child("right"))
	}
	return false
}

func boolean(w *walker, name string, n *node) {
	if w.plainLoops && w.isWholeLoop(n) {
		return
	}
	if w.booleans[n.Kind] && !w.booleans[n.Parent.Kind] {
		w.replace(name, n, otherBoolean(w.text(n)))
	}
}

// isWholeLoop reports whether a node is all of a loop's condition.
func (w *walker) isWholeLoop(n *node) bool {
	at, loop := w.wholeCondition(n)
	return at && loop
}

// wholeCondition reports whether a node is all of a condition, and whether of a loop.
func (w *walker) wholeCondition(n *node) (whole, loop bool) {
	for n.Parent != nil && n.Parent.Kind == "parenthesized_expression" {
		n = n.Parent
	}
	if n.Parent == nil || n.Parent.Child("condition") != n {
		return false, false
	}
	loop, whole = w.conditions[n.Parent.Kind]
	return whole, loop
}

func otherBoolean(s string) string {
	switch s {
	case "true":
		return "false"
	case "TRUE":
		return "FALSE"
	case "FALSE":
		return "TRUE"
	}
	return "true"
}

func unary(w *walker, name string, n *node) {
	if !w.unary[n.Kind] {
		return
	}
	op, x := operatorOf(n), w.last(n)
	if op == nil || x == nil || x.Start < op.End {
		return
	}
	switch w.text(op) {
	case "!", "not":
		if w.unary[n.Parent.Kind] && w.text(operatorOf(n.Parent)) == "!" {
			return // the same as without the other one
		}
	case "-", "~":
	default:
		return
	}
	w.add(fault{op: name, start: n.Start, end: x.Start, text: "", at: n, say: edit.Swap(w.text(n), w.text(x))})
}

func incDec(w *walker, name string, n *node) {
	if !w.update[n.Kind] {
		return
	}
	for _, swap := range []string{"++--", "--++"} {
		if op := n.Token(swap[:2]); op != nil {
			w.replace(name, op, swap[2:])
		}
	}
}

func condition(w *walker, name string, n *node) {
	loop, ok := w.conditions[n.Kind]
	if !ok {
		return
	}
	c := n.Child("condition")
	if c == nil || !c.Named || strings.HasPrefix(c.Kind, "let_") {
		return
	}
	if c = w.inner(c); w.booleans[c.Kind] || w.hasBinding(c) {
		return
	}
	enter, skip := w.always, w.never
	if w.inverted[n.Kind] {
		enter, skip = skip, enter
	}
	switch {
	case loop && w.neverLoop != nil:
		w.replace(name, c, w.neverLoop(w.text(c)))
	case loop:
		w.replace(name, c, skip)
	default:
		w.replace(name, c, enter)
		w.replace(name, c, skip)
	}
}

// hasBinding reports whether a condition names what the code below it uses.
func (w *walker) hasBinding(n *node) bool {
	if strings.HasPrefix(n.Kind, "let_") || n.Kind == "type_pattern" || n.Kind == "record_pattern" || n.Kind == "instanceof_expression" && n.Child("name") != nil {
		return true
	}
	for _, c := range n.Children {
		if w.hasBinding(c) {
			return true
		}
	}
	return false
}

// jump swaps break and continue inside of a loop, and takes away a break that ends a case.
func jump(w *walker, name string, n *node) {
	to := w.jumps[n.Kind]
	if to == "" || len(w.parts(n)) > 0 {
		return // it names a label or a value
	}
	for at := n.Parent; at != nil && !w.functions[at.Kind]; at = at.Parent {
		switch {
		case w.loops[at.Kind]:
			word := n
			if n.Token(";") != nil {
				word = n.Children[0]
			}
			w.replace(name, word, to)
			return
		case w.switches[at.Kind] && strings.HasPrefix(n.Kind, "break"):
			w.add(fault{op: name, start: n.Start, end: n.End, text: w.empty, at: n, say: "`break` taken away"})
			return
		}
	}
}
