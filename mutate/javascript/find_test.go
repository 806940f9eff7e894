package javascript

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vallane/lane/mutate"
)

// tree makes a file system; names are paths.
func tree(files map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for p, s := range files {
		out[p] = &fstest.MapFile{Data: []byte(s)}
	}
	return out
}

// find returns the mutants of all files, with their viability proven.
func find(t *testing.T, files map[string]string, operators ...string) *Result {
	t.Helper()
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	res, err := Find(t.Context(), Options{Tree: tree(files), Operators: operators}, names)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]*mutate.Mutant, len(res.Mutants))
	for i := range all {
		all[i] = &res.Mutants[i]
	}
	if err := res.Prove(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	return res
}

// faults returns what each mutant turns its line into; unviable ones are marked with "!", arid ones with "~".
func faults(t *testing.T, name, src string, operators ...string) []string {
	t.Helper()
	res := find(t, map[string]string{name: src}, operators...)
	if len(res.Unparsed) > 0 {
		t.Fatalf("%q: %v", src, res.Unparsed)
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
		out = append(out, mark+differing(src, string(mutated)))
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
	for _, tt := range []struct{ name, src, want string }{
		{"boundary", "x = a < b", "x = a <= b"},
		{"boundary", "x = a >= b", "x = a > b"},
		{"comparison", "x = a < b", "x = a >= b"},
		{"comparison", "x = a === b", "x = a !== b"},
		{"comparison", "x = a != b", "x = a == b"},
		{"comparison", "x = a in b", "x = !(a in b)"},
		{"comparison", "x = a instanceof b && c", "x = !(a instanceof b) && c"},
		{"comparison", "for (const k in o) f(k)", ""},
		{"arithmetic", "x = a + b * c", "x = a - b * c | x = a + b / c"},
		{"arithmetic", "x = a % b", "x = a * b"},
		{"arithmetic", "x = a ** b ** c", "x = a * b ** c | x = a ** (b * c)"},
		{"arithmetic", "x = 'a' + b + c", ""},
		{"arithmetic", "x += `a`, y += 1", "x += `a`, y -= 1"},
		{"arithmetic", "x = a & b | c", "x = (a | b) | c | x = a & b & c"},
		{"arithmetic", "x = a >>> b", "x = a << b"},
		{"arithmetic", "x = a+-b", "x = a- -b"},
		// M16: what binds otherwise is put in parentheses.
		{"logical", "x = a && b", "x = a || b"},
		{"logical", "x = a && b && c", "x = (a || b) && c | x = a && b || c"},
		{"logical", "x = a || b || c", "x = a && b || c | x = (a || b) && c"},
		{"logical", "x = a || b && c", "x = a && (b && c) | x = a || (b || c)"},
		{"logical", "x = a ?? b", "x = a && b"},
		{"logical", "x = a ?? b ?? c", "x = (a && b) ?? c | x = (a ?? b) && c"}, // `a && b ?? c` is no program
		{"logical", "x = (a ?? b) || c", "x = (a && b) || c | x = (a ?? b) && c"},
		{"logical", "x ||= a", "x &&= a"},
		{"logical", "x ??= a", "x &&= a"},
		{"boolean", "f(true, { true: false }, o.true)", "f(false, { true: false }, o.true) | f(true, { true: true }, o.true)"},
		{"unary", "x = !a", "x = a"},
		{"unary", "x = !!a", "x = !a"},
		{"unary", "function f() { return!a }", "function f() { return a }"},
		{"unary", "x = -1 - -a", "x = 1 - -a | x = -1 - a"},
		{"unary", "x = typeof a, !function () {}()", "x = typeof a, function () {}()"},
		{"incdec", "while (a) i++, --j", "while (a) i--, --j | while (a) i++, ++j"},
		{"condition", "if (a) b()", "if (true) b() | if (false) b()"},
		{"condition", "while (a || b) c()", "while (false) c()"},
		{"condition", "do c(a); while ((a, b))", "do c(a); while ((false))"},
		{"condition", "for (let i = 0; i < n; i++) c()", "for (let i = 0; false; i++) c()"},
		{"condition", "for (;;) c()\nwhile (true) d()", ""},
		{"condition", "x = a > 0?b:c", "x = true?b:c | x = false?b:c"},
		{"return", "function f() { return a }", "function f() { return undefined }"},
		{"return", "function f() { return }", ""},
		{"return", "function f() { return undefined }", ""},
		{"return", "function f() { return true }", "function f() { return false }"},
		{"return", "function f() { return 0 }", "function f() { return 1 }"},
		{"return", "function f() { return 12 }", "function f() { return 0 }"},
		{"return", "function f() { return 0n }", "function f() { return 1n }"},
		{"return", "function f() { return 'a' }", `function f() { return "" }`},
		{"return", "function f() { return '' }", `function f() { return "lane" }`},
		{"return", "function f() { return a === b }", "function f() { return !(a === b) }"},
		{"return", "function f() { return !a }", "function f() { return !(!a) }"},
		{"return", "function f() { return[a] }", "function f() { return[] }"},
		{"return", "function f() { return[] }", "function f() { return undefined }"},
		{"return", "f(() => ({ a: 1 }))", "f(() => ({}))"},
		{"return", "f(x => x + 1)", "f(x => undefined)"},
		{"return", "f(x => { x })", ""},
		{"return", "function* f() { yield a, yield* b }", "function* f() { yield undefined, yield* b }"},
		{"return", "const A = () => <a>{b}</a>", "const A = () => null"},
		{"statement", "f(a)", ";"},
		{"statement", "if (a) f()\nelse g()", "if (a) ; | else ;"},
		{"statement", "if (a.b) c = 1", "if (a.b) ;"},
		{"statement", "a.b += 1", ";"},
		{"statement", "let a = 1", ""},
		{"statement", "delete a.b", ";"},
		{"statement", "i++", ";"},
		{"statement", "async () => { await f() }", "async () => { ; }"},
		{"statement", "switch (a) { case 1: throw b }", "switch (a) { case 1: ; }"},
		{"statement", "class A extends B { constructor() { super(a) } }", ""},
		{"statement", "'use strict'\nrequire('a')\nimport('b')", ""},
		{"optional", "x = a?.b", "x = a.b"},
		{"optional", "x = a?.[0]?.(b)", "x = a[0]?.(b) | x = a?.[0](b)"},
	} {
		if got := strings.Join(faults(t, "f.jsx", tt.src, tt.name), " | "); got != tt.want {
			t.Errorf("%s: %q:\n got %s\nwant %s", tt.name, tt.src, got, tt.want)
		}
	}
}

// Types are never mutated, and what a result becomes is of any type.
func TestTypeScript(t *testing.T) {
	for src, want := range map[string]string{
		"type A = true | -1; interface B { c: false; d(): -1 }":        "",
		"let a: true = x as false":                                     "",
		"let a = (x < y) as any":                                       "let a = (x <= y) as any | let a = (x >= y) as any",
		"let a = x && y as boolean":                                    "let a = (x || y) as boolean",
		"declare const a: -1; abstract class B { abstract c(): true }": "",
		"function f(a: -1): true { return b }":                         "function f(a: -1): true { return undefined as any }",
		"function f(): boolean { return b }":                           "function f(): boolean { return !(b) }",
		"async function f(): Promise<number> { return b }":             "async function f(): Promise<number> { return 0 }",
		"const f = (a?: string): string => a!":                         `const f = (a?: string): string => ""`,
		"enum E { A = 1 + b }":                                         "enum E { A = 1 - b }",
		"@d(true) class A { private b?: c = -1 }":                      "@d(true) class A { private b?: c = 1 }",
		"namespace N { export const a = x?.<T>(b) }":                   "namespace N { export const a = x<T>(b) }",
		"import a = require('b'); export type { A } from 'c'":          "",
		"function f(a: unknown): asserts a is true { }":                "",
		"let a = <true>b; let c = b satisfies -1":                      "",
		"a = f<true>(!b)":                                              "; | a = f<true>(b)",
	} {
		if got := strings.Join(faults(t, "f.ts", src), " | "); got != want {
			t.Errorf("%q:\n got %s\nwant %s", src, got, want)
		}
	}
}

// A statement that begins with a bracket would go on with the line above.
func TestStatementsThatWouldGoOn(t *testing.T) {
	for _, src := range []string{"f\na && b || c()", "f\n!(a) && b()", "f\n!function () {}() && b", "f\n- [a] + b"} {
		for _, got := range faults(t, "f.js", src, "logical", "unary") {
			if strings.IndexByte("([`+-/", got[0]) >= 0 || strings.HasPrefix(got, "function") {
				t.Errorf("%q: %q", src, got)
			}
		}
	}
}

// M14
func TestWhatNobodyTests(t *testing.T) {
	src := `'use strict';
import fs from 'fs';
const log = require('pino')();

module.exports.limit = 5;
exports.f = function f(a, b) {
  console.log('a', a + b);
  this.logger.debug(a * b, () => a - b);
  log.info(a > b);
  if (a < 0) throw new RangeError('too small by ' + (0 / a));
  reject(new errors.BadValueError(a || 'b'));
  return a;
};
Object.defineProperty(exports, '__esModule', { value: true });
if (require.main === module) {
  process.exit(exports.f(1 % 1, 2));
}
`
	want := map[string]string{
		"`+` -> `-`": AridLog, "`*` -> `/`": AridLog, "`-` -> `+`": "", "`>` -> `>=`": AridLog, "`<` -> `<=`": "", "`/` -> `*`": AridErrorText,
		"`||` -> `&&`": AridErrorText, "`a` -> `undefined`": "", "`%` -> `*`": AridProgram, "`a - b` -> `undefined`": "",
		"call `console.log('a', a + b);` taken away": AridLog, "assignment `module.exports.limit = 5;` taken away": AridExport,
		"exception `throw new RangeError('too small by ' + (0 / a));` taken away": "",
	}
	found := map[string]bool{}
	for _, m := range find(t, map[string]string{"f.js": src}).Mutants {
		if why, ok := want[m.Description]; ok {
			found[m.Description] = true
			if m.Arid != why {
				t.Errorf("%s is arid as %q, want %q", &m, m.Arid, why)
			}
		}
		if m.Known != "" {
			t.Errorf("%s is %s: %s", &m, m.Known, m.Why)
		}
		if m.Operator == "statement" && m.Func == "" && m.Arid == "" {
			t.Errorf("%s is asked of tests", &m)
		}
	}
	if len(found) != len(want) {
		t.Errorf("found %v", found)
	}
	for name, file := range map[string][2]string{
		"generated": {"g.js", "'use strict'\n// Generated by protoc. DO NOT EDIT.\nx = -1\n"},
		"minified":  {"g.min.js", "x = -1"},
		"long":      {"h.js", strings.Repeat("x=-1;", 2000)},
	} {
		for _, m := range find(t, map[string]string{file[0]: file[1]}, "unary").Mutants {
			if m.Arid == "" {
				t.Errorf("%s: %s", name, &m)
			}
		}
	}
}

// R2: bytes outside of the mutant never change.
func TestBytesOutsideOfAMutantStay(t *testing.T) {
	for name, src := range map[string]string{
		"carriage returns": "x = 'é'\r\nif (a < b) {\r\n  y = 1\r\n}\r\n",
		"mark":             "\xef\xbb\xbfx = 'é😀' + 'ü' ? a < b : 2\n",
		"no last line end": "x = 'ü', a < b",
	} {
		res := find(t, map[string]string{"f.js": src})
		if len(res.Mutants) == 0 || len(res.Unparsed) > 0 {
			t.Errorf("%s: %d mutants, unparsed %v", name, len(res.Mutants), res.Unparsed)
		}
		for _, m := range res.Mutants {
			out, err := m.Apply([]byte(src))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.HasPrefix(out, []byte(src[:m.Offset])) || !bytes.HasSuffix(out, []byte(src[m.Offset+m.Length:])) {
				t.Errorf("%s: %s changed more: %q", name, &m, out)
			}
			if m.Operator == "boundary" && string(m.Original) != "<" || m.Known != "" {
				t.Errorf("%s: the boundary is %q, %s", name, m.Original, m.Known)
			}
		}
	}
}

func TestFilesThatAreNotRead(t *testing.T) {
	res := find(t, map[string]string{"flow.js": "let a: number = 1", "latin.js": "x = '\xe9'", "f.js": "x = -1", "f.py": "x = -1", "f.test.js": "x = -1"})
	if len(res.Mutants) != 2 || res.Unparsed["flow.js"] != "line 1, column 5: a syntax error" || res.Unparsed["latin.js"] != "it is not UTF-8" {
		t.Errorf("%d mutants, unparsed %v", len(res.Mutants), res.Unparsed)
	}
}

// M15: an id stands as long as function, statement and fault do.
func TestIdsSurviveEditsElsewhere(t *testing.T) {
	before := "function f(a, b) {\n  if (a < b) { c() }\n  return a + b\n}\n"
	after := "import os from 'os'\n\nconst g = () => 3\n\n// a word\nfunction f(a, b) {\n  if  (a<b) {\n    c(2) }\n\n  return a\n    + b // more\n}\n"
	ids := func(src, fn string) (out []string) {
		seen := map[string]bool{}
		for _, m := range find(t, map[string]string{"f.js": src}, "boundary", "comparison", "condition", "return", "arithmetic").Mutants {
			if seen[m.ID] {
				t.Errorf("two mutants have the id %s", m.ID)
			}
			seen[m.ID] = true
			if m.Func == fn {
				out = append(out, m.ID)
			}
		}
		return out
	}
	if a, b := ids(before, "f"), ids(after, "f"); !slices.Equal(a, b) || len(a) != 6 {
		t.Errorf("%v became %v", a, b)
	}
}

func TestFunctionsAreNamedAsPeopleDo(t *testing.T) {
	src := `function a() { return 1 }
const b = () => 1
class C { d() { return 1 } static #e = () => 1; get f() { return 1 } constructor() { x = 1 < y } }
exports.g = function () { return 1 }
module.exports = { h: () => 1, 'i': async function () { return 1 }, j() { return 1 } }
function k() { l.forEach(() => 1); function m() { return 1 } }
(() => 1)()
`
	var got []string
	for _, m := range find(t, map[string]string{"f.js": src}, "return", "boundary").Mutants {
		got = append(got, m.Func)
	}
	want := []string{"a", "b", "C.d", "C.#e", "C.f", "C.constructor", "g", "h", "i", "j", "k", "k.m", ""}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSources(t *testing.T) {
	for name, want := range map[string]string{
		"a.js": "source", "lib/a.mts": "source", "a.tsx": "source", "a.test.js": "test", "test/a.js": "test", "test/data.json": "test",
		"src/__tests__/a.tsx": "test", "a.spec.ts": "test", "types/a.test-d.ts": "test", "test-a.cjs": "test", "a.d.ts": "", "a.d.mts": "",
		"node_modules/a/b.js": "", "a.d.js": "source", "lib/.hidden.js": "source", "vite.config.ts": "source", "a.json": "", "a.py": "", "testing.js": "source",
		"latest.js": "source",
	} {
		got := ""
		switch {
		case IsTest(name):
			got = "test"
		case IsSource(name):
			got = "source"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
