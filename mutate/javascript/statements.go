package javascript

import "strings"

// statement takes one statement away. What is left is an empty statement, which may stand wherever the other one did, braces or not.
func statement(w *walker, name string, n *node) {
	what := ""
	switch n.Kind {
	case "throw_statement":
		what = "exception"
	case "expression_statement":
		if len(n.Children) > 0 {
			what = w.removable(inner(n.Children[0]))
		}
	}
	if what != "" {
		w.add(fault{op: name, start: n.Start, end: n.End, text: ";", at: n, say: what + " `" + oneLine(w.text(n)) + "` taken away"})
	}
}

// removable names an expression without which a program is still one; "" for others.
func (w *walker) removable(x *node) string {
	switch x.Kind {
	case "await_expression":
		for _, c := range x.Children {
			if c.Named && c.Kind != "comment" {
				return w.removable(inner(c))
			}
		}
	case "call_expression":
		f := x.Child("function")
		if f == nil || f.Kind == "super" || f.Kind == "import" || w.text(f) == "require" {
			return ""
		}
		return "call"
	case "new_expression":
		return "call"
	case "assignment_expression", "augmented_assignment_expression":
		return "assignment"
	case "update_expression":
		return "step"
	case "unary_expression":
		if w.text(x.Child("operator")) == "delete" {
			return "deletion"
		}
	}
	return ""
}

// isExport reports whether a statement says what a script exports.
func (w *walker) isExport(n *node) bool {
	if n.Kind != "expression_statement" || len(n.Children) == 0 {
		return false
	}
	x := inner(n.Children[0])
	switch x.Kind {
	case "assignment_expression":
		left := w.text(x.Child("left"))
		return left == "module.exports" || left == "exports" || strings.HasPrefix(left, "module.exports.") || strings.HasPrefix(left, "exports.") ||
			strings.HasPrefix(left, "module.exports[") || strings.HasPrefix(left, "exports[")
	case "call_expression":
		args := x.Child("arguments")
		if args == nil || len(args.Children) < 2 || !strings.HasPrefix(w.text(x.Child("function")), "Object.") {
			return false
		}
		first := w.text(args.Children[1])
		return first == "exports" || first == "module.exports"
	}
	return false
}
