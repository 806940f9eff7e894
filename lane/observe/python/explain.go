package python

import (
	"bufio"
	"bytes"
	"regexp"
	"strings"
	"unicode"

	"github.com/vallane/lane/lane/observe"
)

// maxExplained is the number of lines that an explanation holds at most.
const maxExplained = 12

// complaint finds the lines in which Lane's script, pytest or the interpreter say why there was no session.
var complaint = regexp.MustCompile(`^(lane: |ERROR\b|E   |ImportError while |usage: |[A-Za-z_.]*(Error|Exception|Exit|Interrupt)(:|$))`)

// Explain reads why no test reported: a conftest.py that cannot be loaded, a command line that pytest does not know, a runner
// that the closure lacks. The code under test may have written all of it.
func (Pytest) Explain(output []byte) []string { return explain(output) }

// Explain reads why no test reported, as a module that ended the process while it was loaded. The code under test may have
// written all of it.
func (Unittest) Explain(output []byte) []string { return explain(output) }

func explain(output []byte) []string {
	var lines []string
	sc := bufio.NewScanner(bytes.NewReader(output))
	sc.Buffer(nil, 1<<20)
	for sc.Scan() && len(lines) < maxExplained {
		if line := printable(strings.TrimRight(sc.Text(), " \r")); complaint.MatchString(line) {
			lines = append(lines, line)
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

var (
	_ observe.Explainer = Pytest{}
	_ observe.Explainer = Unittest{}
)
