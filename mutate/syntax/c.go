package syntax

import "strings"

// c is C as gcc and clang take it.
var c = &language{
	grammar: "c", extensions: []string{".c", ".h"}, compiled: true,
	noCode: kinds("comment preproc_include preproc_function_def preproc_call type_descriptor struct_specifier union_specifier parameter_list " +
		"attribute_specifier attribute_declaration gnu_asm_expression static_assert_declaration preproc_if.condition preproc_elif.condition"),
	binary: kinds("binary_expression"), unary: kinds("unary_expression"), update: kinds("update_expression"),
	compound: kinds("assignment_expression"), booleans: kinds("true false"), numbers: kinds("number_literal preproc_arg"),
	constants:    kinds("array_declarator.size bitfield_clause case_statement.value subscript_designator"),
	calculations: cCalculations, connections: andOr, precedences: cPrecedences,
	conditions: map[string]bool{"if_statement": false, "conditional_expression": false, "while_statement": true, "do_statement": true, "for_statement": true},
	always:     "1", never: "0",
	functions: kinds("function_definition"), bodies: kinds("translation_unit compound_statement case_statement preproc_ifdef preproc_if preproc_else preproc_elif"),
	statement: map[string]string{"call_expression": "call", "assignment_expression": "assignment", "update_expression": "step"}, empty: ";",
	loops: kinds("while_statement do_statement for_statement"), switches: kinds("switch_statement"),
	jumps:     map[string]string{"break_statement": "continue", "continue_statement": "break"},
	name:      func(w *walker, n *node) string { return w.text(declared(n)) },
	results:   func(w *walker, fn *node) []*node { return w.returned(fn, "return_statement") },
	otherwise: cResult, dropped: expressionStatement, arid: cArid,
	branches: func(w *walker, name string, n *node) {
		switch n.Kind {
		case "else_clause":
			w.takeElse(name, n, n)
		case "case_statement":
			if n.Child("value") != nil && len(w.parts(n)) > 1 {
				w.takeCase(name, n)
			}
		}
	},
}

var (
	cCalculations = map[string]string{"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "<<": ">>", ">>": "<<", ">>>": "<<", "&": "|", "|": "&", "^": "&"}
	cPrecedences  = map[string]int{
		"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8, ">>>": 8,
		"+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
	}
)

// declared is the name that a declarator gives, below pointers and parameters.
func declared(n *node) *node {
	for n != nil && n.Kind != "identifier" {
		n = n.Child("declarator")
	}
	return n
}

// cResult goes by the type that a function says.
func cResult(w *walker, value, fn *node) string {
	text := w.text(value)
	switch text {
	case "EXIT_SUCCESS":
		return "EXIT_FAILURE"
	case "EXIT_FAILURE":
		return "EXIT_SUCCESS"
	case `'\0'`:
		return "" // the same as 0
	}
	if d := fn.Child("declarator"); d != nil && d.Kind == "pointer_declarator" {
		if value.Kind == "null" || text == "0" {
			return ""
		}
		return "0"
	}
	t := fn.Child("type")
	switch {
	case t == nil || w.text(t) == "void" || t.Kind != "primitive_type" && t.Kind != "sized_type_specifier" && !strings.HasSuffix(w.text(t), "_t"):
		return ""
	case w.text(t) == "bool" || w.text(t) == "_Bool":
		return "!(" + text + ")"
	}
	return "0"
}

var cLogs = kinds("perror syslog vsyslog warn warnx err errx verr verrx error assert static_assert log_debug log_info log_warn log_error")

func cArid(w *walker, n *node) string {
	if n.Kind != "call_expression" {
		return ""
	}
	name := w.text(n.Child("function"))
	args := w.parts(n.Child("arguments"))
	switch {
	case name == "assert" || name == "static_assert":
		return AridAssertion
	case cLogs[name], (name == "fprintf" || name == "fputs" || name == "vfprintf" || name == "fwrite") && len(args) > 0 && hasText(w, args, "stderr"):
		return AridLog
	}
	return ""
}

func hasText(w *walker, nodes []*node, text string) bool {
	for _, n := range nodes {
		if w.text(n) == text {
			return true
		}
	}
	return false
}
