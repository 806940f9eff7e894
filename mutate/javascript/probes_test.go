package javascript

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/treesitter"
)

const probedSource = `#!/usr/bin/env node
'use strict';
const one = 1 + 1;
function outer(a) {
  'use strict'
  const inner = (b) => b * 2;
  return inner(a) + [1].map(x => y => x - y).length;
}
class Shop {
  price = 2 + 2;
  get total() { return this.price * 3; }
  async *[Symbol.iterator]() { yield 1 + 4; }
}
const object = (k) => ({ k, v: k + 5 });
exports.run = () => [one, outer(1), new Shop().total, object(2).v];
`

func probes(t *testing.T, files map[string]string) (*Result, *Probes) {
	t.Helper()
	tree := fstest.MapFS{}
	var names []string
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
		names = append(names, name)
	}
	slices.Sort(names)
	found, err := Find(t.Context(), Options{Tree: tree}, names)
	if err != nil {
		t.Fatal(err)
	}
	p, err := found.Probe(t.Context(), [32]byte{7})
	if err != nil {
		t.Fatal(err)
	}
	return found, p
}

// A file with calls in it does what it did, tells each place that is reached once, and only those.
func TestProbesTell(t *testing.T) {
	_, p := probes(t, map[string]string{"shop.js": probedSource})
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "shop.js"), p.Files["shop.js"], 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", "-e", `process.laneReached = (file, n, test) => console.log(file, n, test);
const { run } = require('./shop.js');
console.log('loaded');
globalThis.expect = { getState: () => ({ testPath: '/a' }) };
console.log(run().join());
console.log(run().join());
globalThis.__vitest_worker__ = { filepath: '/b' };
run();
delete process.laneReached;
globalThis.__vitest_worker__ = { filepath: '/c' };
console.log(run().join());`)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, p.Files["shop.js"])
	}
	places := func(test string) (lines string) {
		for _, n := range []string{"8", "1", "2", "3", "5", "7"} { // as they are entered
			lines += "shop.js " + n + " " + test + "\n"
		}
		return lines
	}
	want := "shop.js 0 \nloaded\n" + places("/a") + "2,3,12,7\n2,3,12,7\n" + places("/b") + "2,3,12,7\n"
	if string(out) != want {
		t.Errorf("got\n%swant\n%s\n%s", out, want, p.Files["shop.js"])
	}
	if lines := strings.Count(string(p.Files["shop.js"]), "\n"); lines != strings.Count(probedSource, "\n") {
		t.Errorf("it has %d lines now", lines)
	}
}

// A mutant is reached by those that enter the innermost function that it lies in, and by nobody else.
func TestProbesDivideFiles(t *testing.T) {
	found, p := probes(t, map[string]string{"shop.js": probedSource, "unseen.js": "exports.a = 1 + 1;\n"})
	reach := &mutate.Reach{Divided: true}
	for place := range 9 {
		p.Add(reach, "shop.js", place, []string{string(rune('a' + place))})
	}
	p.Declare(reach, "shop.js")
	want := map[string]string{"1 + 1": "a", "b * 2": "c", "x - y": "e", "inner(a) + [1].map(x => y => x - y).length": "b", "this.price * 3": "f", "k + 5": "h", "2 + 2": "a", "1 + 4": "g"}
	got := map[string]string{}
	for _, m := range found.Mutants {
		tests, known := reach.Tests(&m)
		if known != (m.File == "shop.js") {
			t.Errorf("%s: known: %v", &m, known)
		}
		line := strings.Split(probedSource, "\n")[m.Line-1]
		for text := range want {
			if m.File == "shop.js" && m.Operator == "arithmetic" && strings.Contains(line, text) && inText(line, text, m.Col) {
				got[text] = strings.Join(tests, "")
			}
		}
	}
	for text, by := range want {
		if got[text] != by {
			t.Errorf("%s is reached by %q, want %q", text, got[text], by)
		}
	}
}

// inText reports whether a column of a line lies in a text of it, and in no shorter one that is told apart.
func inText(line, text string, col int) bool {
	at := strings.Index(line, text)
	inner := strings.Index(line, "x - y")
	if text != "x - y" && inner >= 0 && col > inner {
		return false
	}
	return col > at && col <= at+len(text)
}

// The calls are of the language, in modules and with types.
func TestProbesParse(t *testing.T) {
	_, p := probes(t, map[string]string{
		"a.mjs": "import fs from 'node:fs';\nexport default async (x) => { await x; };\n",
		"b.ts":  "import { a } from './a.js';\nexport const f = <T,>(x: T): T => x;\nexport class C { constructor(private n: number) { } m(): number { return this.n; } }\n",
		"c.tsx": "export const V = (p: { n: number }) => <b>{p.n + 1}</b>;\n",
		"d.js":  "function* g() {\n  'use strict'; yield 1 }\n",
		"e.cjs": "",
	})
	parsers := treesitter.Parsers{}
	defer parsers.Close(context.Background())
	for name, text := range p.Files {
		if _, err := parsers.Of(grammarOf(name)).Parse(t.Context(), text); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
	if len(p.Files) != 5 {
		t.Errorf("%d files", len(p.Files))
	}
}
