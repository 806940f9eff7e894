package javascript

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/vallane/lane/mutate/treesitter"
)

// bodiesOf lists the functions of a file whose text means the same in a block of its own.
func bodiesOf(lang treesitter.Language, src []byte, root *node) (out []*body) {
	var visit func(n *node)
	visit = func(n *node) {
		if b := bodyOf(lang, src, n); b != nil {
			out = append(out, b)
		}
		for _, c := range n.Children {
			visit(c)
		}
	}
	visit(root)
	return out
}

// bodyOf is the text of a function that can be copied, or nil.
func bodyOf(lang treesitter.Language, src []byte, fn *node) *body {
	if !isFunction(fn) {
		return nil
	}
	block := fn.Child("body")
	if block == nil || block.End-block.Start < 2 {
		return nil
	}
	if block.Kind != "statement_block" {
		return &body{span: span{block.Start, block.End}, expression: true}
	}
	b := &body{span: span{block.Start + 1, block.End - 1}}
	for _, c := range block.Children {
		if c.Kind == "comment" || !c.Named {
			continue
		}
		if !isDirective(c) {
			break
		}
		if strings.Contains(c.Text(src), "use asm") {
			return nil
		}
		b.start, b.directive = c.Children[0].End, true
	}
	if isDelicate(lang, src, fn, block) {
		return nil
	}
	return b
}

// isDelicate reports whether the statements of a function mean something else, or nothing at all, in a block. A function that is declared
// in a block is not a variable of the function around it, so that it may not share its name with one; and of a constructor, TypeScript
// wants to know where it calls its parent's and which properties it sets.
func isDelicate(lang treesitter.Language, src []byte, fn, block *node) bool {
	if name := fn.Child("name"); lang != treesitter.JavaScript && fn.Kind == "method_definition" && name != nil && name.Text(src) == "constructor" {
		return true
	}
	declared := map[string]bool{}
	for _, c := range block.Children {
		if c.Kind != "function_declaration" && c.Kind != "generator_function_declaration" {
			continue
		}
		name := c.Child("name").Text(src)
		if declared[name] {
			return true
		}
		declared[name] = true
	}
	found := false
	var visit func(n *node)
	visit = func(n *node) {
		switch {
		case found:
			return
		case n.Kind == "variable_declaration":
			for _, d := range n.Children {
				found = found || d.Kind == "variable_declarator" && binds(src, d.Child("name"), declared)
			}
		case n.Kind == "for_in_statement" && n.Token("var") != nil:
			found = found || binds(src, n.Child("left"), declared)
		case n.Kind == "identifier" && n.Text(src) == "eval" && len(declared) > 0:
			found = true // it may declare a variable
		case n.Kind == "labeled_statement" && n.Child("body") != nil && strings.HasSuffix(n.Child("body").Kind, "function_declaration"):
			found = true
		}
		for _, c := range n.Children {
			if !isFunction(c) {
				visit(c)
			}
		}
	}
	visit(block)
	return found
}

// binds reports whether a pattern declares one of the names.
func binds(src []byte, n *node, names map[string]bool) bool {
	if n == nil {
		return false
	}
	if (n.Kind == "identifier" || n.Kind == "shorthand_property_identifier_pattern") && names[n.Text(src)] {
		return true
	}
	return slices.ContainsFunc(n.Children, func(c *node) bool { return binds(src, c, names) })
}

// reader is the function that reads the value once, in each file, when the file is loaded or first called. It stands behind what has to be
// first in a file and moves no line. The module that it reads with is asked for in the way that nobody else hears of, where there is one.
func (w *switcher) reader(name string, src []byte, root *node, null int) insert {
	at, head := top(src, root)
	typ := ""
	from := `(globalThis.process.getBuiltinModule||require)("node:fs")`
	switch {
	case grammarOf(name) != treesitter.JavaScript:
		typ, from = ":any", `(globalThis as any).process.getBuiltinModule("node:fs")` // a project need not know the types of more
	case isModule(name, root):
		from = w.name + "fs"
		head += "import*as " + from + ` from"node:fs";`
	}
	return insert{at: at, text: head + strings.NewReplacer("ID", w.name, "TYPE", typ, "NULL", strconv.Itoa(null), "FROM", from, "FILE", strconv.Quote(SwitchFile)).Replace(
		`var IDvTYPE;function ID(nTYPE)TYPE{if(IDv===void 0)IDv=+FROM.readFileSync(FILE,"latin1");return IDv===NULL?n:IDv}ID(0);`)}
}

// top is where the first statement of a file may stand, and what has to stand in front of it there.
func top(src []byte, root *node) (at int, head string) {
	at = len(src)
	for _, c := range root.Children {
		if c.Kind == "comment" || c.Kind == "hash_bang_line" {
			continue
		}
		if !isDirective(c) {
			if head == "" {
				at = c.Start
			}
			break
		}
		at, head = c.Children[0].End, ";"
	}
	return at, head
}

// isModule reports whether a file is a module by what it says: it may not ask for others by require then.
func isModule(name string, root *node) bool {
	if ext := path.Ext(name); ext == ".mjs" || ext == ".mts" {
		return true
	}
	return slices.ContainsFunc(root.Children, func(c *node) bool { return c.Kind == "import_statement" || c.Kind == "export_statement" })
}
