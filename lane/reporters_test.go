package lane

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/spec"
	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/javascript"
	"github.com/vallane/lane/mutate/python"
)

// What a command is judged by is what the spec says, else what plainly claims it, else its exit status.
func TestChoose(t *testing.T) {
	for _, x := range []struct {
		reporter, run string
		want          string
		class         observe.Class
		why           string // "" where the spec chose
	}{
		{"auto", "go test ./...", "go", observe.InProcess, "one of its runner"},
		{"auto", "pytest -q", "pytest", observe.InProcess, "one of its runner"},
		{"auto", "python3 -m unittest", "unittest", observe.InProcess, "one of its runner"},
		{"auto", "node --test", "node", observe.InProcess, "one of its runner"},
		{"auto", "node node_modules/vitest/vitest.mjs run", "vitest", observe.Forgeable, "one of its runner"},
		{"jest", "npx jest", "jest", observe.Forgeable, ""},
		{"auto", "mocha", "mocha", observe.Forgeable, "one of its runner"},
		{"auto", "tape test/*.js", "tap", observe.Forgeable, "one of its runner"},
		{"auto", "make check", "exit", observe.Forgeable, "no reporter claims the command"},
		{"auto", "npm test", "exit", observe.Forgeable, "no reporter claims the command"},
		{"node", "npm test", "node", observe.InProcess, ""},
		{"tap", "make check", "tap", observe.Forgeable, ""},
		{"exit", "go test ./...", "exit", observe.Forgeable, ""},
		{"junit:out/report.xml", "make check", "junit", observe.Forgeable, ""},
	} {
		r, why, err := choose(spec.Task{Reporter: x.reporter, Run: strings.Fields(x.run)})
		if err != nil {
			t.Fatal(err)
		}
		if r.Name() != x.want || r.Class() != x.class || (why == "") != (x.why == "") || !strings.Contains(why, x.why) {
			t.Errorf("%s for %s: %s (%s), %q; want %s, %q", x.reporter, x.run, r.Name(), r.Class(), why, x.want, x.why)
		}
	}
}

func TestUnmutated(t *testing.T) {
	j := &job{}
	p := &j.evidence.Plan
	p.Mutants = []assurance.PlannedMutant{
		{File: "cart.js", Origin: assurance.OriginRevert}, {File: "cart.kt", Origin: assurance.OriginOwn}}
	for _, name := range strings.Fields("cart.go cart.js flow.js cart.d.ts cart.test.js style.css other.rb macros.c changed.c run.sh cart.kt cart.py package.json") {
		p.Change.Files = append(p.Change.Files, assurance.ChangedFile{Path: name, Kind: kindOf(name)})
	}
	if got := j.unmutated(); !slices.Equal(got, []string{"cart.js", "flow.js", "other.rb", "macros.c", "changed.c", "run.sh", "cart.kt", "cart.py"}) {
		t.Errorf("%q, want those that nobody read", got)
	}
	var err error
	tree := fstest.MapFS{"cart.js": {Data: []byte("exports.rate = 1;\n")}, "flow.js": {Data: []byte("let rate: number = 1;\n")}}
	if j.foundJavaScript, err = javascript.Find(t.Context(), javascript.Options{Tree: tree}, []string{"cart.js", "flow.js"}); err != nil {
		t.Fatal(err)
	}
	j.foundPython = &python.Result{} // cart.py was not read
	const unknown = "int f(void) { return 1; }\nint g(void) { return a b c; }\n"
	tree = fstest.MapFS{"other.rb": {Data: []byte("a = 1\n")}, "macros.c": {Data: []byte(unknown)}, "changed.c": {Data: []byte(unknown)},
		"run.sh": {Data: []byte("a\n")}, "cart.kt": {Data: []byte("val a = 1\n")}}
	if _, err := j.findUntyped(t.Context(), tree, []string{"other.rb", "macros.c", "changed.c", "run.sh", "cart.kt"}); err != nil {
		t.Fatal(err)
	}
	j.changedLines = map[string][]mutate.Range{"macros.c": {{Start: 2, End: 2}}, "changed.c": {{Start: 1, End: 1}}}
	if got := j.unmutated(); !slices.Equal(got, []string{"flow.js", "macros.c", "cart.kt", "cart.py"}) {
		t.Errorf("%q, want what cannot be read, is changed where it cannot, or has no operators but a lexer's", got)
	}
}

// A hunk of comments alone is listed and not tried: nobody could notice it.
func TestCommentsAreSetApart(t *testing.T) {
	for _, x := range []struct {
		file, head, base string
		want             bool
	}{
		{"a.sh", "# one\n", "# two\n\n", true},
		{"a.sh", "#!/bin/sh\n", "", false},
		{"a.sh", "x # one\n", "# two\n", false},
		{"bin/deploy", "# one\n", "", true},
		{"Dockerfile", "# escape=x\n", "", false},
		{"a.rs", "// one\n", "", true},
		{"a.rs", "# one\n", "", false},
		{"a.rs", "one /* two */\n", "// one\n", false},
		{"a.js", "// one\n", "", false}, // its own tools say it
		{"a.css", "// one\n", "", false},
	} {
		ms := []mutate.Mutant{{File: x.file, Kind: mutate.Edit, Original: mutate.Text(x.head), Replacement: mutate.Text(x.base)}}
		if setCommentsApart(ms); (ms[0].Arid != "") != x.want {
			t.Errorf("%s: %q to %q: %q, want arid %v", x.file, x.head, x.base, ms[0].Arid, x.want)
		}
	}
}
