package stage

import "strings"

// flakeFile is what the text of a flake.nix shows of itself. Nix wants the top
// of it, and its inputs, to be written out, so that most of what matters can be
// read without an evaluator. What cannot is left to Nix, which is asked for the
// same facts (Outline) before anything of the flake is evaluated.
type flakeFile struct {
	attrs  map[string]int    // top-level attribute: its line
	inputs map[string]*input // by name, those named only as an argument of outputs too
}

type input struct {
	url  string // "" where it is not written as a plain string
	line int
}

// scanFlake reads a flake.nix. It is false where the text is not what a
// flake.nix looks like.
func scanFlake(src []byte) (*flakeFile, bool) {
	p := &flakeParser{lex: lexer{src: string(src), line: 1}, out: &flakeFile{attrs: map[string]int{}, inputs: map[string]*input{}}}
	p.advance()
	for p.tok.text == "(" || p.word("rec") {
		p.advance()
	}
	if p.tok.kind != tokOpen || p.tok.text != "{" {
		return nil, false
	}
	p.set(nil)
	return p.out, !p.failed
}

type flakeParser struct {
	lex    lexer
	tok    token
	failed bool
	depth  int
	out    *flakeFile
}

func (p *flakeParser) advance() {
	if p.failed {
		return
	}
	t, err := p.lex.next()
	if err != nil {
		p.fail()
		return
	}
	p.tok = t
}

func (p *flakeParser) fail() {
	p.failed = true
	p.tok = token{}
}

func (p *flakeParser) word(w string) bool { return p.tok.kind == tokWord && p.tok.text == w }

func (p *flakeParser) is(text string) bool {
	return p.tok.text == text && p.tok.kind != tokString && p.tok.kind != tokEnd
}

func (p *flakeParser) expect(text string) {
	if !p.is(text) {
		p.fail()
		return
	}
	p.advance()
}

// set reads "{ binding ... }", the names of which stand below prefix.
func (p *flakeParser) set(prefix []string) {
	if p.depth++; p.depth > maxNest {
		p.fail()
	}
	defer func() { p.depth-- }()
	p.expect("{")
	for !p.failed && !p.is("}") {
		if p.tok.kind == tokEnd {
			p.fail()
			return
		}
		if p.word("inherit") {
			p.inherit(prefix)
		} else {
			p.binding(prefix)
		}
	}
	p.expect("}")
}

func (p *flakeParser) inherit(prefix []string) {
	p.advance()
	if p.is("(") {
		p.advance()
		p.expression(")")
	}
	for !p.failed && !p.is(";") {
		if p.tok.kind != tokWord && p.tok.kind != tokString {
			p.fail()
			return
		}
		p.found(append(prefix[:len(prefix):len(prefix)], p.tok.text), token{line: p.tok.line})
		p.advance()
	}
	p.expect(";")
}

func (p *flakeParser) binding(prefix []string) {
	name := prefix[:len(prefix):len(prefix)]
	line := p.tok.line
	for {
		part, ok := p.attr()
		if !ok {
			return
		}
		name = append(name, part)
		if !p.is(".") {
			break
		}
		p.advance()
	}
	p.expect("=")
	value := p.tok
	value.line = line
	p.found(name, value)
	switch {
	case name[0] == "inputs" && p.is("{"):
		p.set(name)
	case len(name) == 1 && name[0] == "outputs":
		p.arguments()
	}
	p.expression(";")
}

// attr reads one part of an attribute's name: a word, a string, or a string in
// ${ }. Any other expression is a name that only an evaluator can tell.
func (p *flakeParser) attr() (string, bool) {
	t := p.tok
	switch {
	case t.kind == tokWord, t.kind == tokString && t.plain:
		p.advance()
		return t.text, true
	case p.is("${"):
		p.advance()
		inner := p.tok
		p.advance()
		if inner.kind == tokString && inner.plain && p.is("}") {
			p.advance()
			return inner.text, true
		}
	}
	p.fail()
	return "", false
}

// arguments reads the names that outputs takes: "{ self, a, b ? x, ... }" with
// "name@" before or "@name" after.
func (p *flakeParser) arguments() {
	if p.tok.kind == tokWord {
		p.advance()
		if !p.is("@") {
			return
		}
		p.advance()
	}
	if !p.is("{") {
		return
	}
	p.advance()
	for !p.failed && !p.is("}") {
		switch {
		case p.is("."):
			p.advance()
			continue
		case p.tok.kind != tokWord:
			// A set, not a function: nothing that takes inputs.
			p.fail()
			return
		}
		if name := p.tok.text; name != "self" {
			p.input(name, p.tok.line)
		}
		p.advance()
		if p.is("?") {
			p.expressionUntil(",", "}")
		}
		if p.is(",") {
			p.advance()
		}
	}
	p.expect("}")
}

func (p *flakeParser) input(name string, line int) *input {
	in := p.out.inputs[name]
	if in == nil {
		in = &input{line: line}
		p.out.inputs[name] = in
	}
	return in
}

// found notes a binding.
func (p *flakeParser) found(name []string, value token) {
	if p.failed {
		return
	}
	if _, known := p.out.attrs[name[0]]; !known {
		p.out.attrs[name[0]] = value.line
	}
	if name[0] != "inputs" || len(name) < 2 || name[1] == "self" {
		return
	}
	in := p.input(name[1], value.line)
	if len(name) == 3 && name[2] == "url" && value.plain && (value.kind == tokString || value.kind == tokURI) {
		in.url = value.text
	}
}

// expression moves past the rest of an expression and the token that ends it.
func (p *flakeParser) expression(end string) {
	p.expressionUntil(end)
	p.expect(end)
}

// expressionUntil moves to the first of the tokens that is not within brackets,
// a let or a with.
func (p *flakeParser) expressionUntil(ends ...string) {
	var open []string
	for !p.failed {
		top := ""
		if len(open) > 0 {
			top = open[len(open)-1]
		}
		switch {
		case p.tok.kind == tokEnd:
			p.fail()
			return
		case top == "" && p.isAny(ends):
			return
		case top != "" && p.is(top):
			open = open[:len(open)-1]
		case p.tok.kind == tokOpen:
			open = append(open, map[string]string{"{": "}", "${": "}", "(": ")", "[": "]"}[p.tok.text])
		case p.word("with"), p.word("assert"):
			open = append(open, ";")
		case p.word("let"):
			p.advance()
			if !p.is("{") {
				open = append(open, "in")
			}
			continue
		case p.tok.kind == tokClose:
			p.fail()
			return
		}
		p.advance()
	}
}

func (p *flakeParser) isAny(texts []string) bool {
	for _, t := range texts {
		if p.is(t) {
			return true
		}
	}
	return false
}

// gitHost reads the notation "github:owner/repo/ref" and its likes, where it
// holds nothing else.
func gitHost(url string) (attrs map[string]string, ok bool) {
	kind, rest, _ := strings.Cut(url, ":")
	if kind != "github" && kind != "gitlab" && kind != "sourcehut" {
		return nil, false
	}
	if strings.ContainsAny(rest, "?#%") {
		return nil, false
	}
	parts := strings.SplitN(rest, "/", 3)
	if len(parts) < 2 {
		return nil, false
	}
	attrs = map[string]string{"type": kind, "owner": parts[0], "repo": parts[1]}
	if len(parts) == 3 {
		attrs["ref"] = parts[2]
	}
	return attrs, true
}
