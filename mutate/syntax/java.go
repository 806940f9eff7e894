package syntax

import (
	"slices"
	"strings"
)

var java = &language{
	grammar: "java", extensions: []string{".java"}, compiled: true,
	noCode: kinds("line_comment block_comment import_declaration package_declaration annotation marker_annotation annotation_type_declaration " +
		"type_parameters type_arguments generic_type array_type module_declaration throws superclass super_interfaces assert_statement"),
	binary: kinds("binary_expression"), unary: kinds("unary_expression"), update: kinds("update_expression"),
	compound: kinds("assignment_expression"), booleans: kinds("true false"),
	numbers:      kinds("decimal_integer_literal hex_integer_literal octal_integer_literal binary_integer_literal decimal_floating_point_literal"),
	constants:    kinds("switch_label"),
	calculations: cCalculations, connections: andOr, precedences: cPrecedences,
	conditions: map[string]bool{"if_statement": false, "ternary_expression": false, "while_statement": true, "do_statement": true, "for_statement": true},
	always:     "true", never: "false",
	// What javac can tell is never run, it does not compile.
	plainLoops: true,
	neverLoop:  func(condition string) string { return "(" + condition + ") && false" },
	functions:  kinds("method_declaration constructor_declaration compact_constructor_declaration"),
	classes:    kinds("class_declaration interface_declaration enum_declaration record_declaration"),
	bodies:     kinds("program class_body interface_body enum_body enum_body_declarations block constructor_body switch_block switch_block_statement_group"),
	statement: map[string]string{
		"method_invocation": "call", "assignment_expression": "assignment", "update_expression": "step", "object_creation_expression": "call",
	},
	empty: ";", loops: kinds("while_statement do_statement for_statement enhanced_for_statement"), switches: kinds("switch_expression"),
	jumps:     map[string]string{"break_statement": "continue", "continue_statement": "break"},
	results:   func(w *walker, fn *node) []*node { return w.returned(fn, "return_statement") },
	otherwise: javaResult, dropped: expressionStatement, arid: javaArid,
	branches: func(w *walker, name string, n *node) {
		switch n.Kind {
		case "if_statement":
			if from, to := n.Token("else"), n.Child("alternative"); from != nil && to != nil {
				w.takeElse(name, from, to)
			}
		case "switch_block_statement_group", "switch_rule":
			if parts := w.parts(n); len(parts) > 1 && strings.HasPrefix(w.text(parts[0]), "case") {
				w.takeCase(name, n)
			}
		}
	},
}

var javaNumbers = strings.Fields("int long short byte char float double")

// javaResult goes by the type that a method says.
func javaResult(w *walker, value, fn *node) string {
	t := w.text(fn.Child("type"))
	switch {
	case t == "" || t == "void":
		return ""
	case t == "Boolean" && value.Kind == "null_literal":
		return ""
	case t == "boolean" || t == "Boolean":
		return "!(" + w.text(value) + ")"
	case slices.Contains(javaNumbers, t):
		return "0"
	case t == "String" || t == "CharSequence":
		if len(w.text(value)) > 2 {
			return `""`
		}
		return `"lane"`
	case value.Kind == "null_literal":
		return ""
	}
	return "null"
}

var javaLevels = strings.Fields("log trace debug info warn warning error severe fine finer finest config")

func javaArid(w *walker, n *node) string {
	switch n.Kind {
	case "method_invocation":
		name, object := w.text(n.Child("name")), strings.ToLower(w.text(n.Child("object")))
		object = object[strings.LastIndexByte(object, '.')+1:]
		if slices.Contains(javaLevels, name) && (object == "log" || object == "logger" || strings.HasSuffix(object, "logger")) {
			return AridLog
		}
		if object == "err" && strings.HasPrefix(name, "print") {
			return AridLog
		}
		if name == "printStackTrace" {
			return AridLog
		}
	case "argument_list":
		if n.Parent.Kind == "object_creation_expression" {
			if t := w.text(n.Parent.Child("type")); strings.HasSuffix(t, "Exception") || strings.HasSuffix(t, "Error") {
				return AridErrorText
			}
		}
	case "method_declaration":
		if w.text(n.Child("name")) == "toString" {
			return AridDebug
		}
	}
	return ""
}
