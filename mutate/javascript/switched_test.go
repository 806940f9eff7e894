package javascript

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/vallane/lane/mutate"
)

// shapes are sources that print what their functions do, one for each way of writing a function that a copy might bend.
var shapes = map[string]string{
	"declaration.cjs": `function add(a, b) { var c = a + b; return c * 2 }
console.log(add(1, 2), add.length, add.name)`,
	"no_semicolons.cjs": `function pick(list) {
  let n = 0
  for (const x of list) {
    if (x > 2) n += x
  }
  return n
}
console.log(pick([1, 2, 3, 4]))`,
	"strict.cjs": `'use strict'
function f(a) {
  'use strict' // first of all
  try { undefinedVariable = a + 1; return 'sloppy' } catch (e) { return e.name + (a < 3) }
}
console.log(f(1), (function () { return this === undefined && f(3) > '' })())`,
	"sloppy.cjs": `function f(a) { arguments[0] = a + 1; return a - 1 + typeof this }
console.log(f(1), f.call(5, 2))`,
	"hoisted.cjs": `console.log(later(3));
function later(n) {
  return helper(n) + count;
  function helper(x) { count = count + x; return x * 2 }
  var count = 1;
}
console.log(later(1), typeof count)`,
	"redeclares.cjs": `function f(opts) { var opts = opts || { a: 1 }; var a = opts.a + 1; return a > 1 }
console.log(f(), f({ a: 0 }), f({ a: 5 }))`,
	"clashes.cjs": `function f(x) { var g = x + 1; function g() { return 3 } return typeof g + g }
function h(x) { function k() { return 1 } function k() { return x * 2 } return k() - 1 }
console.log(f(1), h(4))`,
	"arrows.cjs": `const add = a => b => a + b, o = (n) => ({ n: n * 2, of: [n - 1] }), in_ = k => k in { a: 1 };
console.log(add(1)(2), o(3), in_('a'), [3, 1, 2].sort((x, y) => x - y), add.name, add.length)`,
	"arrow_this.cjs": `function T() { this.n = 1; this.inc = () => { this.n += 2; return arguments.length + this.n } }
console.log(new T(1, 2).inc())`,
	"generators.cjs": `function* up(n) { let i = 0; while (tick() && i < n) { const got = yield i * 2; if (got) i += got; i++ } return i }
const g = up(9); console.log(g.next(), g.next(2), [...g], [...up(3)])`,
	"async.cjs": `const wait = async (n) => { await null; if (n > 1) throw new Error('n' + n); return n + 1 };
async function* each(l) { for (const x of l) { await null; yield x - 1 } }
(async () => {
  const out = [];
  for await (const x of each([1, 2, 3])) out.push(x);
  console.log(out, await wait(1), await wait(2).catch((e) => e.message));
})()`,
	"order.cjs": `const log = [];
async function a() { log.push('a1' + (1 + 1)); await null; log.push('a2'); return 1 }
a().then((v) => log.push(v + 1)); Promise.resolve().then(() => log.push('p')).then(() => log.push('q')).then(() => console.log(log.join()))`,
	"classes.cjs": `class A { #n = 1 + 1; static s = 3 - 1; static { A.t = 5 * 2 } constructor(n) { this.k = n + 1 } get n() { return this.#n - 1 } set n(v) { this.#n = v * 2 }
  static of(n) { return new this(n < 2 ? n : 2) } #p() { return this.k && 7 } p() { return this.#p() } }
class B extends A { constructor(n) { super(n * 2); this.b = new.target.name + (n > 1) } p() { return super.p() + 1 } }
const b = B.of(1); b.n = 4; console.log(b.n, b.p(), b.b, b.k, A.s, A.t)`,
	"methods.cjs": `const o = { f(a, b = a + 1) { return a * b }, get g() { return this.f(2) - 1 }, async h() { return !this.g }, ['k' + 1](x) { return x ?? 3 } };
console.log(o.f(2), o.g, o.f.length, o.k1(), o.k1(1)); o.h().then(console.log)`,
	"defaults.cjs": `const f = (a, { b = a * 2, c } = {}, ...rest) => { let d = b - a; d ||= 1; return [d, c, rest.length > 1] };
console.log(f(1), f(1, { b: 1, c: 3 }, 4, 5), f.length)`,
	"labels.cjs": "function f(n) { outer: for (let i = 0; tick() && i < n; i++) { for (; tick();) { if (i > 1) break outer; continue outer } } switch (n) { case 2: return `two${n + 1}`; default: return n } }\nconsole.log(f(2), f(5))",
	"closures.cjs": `function make() { const all = []; for (let i = 0; tick() && i < 3; i++) all.push(() => i * 2); let n = 1; return { all, up: () => ++n, get: () => n } }
const m = make(); m.up(); console.log(m.all.map((f) => f()), m.get())`,
	"recursion.cjs": `const fact = function self(n) { tick(); return n <= 1 ? 1 : n * self(n - 1) };
console.log(fact(5), fact.name)`,
	"evaluates.cjs": `function f(a) { eval('var b = a + 1'); return b * 2 }
console.log(f(1))`,
	"with.cjs":     "function f(o) { with (o) { return a + b } }\nconsole.log(f({ a: 1, b: 2 }))",
	"comments.cjs": "#!/usr/bin/env node\n// a\n/* b */ function f(a) { // c\n  return a + 1 // d\n} /* e */ const g = (a) => /* f */ a - 1 // g\nconsole.log(f(1), g(1))",
	"bom.cjs":      "\ufefffunction f(a) { return a + 1 }\nconsole.log(f(1))",
	"crlf.cjs":     "'use strict';\r\nfunction f(a) {\r\n  if (a > 1) {\r\n    return 1;\r\n  }\r\n  return `a\r\nb`.length;\r\n}\r\nconsole.log(f(1), f(2));\r\n",
	"lines.cjs":    "function f() {\n  return new Error().stack.split('\\n')[1].match(/:(\\d+):/)[1] - 0;\n}\nconsole.log(f(), 1)",
	"module.mjs":   "export { twice }; import { sep } from 'node:path';\nexport default function (a) { return a + sep }\nfunction twice(n) { return n * 2 }\nexport const g = async () => await twice(2);\nconsole.log(twice(2), await g())",
	"plain.mjs":    "function f(a) { return a + 1 }\nconsole.log(f(1), typeof require)",
	"many.cjs":     "function f(a, b, c) { return a + b - c * a / b % c > a && b < c || a == b && !c }\nconsole.log(f(1, 2, 3), f(3, 2, 1), f(0, 0, 0))",
}

// program is one for testdata/run.cjs.
type program struct {
	Name  string `json:"name"`
	Text  string `json:"text"`
	Value string `json:"value"`
}

// printed returns what each program prints, run by the machine's Node.js.
func printed(t *testing.T, programs []program) (out []string) {
	t.Helper()
	dir := t.TempDir()
	for i := range programs {
		programs[i].Text = strings.ReplaceAll(programs[i].Text, strconv.Quote(SwitchFile), strconv.Quote(filepath.Join(dir, "switch")))
	}
	data, err := json.Marshal(programs)
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "programs.json")
	if err := os.WriteFile(list, data, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", filepath.Join("testdata", "run.cjs"), list)
	cmd.Stderr = os.Stderr
	if data, err = cmd.Output(); err != nil {
		t.Fatalf("these tests need Node.js: %v", err)
	}
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatalf("%v in %q", err, data)
	}
	return out
}

// switchAll puts all mutants of one file behind a switch.
func switchAll(t *testing.T, name, src string) (ms []*mutate.Mutant, sw *Switched) {
	t.Helper()
	res := find(t, map[string]string{name: src})
	for i := range res.Mutants {
		ms = append(ms, &res.Mutants[i])
	}
	sw, err := res.Switch(t.Context(), ms, [32]byte{1})
	if err != nil {
		t.Fatal(err)
	}
	return ms, sw
}

// Each mutant behind the switch does what it does in a file of its own, and where no mutant is selected, and where the copies are that
// change nothing, the program does what it did.
func TestSwitchedIsSeparate(t *testing.T) {
	var programs []program
	var say []string
	pair := func(name, what, text, value, alone string) {
		programs = append(programs, program{name, text, value}, program{name, alone, "0"})
		say = append(say, name+": "+what)
	}
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		src := shapes[name]
		ms, sw := switchAll(t, name, src)
		text := string(sw.Files[name])
		pair(name, "nothing selected", text, "0", src)
		if name != "lines.cjs" {
			pair(name, "null", text, sw.Null[name], src)
		}
		switched := 0
		for _, m := range ms {
			v := sw.Value[m.ID]
			if v == "" || name == "lines.cjs" {
				continue
			}
			switched++
			alone, err := m.Apply([]byte(src))
			if err != nil {
				t.Fatal(err)
			}
			pair(name, m.String(), text, v, string(alone))
		}
		if switched == 0 && name != "lines.cjs" {
			t.Errorf("%s: none of %d mutants is switched", name, len(ms))
		}
	}
	out := printed(t, programs)
	for i, what := range say {
		got, want := out[2*i], out[2*i+1]
		if got != want {
			t.Errorf("%s: prints %q, want %q", what, got, want)
		}
	}
	t.Logf("%d programs", len(say))
}

// What a build complains of names the mutant in whose copy it stands, by any of the ways in which compilers write a place.
func TestNamed(t *testing.T) {
	ms, sw := switchAll(t, "src/cart.cjs", "function f(a, b) {\n  // sum\n  return a +\n    b;\n}\nexports.g = (x) => x > 1;\n")
	if len(ms) != 6 {
		t.Fatalf("%d mutants", len(ms))
	}
	lines := strings.Split(string(sw.Files["src/cart.cjs"]), "\n")
	for i, line := range lines {
		want := ""
		for _, m := range ms {
			if strings.HasPrefix(line, "case "+sw.Value[m.ID]+":") {
				want = m.ID
			}
		}
		if want == "" {
			continue
		}
		for _, form := range []string{"src/cart.cjs(%d,3): error TS2322", "at ../src/cart.cjs:%d:3", "/home/lane/tree/src/cart.cjs:%d:3: bad", "cart.cjs(%d,3): bad"} {
			if got := sw.Named(fmt.Sprintf(form, i+1)); !slices.Equal(got, []string{want}) {
				t.Errorf("%s: %v, want %s", fmt.Sprintf(form, i+1), got, want)
			}
		}
		if i+2 < len(lines) && strings.HasPrefix(lines[i+2], "  return") {
			if got := sw.Named(fmt.Sprintf("src/cart.cjs(%d,1): bad", i+3)); !slices.Equal(got, []string{want}) {
				t.Errorf("the third line of the copy of %s names %v", want, got)
			}
		}
	}
	for _, other := range []string{"src/cart.cjs(1,1): bad", "src/other.cjs(8,1): bad", "bad", "mycart.cjs(8,1): bad"} {
		if got := sw.Named(other); got != nil {
			t.Errorf("%s: %v", other, got)
		}
	}
}
