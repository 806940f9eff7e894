package golang

import (
	"go/ast"
	"slices"
	"strings"
)

// Reasons why a mutant is listed and counted, and not tested by default.
const (
	AridGenerated = "generated code"
	AridLog       = "log line"
	AridErrorText = "error text"
	AridDebug     = "debug text"
	AridCapacity  = "capacity hint"
)

// arid says why nobody would want a test that notices a fault at the visited node; "" = somebody would.
func (w *walker) arid() string {
	if w.generated {
		return AridGenerated
	}
	if w.fn != nil && w.fn.Recv != nil && w.fn.Name.Name == "GoString" {
		return AridDebug
	}
	for i := len(w.stack) - 1; i >= 0; i-- {
		switch x := w.stack[i].(type) {
		case *ast.FuncLit:
			return "" // code of its own, wherever it is written
		case *ast.ExprStmt:
			if call, ok := x.X.(*ast.CallExpr); ok && isLog(call) {
				return AridLog
			}
		case *ast.DeferStmt:
			if isLog(x.Call) {
				return AridLog
			}
		case *ast.CallExpr:
			if i+1 >= len(w.stack) {
				break // the call itself
			}
			arg, isArg := w.stack[i+1].(ast.Expr)
			at := slices.Index(x.Args, arg)
			if !isArg || at < 0 {
				break
			}
			if isErrorText(x) {
				return AridErrorText
			}
			if isCapacity(x, at) {
				return AridCapacity
			}
		}
	}
	return ""
}

func callee(c *ast.CallExpr) (recv, name string) {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return "", f.Name
	case *ast.SelectorExpr:
		switch x := f.X.(type) {
		case *ast.Ident:
			return x.Name, f.Sel.Name
		case *ast.SelectorExpr:
			return x.Sel.Name, f.Sel.Name
		case *ast.CallExpr:
			recv, _ = callee(x)
			return recv, f.Sel.Name
		}
		return "?", f.Sel.Name
	}
	return "", ""
}

// isLog recognizes the calls of loggers by the names that they go by. A call that also ends the program (Fatal,
// Panic) is not one: its absence shows.
func isLog(c *ast.CallExpr) bool {
	recv, name := callee(c)
	recv = strings.ToLower(recv)
	logger := recv == "log" || recv == "slog" || recv == "glog" || recv == "klog" || recv == "zap" || recv == "logrus" ||
		strings.HasSuffix(recv, "logger") || strings.HasSuffix(recv, "log") || recv == "sugar"
	if !logger {
		return false
	}
	for _, p := range []string{"Print", "Debug", "Info", "Warn", "Error", "Trace", "Log", "Notice", "Output", "V"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// isErrorText recognizes the calls whose arguments only end up in front of a person who reads an error.
func isErrorText(c *ast.CallExpr) bool {
	recv, name := callee(c)
	switch recv {
	case "":
		return name == "panic"
	case "errors", "xerrors":
		return strings.HasPrefix(name, "New") || strings.HasPrefix(name, "Errorf") || strings.HasPrefix(name, "Wrap") || strings.HasPrefix(name, "WithMessage")
	case "fmt":
		return name == "Errorf"
	}
	return false
}

// isCapacity recognizes the size hints of make: a third argument, or the second for a map.
func isCapacity(c *ast.CallExpr, arg int) bool {
	if _, name := callee(c); name != "make" {
		return false
	}
	if arg == 2 {
		return true
	}
	_, isMap := c.Args[0].(*ast.MapType)
	return arg == 1 && isMap
}
