package golang

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vallane/lane/mutate"
)

// tree makes a file system of a module; names are paths.
func tree(files map[string]string) fstest.MapFS {
	out := fstest.MapFS{"go.mod": {Data: []byte("module example.org/m\n\ngo 1.24\n")}}
	for p, s := range files {
		out[p] = &fstest.MapFile{Data: []byte(s)}
	}
	return out
}

func goroot(t testing.TB) fs.FS {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return os.DirFS(strings.TrimSpace(string(out)))
}

func find(t testing.TB, o Options, files ...string) *Result {
	t.Helper()
	res, err := Mutants(t.Context(), o, files)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// faults returns what each mutant of f.go turns its line into, after the name of its operator; unviable ones are
// marked with "!", arid ones with "~".
func faults(t *testing.T, src string, operators ...string) []string {
	t.Helper()
	res := find(t, Options{Tree: tree(map[string]string{"f.go": src}), GOROOT: goroot(t), Operators: operators}, "f.go")
	if len(res.Unparsed) > 0 || len(res.Unproven) > 0 {
		t.Fatalf("unparsed %v, unproven %v", res.Unparsed, res.Unproven)
	}
	var out []string
	for _, m := range res.Mutants {
		mutated, err := m.Apply([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		mark := ""
		if m.Known != "" {
			mark = "!"
		}
		if m.Arid != "" {
			mark += "~"
		}
		out = append(out, fmt.Sprintf("%s%s: %s", mark, m.Operator, differing(src, string(mutated))))
	}
	return out
}

// differing returns the line of b in which it differs from a.
func differing(a, b string) string {
	la, lb := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range lb {
		if i >= len(la) || la[i] != lb[i] {
			return strings.TrimSpace(lb[i])
		}
	}
	return "(nothing)"
}

func TestOperators(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       []string
	}{
		{"boundary", `func F(a, b int) { _ = a < b; _ = a >= b }`, []string{
			"boundary: func F(a, b int) { _ = a <= b; _ = a >= b }", "boundary: func F(a, b int) { _ = a < b; _ = a > b }"}},
		{"comparison", `func F(a, b int) { _ = a < b; _ = a == b }`, []string{
			"comparison: func F(a, b int) { _ = a >= b; _ = a == b }", "comparison: func F(a, b int) { _ = a < b; _ = a != b }"}},
		{"arithmetic", `func F(a, b int) { _ = a + b; _ = a * b; _ = a % b }`, []string{
			"arithmetic: func F(a, b int) { _ = a - b; _ = a * b; _ = a % b }", "arithmetic: func F(a, b int) { _ = a + b; _ = a / b; _ = a % b }",
			"arithmetic: func F(a, b int) { _ = a + b; _ = a * b; _ = a * b }"}},
		{"arithmetic", `func F(a int) { a += 2; a /= 3 }`, []string{
			"arithmetic: func F(a int) { a -= 2; a /= 3 }", "arithmetic: func F(a int) { a += 2; a *= 3 }"}},
		{"arithmetic", `func F(s string) string { return "hello " + s }`, []string{ // M1
			`!arithmetic: func F(s string) string { return "hello " - s }`}},
		{"arithmetic", `func F(a int) int { return a * 0 }`, []string{ // division by a constant zero
			`!arithmetic: func F(a int) int { return a / 0 }`}},
		{"logical", `func F(a, b bool) bool { return a && b }`, []string{"logical: func F(a, b bool) bool { return a || b }"}},
		{"logical", `func F(a, b, c bool) bool { return a && b && c }`, []string{ // M16
			"logical: func F(a, b, c bool) bool { return (a || b) && c }", "logical: func F(a, b, c bool) bool { return a && b || c }"}},
		{"logical", `func F(a, b, c bool) bool { return a || b || c }`, []string{
			"logical: func F(a, b, c bool) bool { return a && b || c }", "logical: func F(a, b, c bool) bool { return (a || b) && c }"}},
		{"logical", `func F(a, b, c bool) bool { return a || b && c }`, []string{
			"logical: func F(a, b, c bool) bool { return a && (b && c) }", "logical: func F(a, b, c bool) bool { return a || (b || c) }"}},
		{"boolean", `func F() (bool, T) { x := true; return x, T{true: 1} }; type T map[bool]int`, []string{
			"boolean: func F() (bool, T) { x := false; return x, T{true: 1} }; type T map[bool]int",
			"boolean: func F() (bool, T) { x := true; return x, T{false: 1} }; type T map[bool]int"}},
		{"boolean", `func F() int { true := 1; return true }`, nil},
		{"boolean", `type T struct{ true int }; func F(t T) T { t.true = 1; return T{true: 2} }`, nil},
		{"unary", `func F(a bool, n int) { _ = !a; _ = -n }`, []string{
			"unary: func F(a bool, n int) { _ = a; _ = -n }", "unary: func F(a bool, n int) { _ = !a; _ = n }"}},
		{"unary", `func F(a bool) bool { return!a }`, []string{"unary: func F(a bool) bool { return a }"}}, // not returna
		{"arithmetic", `func F(a int, p *int) { _ = a+-a; _ = a**p }`, []string{
			"arithmetic: func F(a int, p *int) { _ = a- -a; _ = a**p }", "arithmetic: func F(a int, p *int) { _ = a+-a; _ = a/ *p }"}},
		{"constant", `const Most = 10; var name = "x"; func F(a []int) { _ = a[:3]; _ = 1.5; _ = 'y'; _ = "" }`, []string{
			`constant: const Most = 11; var name = "x"; func F(a []int) { _ = a[:3]; _ = 1.5; _ = 'y'; _ = "" }`,
			`constant: const Most = 10; var name = ""; func F(a []int) { _ = a[:3]; _ = 1.5; _ = 'y'; _ = "" }`,
			`constant: const Most = 10; var name = "x"; func F(a []int) { _ = a[:4]; _ = 1.5; _ = 'y'; _ = "" }`,
			`constant: const Most = 10; var name = "x"; func F(a []int) { _ = a[:3]; _ = (1.5 + 1); _ = 'y'; _ = "" }`,
			`constant: const Most = 10; var name = "x"; func F(a []int) { _ = a[:3]; _ = 1.5; _ = 'z'; _ = "" }`,
			`constant: const Most = 10; var name = "x"; func F(a []int) { _ = a[:3]; _ = 1.5; _ = 'y'; _ = "lane" }`}},
		{"constant", `func F(a int, f float64) bool { _ = a < 5; _ = a > 5; return f < 5 }`, []string{ // a < 6 is a <= 5
			"constant: func F(a int, f float64) bool { _ = a < 5; _ = a > 6; return f < 5 }", "constant: func F(a int, f float64) bool { _ = a < 5; _ = a > 5; return f < 6 }"}},
		{"constant", `func F() (int, string, int) { return 0, "x", 7 }`, []string{`constant: func F() (int, string, int) { return 0, "x", 8 }`}}, // the others are returned, too
		{"constant", "import _ \"unsafe\"; type T struct { A int `json:\"a\"` }; func F() { _ = make([]int, 0, 8) }", []string{
			"constant: import _ \"unsafe\"; type T struct { A int `json:\"a\"` }; func F() { _ = make([]int, 1, 8) }",
			"~constant: import _ \"unsafe\"; type T struct { A int `json:\"a\"` }; func F() { _ = make([]int, 0, 9) }"}},
		{"constant", `func F(a uint8) uint8 { switch a { case 1: case 2: }; return a + 255 }`, []string{ // two cases of one value, and a number too large
			`!constant: func F(a uint8) uint8 { switch a { case 2: case 2: }; return a + 255 }`, `constant: func F(a uint8) uint8 { switch a { case 1: case 3: }; return a + 255 }`,
			`!constant: func F(a uint8) uint8 { switch a { case 1: case 2: }; return a + 256 }`}},
		{"bitwise", `func F(a, b int) { _ = a & b; _ = a | b; _ = a ^ b; _ = a &^ b }`, []string{
			"bitwise: func F(a, b int) { _ = a | b; _ = a | b; _ = a ^ b; _ = a &^ b }", "bitwise: func F(a, b int) { _ = a & b; _ = a & b; _ = a ^ b; _ = a &^ b }",
			"bitwise: func F(a, b int) { _ = a & b; _ = a | b; _ = a & b; _ = a &^ b }", "bitwise: func F(a, b int) { _ = a & b; _ = a | b; _ = a ^ b; _ = a & b }"}},
		{"bitwise", `func F(a, b, c int) int { a &= b; a |= c; return a & b & c }`, []string{
			"bitwise: func F(a, b, c int) int { a |= b; a |= c; return a & b & c }", "bitwise: func F(a, b, c int) int { a &= b; a &= c; return a & b & c }",
			"bitwise: func F(a, b, c int) int { a &= b; a |= c; return (a | b) & c }", "bitwise: func F(a, b, c int) int { a &= b; a |= c; return a & b | c }"}},
		{"bitwise", `type N interface{ ~int | ~uint }; type M interface{ int | string }; func F[T N](a *int) {}`, nil}, // unions, and a pointer
		{"shift", `func F(a uint) uint { a <<= 2; return a >> 1 + 1<<3 }`, []string{
			"shift: func F(a uint) uint { a >>= 2; return a >> 1 + 1<<3 }", "shift: func F(a uint) uint { a <<= 2; return a << 1 + 1<<3 }",
			"shift: func F(a uint) uint { a <<= 2; return a >> 1 + 1>>3 }"}},
		{"shift", `func F() int8 { return 1 << 6 }; func G() int8 { return 100 >> 1 }`, []string{ // 200 is no int8
			"shift: func F() int8 { return 1 >> 6 }; func G() int8 { return 100 >> 1 }", "!shift: func F() int8 { return 1 << 6 }; func G() int8 { return 100 << 1 }"}},
		{"jump", `func F(n int) { for { if n > 1 { break }; continue }; switch n { case 1: break } }`, []string{
			"jump: func F(n int) { for { if n > 1 { continue }; continue }; switch n { case 1: break } }",
			"jump: func F(n int) { for { if n > 1 { break }; break }; switch n { case 1: break } }",
			"!jump: func F(n int) { for { if n > 1 { break }; continue }; switch n { case 1: continue } }"}},
		{"branch", `func F(n int) int { x := 0; if n > 1 { x = 1 } else { n = 2; x = n }; return x }`, []string{
			"branch: func F(n int) int { x := 0; if n > 1 { x = 1 } else {  }; return x }"}},
		{"branch", `func F(n int) { if n > 1 { n = 1 } else { n = 2 }; switch n { case 1: case 2: n++ } }`, nil}, // a statement of its own each
		{"branch", `func F(n int) int { switch n { case 1, 2: return 3; default: m := n; _ = m; return m }; }`, []string{
			"!branch: func F(n int) int { switch n { case 1, 2: ; default: m := n; _ = m; return m }; }",
			"!branch: func F(n int) int { switch n { case 1, 2: return 3; default:  }; }"}},
		{"branch", `func F(n int) int { k := 1; switch n { case 1: if n > 0 { return k } }; return 0 }`, []string{ // k is used all the same
			"branch: func F(n int) int { k := 1; switch n { case 1: _, _ = n, k }; return 0 }"}},
		{"branch", `func F(c chan int) (n int) { select { case n = <-c: n++; n++; default: return }; return }`, []string{
			"branch: func F(c chan int) (n int) { select { case n = <-c: ; default: return }; return }",
			"branch: func F(c chan int) (n int) { select { case n = <-c: n++; n++; default:  }; return }"}},
		{"slice", `func F(s []int, i int) { _ = s[i:]; _ = s[:i]; _ = s[1:2]; _ = s[0:]; _ = s[0:i:i]; _ = s[:] }`, []string{
			"slice: func F(s []int, i int) { _ = s[:]; _ = s[:i]; _ = s[1:2]; _ = s[0:]; _ = s[0:i:i]; _ = s[:] }",
			"slice: func F(s []int, i int) { _ = s[i:]; _ = s[:]; _ = s[1:2]; _ = s[0:]; _ = s[0:i:i]; _ = s[:] }",
			"slice: func F(s []int, i int) { _ = s[i:]; _ = s[:i]; _ = s[:2]; _ = s[0:]; _ = s[0:i:i]; _ = s[:] }",
			"slice: func F(s []int, i int) { _ = s[i:]; _ = s[:i]; _ = s[1:]; _ = s[0:]; _ = s[0:i:i]; _ = s[:] }"}},
		{"incdec", `func F(n int) { n++ }`, []string{"incdec: func F(n int) { n-- }"}},
		{"condition", `func F(a, b bool) { if a || b { _ = 1 } }`, []string{
			"condition: func F(a, b bool) { if true || (a || b) { _ = 1 } }", "condition: func F(a, b bool) { if false && (a || b) { _ = 1 } }"}},
		{"condition", `func F(n int) { for n < 3 { n++ }; for { } }`, []string{
			"condition: func F(n int) { for false && n < 3 { n++ }; for { } }"}},
		{"condition", `func F() { if v := f(); v { _ = 1 } }; func f() bool`, []string{
			"condition: func F() { if v := f(); true || v { _ = 1 } }; func f() bool",
			"condition: func F() { if v := f(); false && v { _ = 1 } }; func f() bool"}},
		{"return", `func F(n int) int { return n }`, []string{"return: func F(n int) int { return 0 }"}},
		{"return", `func F() int { return 0 }`, []string{"return: func F() int { return 1 }"}},
		{"return", `func F() string { return "x" }`, []string{`return: func F() string { return "" }`}},
		{"return", `func F() string { return "" }`, []string{`return: func F() string { return "lane" }`}},
		{"return", `func F(a, b int) bool { return a < b }`, []string{"return: func F(a, b int) bool { return !(a < b) }"}},
		{"return", `func F() bool { return true }`, []string{"return: func F() bool { return false }"}},
		{"return", `func F(p *int, e error) (*int, error) { return p, e }`, []string{
			"return: func F(p *int, e error) (*int, error) { return nil, e }", "return: func F(p *int, e error) (*int, error) { return p, nil }"}},
		{"return", `func F() (*int, error) { return nil, nil }`, nil},
		{"return", `type T struct{ n int }; func F(t T) T { return t }`, []string{"return: type T struct{ n int }; func F(t T) T { return *new(T) }"}},
		{"return", `type T struct{ n int }; func F() T { return T{} }`, nil},
		{"return", `func F[T any](t T) T { return t }`, []string{"return: func F[T any](t T) T { return *new(T) }"}},
		{"return", `func F() (n int) { n = 1; return }`, nil},
		{"return", `func F() (int, error) { return g() }; func g() (int, error)`, nil},
		{"return", `func F() int { n := g(); return n }; func g() int`, []string{ // n would be unused
			"return: func F() int { n := g(); { _ = n; return 0 } }; func g() int"}},
		{"return", `func F() func() int { return func() int { return 2 } }`, []string{
			"return: func F() func() int { return nil }", "return: func F() func() int { return func() int { return 0 } }"}},
		{"statement", `var g int; func F(c chan int) { g = 1; g++; f(); c <- 1; defer f(); go f() }; func f()`, []string{
			"statement: var g int; func F(c chan int) { ; g++; f(); c <- 1; defer f(); go f() }; func f()",
			"statement: var g int; func F(c chan int) { g = 1; ; f(); c <- 1; defer f(); go f() }; func f()",
			"statement: var g int; func F(c chan int) { g = 1; g++; ; c <- 1; defer f(); go f() }; func f()",
			"statement: var g int; func F(c chan int) { g = 1; g++; f(); ; defer f(); go f() }; func f()",
			"statement: var g int; func F(c chan int) { g = 1; g++; f(); c <- 1; ; go f() }; func f()",
			"statement: var g int; func F(c chan int) { g = 1; g++; f(); c <- 1; defer f();  }; func f()"}},
		{"statement", `func F() { for i := 0; i < 3; i++ { }; _ = 1; var x = 1; y := x; _ = y }`, nil},
		{"statement", `func F() { x := 1; f(x) }; func f(int)`, []string{ // x would be unused
			"statement: func F() { x := 1; _ = x }; func f(int)"}},
		{"statement", `func F(n int) int { switch { case n > 1: panic("x") }; panic("y") }`, []string{ // a missing return
			`statement: func F(n int) int { switch { case n > 1:  }; panic("y") }`, `!statement: func F(n int) int { switch { case n > 1: panic("x") };  }`}},
		{"comparison", `func F(n int) { switch { case n == 1: } }`, []string{"comparison: func F(n int) { switch { case n != 1: } }"}},
		{"arithmetic", `func F(n int) { switch n { case 1 + 1: ; case 1 - 1: } }`, []string{ // duplicate cases
			"!arithmetic: func F(n int) { switch n { case 1 - 1: ; case 1 - 1: } }", "!arithmetic: func F(n int) { switch n { case 1 + 1: ; case 1 + 1: } }"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := faults(t, "package f\n\n"+tt.body+"\n", tt.name); !slices.Equal(got, tt.want) {
				t.Errorf("%s\n got:\n  %s\nwant:\n  %s", tt.body, strings.Join(got, "\n  "), strings.Join(tt.want, "\n  "))
			}
		})
	}
}

// M14
func TestAridPlaces(t *testing.T) {
	src := `package f

import (
	"errors"
	"fmt"
	"log"
	"log/slog"
)

type T struct{ logger *slog.Logger }

func (t T) F(n int, s string) error {
	log.Printf("%d", n+1)
	t.logger.Info("x", "n", n-1)
	slog.Debug("x")
	if n*2 > 3 {
		return errors.New("too " + s)
	}
	m := make(map[int]int, n+5)
	l := make([]int, n+6, n+7)
	fmt.Println(m, l, n+8)
	if n > 8 {
		panic("too much " + s)
	}
	return fmt.Errorf("%d", n+9)
}

func (t T) GoString() string { return "a" + "b" }
`
	got := map[string]string{}
	for _, m := range find(t, Options{Tree: tree(map[string]string{"f.go": src}), GOROOT: goroot(t)}, "f.go").Mutants {
		line := strings.TrimSpace(strings.Split(src, "\n")[m.Line-1])
		if m.Operator == "arithmetic" || m.Operator == "statement" {
			got[m.Operator+" "+string(m.Original)+" in "+line] = m.Arid
		}
	}
	for key, want := range map[string]string{
		`statement log.Printf("%d", n+1) in log.Printf("%d", n+1)`:               AridLog,
		`arithmetic + in log.Printf("%d", n+1)`:                                  AridLog,
		`arithmetic - in t.logger.Info("x", "n", n-1)`:                           AridLog,
		`statement slog.Debug("x") in slog.Debug("x")`:                           AridLog,
		`arithmetic * in if n*2 > 3 {`:                                           "",
		`arithmetic + in return errors.New("too " + s)`:                          AridErrorText,
		`arithmetic + in m := make(map[int]int, n+5)`:                            AridCapacity,
		`arithmetic + in fmt.Println(m, l, n+8)`:                                 "",
		`arithmetic + in panic("too much " + s)`:                                 AridErrorText,
		`statement panic("too much " + s) in panic("too much " + s)`:             "",
		`arithmetic + in return fmt.Errorf("%d", n+9)`:                           AridErrorText,
		`arithmetic + in func (t T) GoString() string { return "a" + "b" }`:      AridDebug,
		`statement fmt.Println(m, l, n+8) in fmt.Println(m, l, n+8)`:             "",
		`statement t.logger.Info("x", "n", n-1) in t.logger.Info("x", "n", n-1)`: AridLog,
	} {
		if why, ok := got[key]; !ok || why != want {
			t.Errorf("%s: %q (there: %v), want %q", key, why, ok, want)
		}
	}
	gen := "// Code generated by a machine. DO NOT EDIT.\n\n" + "package f\n\nfunc F(a int) int { return a + 1 }\n"
	for _, m := range find(t, Options{Tree: tree(map[string]string{"f.go": gen})}, "f.go").Mutants {
		if m.Arid != AridGenerated {
			t.Errorf("generated: %s: arid %q", &m, m.Arid)
		}
	}
}

// M15
func TestIDsSurviveEditsElsewhere(t *testing.T) {
	body := "func (t *T) F(a, b int) bool {\n\tif a < b {\n\t\treturn a < b\n\t}\n\treturn a < b || a < b\n}\n"
	ids := func(src string) []string {
		var out []string
		for _, m := range find(t, Options{Tree: tree(map[string]string{"f.go": src}), GOROOT: goroot(t)}, "f.go").Mutants {
			if m.Func == "(*T).F" {
				out = append(out, m.ID)
			}
		}
		return out
	}
	before := ids("package f\n\ntype T int\n\n" + body)
	if n := len(slices.Compact(slices.Sorted(slices.Values(before)))); n != len(before) || n == 0 {
		t.Fatalf("%d ids, %d of them different", len(before), n)
	}
	for name, src := range map[string]string{
		"a blank line above": "package f\n\n\n\ntype T int\n\n" + body,
		"another function":   "package f\n\ntype T int\n\nfunc G(a, b int) bool { return a < b }\n\n" + body,
		"other layout":       "package f\n\ntype T int\n\n" + strings.ReplaceAll(body, "a < b", "a  <  b // less"),
		"CRLF":               strings.ReplaceAll("package f\n\ntype T int\n\n"+body, "\n", "\r\n"),
	} {
		if name == "other layout" {
			src = strings.ReplaceAll(src, "// less {", "{ // less")
			src = strings.ReplaceAll(src, "// less || a  <  b // less", "|| // less\n\ta < b")
		}
		if after := ids(src); !slices.Equal(before, after) {
			t.Errorf("%s: ids changed\n%v\n%v", name, before, after)
		}
	}
}

// R2
func TestBytesOutsideStay(t *testing.T) {
	for name, src := range map[string]string{
		"CRLF":      "package f\r\n\r\nfunc F(a, b int) bool {\r\n\treturn a < b &&\r\n\t\ta != 3\r\n}\r\n",
		"BOM":       "\xef\xbb\xbfpackage f\n\nfunc F(a, b int) bool { return a < b }\n",
		"comment":   "package f\n\n// caf\xe9\nfunc F(a, b int) bool { return a /* x */ < /* y */ b }",
		"no layout": "package f;func F(a,b int)bool{return a<b||b<a&&a==1}",
	} {
		res := find(t, Options{Tree: tree(map[string]string{"f.go": src})}, "f.go")
		if len(res.Mutants) == 0 && name != "comment" { // the parser refuses what is not UTF-8
			t.Errorf("%s: no mutants, unparsed %v", name, res.Unparsed)
		}
		for _, m := range res.Mutants {
			checkMutant(t, m, []byte(src))
		}
	}
}

// checkMutant checks what holds for every mutant: it parses, and nothing outside of its edit moved.
func checkMutant(t *testing.T, m mutate.Mutant, src []byte) {
	t.Helper()
	out, err := m.Apply(src)
	if err != nil {
		t.Fatal(err)
	}
	if string(out[:m.Offset]) != string(src[:m.Offset]) || string(out[m.Offset+len(m.Replacement):]) != string(src[m.Offset+m.Length:]) {
		t.Fatalf("%s: bytes outside changed", &m)
	}
	if string(out) == string(src) {
		t.Fatalf("%s: nothing changed", &m)
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "f.go", out, parser.SkipObjectResolution); err != nil {
		t.Fatalf("%s: does not parse: %v\n%s", &m, err, out)
	}
	if m.ID == "" || m.Line < 1 || m.Col < 1 || m.EndLine < m.Line || m.Description == "" {
		t.Fatalf("incomplete: %+v", m)
	}
}

func FuzzMutants(f *testing.F) {
	for _, s := range []string{
		"package f\nfunc F(a, b int) bool { return a < b && b < 3 || !(a == 1) }\n",
		"package f\r\nimport \"fmt\"\r\nfunc F(x []int) (int, error) { for i := range x { if x[i] > 0 { defer fmt.Println(i); return -i, nil } }; return 0, fmt.Errorf(\"a\" + \"b\") }",
		"package f\nvar x = true\nfunc G[T any](t T) (T, func() bool) { switch { case x: x = false; case !x: x = !x }; return t, func() bool { return x } }",
		"\xef\xbb\xbfpackage f\nfunc H(c chan int) { select { case c <- 1 + 2: c <- 3; default: go func() { c <- 4 }() }; L: for { break L } }",
		"package f\nfunc F() (a, b int) { a, b = 1, 2; a++; b %= -a; return a*b + a, b / a }",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if _, err := parser.ParseFile(token.NewFileSet(), "f.go", src, parser.SkipObjectResolution); err != nil {
			return
		}
		tr := tree(map[string]string{"f.go": string(src)})
		res := find(t, Options{Tree: tr, Workers: 1}, "f.go")
		ids := map[string]bool{}
		for _, m := range res.Mutants {
			if ids[m.ID] {
				t.Fatalf("id of %s twice", &m)
			}
			ids[m.ID] = true
			if m.Known == mutate.Unviable && strings.HasPrefix(m.Why, "does not parse") {
				t.Fatalf("%s: %s", &m, m.Why)
			}
			checkMutant(t, m, src)
		}
	})
}
