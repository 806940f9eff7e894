package syntax

import (
	"regexp"
	"strings"
)

// rust leaves what stands in macros alone: it is text to the grammar.
var rust = &language{
	grammar: "rust", extensions: []string{".rs"}, compiled: true,
	noCode: kinds("line_comment block_comment attribute_item inner_attribute_item use_declaration extern_crate_declaration token_tree macro_definition " +
		"type_arguments type_parameters reference_type array_type generic_type tuple_type function_type bounded_type where_clause trait_bounds " +
		"visibility_modifier struct_item type_item foreign_mod_item"),
	binary: kinds("binary_expression"), unary: kinds("unary_expression"), compound: kinds("compound_assignment_expr"),
	booleans: kinds("boolean_literal"), numbers: kinds("integer_literal float_literal"), constants: kinds("match_pattern array_expression.length enum_variant"),
	calculations: cCalculations, connections: andOr,
	precedences: map[string]int{
		"||": 1, "&&": 2, "==": 3, "!=": 3, "<": 3, ">": 3, "<=": 3, ">=": 3, "|": 4, "^": 5, "&": 6, "<<": 7, ">>": 7, "+": 8, "-": 8, "*": 9, "/": 9, "%": 9,
	},
	conditions: map[string]bool{"if_expression": false, "match_pattern": false, "while_expression": true}, always: "true", never: "false",
	functions: kinds("function_item"), classes: kinds("impl_item trait_item mod_item"),
	bodies: kinds("source_file declaration_list block match_block"),
	statement: map[string]string{
		"call_expression": "call", "assignment_expression": "assignment", "compound_assignment_expr": "assignment", "macro_invocation": "call",
	},
	empty: ";", loops: kinds("while_expression loop_expression for_expression"),
	jumps: map[string]string{"break_expression": "continue", "continue_expression": "break"},
	name: func(w *walker, n *node) string {
		if n.Kind == "impl_item" {
			t, _, _ := strings.Cut(w.text(n.Child("type")), "<")
			return t
		}
		return w.text(n.Child("name"))
	},
	results: rustResults, otherwise: rustResult, arid: rustArid, inTests: rustTest,
	dropped: func(w *walker, n *node) string {
		what := expressionStatement(w, n)
		if m := w.last(n); what != "" && m.Kind == "macro_invocation" && neverReturns[w.text(m.Child("macro"))] {
			return ""
		}
		return what
	},
	branches: func(w *walker, name string, n *node) {
		switch n.Kind {
		case "else_clause":
			if top := n.Parent.Parent; top.Kind == "expression_statement" && !isTail(top) {
				w.takeElse(name, n, n)
			}
		case "match_arm":
			if arms := w.parts(n.Parent); len(arms) > 1 && arms[len(arms)-1] != n && strings.TrimSpace(w.text(arms[len(arms)-1].Child("pattern"))) == "_" {
				w.takeCase(name, n)
			}
		}
	},
}

var neverReturns = kinds("panic unreachable todo unimplemented bail")

// isTail reports whether a statement is the last one of a block, whose value it may be.
func isTail(n *node) bool {
	p := n.Parent
	for i := n.Index() + 1; i < len(p.Children); i++ {
		if p.Children[i].Named && !isComment(p.Children[i]) {
			return false
		}
	}
	return n.Token(";") == nil
}

// rustResults are what return gives back and the last expressions of a body.
func rustResults(w *walker, fn *node) []*node {
	if fn.Child("return_type") == nil || fn.Child("body") == nil {
		return nil
	}
	out := w.returned(fn, "return_expression")
	var visit func(n *node)
	visit = func(n *node) {
		switch n.Kind {
		case "block", "unsafe_block", "expression_statement":
			if x := w.last(n); x != nil && n.Token(";") == nil {
				visit(x)
			}
		case "if_expression":
			visit(n.Child("consequence"))
			if e := n.Child("alternative"); e != nil && w.last(e) != nil {
				visit(w.last(e))
			}
		case "match_expression":
			for _, arm := range w.parts(n.Child("body")) {
				if v := arm.Child("value"); v != nil {
					visit(v)
				}
			}
		case "let_declaration", "return_expression", "macro_invocation", "loop_expression", "while_expression", "for_expression", "break_expression", "continue_expression",
			"function_item", "const_item", "static_item", "empty_statement":
		default:
			out = append(out, n)
		}
	}
	visit(fn.Child("body"))
	return out
}

var rustNumbers = kinds("u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize")

// rustText is a borrowed string, with or without a lifetime, its blanks left out.
var rustText = regexp.MustCompile(`^&('(_|static|[a-z]))?str$`)

// rustResult goes by the type that a function says.
func rustResult(w *walker, value, fn *node) string {
	t := strings.Join(strings.Fields(w.text(fn.Child("return_type"))), "")
	text := w.text(value)
	// A type may be named by its path, as in io::Result<usize>.
	head, arguments, _ := strings.Cut(t, "<")
	plain := head[strings.LastIndexByte(head, ':')+1:]
	switch {
	case t == "bool":
		return "!(" + text + ")"
	case rustNumbers[t]:
		return "0"
	case t == "f32" || t == "f64":
		return "0.0"
	case t == "String":
		return "String::new()"
	case rustText.MatchString(t):
		if len(text) == 2 {
			return `"lane"`
		}
		return `""`
	case plain == "Option":
		if text == "None" {
			return ""
		}
		return "None"
	case plain == "Vec":
		return "Vec::new()"
	case plain == "Result":
		if strings.HasPrefix(text, "Err(") || text == "Ok(())" {
			return ""
		}
		if strings.HasPrefix(arguments, "()") || t == "fmt::Result" || t == "std::fmt::Result" {
			return "Ok(())"
		}
		return "Ok(Default::default())"
	case strings.HasPrefix(t, "&"), strings.HasPrefix(t, "impl"), strings.HasPrefix(t, "("), strings.HasPrefix(t, "*"), t == "Self", t == "!",
		strings.HasPrefix(arguments, "dyn"), plain == "Ordering":
		return "" // nothing that is sure to be of the type
	}
	return "Default::default()"
}

var rustLogs = kinds("trace debug info warn error log eprintln eprint dbg")

func rustArid(w *walker, n *node) string {
	switch n.Kind {
	case "macro_invocation":
		name := w.text(n.Child("macro"))
		name = name[strings.LastIndexByte(name, ':')+1:]
		switch {
		case rustLogs[name]:
			return AridLog
		case strings.HasPrefix(name, "debug_assert") || strings.HasPrefix(name, "assert"):
			return AridAssertion
		}
	case "call_expression":
		if f := w.text(n.Child("function")); f == "Err" && n.Parent != nil && strings.HasPrefix(strings.TrimSpace(w.text(n.Child("arguments"))), "(\"") {
			return AridErrorText
		}
	case "impl_item":
		if t := w.text(n.Child("trait")); t == "Debug" || strings.HasSuffix(t, "::Debug") {
			return AridDebug
		}
	}
	return ""
}

// rustTest recognizes an item that is compiled for tests alone, by the attributes before it.
func rustTest(w *walker, n *node) bool {
	if n.Parent == nil || n.Kind == "attribute_item" {
		return false
	}
	for i := n.Index() - 1; i >= 0; i-- {
		a := n.Parent.Children[i]
		if isComment(a) {
			continue
		}
		if a.Kind != "attribute_item" {
			return false
		}
		text := strings.Join(strings.Fields(w.text(a)), "")
		if strings.HasPrefix(text, "#[cfg(test)") || strings.HasPrefix(text, "#[cfg(all(test") || text == "#[test]" || strings.HasSuffix(text, "::test]") || strings.HasPrefix(text, "#[bench") {
			return true
		}
	}
	return false
}
