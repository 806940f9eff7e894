package gotest

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/vallane/lane/lane/observe"
)

// maxExplained is the most lines that Explain returns.
const maxExplained = 20

// Explain returns the lines in which the go command says that packages do not build: what the compiler or vet complains of,
// and which packages fail for it.
func (Reporter) Explain(output []byte) []string {
	var lines []string
	complaint := false
	for raw := range bytes.Lines(output) {
		line := printable(strings.TrimRight(string(raw), "\r\n"))
		switch {
		case strings.HasPrefix(line, "# "):
			complaint = true
			continue
		case strings.HasPrefix(line, "FAIL\t"):
			complaint = false
			if !strings.HasSuffix(line, " [build failed]") && !strings.HasSuffix(line, " [setup failed]") {
				continue
			}
			line = strings.TrimPrefix(line, "FAIL\t")
		case strings.HasPrefix(line, "ok "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "?  "), line == "FAIL", line == "":
			complaint = false
			continue
		case strings.HasPrefix(line, "go: "):
		case !complaint:
			continue
		}
		if lines = append(lines, line); len(lines) == maxExplained {
			break
		}
	}
	return lines
}

func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

var _ observe.Explainer = Reporter{}
