package shell

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/vallane/lane/mutate/edit"
)

// Reasons why a mutant is listed and counted, and not tested by default.
const (
	AridGenerated = "generated code"
	AridLog       = "log line"
	AridOption    = "option of the shell"
)

// walker visits the nodes of one script.
type walker struct {
	everywhere string // why nobody would want a test that notices a fault anywhere in it; "" = somebody would
	f          *edit.File
	operators  []string
	stack      []syntax.Node
}

func (w *walker) walk(file *syntax.File) {
	syntax.Walk(file, func(n syntax.Node) bool {
		if n == nil {
			w.stack = w.stack[:len(w.stack)-1]
			return true
		}
		w.stack = append(w.stack, n)
		w.visit(n)
		switch n := n.(type) {
		case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.BinaryArithm, *syntax.ParenArithm:
			w.operands(n)
		}
		return true
	})
}

// operands makes the faults of numbers in arithmetic.
func (w *walker) operands(n syntax.Node) {
	var parts []syntax.ArithmExpr
	switch n := n.(type) {
	case *syntax.ArithmExp:
		parts = []syntax.ArithmExpr{n.X}
	case *syntax.ArithmCmd:
		parts = []syntax.ArithmExpr{n.X}
	case *syntax.ParenArithm:
		parts = []syntax.ArithmExpr{n.X}
	case *syntax.BinaryArithm:
		parts = []syntax.ArithmExpr{n.X, n.Y}
	}
	for _, p := range parts {
		if word, ok := p.(*syntax.Word); ok {
			w.number(word)
		}
	}
}

func (w *walker) text(n syntax.Node) string { return string(w.f.Src[n.Pos().Offset():w.endOf(n)]) }

// endOf is where a node ends. The parser calls the end of a script's last word one beyond it where no newline follows.
func (w *walker) endOf(n syntax.Node) int { return min(int(n.End().Offset()), len(w.f.Src)) }

// end is where a statement ends, without what separates it from the next one.
func (w *walker) end(s *syntax.Stmt) int {
	end := int(s.Pos().Offset())
	if s.Cmd != nil {
		end = max(end, w.endOf(s.Cmd))
	}
	for _, r := range s.Redirs {
		end = max(end, w.endOf(r))
	}
	return end
}

// words are those of a command; "" for one that the shell makes up as it runs.
func (w *walker) words(call *syntax.CallExpr) (out []string) {
	for _, a := range call.Args {
		out = append(out, a.Lit())
	}
	return out
}

func (w *walker) replace(name string, from syntax.Pos, end int, text, say string) {
	w.fault(name, int(from.Offset()), end, text, say)
}

func (w *walker) fault(name string, start, end int, text, say string) {
	if w.operators != nil && !slices.Contains(w.operators, name) || start > end {
		return
	}
	x := edit.Fault{Operator: name, Start: start, End: end, Text: text, Say: say}
	if start == end {
		x.To = end + 1
		x.From = start
	}
	for _, n := range w.stack {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			if n.Name != nil {
				x.Func = n.Name.Value
			}
		case *syntax.Stmt:
			line, _, _ := strings.Cut(string(w.f.Src[n.Pos().Offset():w.end(n)]), "\n")
			x.Context = strings.Join(strings.Fields(line), " ")
			if why := w.arid(n); why != "" {
				x.Arid = why
			}
		}
	}
	if w.everywhere != "" {
		x.Arid = w.everywhere
	}
	w.f.Add(x)
}

// generated is what tools write into the scripts that they make: Autoconf's configure, Gradle's and Maven's wrappers, and what says so as
// https://go.dev/s/generatedcode does.
var generated = regexp.MustCompile(`(?im)^#.*(\bgenerated\b.*\bdo not edit|@generated|\bgenerated (automatically )?by\b|automatically generated|\bmaven( start up batch script| wrapper startup)\b)`)

// unwanted says why nobody would want tests that notice faults anywhere in a script; "" = somebody would. What comes before the first command
// says it.
func unwanted(src []byte, file *syntax.File) string {
	end := len(src)
	if len(file.Stmts) > 0 {
		end = int(file.Stmts[0].Pos().Offset())
	}
	if generated.Match(src[:min(end, len(src))]) {
		return AridGenerated
	}
	return ""
}

// arid says why nobody would want a test that notices a fault in a command; "" = somebody would.
func (w *walker) arid(s *syntax.Stmt) string {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok {
		return ""
	}
	words := w.words(call)
	if len(words) == 0 {
		return ""
	}
	switch words[0] {
	case "logger":
		return AridLog
	case "set", "shopt", "ulimit", "umask":
		return AridOption
	case "echo", "printf", "cat":
		for _, r := range s.Redirs {
			if r.Op == syntax.DplOut && r.Word.Lit() == "2" || r.Word != nil && r.Word.Lit() == "/dev/stderr" {
				return AridLog
			}
		}
	}
	return ""
}
