package treesitter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// MaxSource is the size of the largest source that is read, in bytes.
	MaxSource = 1 << 20

	maxTime  = 10 * time.Second
	maxDepth = 2000
	maxNodes = 4 << 20
)

// A SyntaxError says where a source is not of its language.
type SyntaxError struct{ Line, Col int } // from 1; Col in bytes

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: a syntax error", e.Line, e.Col)
}

// Unreadable says why a source has no tree although it may be of its language.
type Unreadable string

func (e Unreadable) Error() string { return string(e) }

// A Parser reads sources of one language, one at a time.
type Parser struct {
	language Language
	machine  *machine // nil before the first source, and after one that the guest did not survive
	limit    time.Duration
}

// New returns a parser of a language. Its grammar is loaded with the first source. The caller closes it.
func New(l Language) *Parser { return &Parser{language: l, limit: maxTime} }

// Close frees what the parser holds.
func (p *Parser) Close(ctx context.Context) error {
	if p.machine == nil {
		return nil
	}
	m := p.machine
	p.machine = nil
	return m.close(ctx)
}

// Parse returns the root of the tree of a source. A source that has none gives a [*SyntaxError] or an [Unreadable]; any other
// error is no fault of the source's.
func (p *Parser) Parse(ctx context.Context, src []byte) (*Node, error) {
	root, bad, err := p.ParseAround(ctx, src)
	if err == nil && bad != nil {
		err = bad
	}
	if err != nil {
		return nil, err
	}
	return root, nil
}

// ParseAround is Parse for sources that may hold what the grammar does not know, such as macros that are no expressions: where there is
// such a place, it returns the tree and the error, and every node that holds one is Broken.
func (p *Parser) ParseAround(ctx context.Context, src []byte) (root *Node, bad *SyntaxError, err error) {
	err = p.parse(ctx, src, func(m *machine, tree uint32, at offsets) error {
		var broken *Node
		if root, broken, err = m.walk(ctx, tree, at); err != nil {
			return err
		}
		some, err := m.hasError(ctx, tree)
		if err == nil && some {
			bad = syntaxError(src, broken)
		}
		return err
	})
	return root, bad, err
}

// Check is Parse without the tree: it returns an error where Parse does for the source's sake, but for the place.
func (p *Parser) Check(ctx context.Context, src []byte) error {
	return p.parse(ctx, src, func(m *machine, tree uint32, _ offsets) error {
		bad, err := m.hasError(ctx, tree)
		if err == nil && bad {
			return &SyntaxError{1, 1}
		}
		return err
	})
}

func syntaxError(src []byte, broken *Node) *SyntaxError {
	at := 0
	if broken != nil {
		at = broken.Start
	}
	before := src[:at]
	return &SyntaxError{bytes.Count(before, []byte("\n")) + 1, at - bytes.LastIndexByte(before, '\n')}
}

// parse hands the tree of a source to a function. A guest that gives out on the way is not used again.
func (p *Parser) parse(ctx context.Context, src []byte, take func(m *machine, tree uint32, at offsets) error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if len(src) > MaxSource {
		return Unreadable(fmt.Sprintf("larger than %d bytes", MaxSource))
	}
	units, at, ok := encode(src)
	if !ok {
		return Unreadable("it is not UTF-8")
	}
	if p.machine == nil {
		m, err := start(ctx, p.language)
		if err != nil {
			return err
		}
		p.machine = m
	}
	m := p.machine
	m.source, m.deadline = units, time.Now().Add(p.limit)
	defer func() { m.source = nil }()
	tree, err := m.parse(ctx)
	if err == nil {
		err = take(m, tree, at)
	}
	var syntax *SyntaxError
	var unreadable Unreadable
	switch {
	case err == nil, errors.As(err, &syntax), errors.As(err, &unreadable):
		if _, gone := m.call(ctx, "ts_tree_delete", tree); gone == nil {
			return err
		}
	}
	p.machine = nil
	if closing := m.close(ctx); closing != nil {
		return closing
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errBudget):
		return Unreadable(errBudget.Error())
	case err == nil || syntax != nil || unreadable != "":
		return err
	}
	return Unreadable("the parser did not survive it")
}

func (m *machine) parse(ctx context.Context) (uint32, error) {
	tree, err := m.call(ctx, "ts_parser_parse_wasm", m.parser, m.input, 0, 0, 0)
	if err == nil && tree == 0 {
		err = errBudget
	}
	return tree, err
}

func (m *machine) hasError(ctx context.Context, tree uint32) (bool, error) {
	if _, err := m.call(ctx, "ts_tree_root_node_wasm", tree); err != nil {
		return false, err
	}
	bad, err := m.call(ctx, "ts_node_has_error_wasm", tree)
	return bad != 0, err
}

// walk copies a tree out of the guest. broken is the first node that stands for an error.
func (m *machine) walk(ctx context.Context, tree uint32, at offsets) (root, broken *Node, err error) {
	w := walker{m: m, ctx: ctx, tree: tree, at: at}
	w.do("ts_tree_root_node_wasm")
	w.do("ts_tree_cursor_new_wasm")
	node := w.node(nil)
	root = node
	for depth := 0; w.err == nil; {
		switch {
		case w.count > maxNodes || depth > maxDepth:
			w.err = Unreadable("it is nested too deeply")
			continue
		case w.count%1024 == 0 && time.Now().After(m.deadline):
			w.err = errBudget
			continue
		case w.do("ts_tree_cursor_goto_first_child_wasm") != 0:
			depth++
			node = w.node(node)
			continue
		}
		for w.err == nil && node != root && w.do("ts_tree_cursor_goto_next_sibling_wasm") == 0 {
			w.do("ts_tree_cursor_goto_parent_wasm")
			node = node.Parent
			depth--
		}
		if node == root {
			break
		}
		node = w.node(node.Parent)
	}
	if w.err == nil {
		w.do("ts_tree_cursor_delete_wasm")
	}
	return root, w.broken, w.err
}

// walker reads nodes at a cursor, which lies where tree-sitter puts its results; none of the calls moves it from there.
type walker struct {
	m      *machine
	ctx    context.Context
	tree   uint32
	at     offsets
	count  int
	broken *Node
	err    error
}

func (w *walker) do(name string) uint32 {
	if w.err != nil {
		return 0
	}
	v, err := w.m.call(w.ctx, name, w.tree)
	w.err = err
	return v
}

// errorSymbol stands for what is not of the language.
const errorSymbol = 0xffff

func (w *walker) node(parent *Node) *Node {
	w.count++
	n := &Node{Parent: parent, Kind: "ERROR", Named: true}
	symbol := w.do("ts_tree_cursor_current_node_type_id_wasm") & 0xffff
	if int(symbol) < len(w.m.symbols) {
		n.Kind, n.Named = w.m.symbols[symbol], w.m.named[symbol]
	}
	if field := w.do("ts_tree_cursor_current_field_id_wasm"); field > 0 && int(field) < len(w.m.fields) {
		n.Field = w.m.fields[field]
	}
	n.Start = w.at.byte(w.do("ts_tree_cursor_start_index_wasm"))
	n.End = w.at.byte(w.do("ts_tree_cursor_end_index_wasm"))
	if parent != nil {
		parent.Children = append(parent.Children, n)
	}
	if symbol == errorSymbol || w.do("ts_tree_cursor_current_node_is_missing_wasm") != 0 {
		if w.broken == nil {
			w.broken = n
		}
		for at := n; at != nil && !at.Broken; at = at.Parent {
			at.Broken = true
		}
	}
	return n
}
