package syntax

import (
	"bytes"
	"regexp"
)

// Reasons why a mutant is listed and counted, and not tested by default.
const (
	AridGenerated = "generated code"
	AridLog       = "log line"
	AridErrorText = "error text"
	AridDebug     = "debug text"
	AridAssertion = "assertion"
	AridTest      = "test in a file of code"
)

var generated = regexp.MustCompile(`(?i)generated\b.*\bdo not edit|@generated|automatically generated`)

// head is how much of a file may say that a tool wrote it, in bytes.
const head = 1024

// unwanted says why nobody would want tests that notice faults anywhere in a file; "" = somebody would.
func unwanted(src []byte, root *node) string {
	for _, c := range root.Children {
		if !isComment(c) || c.Start > head {
			break
		}
		if generated.Match(bytes.ReplaceAll(src[c.Start:c.End], []byte("\n"), []byte(" "))) {
			return AridGenerated
		}
	}
	return ""
}

// aridAt says why nobody would want a test that notices a fault at a node; "" = somebody would.
func (w *walker) aridAt(n *node) string {
	if w.everywhere != "" {
		return w.everywhere
	}
	first := n
	if n.Kind == "expression_statement" && w.last(n) != nil {
		first = w.last(n) // the statement is the call that it holds
	}
	why := w.arid(w, first)
	for ; n != nil; n = n.Parent {
		if why == "" {
			why = w.arid(w, n)
		}
		if w.inTests != nil && w.inTests(w, n) {
			return AridTest
		}
	}
	return why
}
