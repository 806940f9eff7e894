package report

import (
	"io"
	"strings"
)

// Options says how to print. The zero value is plain text of 80 columns.
type Options struct {
	// Color allows colour and weight, by escape sequences.
	Color bool
	// Width is how many columns a line may have; 0 is 80, and less than 40 counts as 40.
	Width int
	// Verbose shows everything: every clause, every test, whole messages.
	Verbose bool
}

// What is shown where Verbose is not set: few of a list, tailLines of a message, proseLines of a sentence.
const (
	few        = 10
	tailLines  = 15
	proseLines = 6
)

// style is a way to set off text.
type style string

const (
	plain  style = ""
	bold   style = "1"
	dim    style = "2"
	red    style = "1;31"
	green  style = "1;32"
	yellow style = "1;33"
)

// page collects output, so that it is written in one piece.
type page struct {
	b strings.Builder
	o Options
}

func newPage(o Options) *page {
	if o.Width == 0 {
		o.Width = 80
	}
	o.Width = max(o.Width, 40)
	return &page{o: o}
}

func (p *page) writeTo(w io.Writer) error {
	_, err := io.WriteString(w, p.b.String())
	return err
}

// in sets off text that is already safe.
func (p *page) in(s style, text string) string {
	if !p.o.Color || s == plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// raw prints a line of which every part is already safe and short enough.
func (p *page) raw(s string) { p.b.WriteString(strings.TrimRight(s, " ") + "\n") }

// line prints one line of any text, cut to the width.
func (p *page) line(indent int, s style, text string) {
	text = cut(Line(text), p.o.Width-indent)
	p.raw(strings.Repeat(" ", indent) + p.in(s, text))
}

// prose prints a sentence, wrapped to the width and cut after some lines. Its first line follows lead, which
// is already safe.
func (p *page) prose(indent int, lead, text string) {
	all := wrap(Line(text), max(p.o.Width-indent, 10))
	most := proseLines
	if p.o.Verbose {
		most *= 5
	}
	if len(all) > most {
		all = append(all[:most-1], "...")
	}
	for i, l := range all {
		if i > 0 || lead == "" {
			lead = strings.Repeat(" ", indent)
		}
		p.raw(lead + l)
	}
}

// block prints the text of somebody else, line by line, cut and indented.
func (p *page) block(indent int, s style, text string) {
	if text == "" {
		return
	}
	all := lines(text)
	if !p.o.Verbose {
		var left int
		if all, left = last(all, tailLines); left > 0 {
			p.line(indent, dim, "("+plural(left, "line", "lines")+" before)")
		}
	}
	for _, l := range all {
		p.raw(strings.Repeat(" ", indent) + p.in(s, cut(l, p.o.Width-indent)))
	}
}

// head starts a section, with a blank line before it.
func (p *page) head(title string) {
	p.raw("")
	p.raw(p.in(bold, title))
}

// shown returns how many of n items to show.
func (p *page) shown(n int) int {
	if p.o.Verbose {
		return n
	}
	return min(n, few)
}

// rest says how many items were not shown.
func (p *page) rest(n int) {
	if left := n - p.shown(n); left > 0 {
		p.line(2, dim, plural(left, "more is", "more are")+" in the verdict; --verbose shows all")
	}
}
