package treesitter

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Every grammar is the file that sources.json names, and every file is named.
func TestGrammarsArePinned(t *testing.T) {
	data, err := os.ReadFile("grammars/sources.json")
	if err != nil {
		t.Fatal(err)
	}
	var pins []struct{ File, Package, Version, Integrity, SHA256, License string }
	if err := json.Unmarshal(data, &pins); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob("grammars/*.wasm")
	if len(files) != len(pins) {
		t.Errorf("%d grammars, %d pins", len(files), len(pins))
	}
	for _, p := range pins {
		wasm, err := os.ReadFile(filepath.Join("grammars", p.File))
		if err != nil {
			t.Error(err)
		}
		if sum := sha256.Sum256(wasm); hex.EncodeToString(sum[:]) != p.SHA256 {
			t.Errorf("%s is not the file that was pinned", p.File)
		}
		if p.Package == "" || p.Version == "" || !strings.HasPrefix(p.Integrity, "sha512-") || p.License == "" {
			t.Errorf("%s: %+v", p.File, p)
		}
	}
}

// parser returns one that is closed when the test ends.
func parser(t *testing.T, l Language) *Parser {
	t.Helper()
	p := New(l)
	t.Cleanup(func() {
		if err := p.Close(t.Context()); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
	})
	return p
}

// outline is a tree on one line: kinds, fields, and the text of what has no children.
func outline(n *Node, src []byte) string {
	var b strings.Builder
	if n.Field != "" {
		b.WriteString(n.Field + ":")
	}
	if len(n.Children) == 0 {
		return b.String() + n.Text(src)
	}
	b.WriteString(n.Kind + "(")
	for i, c := range n.Children {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(outline(c, src))
	}
	return b.String() + ")"
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		language  Language
		src, want string
	}{
		{JavaScript, "a < b;", "program(expression_statement(binary_expression(left:a operator:< right:b) ;))"},
		{JavaScript, "x = <b>{y}</b>", "program(expression_statement(assignment_expression(left:x = right:jsx_element(open_tag:jsx_opening_element(< name:b >) " +
			"jsx_expression({ y }) close_tag:jsx_closing_element(</ name:b >)))))"},
		{TypeScript, "let x: T = <T>y", "program(lexical_declaration(kind:let variable_declarator(name:x type:type_annotation(: T) = " +
			"value:type_assertion(type_arguments(< T >) y))))"},
		{TSX, "let x: T = <T/>", "program(lexical_declaration(kind:let variable_declarator(name:x type:type_annotation(: T) = value:jsx_self_closing_element(< name:T />))))"},
		// Places are bytes, whatever tree-sitter counts.
		{JavaScript, "a = 'é😀' + b", "program(expression_statement(assignment_expression(left:a = right:binary_expression(left:string(' é😀 ') operator:+ right:b))))"},
		{JavaScript, "\ufeffa\r\nb", "program(expression_statement(a) expression_statement(b))"}, // R2
		{JavaScript, "#!/usr/bin/env node\na", "program(#!/usr/bin/env node expression_statement(a))"},
		{Rust, "fn f() -> bool { a < 1 }", "source_file(function_item(fn name:f parameters:parameters(( )) -> return_type:bool body:block({ " +
			"binary_expression(left:a operator:< right:1) })))"},
		{Java, "class A { int x = 1; }", "program(class_declaration(class name:A body:class_body({ field_declaration(type:integral_type(int) " +
			"declarator:variable_declarator(name:x = value:1) ;) })))"},
		{Ruby, "x = y if z", "program(if_modifier(body:assignment(left:x = right:y) if condition:z))"},
		{C, "int f(void) { return !x; }", "translation_unit(function_definition(type:int declarator:function_declarator(declarator:f " +
			"parameters:parameter_list(( parameter_declaration(type:void) ))) body:compound_statement({ return_statement(return " +
			"unary_expression(operator:! argument:x) ;) })))"},
		{JavaScript, "", ""},
	} {
		root, err := parser(t, c.language).Parse(t.Context(), []byte(c.src))
		if err != nil {
			t.Errorf("%q: %v", c.src, err)
			continue
		}
		if got := outline(root, []byte(c.src)); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.src, got, c.want)
		}
	}
}

func TestSourcesWithoutATree(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"no JavaScript", "a = 1;\nb = é + ;\n", "line 2, column 8: a syntax error"},
		{"types", "let a: number = 1", "line 1, column 5: a syntax error"},
		{"not closed", "f(", "line 1, column 1: a syntax error"},
		{"Latin-1", "a = '\xe9'", "it is not UTF-8"},
		{"too large", strings.Repeat(" ", MaxSource+1), "larger than 1048576 bytes"},
		{"nested", strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth), "it is nested too deeply"},
	} {
		p := parser(t, JavaScript)
		_, err := p.Parse(t.Context(), []byte(c.src))
		var syntax *SyntaxError
		var unreadable Unreadable
		if err == nil || err.Error() != c.want || !errors.As(err, &syntax) && !errors.As(err, &unreadable) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		if _, err := p.Parse(t.Context(), []byte("a")); err != nil {
			t.Errorf("after %s: %v", c.name, err)
		}
	}
}

// A source that takes longer than it may is given up, and so is one that the guest does not survive; the next one is read.
func TestHostileSources(t *testing.T) {
	p := parser(t, JavaScript)
	if _, err := p.Parse(t.Context(), []byte("a")); err != nil {
		t.Fatal(err)
	}
	p.limit = time.Millisecond
	slow := []byte(strings.Repeat("a = b < c ? d : (e) => { f };\n", 20_000))
	if _, err := p.Parse(t.Context(), slow); err == nil || err.Error() != errBudget.Error() {
		t.Errorf("a source that takes too long: %v", err)
	}
	p.limit = maxTime
	for name, src := range map[string][]byte{
		"brackets": []byte(strings.Repeat("(", MaxSource/8)), "quotes": []byte(strings.Repeat("`${", MaxSource/24)), "noise": noise(MaxSource / 64),
		"tags": []byte(strings.Repeat("<a>", MaxSource/24)), "arrows": []byte(strings.Repeat("(a=", MaxSource/48)), "zeros": make([]byte, MaxSource),
	} {
		if _, err := p.Parse(t.Context(), src); err == nil {
			t.Errorf("%s: no error", name)
		}
		if root, err := p.Parse(t.Context(), []byte("a")); err != nil || root.Kind != "program" {
			t.Errorf("after %s: %v", name, err)
		}
	}
}

// noise is text of signs without sense, always the same.
func noise(n int) []byte {
	out, x := make([]byte, n), uint32(1)
	for i := range out {
		x = x*1664525 + 1013904223
		out[i] = " \n(){}[]<>=+-*/`'\"$a1;,.?:!&|"[x>>16%29]
	}
	return out
}

// A guest that runs out of memory is given up alone.
func TestGuestThatGivesOut(t *testing.T) {
	p := parser(t, JavaScript)
	if _, err := p.Parse(t.Context(), []byte("a")); err != nil {
		t.Fatal(err)
	}
	first := p.machine
	err := p.parse(t.Context(), []byte("a"), func(m *machine, _ uint32, _ offsets) error {
		_, err := m.call(t.Context(), "calloc", maxSize, page)
		if err != nil {
			return err
		}
		_, err = m.call(t.Context(), "ts_node_has_error_wasm", 0xfffffff0)
		return err
	})
	if err == nil || err.Error() != "the parser did not survive it" || p.machine != nil {
		t.Errorf("%v, machine %v", err, p.machine)
	}
	if _, err := p.Parse(t.Context(), []byte("a")); err != nil || p.machine == first {
		t.Errorf("the next source: %v", err)
	}
}

// The stack of the guest ends where its memory does: nothing is written over by one that grows too large.
func TestStackLiesBelowTheData(t *testing.T) {
	p := parser(t, JavaScript)
	if _, err := p.Parse(t.Context(), []byte("a")); err != nil {
		t.Fatal(err)
	}
	if sp, err := p.machine.call(t.Context(), "emscripten_stack_get_current"); err != nil || sp > stackSize {
		t.Errorf("the stack begins at %d, %v", sp, err)
	}
	if p.machine.transfer < stackSize {
		t.Errorf("data lie at %d, below the stack", p.machine.transfer)
	}
}

func TestCheckSaysWhatParseSays(t *testing.T) {
	p := parser(t, TypeScript)
	for _, src := range []string{"let x: T = 1", "let x: = 1", "class A { private b?: string }", "class {", "\xff"} {
		_, err := p.Parse(t.Context(), []byte(src))
		if got := p.Check(t.Context(), []byte(src)); (got == nil) != (err == nil) {
			t.Errorf("%q: %v and %v", src, got, err)
		}
	}
}

func TestNode(t *testing.T) {
	root, err := parser(t, JavaScript).Parse(t.Context(), []byte("a < b"))
	if err != nil {
		t.Fatal(err)
	}
	b := root.Children[0].Children[0]
	if b.Child("right").Text([]byte("a < b")) != "b" || b.Child("none") != nil || b.Token("<") != b.Child("operator") || b.Token(">") != nil {
		t.Errorf("children: %v", b.Children)
	}
	if b.Child("right").Index() != 2 || root.Index() != -1 || !slices.Contains(root.Children[0].Children, b) {
		t.Error("places among siblings")
	}
}

// What the grammar does not know breaks the function around it, and no other.
func TestParseAround(t *testing.T) {
	root, bad, err := parser(t, C).ParseAround(t.Context(), []byte("int f(void) { return 1; }\nint g(void) { return 1 +; }\nint h(void) { return 1; }\n"))
	if err != nil || bad == nil || bad.Line != 2 {
		t.Fatalf("%v, %v", bad, err)
	}
	var broken []bool
	for _, c := range root.Children {
		broken = append(broken, c.Broken)
	}
	if !root.Broken || !slices.Equal(broken, []bool{false, true, false}) {
		t.Errorf("broken: %v, root %v", broken, root.Broken)
	}
}
