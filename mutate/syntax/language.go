package syntax

import (
	"path"
	"slices"
	"strings"

	"github.com/vallane/lane/mutate/treesitter"
)

// set is kinds of nodes.
type set map[string]bool

func kinds(words string) set {
	s := set{}
	for _, w := range strings.Fields(words) {
		s[w] = true
	}
	return s
}

// language says what the nodes of a grammar stand for. Fields name kinds of nodes where nothing else is said.
type language struct {
	grammar    treesitter.Language
	extensions []string
	compiled   bool

	noCode    set // that no program runs: types, imports, annotations
	binary    set // with fields left, operator, right
	unary     set // an operator, then its operand
	update    set // x++
	compound  set // a += b, with a field operator
	booleans  set // `true` and `false`
	numbers   set
	constants set // inside of which numbers are no values: patterns, sizes of arrays

	calculations map[string]string // operators that replace each other
	connections  map[string]string
	precedences  map[string]int // of binary operators; what is missing binds tighter

	conditions map[string]bool // kinds with a field condition; true: a loop
	inverted   set             // those of conditions that go on while it is false
	always     string          // a condition that holds
	never      string
	neverLoop  func(condition string) string // of a loop, where the compiler refuses code that it can tell is never run

	plainLoops bool // the literal that is all of a loop's condition has to stay: the compiler looks at it

	functions set
	classes   set               // and all else that names what is in it
	bodies    set               // whose children are statements
	statement map[string]string // an expression that may be left out as a statement, and what people call it
	empty     string            // in place of a statement
	loops     set
	switches  set               // inside of which break has another sense than in a loop
	jumps     map[string]string // kind to the word that takes its place

	name      func(w *walker, n *node) string // of a function or class; nil: its field name
	results   func(w *walker, fn *node) []*node
	otherwise func(w *walker, value, fn *node) string // what a result may become besides the values of literals; "" = nothing
	branches  func(w *walker, name string, n *node)
	dropped   func(w *walker, n *node) string // what is taken away with a statement; "" = nothing
	arid      func(w *walker, n *node) string // asked of a node and everything around it
	inTests   func(w *walker, n *node) bool   // a test in a file of code
}

// languages by the extensions of their files.
var languages = byExtension(rust, java, ruby, c)

func grammarOf(file string) treesitter.Language { return languages[path.Ext(file)].grammar }

func byExtension(all ...*language) map[string]*language {
	out := map[string]*language{}
	for _, l := range all {
		for _, ext := range l.extensions {
			out[ext] = l
		}
	}
	return out
}

// Extensions lists the extensions of files that are read, sorted.
func Extensions() []string {
	var out []string
	for ext := range languages {
		out = append(out, ext)
	}
	slices.Sort(out)
	return out
}

// Compiled reports whether a file is of a language that is compiled: a mutant of it may be no program.
func Compiled(p string) bool { return languages[path.Ext(p)] != nil && languages[path.Ext(p)].compiled }

var testFolders = strings.Fields("test tests t spec specs")

// IsTest reports whether a path of a tree is a test, by what people of these languages go by.
func IsTest(p string) bool {
	ext := path.Ext(p)
	if languages[ext] == nil {
		return false
	}
	stem := strings.TrimSuffix(path.Base(p), ext)
	for _, end := range []string{"_test", "-test", ".test", "_tests", "_spec", ".spec", "Test", "Tests", "TestCase"} {
		if strings.HasSuffix(stem, end) {
			return true
		}
	}
	if ext == ".rs" && (stem == "tests" || stem == "test") || ext == ".rb" && (strings.HasPrefix(stem, "test_") || stem == "spec_helper") {
		return true
	}
	return slices.ContainsFunc(strings.Split(path.Dir(p), "/"), func(d string) bool { return slices.Contains(testFolders, d) })
}

// IsSource reports whether a path is code that tests may run.
func IsSource(p string) bool { return languages[path.Ext(p)] != nil && !IsTest(p) }
