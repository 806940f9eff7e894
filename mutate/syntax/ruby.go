package syntax

import "strings"

var ruby = &language{
	grammar: "ruby", extensions: []string{".rb"},
	noCode: kinds("comment uninterpreted heredoc_beginning superclass undef alias"),
	binary: kinds("binary"), unary: kinds("unary"), compound: kinds("operator_assignment"), booleans: kinds("true false"),
	numbers: kinds("integer float"), constants: kinds("pattern"),
	calculations: map[string]string{"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "**": "*", "&": "|", "|": "&", "^": "&"},
	connections:  map[string]string{"&&": "||", "||": "&&", "and": "or", "or": "and"},
	precedences: map[string]int{
		"and": 1, "or": 1, "||": 3, "&&": 4, "<=>": 5, "==": 5, "!=": 5, "=~": 5, "!~": 5, "===": 5, "<": 6, "<=": 6, ">": 6, ">=": 6, "|": 7, "^": 7, "&": 8,
		"<<": 9, ">>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "%": 11, "**": 13,
	},
	conditions: map[string]bool{
		"if": false, "elsif": false, "unless": false, "conditional": false, "if_modifier": false, "unless_modifier": false,
		"while": true, "until": true, "while_modifier": true, "until_modifier": true,
	},
	inverted: kinds("unless unless_modifier until until_modifier"), always: "true", never: "false",
	functions: kinds("method singleton_method"), classes: kinds("class module"),
	bodies: kinds("program body_statement then else do block_body begin ensure begin_block class module"),
	empty:  "nil", loops: kinds("while until for while_modifier until_modifier block do_block"),
	jumps:   map[string]string{"break": "next", "next": "break"},
	results: rubyResults, otherwise: rubyResult, dropped: rubyStatement, arid: rubyArid,
	branches: func(w *walker, name string, n *node) {
		switch n.Kind {
		case "else":
			w.takeElse(name, n, n)
		case "when", "in_clause":
			if parts := w.parts(n.Parent); len(parts) > 2 {
				w.takeCase(name, n)
			}
		}
	},
}

// rubyNames are calls that define, load or hide; without them nothing of a file works, which says nothing of its tests.
var rubyNames = kinds("require require_relative load autoload include extend prepend attr_reader attr_writer attr_accessor private protected public " +
	"module_function private_constant private_class_method using refine alias_method raise fail")

func rubyStatement(w *walker, n *node) string {
	if n.Parent == nil || !w.bodies[n.Parent.Kind] {
		return ""
	}
	if p := n.Parent.Parent; p != nil && (p.Kind == "class" || p.Kind == "module" || p.Kind == "singleton_class") {
		return ""
	}
	switch n.Kind {
	case "call":
		name := w.text(n.Child("method"))
		if n.Child("receiver") == nil && (name == "raise" || name == "fail") {
			return "exception"
		}
		if rubyNames[name] {
			return ""
		}
		return "call"
	case "operator_assignment":
		return "assignment"
	case "assignment":
		// Without its first assignment a local variable is no name any more.
		if left := n.Child("left"); left != nil && left.Kind != "identifier" && left.Kind != "constant" && left.Kind != "left_assignment_list" {
			return "assignment"
		}
	}
	return ""
}

// rubyResults are what return gives back and the last expressions of a method.
func rubyResults(w *walker, fn *node) (out []*node) {
	for _, r := range w.returned(fn, "return") {
		if parts := w.parts(r); r.Kind != "argument_list" || len(parts) == 1 {
			if r.Kind == "argument_list" {
				r = parts[0]
			}
			out = append(out, r)
		}
	}
	var visit func(n *node)
	visit = func(n *node) {
		if n == nil {
			return
		}
		switch n.Kind {
		case "body_statement", "then", "else", "begin":
			for _, p := range w.parts(n) {
				if p.Kind != "rescue" && p.Kind != "ensure" && p.Kind != "else" && isClause(w, n, p) {
					visit(p)
				}
			}
		case "if", "unless", "elsif":
			visit(n.Child("consequence"))
			visit(n.Child("alternative"))
		case "case":
			for _, p := range w.parts(n) {
				if p.Kind == "when" {
					visit(p.Child("body"))
				} else if p.Kind == "else" {
					visit(p)
				}
			}
		case "heredoc_body", "heredoc_beginning", "return", "while", "until", "for", "method", "if_modifier", "unless_modifier", "while_modifier", "until_modifier", "assignment", "operator_assignment",
			"rescue", "ensure", "super", "yield", "next", "break", "class", "module", "retry", "redo":
		default:
			out = append(out, n)
		}
	}
	visit(fn.Child("body"))
	return out
}

// isClause reports whether only rescue, else or ensure follow a part, or a text that belongs to it.
func isClause(w *walker, n, part *node) bool {
	after := false
	for _, p := range w.parts(n) {
		if after && p.Kind != "heredoc_body" && p.Kind != "rescue" && p.Kind != "ensure" && p.Kind != "else" {
			return false
		}
		after = after || p == part
	}
	return after
}

func rubyResult(w *walker, value, fn *node) string {
	if strings.HasSuffix(w.text(fn.Child("name")), "=") || w.text(fn.Child("name")) == "initialize" {
		return "" // nobody gets it
	}
	text := w.text(value)
	filled := len(w.parts(value)) > 0
	switch value.Kind {
	case "integer", "float":
		return "0"
	case "string":
		if text == `""` || text == "''" {
			return `"lane"`
		}
		return `""`
	case "array":
		if filled {
			return "[]"
		}
	case "hash":
		if filled {
			return "{}"
		}
	case "nil":
		return ""
	case "call":
		if value.Child("receiver") == nil && rubyNames[w.text(value.Child("method"))] {
			return ""
		}
	}
	return "nil"
}

var rubyLevels = kinds("debug info warn error fatal unknown")

func rubyArid(w *walker, n *node) string {
	switch n.Kind {
	case "call":
		name := w.text(n.Child("method"))
		receiver := strings.ToLower(w.text(n.Child("receiver")))
		receiver = receiver[strings.LastIndexByte(receiver, '.')+1:]
		switch {
		case rubyLevels[name] && (receiver == "log" || receiver == "logger" || receiver == "@logger" || strings.HasSuffix(receiver, "logger")):
			return AridLog
		case name == "warn" && receiver == "" && n.Child("arguments") != nil, receiver == "$stderr" || receiver == "stderr":
			return AridLog
		}
	case "argument_list":
		p := n.Parent
		if p.Kind == "call" && p.Child("receiver") == nil && (w.text(p.Child("method")) == "raise" || w.text(p.Child("method")) == "fail") {
			return AridErrorText
		}
		if p.Kind == "call" && w.text(p.Child("method")) == "new" && (strings.HasSuffix(w.text(p.Child("receiver")), "Error") || strings.HasSuffix(w.text(p.Child("receiver")), "Exception")) {
			return AridErrorText
		}
	case "method":
		if w.text(n.Child("name")) == "inspect" {
			return AridDebug
		}
	}
	return ""
}
