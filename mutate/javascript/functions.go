package javascript

import (
	"slices"
	"strings"
)

// isFunction reports whether a node is a function with a body of its own.
func isFunction(n *node) bool {
	switch n.Kind {
	case "function_declaration", "function_expression", "generator_function_declaration", "generator_function", "arrow_function", "method_definition":
		return true
	}
	return false
}

// function names the place of a node as people do: "total", "Order.total", "outer.inner"; "" outside of functions that have a name.
func (w *walker) function(n *node) string {
	var names []string
	inside := false
	for ; n != nil; n = n.Parent {
		inside = inside || isFunction(n)
		if name := w.name(n); name != "" {
			names = append(names, name)
		}
	}
	if !inside {
		return ""
	}
	slices.Reverse(names)
	return strings.Join(names, ".")
}

// name is how a function or a class is called, by its own name or by what it is assigned to; "" for other nodes.
func (w *walker) name(n *node) string {
	switch n.Kind {
	case "class_declaration", "abstract_class_declaration", "class", "internal_module":
	default:
		if !isFunction(n) {
			return ""
		}
	}
	if name := n.Child("name"); name != nil {
		return strings.Trim(w.text(name), `'"[]`)
	}
	p := n.Parent
	for p != nil && p.Kind == "parenthesized_expression" {
		p = p.Parent
	}
	if p == nil {
		return ""
	}
	field := map[string]string{"variable_declarator": "name", "assignment_expression": "left", "pair": "key", "field_definition": "property", "public_field_definition": "name"}[p.Kind]
	if target := p.Child(field); field != "" && target != nil && target != n {
		text := strings.Trim(w.text(target), `'"[]`)
		for _, prefix := range []string{"module.exports.", "exports.", "this."} {
			text = strings.TrimPrefix(text, prefix)
		}
		return oneLine(text)
	}
	return ""
}
