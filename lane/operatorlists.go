package lane

import (
	"github.com/vallane/lane/mutate/golang"
	"github.com/vallane/lane/mutate/javascript"
	"github.com/vallane/lane/mutate/python"
	scripts "github.com/vallane/lane/mutate/shell"
	"github.com/vallane/lane/mutate/syntax"
	"github.com/vallane/lane/mutate/text"
)

// OperatorDoc names an operator of a language and says what faults it puts in. A Named one is used only where lane mutate names it, and by
// no check.
type OperatorDoc struct {
	Language, Name, Doc string
	Named               bool
}

// Operators lists the operators of all languages, in the order in which a place is mutated.
func Operators() (out []OperatorDoc) {
	add := func(language, name, doc string) { out = append(out, OperatorDoc{language, name, doc, false}) }
	for _, o := range golang.Operators() {
		out = append(out, OperatorDoc{"Go", o.Name, o.Doc, o.Named})
	}
	for _, o := range python.Operators() {
		out = append(out, OperatorDoc{"Python", o.Name, o.Doc, o.Name == unusual})
	}
	for _, o := range javascript.Operators() {
		add("JavaScript, TypeScript", o.Name, o.Doc)
	}
	for _, o := range syntax.Operators() {
		add("Rust, Java, Ruby, C", o.Name, o.Doc)
	}
	for _, o := range scripts.Operators() {
		add("shell", o.Name, o.Doc)
	}
	for _, o := range text.Operators() {
		add("other files", o.Name, o.Doc)
	}
	return out
}
