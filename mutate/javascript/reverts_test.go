package javascript

import (
	"testing"

	"github.com/vallane/lane/mutate"
)

func TestAnnotate(t *testing.T) {
	const before, after = "function f(a) {\n", "  return x;\n}\n"
	for _, tt := range []struct {
		name, base, head string
		known            mutate.Verdict
		fn               string
	}{
		{"code", before + "  g(1);\n" + after, before + "  g(2);\n" + after, "", "f"},
		{"comments", before + "  // a\n  g(1);\n" + after, before + "  // b\n  /* c */\n  g(1);\n" + after, mutate.Equivalent, "f"},
		{"layout", before + "  g( 1 )\n" + after, before + "  g(1);\n" + after, mutate.Equivalent, "f"},
		{"text", before + "  g(' 1');\n" + after, before + "  g('1');\n" + after, "", "f"},
		{"text of a template", before + "  g(` ${a} `);\n" + after, before + "  g(`${a} `);\n" + after, "", "f"},
		{"text of JSX", before + "  g(<a>b  c</a>);\n" + after, before + "  g(<a>b c</a>);\n" + after, "", "f"},
		{"the end of a statement", before + "  return\n  a;\n" + after, before + "  return a;\n" + after, "", "f"},
		{"an empty loop", before + "  for (;;) { g(1) }\n" + after, before + "  for (a;;) { g(1) }\n" + after, "", "f"},
		{"the head of a function", "function f(a, b) {\n" + after, before + after, "", ""},
		{"outside", "h = 1;\n" + before + after, "h = 2;\n" + before + after, "", ""},
	} {
		files := []mutate.FileChange{{Path: "f.jsx", Base: &mutate.Blob{Data: []byte(tt.base)}, Head: &mutate.Blob{Data: []byte(tt.head)}}}
		ms := mutate.Reverts(files)
		if err := Annotate(t.Context(), Options{Tree: tree(map[string]string{"f.jsx": tt.head})}, ms); err != nil {
			t.Fatal(err)
		}
		if len(ms) == 0 || ms[0].Known != tt.known || ms[0].Func != tt.fn || (tt.fn != "") != (ms[0].Reach != mutate.Range{}) {
			t.Errorf("%s: %+v", tt.name, ms)
		}
	}
}

// A hunk put back alone may leave a program that is none.
func TestHunkThatLeavesNoProgram(t *testing.T) {
	base := "a {\n  b;\n  c;\n  d;\n  e;\n  f;\n"
	head := "a; {\n  b;\n  c;\n  d;\n  e;\n  f; }\n"
	ms := mutate.Reverts([]mutate.FileChange{{Path: "f.js", Base: &mutate.Blob{Data: []byte(base)}, Head: &mutate.Blob{Data: []byte(head)}}})
	if err := Annotate(t.Context(), Options{Tree: tree(map[string]string{"f.js": head})}, ms); err != nil {
		t.Fatal(err)
	}
	if len(ms) != 2 || ms[1].Known != mutate.Unviable {
		t.Errorf("%+v", ms)
	}
}

func TestGeneratedFilesAreSetApart(t *testing.T) {
	head := "// @generated\na = 1;\n"
	ms := mutate.Reverts([]mutate.FileChange{{Path: "f.js", Base: &mutate.Blob{Data: []byte("// @generated\na = 2;\n")}, Head: &mutate.Blob{Data: []byte(head)}}})
	if err := Annotate(t.Context(), Options{Tree: tree(map[string]string{"f.js": head})}, ms); err != nil {
		t.Fatal(err)
	}
	if len(ms) != 1 || ms[0].Arid != AridGenerated {
		t.Errorf("%+v", ms)
	}
}

func TestCanary(t *testing.T) {
	got, ok := Canary("f.js", []byte("a // b\r\nc // d"))
	if want := "a // b\r\nc // d\r\n;globalThis.process?.exit(86); throw new Error(\"canary\");\r\n"; !ok || string(got) != want {
		t.Errorf("%q, %v", got, ok)
	}
	if _, ok := Canary("f.test.js", nil); ok {
		t.Error("a test has a canary")
	}
	for _, name := range []string{"f.mjs", "f.cjs", "f.mts", "f.tsx"} {
		src, _ := Canary(name, []byte("export const a = 1"))
		if res := find(t, map[string]string{name: string(src)}); len(res.Unparsed) > 0 {
			t.Errorf("%s: %v", name, res.Unparsed)
		}
	}
}
