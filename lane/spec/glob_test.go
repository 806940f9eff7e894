package spec

import (
	"strings"
	"testing"
	"time"
)

func TestMatch(t *testing.T) {
	tests := []struct {
		pattern string
		yes, no []string
	}{
		{"version.go", []string{"version.go"}, []string{"a/version.go", "version.go.bak", "Version.go"}},
		{"./version.go", []string{"version.go"}, []string{"a/version.go"}},
		{"*.go", []string{"a.go", ".go", ".a.go"}, []string{"a/b.go", "a.gox"}},
		{"**/*.go", []string{"a.go", "a/b.go", "a/b/c.go"}, []string{"a.py"}},
		{"src/**", []string{"src/a", "src/a/b/c"}, []string{"a/src/b", "srcs/a"}},
		{"src/cart", []string{"src/cart", "src/cart/a.go", "src/cart/a/b.go"}, []string{"src/carts", "src/cart.go"}},
		{"src/*", []string{"src/a"}, []string{"src/a/b", "src"}},
		{"src/*/test", []string{"src/a/test", "src/a/test/x"}, []string{"src/test", "src/a/b/test"}},
		{"src/**/test/*.js", []string{"src/test/a.js", "src/a/b/test/a.js"}, []string{"src/test/b/a.js", "test/a.js"}},
		{"**/a/**/b/**", []string{"a/b/c", "x/a/y/b/z/w"}, []string{"b/a/c"}},
		{"**", []string{"a", "a/b"}, nil},
		{".", []string{"a", "a/b"}, nil},
		{"a?c.[jt]s", []string{"abc.js", "aéc.ts"}, []string{"ac.js", "abc.rs"}},
		{"[^a].go", []string{"b.go"}, []string{"a.go"}},
		{"[", nil, []string{"[", "a"}},
		{"", nil, []string{"a"}},
	}
	for _, tt := range tests {
		for _, path := range tt.yes {
			if !Match(tt.pattern, path) {
				t.Errorf("%q does not match %q", tt.pattern, path)
			}
		}
		for _, path := range tt.no {
			if Match(tt.pattern, path) {
				t.Errorf("%q matches %q", tt.pattern, path)
			}
		}
	}
}

func TestGlobRules(t *testing.T) {
	for _, good := range []string{"a", "*.go", "**", ".", "./a/**", "a/[a-z]/b", ".github/**", "a b/ü"} {
		if c := checkGlob(good); c != nil {
			t.Errorf("%q is refused: %s", good, c.msg)
		}
	}
	for bad, why := range map[string]string{
		"": "names nothing", "/a": "absolute", "../a": "..", "a/../b": "..", "..": "..", `a\b`: "backslash", "C:/a": "absolute", "~/a": "home", "a{b,c}": "{ }",
		"!a": "take files away", "a/": "ends with /", "a//b": "empty part", "a/./b": "empty part", "a**": "** inside", "a[b": "without its ]",
		"a\x1b": "character", "[a/b]": "without its ]", strings.Repeat("a", 501): "500 bytes",
	} {
		if c := checkGlob(bad); c == nil || !strings.Contains(c.msg, why) {
			t.Errorf("%q: %v, want %q", bad, c, why)
		}
	}
}

// Many stars cost no more than the product of the two lengths.
func TestMatchEndsSoon(t *testing.T) {
	start := time.Now()
	Match(strings.Repeat("**/", 160)+"x", strings.Repeat("a/", 2000)+"b")
	Match(strings.Repeat("*a", 250), strings.Repeat("a", 20000)+"b")
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}
