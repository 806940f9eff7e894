package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"

	"github.com/vallane/lane/assurance"
)

// printer is the only way to the terminal. Its contract:
//
//   - stdout carries the result and nothing else, so that it can be piped;
//   - stderr carries progress, notices and errors: `lane: error: …`, then `lane: hint: …`, in lower
//     case and without a full stop;
//   - colour only where the stream is a terminal, NO_COLOR is unset and TERM is not dumb;
//   - a live line exists on a terminal only, and is wiped before anything else is written.
type printer struct {
	mu       sync.Mutex
	out, err io.Writer
	live     bool // stderr is a terminal that can redraw a line
	colour   bool // stdout may have colour
	width    int  // columns of the terminal, 0 where there is none
	line     bool // a live line is on the screen
}

func newPrinter(out, err *os.File, getenv func(string) string) *printer {
	p := &printer{out: out, err: err}
	dumb := getenv("TERM") == "dumb"
	p.live = term.IsTerminal(int(err.Fd())) && !dumb && getenv("CI") == ""
	p.colour = term.IsTerminal(int(out.Fd())) && !dumb && getenv("NO_COLOR") == ""
	if w, _, e := term.GetSize(int(out.Fd())); e == nil {
		p.width = w
	}
	return p
}

// unwritten says that a result did not get to stdout: whatever it was, the caller does not have it.
type unwritten struct{ error }

func (u unwritten) Unwrap() error { return u.error }

// ExitCode is that of our own side.
func (unwritten) ExitCode() int { return int(assurance.ExitLane) }

// result writes data to stdout.
func (p *printer) result(write func(io.Writer) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wipe()
	if err := write(p.out); err != nil {
		return unwritten{fmt.Errorf("print the result: %w", err)}
	}
	return nil
}

// notice writes one line to stderr.
func (p *printer) notice(format string, args ...any) { p.say("lane: "+format, args...) }

// error prints err and every hint of its chain.
func (p *printer) error(err error) {
	p.say("lane: error: %s", strings.TrimSuffix(err.Error(), "."))
	for _, h := range hints(err) {
		p.say("lane: hint: %s", h)
	}
}

// fault prints a panic of Lane's own.
func (p *printer) fault(cause any, stack []byte) {
	p.say("lane: error: internal fault: %v", cause)
	p.say("lane: hint: this is a defect of lane; please report it with the lines below and `lane version`")
	p.say("%s", stack)
}

func (p *printer) say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wipe()
	fmt.Fprintf(p.err, format+"\n", args...)
}

// redraw replaces the live line; on a stream that is no terminal it does nothing.
func (p *printer) redraw(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.live {
		return
	}
	if w := p.width; w > 0 && len(text) > w-1 {
		text = text[:w-1]
	}
	fmt.Fprintf(p.err, "\r\x1b[K%s", text)
	p.line = true
}

func (p *printer) wipe() {
	if p.line {
		fmt.Fprint(p.err, "\r\x1b[K")
		p.line = false
	}
}

// hints collects what the errors of a chain advise, joined errors included.
func hints(err error) []string {
	var out []string
	var walk func(error)
	walk = func(e error) {
		if h, ok := e.(interface{ Hint() string }); ok && h.Hint() != "" {
			out = append(out, h.Hint())
		}
		switch w := e.(type) {
		case interface{ Unwrap() error }:
			if u := w.Unwrap(); u != nil {
				walk(u)
			}
		case interface{ Unwrap() []error }:
			for _, u := range w.Unwrap() {
				walk(u)
			}
		}
	}
	if err != nil && !errors.Is(err, nil) {
		walk(err)
	}
	return out
}
