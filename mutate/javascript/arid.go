package javascript

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Reasons why a mutant is listed and counted, and not tested by default.
const (
	AridGenerated = "generated code"
	AridMinified  = "minified code"
	AridLog       = "log line"
	AridErrorText = "error text"
	AridExport    = "what a module exports"
	AridProgram   = "run as a program only"
)

var generated = regexp.MustCompile(`(?i)generated\b.*\bdo not edit|@generated`)

// longLine is what no person writes, in bytes, as the mean of a file.
const longLine = 400

// unwanted says why nobody would want tests that notice faults anywhere in a file; "" = somebody would.
func unwanted(file string, src []byte, root *node) string {
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	if strings.HasSuffix(stem, ".min") || strings.HasSuffix(stem, "-min") || len(src) > 10*longLine && len(src)/(bytes.Count(src, []byte("\n"))+1) > longLine {
		return AridMinified
	}
	for _, c := range root.Children {
		if c.Kind != "comment" && c.Kind != "hash_bang_line" && !isDirective(c) {
			break
		}
		if c.Kind == "comment" && generated.MatchString(c.Text(src)) {
			return AridGenerated
		}
	}
	return ""
}

// isDirective reports whether a statement is 'use strict' or its like.
func isDirective(n *node) bool {
	return n.Kind == "expression_statement" && len(n.Children) > 0 && n.Children[0].Kind == "string"
}

// arid says why nobody would want a test that notices a fault at a node; "" = somebody would.
func (w *walker) arid(n *node) string {
	if w.everywhere != "" {
		return w.everywhere
	}
	if w.isExport(n) {
		return AridExport
	}
	crossed := false // code of its own, wherever it is written
	for c := n; c != nil; c = c.Parent {
		switch {
		case c.Kind == "if_statement" && w.isProgram(c) && !within(n, c.Child("condition")):
			return AridProgram
		case crossed:
		case w.isLog(c), c.Kind == "expression_statement" && len(c.Children) > 0 && w.isLog(inner(c.Children[0])):
			return AridLog
		case c.Kind == "arguments" && w.isErrorText(c):
			return AridErrorText
		}
		crossed = crossed || isFunction(c)
	}
	return ""
}

func within(n, above *node) bool {
	for ; n != nil; n = n.Parent {
		if n == above {
			return true
		}
	}
	return false
}

// isProgram recognizes the part of a file that runs only where it is the program itself.
func (w *walker) isProgram(n *node) bool {
	c := n.Child("condition")
	if c == nil {
		return false
	}
	text := strings.Join(strings.Fields(w.text(inner(c))), "")
	return slices.Contains([]string{"require.main===module", "module===require.main", "require.main==module", "import.meta.main"}, text)
}

var logLevels = strings.Fields("log info warn warning error debug trace verbose silly notice fatal dir table time timeEnd group groupEnd success")

// isLog recognizes the calls of loggers by the names that they go by.
func (w *walker) isLog(n *node) bool {
	if n.Kind != "call_expression" || n.Child("function") == nil {
		return false
	}
	f := n.Child("function")
	if f.Kind == "identifier" {
		return w.text(f) == "debug" || w.text(f) == "debuglog"
	}
	if f.Kind != "member_expression" {
		return false
	}
	owner, level := f.Child("object"), w.text(f.Child("property"))
	if owner.Kind == "member_expression" {
		owner = owner.Child("property")
	}
	name := strings.ToLower(w.text(owner))
	return (name == "console" || name == "log" || strings.HasSuffix(name, "logger")) && slices.Contains(logLevels, level)
}

// isErrorText recognizes arguments that only end up in front of a person who reads an error.
func (w *walker) isErrorText(args *node) bool {
	call := args.Parent
	if call.Kind != "new_expression" && call.Kind != "call_expression" {
		return false
	}
	what := call.Child("constructor")
	if what == nil {
		what = call.Child("function")
	}
	name := w.text(what)
	name = name[strings.LastIndexByte(name, '.')+1:]
	return strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception") || call.Kind == "new_expression" && call.Parent.Kind == "throw_statement"
}
