package shell

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/vallane/lane/mutate/edit"
)

// OperatorDoc names an operator and says what it does.
type OperatorDoc struct{ Name, Doc string }

// Operators lists all operators. Those that do what they do in Go have the same names.
func Operators() []OperatorDoc {
	return []OperatorDoc{
		{"boundary", "`-lt` becomes `-le`, `<` becomes `<=` in arithmetic, and back"},
		{"comparison", "a test becomes its negation: `-eq` becomes `-ne`, `=` becomes `!=`, `-n` becomes `-z`, `-f x` becomes `! -f x`"},
		{"logical", "`&&` becomes `||`, `-a` between tests becomes `-o`, and back"},
		{"unary", "`! command` becomes `command`; so do tests and operands of arithmetic without their `!`, `-` and `~`"},
		{"arithmetic", "`+` becomes `-`, `*` becomes `/`, `%` becomes `*`, and back; also in assignments"},
		{"incdec", "`x++` becomes `x--`, and back"},
		{"constant", "a number in arithmetic or in a test is one more"},
		{"condition", "a condition always holds, or never; a loop is never entered"},
		{"return", "an exit status becomes 1 where it is 0, and 0 where it is not; `true` becomes `false`, and back"},
		{"statement", "a command or an assignment is taken away"},
		{"branch", "an else or a case is taken away"},
		{"jump", "`break` becomes `continue`, and back"},
	}
}

var (
	bounds    = map[string]string{"-lt": "-le", "-le": "-lt", "-gt": "-ge", "-ge": "-gt"}
	negations = map[string]string{
		"-eq": "-ne", "-ne": "-eq", "-lt": "-ge", "-ge": "-lt", "-gt": "-le", "-le": "-gt", "=": "!=", "==": "!=", "!=": "=", "-n": "-z", "-z": "-n",
	}
	sums = map[string]string{
		"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "^": "&", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "%=": "*=",
	}
	signBounds    = map[string]string{"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
	signNegations = map[string]string{"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
	connections   = map[string]string{"&&": "||", "||": "&&"}
	joints        = map[string]string{"-a": "-o", "-o": "-a"}
	fileTests     = " -a -b -c -d -e -f -g -h -k -p -r -s -t -u -w -x -L -O -G -S -N "
)

// visit makes the faults of one node.
func (w *walker) visit(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.BinaryCmd:
		w.swap("logical", n.OpPos, n.Op.String(), connections)
	case *syntax.BinaryTest:
		op := n.Op.String()
		w.swap("logical", n.OpPos, op, connections)
		w.swap("boundary", n.OpPos, op, bounds)
		w.swap("comparison", n.OpPos, op, negations)
	case *syntax.UnaryTest:
		w.unaryTest(n.OpPos, n.Op.String())
		if n.Op == syntax.TsNot {
			w.unsigned(n.OpPos, n.X)
		}
	case *syntax.BinaryArithm:
		op := n.Op.String()
		w.swap("logical", n.OpPos, op, connections)
		w.swap("boundary", n.OpPos, op, signBounds)
		w.swap("comparison", n.OpPos, op, signNegations)
		w.swap("arithmetic", n.OpPos, op, sums)
	case *syntax.UnaryArithm:
		w.swap("incdec", n.OpPos, n.Op.String(), map[string]string{"++": "--", "--": "++"})
		if n.Op == syntax.Not || n.Op == syntax.Minus || n.Op == syntax.BitNegation {
			w.unsigned(n.OpPos, n.X)
		}
	case *syntax.IfClause:
		w.ifClause(n)
	case *syntax.WhileClause:
		if n.Until {
			w.condition(n.Cond, "true")
		} else {
			w.condition(n.Cond, "false")
		}
	case *syntax.CaseItem:
		last := n.Patterns[len(n.Patterns)-1]
		patterns := string(w.f.Src[n.Patterns[0].Pos().Offset():w.endOf(last)])
		w.replace("branch", n.Pos(), w.endOf(n), "", "case `"+edit.OneLine(patterns)+")` taken away")
	case *syntax.Stmt:
		w.command(n)
	}
}

// swap replaces an operator by another one.
func (w *walker) swap(name string, at syntax.Pos, from string, swaps map[string]string) {
	if to := swaps[from]; to != "" && strings.HasPrefix(string(w.f.Src[at.Offset():]), from) {
		w.fault(name, int(at.Offset()), int(at.Offset())+len(from), to, edit.Swap(from, to))
	}
}

// unsigned takes the sign before an operand away.
func (w *walker) unsigned(at syntax.Pos, operand syntax.Node) {
	sign := strings.TrimSpace(string(w.f.Src[at.Offset():operand.Pos().Offset()]))
	w.fault("unary", int(at.Offset()), int(operand.Pos().Offset()), "", "`"+sign+"` taken away")
}

func (w *walker) unaryTest(at syntax.Pos, op string) {
	w.swap("comparison", at, op, negations)
	if strings.Contains(fileTests, " "+op+" ") {
		w.fault("comparison", int(at.Offset()), int(at.Offset()), "! ", edit.Swap(op, "! "+op))
	}
}

// condition makes a condition hold, or not.
func (w *walker) condition(cond []*syntax.Stmt, values ...string) {
	if len(cond) == 0 {
		return
	}
	start, end := cond[0].Pos(), w.end(cond[len(cond)-1])
	for _, v := range values {
		if text := string(w.f.Src[start.Offset():end]); text != v {
			w.fault("condition", int(start.Offset()), end, v, edit.Swap(text, v))
		}
	}
}

func (w *walker) ifClause(n *syntax.IfClause) {
	w.condition(n.Cond, "true", "false")
	if e := n.Else; e != nil && len(e.Cond) == 0 && len(e.Then) > 0 {
		w.replace("branch", e.Position, w.endOf(e.Then[len(e.Then)-1]), "", "`else` taken away")
	}
}

// command makes the faults of one statement.
func (w *walker) command(s *syntax.Stmt) {
	if s.Negated && s.Cmd != nil {
		w.fault("unary", int(s.Pos().Offset()), int(s.Cmd.Pos().Offset()), "", "`!` taken away")
	}
	if d, ok := s.Cmd.(*syntax.DeclClause); ok && gives(d) {
		w.remove(s, "assignment")
		return
	}
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || hasHereDocument(s) {
		return
	}
	words := w.words(call)
	switch {
	case len(words) == 0:
		w.remove(s, "assignment")
		return
	case words[0] == "[" || words[0] == "test":
		w.test(call, words)
		return
	case len(words) == 1 && (words[0] == "true" || words[0] == "false"):
		w.swapWord("return", call.Args[0], map[string]string{"true": "false", "false": "true"}[words[0]])
		return
	case words[0] == "break" || words[0] == "continue":
		w.swapWord("jump", call.Args[0], map[string]string{"break": "continue", "continue": "break"}[words[0]])
		return
	case words[0] == ":":
		return
	case len(words) == 2 && (words[0] == "exit" || words[0] == "return"):
		if n, err := strconv.Atoi(words[1]); err == nil && n == 0 {
			w.swapWord("return", call.Args[1], "1")
		} else if err == nil {
			w.swapWord("return", call.Args[1], "0")
		}
	}
	if !w.isCondition(s) { // the operator of conditions does the same
		w.remove(s, "command")
	}
}

// gives reports whether a declaration (`export`, `local`) gives a variable a value, and does not name it alone.
func gives(d *syntax.DeclClause) bool {
	return slices.ContainsFunc(d.Args, func(a *syntax.Assign) bool { return a.Value != nil && !a.Naked || a.Array != nil })
}

// isCondition reports whether a statement is the last one of a condition.
func (w *walker) isCondition(s *syntax.Stmt) bool {
	if len(w.stack) < 2 {
		return false
	}
	var cond []*syntax.Stmt
	switch p := w.stack[len(w.stack)-2].(type) {
	case *syntax.IfClause:
		cond = p.Cond
	case *syntax.WhileClause:
		cond = p.Cond
	}
	return len(cond) > 0 && cond[len(cond)-1] == s
}

// remove takes a statement away. What is left is a command that does nothing, which may stand wherever the other one did.
func (w *walker) remove(s *syntax.Stmt, what string) {
	text := string(w.f.Src[s.Pos().Offset():w.end(s)])
	w.replace("statement", s.Pos(), w.end(s), ":", what+" `"+edit.OneLine(text)+"` taken away")
}

// test makes the faults of a command [ or test.
func (w *walker) test(call *syntax.CallExpr, words []string) {
	for i := 1; i < len(words); i++ {
		at := call.Args[i].Pos()
		w.swap("boundary", at, words[i], bounds)
		switch {
		case negations[words[i]] != "":
			w.swap("comparison", at, words[i], negations)
		case w.joins(words, i):
			w.swap("logical", at, words[i], joints)
		case i+1 < len(words) && strings.Contains(fileTests, " "+words[i]+" ") && words[i] != "-a" && words[i-1] != "!":
			w.unaryTest(at, words[i])
		case words[i] == "!" && i+1 < len(words):
			w.fault("unary", int(at.Offset()), int(call.Args[i+1].Pos().Offset()), "", "`!` taken away")
		default:
			w.number(call.Args[i])
		}
	}
}

// joins reports whether a word stands between two tests of a command [, as `-a` does that is no operator of its own and no operand.
func (w *walker) joins(words []string, i int) bool {
	before := words[i-1]
	return joints[words[i]] != "" && i > 1 && i+1 < len(words) && before != "!" && before != "(" && joints[before] == "" && negations[before] == ""
}

// number makes a number one more.
func (w *walker) number(word syntax.Node) {
	text := w.text(word)
	if n, err := strconv.ParseInt(text, 10, 32); err == nil && (text == "0" || strings.TrimLeft(text, "-")[0] != '0') {
		w.replace("constant", word.Pos(), w.endOf(word), strconv.FormatInt(n+1, 10), edit.Swap(text, strconv.FormatInt(n+1, 10)))
	}
}

func (w *walker) swapWord(name string, word *syntax.Word, to string) {
	w.replace(name, word.Pos(), w.endOf(word), to, edit.Swap(w.text(word), to))
}

func hasHereDocument(s *syntax.Stmt) bool {
	for _, r := range s.Redirs {
		if r.Hdoc != nil {
			return true
		}
	}
	return false
}
