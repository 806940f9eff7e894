package shell

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/vallane/lane/mutate"
)

// find returns the mutants of a script, proven, as "line operator description".
func find(t *testing.T, src string) (lines []string, res *Result) {
	t.Helper()
	res, err := Find(Options{Tree: fstest.MapFS{"a.sh": {Data: []byte(src)}}}, []string{"a.sh"})
	if err != nil {
		t.Fatal(err)
	}
	var all []*mutate.Mutant
	for i := range res.Mutants {
		all = append(all, &res.Mutants[i])
	}
	if err := res.Prove(all); err != nil {
		t.Fatal(err)
	}
	for _, m := range res.Mutants {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%d %s %s %s", m.Line, m.Operator, m.Description, strings.TrimSpace(m.Arid+" "+string(m.Known)))))
	}
	return lines, res
}

func TestOperators(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{`a && b`, "1 statement command `a` taken away|1 logical `&&` -> `||`|1 statement command `b` taken away"},
		{`! a`, "1 unary `!` taken away|1 statement command `! a` taken away"},
		{`[ "$a" -lt 3 ]`, "1 boundary `-lt` -> `-le`|1 comparison `-lt` -> `-ge`|1 constant `3` -> `4`"},
		{`[ ! -f x ]`, "1 unary `!` taken away"},
		{`test -d x`, "1 comparison `-d` -> `! -d`"},
		{`[ -n "$a" ] || exit 3`, "1 comparison `-n` -> `-z`|1 logical `||` -> `&&`|1 statement command `exit 3` taken away|1 return `3` -> `0`"},
		{"#!/bin/bash\n[[ $a == b* && -z $c ]]", "2 comparison `==` -> `!=`|2 logical `&&` -> `||`|2 comparison `-z` -> `-n`"},
		{`a=$((b * 2))`, "1 statement assignment `a=$((b * 2))` taken away|1 arithmetic `*` -> `/`|1 constant `2` -> `3`"},
		{`while a; do b; done`, "1 condition `a` -> `false`|1 statement command `b` taken away"},
		{`until a; do break; done`, "1 condition `a` -> `true`|1 jump `break` -> `continue`"},
		{`if a; then b; else c; fi`, "1 condition `a` -> `true`|1 condition `a` -> `false`|1 statement command `b` taken away|1 branch `else` taken away|1 statement command `c` taken away"},
		{"case $a in b) c ;; esac", "1 branch case `b)` taken away|1 statement command `c` taken away"},
		{"case $a in b | 'c d') : ;; esac", "1 branch case `b | 'c d')` taken away"},
		{"#!/bin/bash\n[[ ! -z $a ]]", "2 unary `!` taken away|2 comparison `-z` -> `-n`"},
		{"#!/bin/bash\n(( !a && -b > ~c ))", "2 unary `!` taken away|2 logical `&&` -> `||`|2 unary `-` taken away|2 boundary `>` -> `>=`|2 comparison `>` -> `<=`|2 unary `~` taken away"},
		{"#!/bin/bash\nexport a=1 b", "2 statement assignment `export a=1 b` taken away"},
		{"#!/bin/bash\nf() { local a; }", ""},
		{`[ "$a" = b -a -n "$c" ]`, "1 comparison `=` -> `!=`|1 logical `-a` -> `-o`|1 comparison `-n` -> `-z`"},
		{`[ -a b ] && [ ! -a b ] && [ "$a" = -o ]`, "1 logical `&&` -> `||`|1 unary `!` taken away|1 logical `&&` -> `||`|1 comparison `=` -> `!=`"},
		{"f() { return 0; }", "1 statement command `return 0` taken away|1 return `0` -> `1`"},
		{"true", "1 return `true` -> `false`"},
		{"cat <<X\na && b\nX\n", ""},
		{"# a && b\n:", ""},
		{"echo 'a && b'", "1 statement command `echo 'a && b'` taken away"},
		{"echo bad >&2", "1 statement command `echo bad >&2` taken away log line"},
		{"set -e", "1 statement command `set -e` taken away option of the shell"},
	} {
		got, _ := find(t, c.src)
		if strings.Join(got, "|") != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.src, strings.Join(got, "|"), c.want)
		}
	}
}

// Everything that is made is a script, and another one.
func TestEveryMutantIsAScript(t *testing.T) {
	src := "#!/bin/bash\r\nf() {\r\n  if [[ -f $1 && $2 -lt 3 ]]; then ((x++)); elif ! grep -q x y; then x=$((x * 2 + 1)); else return 1; fi\r\n}\r\n"
	_, res := find(t, strings.ReplaceAll(src, "\r", ""))
	if len(res.Mutants) < 12 {
		t.Errorf("%d mutants", len(res.Mutants))
	}
	for _, m := range res.Mutants {
		if m.Known != "" || m.Original == m.Replacement || m.Func != "f" {
			t.Errorf("%s: %s %s, in %q", m.Description, m.Known, m.Why, m.Func)
		}
	}
}

func TestScriptsWithoutATree(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"if a; then", "line 1, column 7: "},
		{"#!/bin/sh\na=(1", "line 2, column 3: "},
		{strings.Repeat("#", maxSource+1), "larger than"},
		{strings.Repeat("$(", maxSource/2), "it is nested too deeply"},
		{strings.Repeat("((!", maxSource/3), "it is nested too deeply"},
		{strings.Repeat("if ", maxSource/3), "it is nested too deeply"},
	} {
		start := time.Now()
		_, res := find(t, c.src)
		if why := res.Unparsed["a.sh"]; !strings.HasPrefix(why, c.want) {
			t.Errorf("%.20q: %q after %v", c.src, why, time.Since(start))
		}
	}
}

// What only bash knows is read in a script that does not say what it is for.
func TestDialects(t *testing.T) {
	for src, read := range map[string]bool{"[[ a ]]": true, "#!/bin/sh\n[[ a ]]": true, "#!/usr/bin/env bash\n[[ a ]]": true, "#!/bin/bash\nfor ((;": false} {
		if _, res := find(t, src); res.Read("a.sh") != read {
			t.Errorf("%q: %v", src, res.Unparsed)
		}
	}
}

// A name without a suffix says nothing; the first line does.
func TestScriptsWithoutASuffix(t *testing.T) {
	const body = "\nif a; then b; fi\n"
	for first, want := range map[string]bool{
		"#!/bin/sh": true, "#!/usr/bin/env bash": true, "#! /usr/bin/env -S bash -e": true, "#!/bin/dash": true, "#!/bin/bash -e": true,
		"#!/usr/bin/env python3": false, "#!/bin/zsh": false, "#!/usr/bin/fish": false, "#!/usr/bin/shx": false, "# sh": false, "": false,
	} {
		src := []byte(first + body)
		res, err := Find(Options{Tree: fstest.MapFS{"bin/deploy": {Data: src}, "bin/a.py": {Data: src}}}, []string{"bin/deploy", "bin/a.py"})
		if err != nil {
			t.Fatal(err)
		}
		if res.Read("bin/deploy") != want || (len(res.Mutants) > 0) != want || res.Read("bin/a.py") {
			t.Errorf("%q: read %v, %d mutants", first, res.Read("bin/deploy"), len(res.Mutants))
		}
		if _, ok := Canary("bin/deploy", src); ok != want {
			t.Errorf("%q: canary %v", first, ok)
		}
	}
}

func TestAnnotate(t *testing.T) {
	const head = "#!/bin/sh\nf() {\n\tif a; then b; fi\n}\n"
	for _, c := range []struct {
		name, base string
		known      mutate.Verdict
		fn         string
	}{
		{"a fault", strings.Replace(head, "a;", "c;", 1), "", "f"},
		{"layout", strings.Replace(head, "a; then", "a ; then", 1), mutate.Equivalent, "f"},
		{"no script", strings.Replace(head, "; fi", "", 1), mutate.Unviable, "f"},
		{"another interpreter", strings.Replace(head, "/bin/sh", "/bin/bash", 1), "", ""},
	} {
		ms := mutate.Reverts([]mutate.FileChange{{Path: "a.sh", Base: &mutate.Blob{Data: []byte(c.base)}, Head: &mutate.Blob{Data: []byte(head)}}})
		if err := Annotate(Options{Tree: fstest.MapFS{"a.sh": {Data: []byte(head)}}}, ms); err != nil || len(ms) != 1 {
			t.Fatalf("%s: %d hunks, %v", c.name, len(ms), err)
		}
		if ms[0].Known != c.known || ms[0].Func != c.fn {
			t.Errorf("%s: %q (%s), func %q", c.name, ms[0].Known, ms[0].Why, ms[0].Func)
		}
	}
}

func TestCanary(t *testing.T) {
	for src, want := range map[string]string{"#!/bin/sh\na\n": "#!/bin/sh\nexit 86\na\n", "a\n": "exit 86\na\n", "#!/bin/sh": "#!/bin/sh\nexit 86\n"} {
		if got, ok := Canary("a.sh", []byte(src)); !ok || string(got) != want {
			t.Errorf("%q: %q", src, got)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"a && b", "if [ -f x ]; then ((x++)); fi", "case $a in b) c ;; esac", "cat <<X\nX\n", "f() { ! a; }", "a=$(b `c`)", "[[ a ]]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		res, err := Find(Options{Tree: fstest.MapFS{"a.sh": {Data: src}}}, []string{"a.sh"})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for i := range res.Mutants {
			m := &res.Mutants[i]
			if seen[m.ID] {
				t.Errorf("two mutants with the id of %s", m)
			}
			seen[m.ID] = true
			if out, err := m.Apply(src); err != nil || slices.Equal(out, src) {
				t.Errorf("%s: %v", m, err)
			}
		}
	})
}
