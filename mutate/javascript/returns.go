package javascript

import (
	"path"
	"strings"
)

// returnValue replaces the result of a return statement, of an arrow function that is an expression, or of a yield.
func returnValue(w *walker, name string, n *node) {
	var value *node
	switch n.Kind {
	case "return_statement", "yield_expression":
		for _, c := range n.Children {
			if c.Named && c.Kind != "comment" {
				value = c
				break
			}
		}
		if n.Token("*") != nil {
			return
		}
	case "arrow_function":
		if value = n.Child("body"); value != nil && value.Kind == "statement_block" {
			return
		}
	}
	if value == nil {
		return
	}
	value = inner(value)
	if to := w.other(value, w.resultType(n)); to != "" {
		w.replace(name, value, to)
	}
}

// resultType is what a function says in TypeScript that it returns, in one word; "" where it says nothing plain.
func (w *walker) resultType(n *node) string {
	for n != nil && !isFunction(n) {
		n = n.Parent
	}
	if n == nil || n.Child("return_type") == nil {
		return ""
	}
	t := strings.TrimSpace(strings.TrimPrefix(w.text(n.Child("return_type")), ":"))
	if of, ok := strings.CutPrefix(t, "Promise<"); ok {
		t = strings.TrimSuffix(of, ">")
	}
	return t
}

// other returns what a result may become; "" where there is nothing to choose.
func (w *walker) other(value *node, typ string) string {
	text := w.text(value)
	nothing := "undefined"
	if strings.HasSuffix(path.Ext(w.file), "ts") || path.Ext(w.file) == ".tsx" {
		nothing = "undefined as any" // whatever its type
	}
	switch value.Kind {
	case "true", "false":
		return otherBoolean(value.Kind)
	case "number":
		if strings.Trim(text, "0.n_") == "" {
			return strings.Replace(text, "0", "1", 1)
		}
		return "0" + strings.Repeat("n", strings.Count(text, "n"))
	case "string", "template_string":
		if len(text) > 2 {
			return `""`
		}
		return `"lane"`
	case "array":
		return filled(value, "[]", nothing)
	case "object":
		return filled(value, "{}", nothing)
	case "undefined":
		return ""
	case "jsx_element", "jsx_self_closing_element":
		return "null"
	case "unary_expression":
		switch w.text(value.Child("operator")) {
		case "!":
			return "!(" + text + ")"
		case "void":
			return ""
		}
	case "binary_expression":
		if op := w.text(value.Child("operator")); comparisons[op] != "" || op == "in" || op == "instanceof" {
			return "!(" + text + ")"
		}
	}
	switch typ {
	case "boolean":
		return "!(" + text + ")"
	case "number":
		return "0"
	case "string":
		return `""`
	case "void", "never":
		return ""
	}
	return nothing
}

// filled returns empty where a list or an object has anything in it.
func filled(value *node, empty, nothing string) string {
	for _, c := range value.Children {
		if c.Named && c.Kind != "comment" {
			return empty
		}
	}
	return nothing
}
