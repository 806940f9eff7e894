package syntax_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/syntax"
)

var update = flag.Bool("update", false, "write the golden files afresh")

// find returns the mutants of a source, proven.
func find(t *testing.T, name, src string) *syntax.Result {
	t.Helper()
	res, err := syntax.Find(t.Context(), syntax.Options{Tree: fstest.MapFS{name: {Data: []byte(src)}}}, []string{name})
	if err != nil {
		t.Fatal(err)
	}
	var all []*mutate.Mutant
	for i := range res.Mutants {
		all = append(all, &res.Mutants[i])
	}
	if err := res.Prove(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	return res
}

// lines writes mutants for people.
func lines(res *syntax.Result) string {
	var b strings.Builder
	for _, m := range res.Mutants {
		fmt.Fprintf(&b, "%d:%d %s %s %s", m.Line, m.Col, m.Operator, m.Func, m.Description)
		if m.Arid != "" {
			b.WriteString(" [" + m.Arid + "]")
		}
		if m.Known != "" {
			b.WriteString(" " + string(m.Known))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Every shape that an operator knows, in each language: testdata/shapes.*.txt lists the mutants.
func TestShapes(t *testing.T) {
	for _, ext := range syntax.Extensions() {
		if ext == ".h" {
			continue
		}
		file := "testdata/shapes" + ext
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		res := find(t, "a"+ext, string(src))
		if len(res.Unread) > 0 || len(res.Unparsed) > 0 {
			t.Errorf("%s: unread %v, unparsed %v", file, res.Unread, res.Unparsed)
		}
		got := lines(res)
		if *update {
			if err := os.WriteFile(file+".txt", []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, _ := os.ReadFile(file + ".txt")
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-golden +now; -update writes it):\n%s", file, diff)
		}
		for i := range res.Mutants {
			if out, err := res.Mutants[i].Apply(src); err != nil || string(out) == string(src) {
				t.Errorf("%s changes nothing: %v", res.Mutants[i].String(), err)
			}
		}
	}
}

// wants lists what has to be among the mutants, and with a minus what may not be.
func TestRules(t *testing.T) {
	for _, c := range []struct{ name, file, src, wants string }{
		{"precedence is kept (M16)", "a.c", "int f(void) { return a && b && c; }", "logical `&&` -> `||` => (a || b)"},
		{"precedence is kept (M16)", "a.rs", "fn f() { g(a || b && c); }", "logical `&&` -> `||` => (b || c)"},
		{"minus signs do not melt", "A.java", "class A { int f() { return a- -b; } }", "unary `-b` -> `b` => "},
		{"text is put together", "A.java", "class A { String f() { return \"a\" + b; } }", "-arithmetic `+` -> `-`"},
		{"text is put together", "a.rb", "def f\n  'a' + b\nend", "-arithmetic `+` -> `-`"},
		{"a call defines", "a.rb", "class A\n  attr_reader :a\n  belongs_to :b\nend", "-statement call `attr_reader :a` taken away"},
		{"a loop that javac would refuse", "A.java", "class A { void f() { while (a) { b(); } } }", "condition `a` -> `(a) && false`"},
		{"a pattern binds a name", "A.java", "class A { void f() { if (a instanceof B b) { b.c(); } } }", "-condition `a instanceof B b` -> `true`"},
		{"if let binds a name", "a.rs", "fn f() { if let Some(x) = y { x.z(); } }", "-condition `let Some(x) = y` -> `true`"},
		{"a match that must be complete", "a.rs", "fn f() { match a { A => b(), B => c() } }", "-branch case `A => b(),` taken away"},
		{"what a function says that it returns", "a.rs", "fn f() -> Result<(), E> { g() }", "return `g()` -> `Ok(())`"},
		{"a result named by its path", "a.rs", "fn f() -> io::Result<usize> { g() }", "return `g()` -> `Ok(Default::default())`"},
		{"a result named by its path", "a.rs", "fn f() -> fmt::Result { g() }", "return `g()` -> `Ok(())`"},
		{"a result named by its path", "a.rs", "fn f() -> std::option::Option<u8> { g() }", "return `g()` -> `None`"},
		{"a borrowed text", "a.rs", "fn f<'a>(x: &'a str) -> &'a str { x }", "return `x` -> `\"\"`"},
		{"a borrowed value of another type", "a.rs", "fn f(x: &Substr) -> &Substr { x }", "-return"},
		{"no type has no empty value", "a.rs", "fn f() -> Box<dyn Fn()> { g() }", "-return"},
		{"no type has no empty value", "a.rs", "fn f() -> std::cmp::Ordering { g() }", "-return"},
		{"no program negates null", "A.java", "class A { Boolean f() { return null; } }", "-return"},
		{"a loop that javac looks at", "A.java", "class A { void f() { while (true) { a(); } } }", "-boolean"},
		{"a loop that no compiler looks at", "a.rb", "while true\n  a\nend", "boolean `true` -> `false`"},
		{"any number holds", "a.c", "void f(void) { while (1) { g(); } }", "-constant"},
		{"any number holds", "a.c", "void f(void) { while (1) { g(); } }", "condition `1` -> `0`"},
		{"a status by its name", "a.c", "int f(void) { return EXIT_SUCCESS; }", "return `EXIT_SUCCESS` -> `EXIT_FAILURE`"},
		{"zero by another name", "a.c", "char f(void) { return '\\0'; }", "-return"},
		{"a text below its line goes with it", "a.rb", "def f\n  puts(<<~A, <<~B)\n    a && b\n  A\n    c\n  B\n  d\nend", "statement call `puts(<<~A, <<~B)` taken away"},
		{"a text below its line cannot go with it", "a.rb", "f(<<~A) if g\n  a\nA\n", "-statement call"},
		{"a text below its line stays", "a.rb", "x = f(<<~A) && b || c\n  a\nA\n", "logical `&&` -> `||` => (f(<<~A) || b)"},
		{"a pattern of a case", "a.rb", "case x\nin [a] then b\nin {c: 1} then d\nend", "branch case `in [a] then b` taken away"},
		{"what a method says that it returns", "A.java", "class A { List<B> f() { return g(); } }", "return `g()` -> `null`"},
		{"a struct has no zero", "a.c", "struct s f(void) { return g(); }", "-return `g()` -> `0`"},
		{"octal numbers", "a.c", "int f(void) { return g(0755); }", "constant `0755` -> `0756`"},
		{"numbers that are more than sixty-four bits", "a.rs", "fn f() { g(99999999999999999999u128); }", "-constant"},
		{"macros", "a.rs", "fn f() { assert!(a < b); }", "-boundary"},
		{"annotations", "A.java", "class A { @B(1) void f() { } }", "-constant"},
		{"the preprocessor's conditions", "a.c", "#if A > 3\nint a;\n#endif\n", "-boundary"},
		{"a named constant", "a.c", "#define A 3\n", "constant `3` -> `4`"},
		{"break inside of a switch in a loop", "a.c", "void f(void) { while (a) switch (b) { case 1: break; default: continue; } }", "jump `break` taken away"},
		{"break with a label", "A.java", "class A { void f() { x: while (a) { break x; } } }", "-jump"},
		{"lines end as they do", "a.c", "int f(void)\r\n{\r\n\treturn a < b;\r\n}\r\n", "boundary `<` -> `<=`"},
	} {
		res := find(t, c.file, c.src)
		want, unwanted := strings.CutPrefix(c.wants, "-")
		want, text, _ := strings.Cut(want, " => ")
		found := slices.ContainsFunc(res.Mutants, func(m mutate.Mutant) bool {
			return strings.HasPrefix(m.Operator+" "+m.Description, want) && m.Known == "" && (text == "" || strings.TrimSpace(string(m.Replacement)) == text)
		})
		if found == unwanted {
			t.Errorf("%s: %q among %s: %v", c.name, want, lines(res), found)
		}
	}
}

// M14: what nobody would want a test of is listed with the reason.
func TestArid(t *testing.T) {
	for _, c := range []struct{ file, src, operator, want string }{
		{"a.c", "void f(void) { fprintf(stderr, \"%d\", a + 1); }", "arithmetic", syntax.AridLog},
		{"a.c", "void f(void) { assert(a < b); }", "boundary", syntax.AridAssertion},
		{"a.c", "void f(void) { printf(\"%d\", a + 1); }", "arithmetic", ""},
		{"A.java", "class A { void f() { logger.debug(a + 1); } }", "arithmetic", syntax.AridLog},
		{"A.java", "class A { void f() { throw new BadException(a - 1); } }", "arithmetic", syntax.AridErrorText},
		{"A.java", "class A { public String toString() { return a(b - 1); } }", "arithmetic", syntax.AridDebug},
		{"a.rs", "fn f() { log::info!(\"a\"); }", "statement", syntax.AridLog},
		{"a.rs", "#[cfg(test)]\nmod tests { fn f() { g(a - 1); } }", "arithmetic", syntax.AridTest},
		{"a.rs", "mod a { #[test] fn f() { g(a - 1); } }", "arithmetic", syntax.AridTest},
		{"a.rs", "#[cfg(not(test))]\nmod a { fn f() { g(a - 1); } }", "arithmetic", ""},
		{"a.rb", "def f\n  raise A, b - 1\nend", "arithmetic", syntax.AridErrorText},
		{"a.rb", "def f\n  Rails.logger.info(b - 1)\nend", "arithmetic", syntax.AridLog},
		{"a.rb", "# This file is automatically generated.\ndef f\n  b - 1\nend", "arithmetic", syntax.AridGenerated},
	} {
		for _, m := range find(t, c.file, c.src).Mutants {
			if m.Operator == c.operator && m.Arid != c.want {
				t.Errorf("%s %s: arid %q, want %q", c.src, m.Description, m.Arid, c.want)
			}
		}
	}
}

// A place that the grammar does not know is named, and what lies beside it has its mutants.
func TestUnread(t *testing.T) {
	res := find(t, "a.c", "int f(void) { return a < b; }\n\nint g(void)\n{\n\treturn a BETWEEN(<) b <;\n}\n\nint h(void) { return a < b; }\n")
	var at []int
	for _, m := range res.Mutants {
		if m.Operator == "boundary" {
			at = append(at, m.Line)
		}
		if m.Known != "" {
			t.Errorf("%s: %s %s", m.Description, m.Known, m.Why)
		}
	}
	if want := []mutate.Range{{Start: 5, End: 5}}; !slices.Equal(at, []int{1, 8}) || !slices.Equal(res.Unread["a.c"], want) {
		t.Errorf("mutants in %v, unread %v", at, res.Unread)
	}
}

// A mutant that its grammar does not read is known to be none before any run.
func TestProve(t *testing.T) {
	name, src := "a.c", "int f(void) { return a < b; }"
	res := find(t, name, src)
	m := res.Mutants[0]
	m.Replacement = "< <"
	if err := res.Prove(t.Context(), []*mutate.Mutant{&m}); err != nil || m.Known != mutate.Unviable {
		t.Errorf("%q: %s, %v", m.Replacement, m.Known, err)
	}
}

// Ids do not change with lines above (M15).
func TestIDsStay(t *testing.T) {
	src := "fn f() -> bool {\n    a < b\n}\n"
	before, after := find(t, "a.rs", src).Mutants, find(t, "a.rs", "// a comment\n\n"+src).Mutants
	if len(before) == 0 || len(before) != len(after) {
		t.Fatalf("%d and %d", len(before), len(after))
	}
	for i := range before {
		if before[i].ID != after[i].ID {
			t.Errorf("%s: %s and %s", before[i].Description, before[i].ID, after[i].ID)
		}
	}
}

func TestAnnotate(t *testing.T) {
	const code = "fn f(a: i32) -> bool {\n    a < 1\n}\n"
	const tests = "\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn g() { assert!(super::f(0)); }\n}\n"
	for _, c := range []struct {
		name, base, head string
		known            mutate.Verdict
		arid, fn         string
	}{
		{"a fault", strings.Replace(code, "1", "2", 1), code, "", "", "f"},
		{"layout", strings.Replace(code, "a < 1", "a  <  1", 1), code, mutate.Equivalent, "", "f"},
		{"a comment", strings.Replace(code, "a < 1", "a < 1 // less", 1), code, mutate.Equivalent, "", "f"},
		{"no Rust", strings.Replace(code, "a < 1", "a < ", 1), code, mutate.Unviable, "", "f"},
		{"tests come", code, code + tests, "", syntax.AridTest, ""},
		{"tests go", code + tests, code, "", syntax.AridTest, ""},
		{"a test changes", code + strings.Replace(tests, "f(0)", "f(1)", 1), code + tests, "", syntax.AridTest, ""},
		{"code comes beside a test", code, "fn h() {}\n" + code, "", "", ""},
	} {
		ms := mutate.Reverts([]mutate.FileChange{{Path: "a.rs", Base: &mutate.Blob{Data: []byte(c.base)}, Head: &mutate.Blob{Data: []byte(c.head)}}})
		if err := syntax.Annotate(t.Context(), syntax.Options{Tree: fstest.MapFS{"a.rs": {Data: []byte(c.head)}}}, ms); err != nil || len(ms) != 1 {
			t.Fatalf("%s: %d hunks, %v", c.name, len(ms), err)
		}
		if m := ms[0]; m.Known != c.known || m.Arid != c.arid && c.known == "" || m.Func != c.fn {
			t.Errorf("%s: known %q (%s), arid %q, func %q", c.name, m.Known, m.Why, m.Arid, m.Func)
		}
	}
}

func TestIsSource(t *testing.T) {
	for p, want := range map[string]bool{
		"src/main.rs": true, "tests/all.rs": false, "src/cart/tests.rs": false, "src/main/java/A.java": true, "src/test/java/A.java": false, "src/ATest.java": false,
		"lib/a.rb": true, "spec/a_spec.rb": false, "test/test_a.rb": false, "a.c": true, "a.h": true, "tests/a.c": false, "a.go": false, "latest.c": true,
	} {
		if syntax.IsSource(p) != want {
			t.Errorf("%s: %v", p, !want)
		}
	}
}

// A canary of a language ends what uses it: the text goes where every program comes by.
func TestCanary(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"a.rb":   {"#!/usr/bin/env ruby\n# frozen_string_literal: true\nx\n", "#!/usr/bin/env ruby\n# frozen_string_literal: true\nKernel.exit!(86)\nx\n"},
		"A.java": {"// a class B {}\nfinal class A<T> extends B {\n}\n", "// a class B {}\nfinal class A<T> extends B { static { Runtime.getRuntime().halt(86); } \n}\n"},
	} {
		if got, ok := syntax.Canary(name, []byte(c.src)); !ok || string(got) != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if _, ok := syntax.Canary("tests/a.c", nil); ok {
		t.Error("a test has a canary")
	}
}

// A text that stands below its line is no code, and is not left behind as such.
func TestTextsBelowTheirLine(t *testing.T) {
	const src = "def f\n  puts(<<~A, <<~B)\n    a && b\n  A\n    c\n  B\n  d = g <<~C\n    e\n  C\n  d + <<~D\n    h\n  D\nend\n"
	res := find(t, "a.rb", src)
	var got []string
	for i := range res.Mutants {
		m := &res.Mutants[i]
		if m.Operator == "constant" || m.Replacement != "nil" {
			continue
		}
		out, err := m.Apply([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(out))
	}
	want := []string{
		"def f\n  nil\n  d = g <<~C\n    e\n  C\n  d + <<~D\n    h\n  D\nend\n",
		"def f\n  puts(<<~A, <<~B)\n    a && b\n  A\n    c\n  B\n  d = g <<~C\n    e\n  C\n  nil\nend\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
