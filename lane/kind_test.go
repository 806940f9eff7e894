package lane

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/worktree"
	"github.com/vallane/lane/mutate"
)

func TestKindOf(t *testing.T) {
	for kind, names := range map[string]string{
		assurance.FileTest: `cart_test.go testdata/in.txt tests/test_cart.py conftest.py cart.test.js test/cart.js test/fixtures/in.json lib/__tests__/a.mjs
			cart.spec.ts test/run.sh order_test.sh t/order.t t/cart.bats spec/cart_spec.rb src/test/java/CartTest.java src/test/java/Help.java`,
		assurance.FileCode:   "cart.go test/cart.go cart.py cart.js contest.js latest.mjs order.sh src/main/java/Cart.java attest.rb test.css",
		assurance.FileConfig: "package.json go.mod .env.toml Makefile",
		assurance.FileDocs:   "README.md test/README.md LICENSE",
		assurance.FileOther:  "logo.png",
	} {
		for _, name := range strings.Fields(names) {
			if got := kindOf(name); got != kind {
				t.Errorf("%s is %s, want %s", name, got, kind)
			}
		}
	}
}

// What is vendored has no mutants in a run over the whole tree; a package of that name is the project's own.
func TestVendoredIsPassedOver(t *testing.T) {
	for name, want := range map[string]bool{
		"vendor/golang.org/x/sys/unix/mkerrors.sh": true, "vendor/cart.c": true, "api/vendor/github.com/a/b/run.sh": true, "vendor/bundle/ruby/3.1.0/a.rb": true,
		"app/vendor/bundle/a.rb": true, "src/main/java/shop/vendor/Order.java": false, "src/vendor/mod.rs": false, "src/vendor.rs": false, "vendors/a.rs": false,
	} {
		if got := isVendored(name); got != want {
			t.Errorf("vendored %s: %v", name, got)
		}
	}
	a := newAgreed(t, agreedSpec)
	a.change(map[string]string{"run.sh": "echo one\n"})
	j, err := a.planned(a.o)
	must(t, err)
	j.changedLines = map[string][]mutate.Range{"vendor/changed.sh": {}}
	got := j.holding(fstest.MapFS{}, strings.Fields("run.sh vendor/a.sh vendor/changed.sh app/node_modules/a/b.sh src/vendor/mod.rs"))
	if diff := cmp.Diff(strings.Fields("run.sh vendor/changed.sh src/vendor/mod.rs"), got); diff != "" {
		t.Error(diff)
	}
}

// A script without a suffix is code by its first line, and its hunks are put back to base; what tests alone run is not.
func TestScriptsAreCode(t *testing.T) {
	a := newAgreed(t, agreedSpec)
	a.file("bin/deploy", "#!/bin/sh\necho one\n")
	a.file("bin/gone", "#!/usr/bin/env ruby\n")
	a.commit("scripts")
	a.change(map[string]string{
		"bin/deploy": "#!/bin/sh\necho two\n", "bin/gone": "", "bin/new": "#!/bin/sh\n", "notes": "# notes\n", "tests/run": "#!/bin/sh\n", "logo.png": "#!\n",
	})
	a.git("checkout", "-q", "change")
	must(t, os.Symlink("#!/bin/sh", filepath.Join(a.dir, "repo", "link")))
	a.commit("link")
	j, err := a.planned(a.o)
	must(t, err)
	got := map[string]string{}
	for _, f := range j.evidence.Plan.Change.Files {
		got[f.Path] = f.Kind
	}
	const code, other = assurance.FileCode, assurance.FileOther
	if diff := cmp.Diff(map[string]string{"bin/deploy": code, "bin/gone": code, "bin/new": code, "notes": other, "tests/run": other, "logo.png": other, "link": other}, got); diff != "" {
		t.Error(diff)
	}
}

// A run over the whole tree takes the scripts that have no suffix, too: those that the change leaves alone have nothing but their first line.
func TestScriptsOfTheWholeTree(t *testing.T) {
	a := newAgreed(t, agreedSpec)
	a.change(map[string]string{"run.sh": "echo one\n"})
	j, err := a.planned(a.o)
	must(t, err)
	script := &fstest.MapFile{Data: []byte("#!/bin/sh\necho one\n")}
	tree := fstest.MapFS{
		"bin/deploy": script, "tests/run": script, "vendor/run": script, "LICENSE": script, "logo.png": script,
		"bin/link": {Data: []byte("deploy"), Mode: fs.ModeSymlink}, "bin/tool": {Data: []byte("\x7fELF")}, "empty": {}, "short": {Data: []byte("#")},
	}
	got := j.holding(tree, append(keys(tree), "gone"))
	if diff := cmp.Diff([]string{"bin/deploy"}, got); diff != "" {
		t.Error(diff)
	}
}

// What a change brings is what its hunks are taken of.
func TestHunksOfScripts(t *testing.T) {
	a := newAgreed(t, agreedSpec)
	a.change(map[string]string{"bin/deploy": "#!/bin/sh\necho two\n", "notes": "# notes\n"})
	j, err := a.planned(a.o)
	must(t, err)
	j.base = &worktree.Tree{}
	changes, err := j.fileChanges()
	j.base = nil
	must(t, err)
	if len(changes) != 1 || changes[0].Path != "bin/deploy" || len(j.holding(fstest.MapFS{}, []string{"bin/deploy", "notes"})) != 1 {
		t.Errorf("%+v", changes)
	}
}
