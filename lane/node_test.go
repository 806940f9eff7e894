package lane

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/internal/testclosure"
)

// shop is a project of Node.js whose changes bring a discount and an honest test of it.
var shop = map[string]string{
	"package.json": `{"name": "shop", "private": true}` + "\n",
	"cart.js":      "exports.total = (items) => items.reduce((sum, x) => sum + x, 0);\n",
	"test/cart.test.js": `const test = require('node:test');
const assert = require('node:assert');
const { total } = require('../cart.js');

test('adds up', () => assert.strictEqual(total([1, 2]), 3));
`,
}

const (
	discount     = "exports.discount = (price) => (price > 9 ? price * 0.9 : price);\n"
	discountTest = `const test = require('node:test');
const assert = require('node:assert');
const { discount } = require('../discount.js');

test('takes a tenth', () => assert.strictEqual(discount(100), 90));
test('a small price stays', () => assert.strictEqual(discount(9), 9));
`
	wrong = "exports.discount = () => 100;\n"
)

// discounted brings the discount into a file that is there already: a test of it fails by its name where the hunk is put back.
var discounted = map[string]string{"cart.js": shop["cart.js"] + discount, "test/discount.test.js": strings.ReplaceAll(discountTest, "../discount.js", "../cart.js")}

// nodeCase is one change of the shop, and the verdict that it must get.
type nodeCase struct {
	id     string
	files  map[string]string // beside discount.js and its test, or in their place
	run    string            // default: node --test
	spec   string            // more of the task's table
	want   assurance.Outcome
	level  assurance.Level
	reason string // a clause that does not hold, or part of the reason of the outcome
}

var nodeCases = []nodeCase{
	{id: "honest", files: map[string]string{"discount.js": discount}, want: assurance.OutcomePassed, level: assurance.VAL1},
	{id: "wrong", files: map[string]string{"discount.js": wrong}, want: assurance.TestsFailed, reason: "takes a tenth failed"},

	{id: "c3-exits-at-import", files: map[string]string{"discount.js": "process.exit(0);\n"}, want: assurance.Tampered, reason: "canary of test/discount.test.js was not seen failing"},
	{id: "c3-really-exits-at-import", files: map[string]string{"discount.js": "process.reallyExit(0);\n"}, want: assurance.Tampered, reason: "has no end"},
	{id: "c4-exits-at-exit", files: map[string]string{"discount.js": "process.on('exit', () => process.reallyExit(0));\n" + wrong},
		want: assurance.TestsFailed, reason: "takes a tenth failed"},
	{id: "c5-exits-when-called", files: map[string]string{"discount.js": "exports.discount = () => process.exit(0);\n"}, want: assurance.Tampered, reason: "unfinished"},
	{id: "c9-forges-records", files: map[string]string{"discount.js": `const fs = require('fs');
let n = 2;
const send = (e, rest) => fs.writeSync(3, JSON.stringify({ v: 1, e, p: process.pid, n: n++, u: 'test/discount.test.js', ...rest }));
for (const t of ['takes a tenth', 'a small price stays']) {
  send('list', { tests: [t] });
  send('start', { t });
  send('finish', { t, s: 'passed', ns: 1 });
}
send('end', { c: 0, started: 2, listed: 2 });
process.reallyExit(0);
`}, want: assurance.Tampered, reason: "canary"},
	{id: "c10-bends-assert", files: map[string]string{"discount.js": "require('node:assert').strictEqual = () => {};\n" + wrong}, want: assurance.Tampered, reason: "canary"},
	{id: "c12-prints-passed", files: map[string]string{"discount.js": "console.log('# pass 3');\n" + wrong}, want: assurance.TestsFailed, reason: "takes a tenth failed"},
	{id: "c18-skips", files: map[string]string{"discount.js": wrong, "test/discount.test.js": strings.ReplaceAll(discountTest, "test('", "test.skip('")},
		want: assurance.TestsFailed, reason: "was skipped"},
	{id: "c24-brings-options", files: map[string]string{"discount.js": wrong, ".npmrc": "node-options=--require ./evil.cjs\n", ".env": "NODE_OPTIONS=--require ./evil.cjs\n",
		"evil.cjs": "process.reallyExit(0);\n"}, want: assurance.TestsFailed, reason: "takes a tenth failed"},
	{id: "c29-hashes-its-source", files: map[string]string{"discount.js": discount, "test/discount.test.js": `const test = require('node:test');
const assert = require('node:assert');
const { readFileSync } = require('fs');

test('takes a tenth', () => assert.strictEqual(readFileSync('discount.js').length, ` + itoa(len(discount)) + `));
`}, want: assurance.OutcomePassed, level: assurance.VAL0, reason: "null-mutant failed"},
	{id: "c30-asserts-nothing", files: map[string]string{"discount.js": wrong, "test/discount.test.js": "const test = require('node:test');\n\ntest('takes a tenth', () => {});\n"},
		want: assurance.OutcomePassed, level: assurance.VAL0, reason: "mutants-killed failed"},

	{id: "r6-never-exits", files: map[string]string{"discount.js": "setInterval(() => {}, 1000);\n" + discount}, want: assurance.NeverExited, reason: "never ended"},
	{id: "r9-no-tests", files: map[string]string{"discount.js": discount, "test/discount.test.js": "", "test/cart.test.js": ""}, run: `"node", "--test", "missing"`,
		want: assurance.NoTestsObserved, reason: "showed no test"},
	{id: "r17-markup-in-names", files: map[string]string{"discount.js": discount, "test/discount.test.js": strings.ReplaceAll(discountTest, "takes a tenth", `</script>\u001b[31mtenth`)},
		want: assurance.OutcomePassed, level: assurance.VAL1},
	{id: "cannot-be-read", files: map[string]string{"discount.js": "// 10\xa0%\n" + discount}, want: assurance.OutcomePassed, level: assurance.VAL0,
		reason: "mutants-killed not-run"},

	// The forgeable class, on the same change.
	{id: "auto-exit", files: map[string]string{"discount.js": discount}, run: `"sh", "-c", "node --test >/dev/null"`, want: assurance.OutcomePassed, level: assurance.VAL1},
	{id: "auto-exit-wrong", files: map[string]string{"discount.js": wrong}, run: `"sh", "-c", "node --test >/dev/null"`, want: assurance.TestsFailed, reason: "unit failed"},
	{id: "tap", files: discounted, run: `"node", "--test", "--test-reporter=tap"`, spec: `reporter = "tap"`,
		want: assurance.OutcomePassed, level: assurance.VAL1},
	{id: "junit", files: discounted, run: `"node", "--test", "--test-reporter=junit", "--test-reporter-destination=report.xml"`,
		spec: `reporter = "junit:report.xml"`, want: assurance.OutcomePassed, level: assurance.VAL1},
	{id: "c13-brings-its-report", files: map[string]string{"discount.js": wrong, "report.xml": `<testsuite><testcase name="takes a tenth"/></testsuite>`}, run: `"true"`,
		spec: `reporter = "junit:report.xml"`, want: assurance.NoTestsObserved, reason: "wrote no report report.xml"},
}

func (c nodeCase) toml() string {
	run := c.run
	if run == "" {
		run = `"node", "--test"`
	}
	return "id = \"" + c.id + "\"\nchange = \"feature\"\n[source]\nhead = \"" + c.id + "\"\n[env]\nextras = [\"debian.json\"]\n" +
		"[[task]]\nname = \"unit\"\nrun = [" + run + "]\ntimeout = \"1m\"\n" + c.spec + "\n[assurance]\nrequire = 0\n"
}

// Every change of a Node.js project gets its verdict for the right reason, and none of those that cheat a level.
func TestNodeCases(t *testing.T) {
	o := options(t)
	pins := testclosure.Pins(t, "node")
	dir := filepath.Join(t.TempDir(), "repo")
	files := map[string]string{"flake.nix": string(testclosure.ExampleFlake("node")), "debian.json": string(pins), "specs/.keep": ""}
	for _, c := range nodeCases {
		files["specs/"+c.id+".toml"] = c.toml()
	}
	lay(t, dir, files)
	lay(t, dir, shop)
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "The shop as it is")
	for _, c := range nodeCases {
		t.Run(c.id, func(t *testing.T) {
			git(t, dir, "checkout", "-q", "main")
			branch(t, dir, c.id, func() {
				lay(t, dir, map[string]string{"test/discount.test.js": discountTest})
				lay(t, dir, c.files)
			})
			v := mustCheck(t, o, filepath.Join(dir, "specs", c.id+".toml"))
			level := c.level
			if c.want != assurance.OutcomePassed {
				level = assurance.LevelNone
			}
			if v.Outcome != c.want || v.Level != level {
				t.Errorf("%s %s, want %s %s: %s", v.Outcome, v.Level, c.want, level, v.Reason)
			}
			if said := reasonsOf(v); !strings.Contains(said, c.reason) {
				t.Errorf("no %q in:\n%s", c.reason, said)
			}
		})
	}
}

func reasonsOf(v assurance.Verdict) string {
	var b strings.Builder
	b.WriteString(v.Reason + "\n")
	for _, c := range v.Clauses {
		if !c.Holds() {
			b.WriteString(string(c.ID) + " " + string(c.State) + " " + c.Reason + " " + strings.Join(c.Facts, "; ") + "\n")
		}
	}
	return b.String()
}

func lay(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, dir, name, text)
	}
}
