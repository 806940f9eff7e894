package lane

import (
	"github.com/vallane/lane/mutate/golang"
	"github.com/vallane/lane/mutate/javascript"
	"github.com/vallane/lane/mutate/python"
	scripts "github.com/vallane/lane/mutate/shell"
	"github.com/vallane/lane/mutate/syntax"
	"github.com/vallane/lane/mutate/text"
)

// OperatorDoc names an operator of a language and says what faults it puts in.
type OperatorDoc struct{ Language, Name, Doc string }

// Operators lists the operators of all languages, in the order in which a place is mutated.
func Operators() (out []OperatorDoc) {
	add := func(language, name, doc string) { out = append(out, OperatorDoc{language, name, doc}) }
	for _, o := range golang.Operators() {
		add("Go", o.Name, o.Doc)
	}
	for _, o := range python.Operators() {
		if o.Name != unusual {
			add("Python", o.Name, o.Doc)
		}
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
