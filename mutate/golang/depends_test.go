package golang

import (
	"strings"
	"testing"
	"testing/fstest"
)

// dependent is a project of two packages whose tests take different ways through it.
func dependent() map[string]string {
	return map[string]string{
		"a.go": `package m

import "example.org/m/deep"

func Plain(x int) int { return inner(x) + 1 }

func inner(x int) int { return x * 2 }

func Other(x int) int { return deep.Far(x) }

type Shape interface{ Area() int }

type Square struct{ side int }

func (s Square) Area() int    { return s.side * s.side }
func (s Square) Unused() int  { return 1 }
func (s Square) String() string { return "square" }

type Circle struct{ r int }

func (c *Circle) Area() int { return 3 * c.r * c.r }

func Sum(all ...Shape) (n int) {
	for _, s := range all {
		n += s.Area()
	}
	return n
}

var table = build()

func build() []int { return []int{limit} }

const (
	zero = iota
	limit
)

func NewCircle() *Circle { return &Circle{zero} }
`,
		"b.go":         "package m\n\nfunc Alone() int { return 4 }\n",
		"deep/deep.go": "package deep\n\nfunc Far(x int) int { return x }\n\nfunc Near(x int) int { return x }\n\nfunc init() { started() }\n\nfunc started() {}\n",
		"a_test.go": `package m

import "testing"

func TestPlain(t *testing.T) { check(t, Plain(1) == 3) }
func TestSquare(t *testing.T) { check(t, Sum(Square{2}) == 4) }
func TestAlone(t *testing.T) { check(t, Alone() == 4) }

func check(t *testing.T, ok bool) {
	if !ok {
		t.Error("no")
	}
}
`,
		"x_test.go": `package m_test

import (
	"fmt"
	"testing"

	"example.org/m"
)

func TestOther(t *testing.T) { _ = m.Other(1) }
func TestCircle(t *testing.T) { _ = fmt.Sprint(m.NewCircle().Area()) }
`,
		"deep/deep_test.go": "package deep\n\nimport \"testing\"\n\nfunc TestNear(t *testing.T) { _ = Near(1) }\n",
	}
}

var allTests = []string{"m.TestPlain", "m.TestSquare", "m.TestAlone", "m.TestOther", "m.TestCircle", "m/deep.TestNear"}

// digests returns the digest of each test of the project, "" where nobody can tell.
func digests(t *testing.T, tr fstest.MapFS) map[string]string {
	t.Helper()
	d := NewDepends(Options{Tree: tr, GOROOT: goroot(t)})
	out := map[string]string{}
	for _, test := range allTests {
		pkg, name, _ := strings.Cut(test, ".")
		sum, err := d.Digest("example.org/"+pkg, name)
		if err != nil {
			t.Log(test, err)
		}
		out[test] = sum
	}
	return out
}

// An edit concerns the tests that may run what was edited, with any mutant of what they run, and no others.
func TestWhomAnEditConcerns(t *testing.T) {
	before := digests(t, tree(dependent()))
	for test, sum := range before {
		if sum == "" {
			t.Fatalf("nothing is known of %s", test)
		}
	}
	for _, tt := range []struct{ name, file, old, new, want string }{
		{"a function that one test calls", "b.go", "return 4", "return 5", "m.TestAlone"},
		{"a function that is called by one that is", "a.go", "x * 2", "x * 3", "m.TestPlain"},
		{"a blank line, which moves what is below", "a.go", "func inner", "\n\nfunc inner", ""},
		{"a comment outside of functions", "a.go", "func inner", "// inner doubles.\nfunc inner", ""},
		{"a directive to the compiler", "a.go", "func inner", "//go:noinline\nfunc inner", "m.TestPlain"},
		{"a method behind an interface, of a type that a test speaks of", "a.go", "s.side * s.side", "s.side", "m.TestSquare"},
		{"the same of another type", "a.go", "3 * c.r", "4 * c.r", "m.TestCircle"},
		{"a method that nobody calls", "a.go", "return 1 }", "return 2 }", ""},
		{"a method that the library may call", "a.go", "\"square\"", "\"Square\"", "m.TestSquare"},
		{"what a variable is made by when the package starts", "a.go", "[]int{limit}", "[]int{limit, 1}", "m.TestPlain m.TestSquare m.TestAlone m.TestOther m.TestCircle"},
		{"a constant that moves others", "a.go", "zero = iota", "first = iota\n\tzero", "m.TestPlain m.TestSquare m.TestAlone m.TestOther m.TestCircle"},
		{"a type", "a.go", "struct{ r int }", "struct{ r, q int }", "m.TestCircle"},
		{"another package, by one function", "deep/deep.go", "Far(x int) int { return x }", "Far(x int) int { return -x }", "m.TestOther"},
		{"what an init function of a linked package calls", "deep/deep.go", "started() {}", "started() { println() }", strings.Join(allTests, " ")},
		{"a test", "a_test.go", "Plain(1) == 3", "Plain(1) != 4", "m.TestPlain m.TestSquare m.TestAlone m.TestOther m.TestCircle"},
		{"an import of the same name", "a.go", "\"example.org/m/deep\"", "deep \"example.org/m/deep2\"", "m.TestPlain m.TestSquare m.TestAlone m.TestOther m.TestCircle"},
		{"a build constraint", "b.go", "package m", "//go:build linux\n\npackage m", "m.TestAlone"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := dependent()
			if !strings.Contains(files[tt.file], tt.old) {
				t.Fatalf("%s does not hold %q", tt.file, tt.old)
			}
			files[tt.file] = strings.Replace(files[tt.file], tt.old, tt.new, 1)
			files["deep2/deep.go"] = files["deep/deep.go"]
			var got []string
			after := digests(t, tree(files))
			for _, test := range allTests {
				if after[test] != before[test] {
					got = append(got, test)
				}
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("it concerns %q, want %q", got, tt.want)
			}
		})
	}
}

// Where code is reached by other ways than names, nothing is claimed.
func TestNothingIsKnown(t *testing.T) {
	for name, edit := range map[string]map[string]string{
		"cgo":                               {"c.go": "package m\n\nimport \"C\"\n"},
		"assembly":                          {"a.s": "\n"},
		"a link to a name":                  {"c.go": "package m\n\nimport _ \"unsafe\"\n\n//go:linkname x example.org/m.inner\nfunc x(int) int\n"},
		"other programs":                    {"c_test.go": "package m\n\nimport \"os/exec\"\n\nvar _ = exec.Command(\"go\", \"run\", \"./cmd\")\n"},
		"other programs by the system":      {"c.go": "package m\n\nimport \"syscall\"\n\nvar _ = syscall.Exec\n"},
		"Go as data":                        {"c_test.go": "package m\n\nimport \"os\"\n\nvar src, _ = os.ReadFile(\"a.go\")\n"},
		"a package that is not here":        {"c.go": "package m\n\nimport _ \"example.org/nowhere\"\n"},
		"a dependency that starts programs": {"c.go": "package m\n\nimport _ \"example.org/v\"\n", "vendor/example.org/v/v.go": "package v\n\nimport _ \"os/exec\"\n"},
		"a file that is no Go":              {"c.go": "package m\n\nfunc {\n"},
	} {
		t.Run(name, func(t *testing.T) {
			files := dependent()
			for k, v := range edit {
				files[k] = v
			}
			if got := digests(t, tree(files))["m.TestAlone"]; got != "" {
				t.Errorf("TestAlone has a digest")
			}
		})
	}
}

// Where methods are found by reflection, every method of a type that is spoken of may run.
func TestMethodsByReflection(t *testing.T) {
	for name, c := range map[string]string{
		"of the tree":    "package m\n\nimport \"reflect\"\n\nfunc Call(x any) { reflect.ValueOf(x).Method(0).Call(nil) }\n",
		"of the library": "package m\n\nimport \"text/template\"\n\nvar Call = template.New\n",
	} {
		t.Run(name, func(t *testing.T) {
			files := dependent()
			files["c.go"] = c
			files["a_test.go"] += "\nfunc TestCall(t *testing.T) { _ = Call; _ = Square{} }\n"
			sum := func() string {
				s, err := NewDepends(Options{Tree: tree(files), GOROOT: goroot(t)}).Digest("example.org/m", "TestCall")
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			before := sum()
			files["a.go"] = strings.Replace(files["a.go"], "return 1 }", "return 2 }", 1)
			if sum() == before {
				t.Error("a method that reflection may call was edited, and the digest is the same")
			}
		})
	}
}
