//go:build linux

package nodetest

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vallane/lane/lane/observe"
)

func TestClaims(t *testing.T) {
	for argv, want := range map[string]bool{
		"node --test":                               true,
		"/nix/store/x/bin/node --test test/a.js":    true,
		"node --no-warnings --import ./x.js --test": true,
		"node -r ./--test a.js":                     false,
		"node script.js --test":                     false,
		"node":                                      false,
		"npm test":                                  false,
		"go test ./...":                             false,
	} {
		if got := (Reporter{}).Claims(strings.Fields(argv)); got != want {
			t.Errorf("%s: %v, want %v", argv, got, want)
		}
	}
}

// layTree writes a tree of empty files.
func layTree(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range names {
		at := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// What the command will run is what the runner itself would find; where releases differ, nothing is expected.
func TestExpected(t *testing.T) {
	tree := layTree(t, "cart.js", "cart.test.js", "cart_test.mjs", "test-cart.cjs", "test.js", "cart.spec.js", "contest.js", "lib/test/helper.js",
		"lib/test/deep/more.mjs", "lib/tests/no.js", "node_modules/x/x.test.js", "lib/node_modules/y/test/y.js", "typed/a.test.ts", "plain/b.test.js")
	all := "cart.test.js cart_test.mjs lib/test/deep/more.mjs lib/test/helper.js plain/b.test.js test-cart.cjs test.js"
	tests := []struct{ dir, args, want string }{
		{"", "", "unknown: TypeScript " + all},
		{"lib", "", "lib/test/deep/more.mjs lib/test/helper.js"},
		{"", "cart.js ./plain/b.test.js", "cart.js plain/b.test.js"},
		{"", "/tree/cart.js", "cart.js"},
		{"lib", "../cart.js", "cart.js"},
		{"", "lib/test", "lib/test/deep/more.mjs lib/test/helper.js"},
		{"", "lib/**/*.mjs", "lib/test/deep/more.mjs"},
		{"", "{plain,lib}/**/*.js", "lib/test/helper.js lib/tests/no.js plain/b.test.js"},
		{"", "*.test.js", "cart.test.js"},
		{"", "missing.js", "unknown: not in the tree"},
		{"", "../../etc/passwd", "unknown: not lie in the tree"},
		{"", "/etc/passwd", "unknown: not lie in the tree"},
		{"", "[a-c]*.js", "unknown: only the runner knows"},
		{"plain", "--test-shard=1/2", "unknown: only the runner knows plain/b.test.js"},
		{"plain", "--unheard-of b.test.js", "unknown: only the runner knows plain/b.test.js"},
	}
	for _, x := range tests {
		t.Run(x.dir+" "+x.args, func(t *testing.T) {
			argv := append([]string{"node", "--test"}, strings.Fields(x.args)...)
			s, err := prepare(observe.Request{Argv: argv, Dir: x.dir, TreeHost: tree})
			if err != nil {
				t.Fatal(err)
			}
			p, err := s.vary(observe.Variation{})
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(s.find.files, " ")
			if rest, unknown := strings.CutPrefix(x.want, "unknown: "); unknown {
				if p.Known || p.Expected != nil || len(p.Notes) != 1 {
					t.Errorf("known %v, expected %v, notes %q; want unknown", p.Known, p.Expected, p.Notes)
				}
				why, files := rest, ""
				if i := strings.IndexFunc(rest, func(r rune) bool { return r == '.' || r == '/' }); i >= 0 {
					cut := strings.LastIndex(rest[:i], " ")
					why, files = rest[:cut], rest[cut+1:]
				}
				if !strings.Contains(p.Notes[0], why) || got != files {
					t.Errorf("note %q, files %q; want %q", p.Notes[0], got, x.want)
				}
				return
			}
			if !p.Known || got != x.want || !slices.Equal(p.Expected, s.find.files) {
				t.Errorf("known %v: %q, want %q", p.Known, got, x.want)
			}
		})
	}
}

func TestArgument(t *testing.T) {
	for _, x := range []struct{ cwd, file, want string }{
		{".", "-a.test.js", "./-a.test.js"}, {".", "test/a.js", "./test/a.js"}, {"lib", "lib/test/a.js", "./test/a.js"},
		{"lib", "a.js", "../a.js"}, {"lib/deep", "lib/a.js", "../a.js"}, {"lib/deep", "library/a.js", "../../library/a.js"},
	} {
		s := setup{find: finder{cwd: x.cwd}}
		if got := s.argument(x.file); got != x.want {
			t.Errorf("%s from %s: %s, want %s", x.file, x.cwd, got, x.want)
		}
	}
}

func TestExpectedFollowsNoLinks(t *testing.T) {
	tree := layTree(t, "a.test.js")
	outside := layTree(t, "b.test.js")
	if err := os.Symlink(outside, filepath.Join(tree, "test")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "b.test.js"), filepath.Join(tree, "b.test.js")); err != nil {
		t.Fatal(err)
	}
	p, err := Reporter{}.Instrument(observe.Request{Argv: []string{"node", "--test"}, TreeHost: tree})
	if err != nil || p.Known {
		t.Errorf("known %v, %v; want links to leave it open", p.Known, err)
	}
}

// A person may leave out what a test lies in, from the left.
func TestMatch(t *testing.T) {
	const id = "test/cart.test.js > cart > applies once"
	for pattern, want := range map[string]bool{
		id:                                   true,
		"cart.test.js > cart > applies once": true,
		"./test/cart.test.js > applies once": true,
		"cart > applies once":                true,
		"applies once":                       true,
		"applies  once":                      true,
		"once":                               false,
		"cart":                               false,
		"test/cart.test.js":                  false,
		"art.test.js > cart > applies once":  false,
		"other.test.js > applies once":       false,
		"test/cart.test.js > cart":           false,
		"test/cart.test.js > more > cart > applies once": false,
	} {
		if got := (Reporter{}).Match(pattern, id); got != want {
			t.Errorf("%s: %v, want %v", pattern, got, want)
		}
	}
	if !(Reporter{}).Match("check.js", "test/check.js") || (Reporter{}).Match("heck.js", "test/check.js") {
		t.Error("a file that is a test is named by the end of its path")
	}
}

func TestRefused(t *testing.T) {
	old := t.TempDir()
	for name, text := range map[string]string{"bin/node": "", "include/node/node_version.h": "#define NODE_MAJOR_VERSION 18\n#define NODE_MINOR_VERSION 12\n"} {
		if err := os.MkdirAll(filepath.Join(old, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(old, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []struct{ argv, path, what string }{
		{"node --test --test-isolation=none", "", "own process"},
		{"node --experimental-test-isolation none --test", "", "own process"},
		{"node --test --watch", "", "never ends"},
		{"node --test", old + "/bin", "18.12 is older"},
	} {
		_, err := Reporter{}.Instrument(observe.Request{Argv: strings.Fields(x.argv), TreeHost: t.TempDir(), Path: []string{x.path}})
		var u *observe.Unparsed
		if !errors.As(err, &u) || !strings.Contains(u.What, x.what) || u.Advice == "" {
			t.Errorf("%s: %v, want unparsed: %s", x.argv, err, x.what)
		}
	}
	_, err := Reporter{}.Instrument(observe.Request{Argv: []string{"npm", "test"}, TreeHost: t.TempDir(), Select: []string{"a > b"}})
	if err == nil {
		t.Error("tests of a command that is not the runner were selected")
	}
}
