package golang

import (
	"bytes"
	"go/scanner"
	"go/token"
	"strings"
)

// normalize returns the tokens of src, one per line, without layout and comments. Comments that the toolchain obeys
// (//go:, //line, //export, build constraints; all of them in a file that uses cgo) stay. Two files with the same
// result are the same program, but for the line numbers in its traces.
func normalize(src []byte) string {
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile("", -1, len(src)), src, func(token.Position, string) {}, scanner.ScanComments)
	cgo := bytes.Contains(src, []byte(`import "C"`))
	var b strings.Builder
	pendingSemi := false
	for {
		_, tok, lit := s.Scan()
		if tok == token.SEMICOLON || (tok == token.COMMENT && !cgo && !obeyed(lit)) {
			pendingSemi = pendingSemi || tok == token.SEMICOLON
			continue
		}
		// gofmt may drop the semicolon or the comma before a closing bracket.
		if pendingSemi && tok != token.RPAREN && tok != token.RBRACE && tok != token.EOF {
			b.WriteString(";\n")
		}
		pendingSemi = false
		if tok == token.EOF {
			return b.String()
		}
		if tok.IsLiteral() || tok == token.COMMENT {
			b.WriteString(lit)
		} else {
			b.WriteString(tok.String())
		}
		b.WriteByte('\n')
	}
}

func obeyed(comment string) bool {
	for _, p := range []string{"//go:", "//line ", "/*line ", "//export ", "//extern ", "// +build", "//+build", "#cgo"} {
		if strings.HasPrefix(comment, p) {
			return true
		}
	}
	return false
}

// flat is src on one line, tokens separated by single blanks: the context of structural ids.
func flat(src []byte) string {
	return strings.Join(strings.Split(strings.TrimSuffix(normalize(src), "\n"), "\n"), " ")
}
