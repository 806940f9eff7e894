package javascript

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
	{"boundary", "`<` becomes `<=`, `>` becomes `>=`, and back", binary(boundaries)},
	{"comparison", "a comparison becomes its negation, `in` and `instanceof` as well", comparison},
	{"arithmetic", "`+` becomes `-`, `*` becomes `/`, `%` and `**` become `*`, shifts and bits, and back; also in assignments", arithmetic},
	{"logical", "`&&` becomes `||`, and back; `??` becomes `&&`; also in assignments", logical},
	{"boolean", "`true` becomes `false`, and back", boolean},
	{"unary", "`!x`, `-x` and `~x` become `x`", unary},
	{"incdec", "`x++` becomes `x--`, and back", incDec},
	{"condition", "a condition is always true, or never; a loop is never entered", condition},
	{"return", "a result becomes undefined or the empty value of its kind, or another value where it is that already; what is yielded, too", returnValue},
	{"statement", "a call, an assignment, a deletion or a throw is taken away", statement},
	{"optional", "`a?.b` becomes `a.b`", optional},
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
	boundaries   = map[string]string{"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
	comparisons  = map[string]string{"==": "!=", "!=": "==", "===": "!==", "!==": "===", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
	calculations = map[string]string{
		"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "**": "*", "<<": ">>", ">>": "<<", ">>>": "<<", "&": "|", "|": "&", "^": "&",
	}
	connections = map[string]string{"&&": "||", "||": "&&", "??": "&&"}
	precedences = map[string]int{
		"??": 1, "||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7, "===": 7, "!==": 7, "<": 8, "<=": 8, ">": 8, ">=": 8, "in": 8,
		"instanceof": 8, "<<": 9, ">>": 9, ">>>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "%": 11, "**": 12,
	}
)

const highest = 13

// precedence of an expression: that of its operator, or higher than any.
func (w *walker) precedence(n *node) int {
	switch n.Kind {
	case "binary_expression":
		return precedences[w.text(n.Child("operator"))]
	case "as_expression", "satisfies_expression":
		return precedences["<"]
	}
	return highest
}

// binary makes an operator that swaps one binary operator for another.
func binary(swaps map[string]string) func(*walker, string, *node) {
	return func(w *walker, name string, n *node) {
		if n.Kind != "binary_expression" {
			return
		}
		if to := swaps[w.text(n.Child("operator"))]; to != "" {
			w.swapBinary(name, n, to)
		}
	}
}

// swapBinary replaces the operator alone where that leaves the expression's shape as it is. Where the new operator binds otherwise,
// or may not stand beside another, operands and the whole are put in parentheses: `a && b && c` becomes `(a || b) && c`.
func (w *walker) swapBinary(name string, n *node, to string) {
	left, op, right := n.Child("left"), n.Child("operator"), n.Child("right")
	from := w.text(op)
	f := fault{op: name, start: op.Start, end: op.End, text: to, at: n, say: swap(from, to)}
	f.at = op
	x, y := w.precedence(left) < precedences[to], w.precedence(right) <= precedences[to]
	inside := n.Parent.Kind == "binary_expression" || n.Parent.Kind == "as_expression" || n.Parent.Kind == "satisfies_expression"
	whole := inside && (precedences[to] < precedences[from] || from == "??")
	if x || y || whole {
		text := edit.Wrap(w.text(left), x) + string(w.src[left.End:op.Start]) + to + string(w.src[op.End:right.Start]) + edit.Wrap(w.text(right), y)
		f.start, f.end, f.text = n.Start, n.End, edit.Wrap(text, whole)
	}
	w.add(f)
}

func comparison(w *walker, name string, n *node) {
	binary(comparisons)(w, name, n)
	if n.Kind != "binary_expression" {
		return
	}
	if op := w.text(n.Child("operator")); op == "in" || op == "instanceof" {
		w.replace(name, n, "!("+w.text(n)+")")
	}
}

func arithmetic(w *walker, name string, n *node) {
	if (n.Kind == "binary_expression" || n.Kind == "augmented_assignment_expression") && w.isText(n) {
		return // pieces of text are put together
	}
	binary(calculations)(w, name, n)
	w.assignment(name, n, calculations)
}

// isText reports whether an expression is plainly a string.
func (w *walker) isText(n *node) bool {
	switch n.Kind {
	case "string", "template_string":
		return true
	case "parenthesized_expression":
		return w.isText(inner(n))
	case "binary_expression":
		return w.text(n.Child("operator")) == "+" && (w.isText(n.Child("left")) || w.isText(n.Child("right")))
	case "augmented_assignment_expression":
		return w.text(n.Child("operator")) == "+=" && w.isText(n.Child("right"))
	}
	return false
}

// inner returns what stands in parentheses, or the node itself.
func inner(n *node) *node {
	for n.Kind == "parenthesized_expression" {
		var in *node
		for _, c := range n.Children {
			if c.Named && c.Kind != "comment" && c.Field != "type" {
				in = c
				break
			}
		}
		if in == nil {
			return n
		}
		n = in
	}
	return n
}

func logical(w *walker, name string, n *node) {
	binary(connections)(w, name, n)
	w.assignment(name, n, connections)
}

// assignment swaps the operator of `a += b` and its like.
func (w *walker) assignment(name string, n *node, swaps map[string]string) {
	if n.Kind != "augmented_assignment_expression" {
		return
	}
	op := n.Child("operator")
	if to := swaps[strings.TrimSuffix(w.text(op), "=")]; to != "" {
		w.replace(name, op, to+"=")
	}
}

func boolean(w *walker, name string, n *node) {
	if n.Kind != "true" && n.Kind != "false" {
		return
	}
	if p := n.Parent; p.Kind == "return_statement" || p.Kind == "arrow_function" && n.Field == "body" || p.Kind == "yield_expression" {
		return // the return operator does the same
	}
	w.replace(name, n, otherBoolean(n.Kind))
}

func otherBoolean(s string) string {
	if s == "true" {
		return "false"
	}
	return "true"
}

func unary(w *walker, name string, n *node) {
	if n.Kind != "unary_expression" || n.Parent.Kind == "expression_statement" {
		return
	}
	op, x := n.Child("operator"), n.Child("argument")
	switch w.text(op) {
	case "!":
		if n.Parent.Kind == "unary_expression" && w.text(n.Parent.Child("operator")) == "!" {
			return // the same as without the other one
		}
	case "-", "~":
	default:
		return
	}
	w.add(fault{op: name, start: n.Start, end: x.Start, text: "", at: n, say: swap(w.text(n), w.text(x))})
}

func incDec(w *walker, name string, n *node) {
	if n.Kind != "update_expression" {
		return
	}
	op := n.Child("operator")
	to := "++"
	if w.text(op) == to {
		to = "--"
	}
	w.add(fault{op: name, start: op.Start, end: op.End, text: to, at: n, say: swap(w.text(op), to)})
}

func condition(w *walker, name string, n *node) {
	values := []string{"false"}
	switch n.Kind {
	case "if_statement", "ternary_expression":
		values = []string{"true", "false"}
	case "while_statement", "do_statement", "for_statement":
	default:
		return
	}
	for _, c := range n.Children {
		if c.Field != "condition" || !c.Named || c.Kind == "empty_statement" || c.Kind == "comment" {
			continue
		}
		if c = inner(c); c.Kind == "expression_statement" {
			c = c.Children[0]
		}
		if c.Kind != "true" && c.Kind != "false" {
			for _, v := range values {
				w.replace(name, c, v)
			}
		}
		return
	}
}

func optional(w *walker, name string, n *node) {
	if n.Kind != "member_expression" && n.Kind != "subscript_expression" && n.Kind != "call_expression" {
		return
	}
	chain := n.Child("optional_chain")
	if chain == nil {
		if chain = n.Token("?."); chain == nil {
			return
		}
	}
	to := ""
	if n.Kind == "member_expression" {
		to = "."
	}
	w.add(fault{op: name, start: chain.Start, end: chain.End, text: to, at: chain, say: swap(w.text(n), string(w.src[n.Start:chain.Start])+to+string(w.src[chain.End:n.End]))})
}
