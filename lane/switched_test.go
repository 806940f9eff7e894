package lane

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vallane/lane/internal/testclosure"
	"github.com/vallane/lane/mutate"
)

// typed is a project whose tests run what a build makes of its sources. The build has types, so to speak: it takes no text away from another
// one, says where somebody does, and counts how often it ran in a file that is part of what it builds.
var typed = map[string]string{
	"package.json": `{"name": "typed", "private": true}` + "\n",
	"src/label.js": `'use strict';

exports.label = function (name, price) {
  if (price > 9) return name + ' *';
  const plain = name + name;
  return plain;
};
`,
	"build.js": `const fs = require('fs');
const text = fs.readFileSync('src/label.js', 'utf8');
const wrong = text.split('\n').map((line, i) => [line, i + 1]).filter(([line]) => / name - /.test(line));
for (const [, n] of wrong) console.log('src/label.js(' + n + ',9): error: no number');
if (wrong.length > 0) process.exit(2);
fs.mkdirSync('dist', { recursive: true });
const map = { version: 3, sources: ['../src/label.js'], names: [], mappings: 'AAAA' };
const url = 'data:application/json;base64,' + Buffer.from(JSON.stringify(map)).toString('base64');
fs.writeFileSync('dist/label.js', text + '//# sourceMappingURL=' + url + '\n');
`,
	"test/label.test.js": `const test = require('node:test');
const assert = require('node:assert');
const { label } = require('../dist/label.js');

test('marks what is dear', () => assert.strictEqual(label('a', 10), 'a *'));
test('leaves the rest', () => assert.strictEqual(label('a', 9), 'aa'));
`,
	"lane.toml": "id = \"typed\"\nchange = \"tree\"\n[env]\nextras = [\"debian.json\"]\n[[task]]\nname = \"unit\"\nbuild = [\"node\", \"build.js\"]\nrun = [\"node\", \"--test\"]\ntimeout = \"1m\"\n",
}

// Where a task builds what it tests, all mutants are built at once; those that the build complains of are left out and built alone.
func TestMutantsAreBuiltAtOnce(t *testing.T) {
	o := options(t)
	dir := filepath.Join(t.TempDir(), "repo")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	lay(t, dir, typed)
	lay(t, dir, map[string]string{"flake.nix": string(testclosure.ExampleFlake("node")), "debian.json": string(testclosure.Pins(t, "node"))})
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "labels")
	out, err := Mutate(t.Context(), o, filepath.Join(dir, "lane.toml"), MutateOptions{Paths: []string{"src"}, All: true, NoCache: true, Tier: mutate.T2})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range out.Results {
		got = append(got, r.Mutant.Description+" "+string(r.Tier)+" "+string(r.Verdict))
	}
	all := strings.Join(got, "\n")
	for _, want := range []string{"`>` -> `>=` T2 killed", "`price > 9` -> `true` T2 killed", "`plain` -> `undefined` T2 killed", "`+` -> `-`  not-run"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Count(all, " T2 ") != len(got)-1 || len(out.Facts) > 0 {
		t.Errorf("%s\n%s", all, strings.Join(out.Facts, "\n"))
	}
}
