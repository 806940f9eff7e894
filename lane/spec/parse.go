package spec

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"github.com/vallane/lane/lane/spec/position"
)

// Parse reads the bytes of one spec file; name is used in messages only. The
// error is an *Errors with every problem that the file has. A file whose syntax
// is broken in one place is still checked around it, and then no key is called
// missing, since it may stand in the broken part.
func Parse(name string, data []byte) (*Spec, error) {
	text, unreadable := readable(name, data)
	if unreadable != nil {
		return nil, problems([]Error{*unreadable})
	}
	r := &reading{name: name, text: text, index: position.Scan(text)}
	c := newChecker(r, Settings())
	root, ok := r.decode()
	if !ok {
		return nil, problems(r.found)
	}
	c.root(root)
	s := c.spec()
	c.rules(s)
	if err := problems(r.found); err != nil {
		return nil, err
	}
	s.FileDigest = sha256.Sum256(data)
	s.Digest = digest(s)
	return s, nil
}

// Load reads and parses a file. It opens regular files only, since reading
// from anything else may never end.
func Load(name string) (*Spec, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("read spec %s: %w", quoteName(name), bare(err))
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("read spec %s: it is no regular file", quoteName(name))
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read spec %s: %w", quoteName(name), bare(err))
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("read spec %s: %w", quoteName(name), bare(err))
	}
	return Parse(name, data)
}

// bare takes the path out of an error whose message already names it.
func bare(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// reading is one text on its way to values, and the problems found so far.
type reading struct {
	name    string
	text    string
	index   *position.Index
	found   []Error
	partial bool // some of the text was left out: a key that is missing may be there
}

func (r *reading) report(at position.Pos, msg, hint string) {
	r.found = append(r.found, Error{File: r.name, Line: at.Line, Col: at.Col, Msg: msg, Hint: hint})
}

// maxRepairs is how many syntax errors are looked past.
const maxRepairs = 20

// decode has the TOML library read the text. Where it stops at an error, the
// expression that holds the error is blanked and the rest read again, so that
// one slip does not hide the others; false where nothing certain is left.
func (r *reading) decode() (map[string]any, bool) {
	for _, f := range r.index.Faults {
		if f.Fatal { // beyond it the library must not go
			r.report(f.Pos, f.Msg, "")
			return nil, false
		}
	}
	text := []byte(r.text)
	for _, d := range r.index.Duplicates {
		r.report(d.Second, fmt.Sprintf("%s is already given in line %d", quote(string(d.Path)), d.First.Line), "")
		r.blank(text, d.Expr)
	}
	for range maxRepairs {
		root, fault := decodeTOML(string(text))
		if fault == nil {
			return root, true
		}
		expr, ok := r.index.ExprAt(fault.Position.Start)
		r.syntax(fault, expr)
		if !ok || !r.blank(text, expr) {
			return nil, false
		}
	}
	return nil, false
}

// syntax reports what the library refuses, in the scanner's words where it has
// any: the library points at where it gave up, the scanner at what is open.
func (r *reading) syntax(fault *toml.ParseError, expr int) {
	for _, f := range r.index.Faults {
		if at, ok := r.index.ExprAt(f.Pos.Offset); ok && at == expr {
			r.report(f.Pos, f.Msg, "")
			return
		}
	}
	at := position.At(r.text, fault.Position.Start)
	r.report(at, plain(lower(fault.Message)), syntaxHint(r.text, at.Offset, fault.Message))
}

// blank overwrites an expression by spaces, so that everything behind it keeps
// its place; below a header, the keys that would fall to another table too.
// False where it is blank already, or goes over several lines and is broken, so
// that its end is a guess.
func (r *reading) blank(text []byte, expr int) bool {
	exprs := r.index.Exprs
	e := exprs[expr]
	if e.Broken && strings.ContainsRune(r.text[e.Start:e.End], '\n') {
		return false
	}
	last := expr
	for e.Header && last+1 < len(exprs) && !exprs[last+1].Header {
		last++
	}
	r.partial = true
	did := false
	end := exprs[last].End
	if nl := strings.IndexByte(r.text[end:], '\n'); nl >= 0 {
		end += nl
	} else {
		end = len(text)
	}
	for i := e.Start; i < end; i++ {
		if text[i] > ' ' {
			text[i], did = ' ', true
		}
	}
	return did
}

// decodeTOML calls the library. It panics on some texts that it should refuse;
// that is a refusal too.
func decodeTOML(text string) (root map[string]any, fault *toml.ParseError) {
	defer func() {
		if recover() != nil {
			fault = &toml.ParseError{Message: "this is no TOML"}
		}
	}()
	_, err := toml.Decode(text, &root)
	var parse toml.ParseError
	switch {
	case err == nil:
		return root, nil
	case errors.As(err, &parse):
		return nil, &parse
	}
	return nil, &toml.ParseError{Message: err.Error()}
}

// syntaxHint explains the slips that are made most.
func syntaxHint(text string, offset int, msg string) string {
	if !strings.Contains(msg, "expected value but found") && !strings.Contains(msg, "invalid escape") {
		return ""
	}
	if strings.Contains(msg, "invalid escape") {
		return `in "..." a backslash is written \\; '...' takes it as it is`
	}
	if offset < len(text) {
		if c, _ := utf8.DecodeRuneInString(text[offset:]); unicode.IsLetter(c) {
			return `text stands in quotes, as in "text"`
		}
	}
	return ""
}

func lower(msg string) string {
	first, size := utf8.DecodeRuneInString(msg)
	return string(unicode.ToLower(first)) + msg[size:]
}
