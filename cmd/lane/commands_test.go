package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// setSpec replaces the head or patch of a story's spec: spec head=BRANCH [FILE], spec patch=FILE [FILE].
func setSpec(ts *testscript.TestScript, _ bool, args []string) {
	file := filepath.Join("repo", "lane.toml")
	if len(args) > 1 {
		file = args[1]
	}
	key, value, _ := strings.Cut(args[0], "=")
	var out []string
	for line := range strings.Lines(ts.ReadFile(file)) {
		if k, _, ok := strings.Cut(line, " = "); ok && (k == "head" || k == "patch") {
			line = key + " = \"" + value + "\"\n"
		}
		out = append(out, line)
	}
	ts.Check(os.WriteFile(ts.MkAbs(file), []byte(strings.Join(out, "")), 0o644))
}

// setFlake commits another flake.nix to main, with the attributes given, or none at all, and puts the
// story's change on top of it.
func setFlake(ts *testscript.TestScript, _ bool, args []string) {
	git(ts, "checkout", "-q", "main")
	file := filepath.Join(ts.MkAbs("repo"), "flake.nix")
	if args[0] == "none" {
		ts.Check(os.Remove(file))
	} else {
		ts.Check(os.WriteFile(file, []byte("{ "+args[0]+" }\n"), 0o644))
	}
	commitAll(ts, "another flake")
	git(ts, "branch", "-q", "-D", "change")
	makeChange(ts, false, []string{"change"})
}
