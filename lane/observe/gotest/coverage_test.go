package gotest

import (
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vallane/lane/lane/observe"
)

func TestParseProfile(t *testing.T) {
	prefixes := map[string]string{"example.org/cart": ".", "example.org/cart/till": "till", "example.org/nested": "deep/nested"}
	name := func(file string) string { return treePath(prefixes, file) }
	profile := strings.Join([]string{
		"mode: set",
		"example.org/cart/cart.go:5.30,7.2 2 1",
		"example.org/cart/cart.go:9.30,12.2 2 0",
		"example.org/cart/cart.go:7.2,8.10 1 4",
		"example.org/cart/till/a b.go:1.1,2.2 1 1",
		"example.org/cart/none/x.go:1.1,2.2 1 1",
		"example.org/nested/n.go:3.1,3.9 1 1",
		"example.org/other/n.go:3.1,3.9 1 1",
		"",
	}, "\n")
	got, err := parseProfile([]byte(profile), name)
	if err != nil {
		t.Fatal(err)
	}
	want := observe.Reach{
		"cart.go": {{First: 5, Last: 8}}, "till/a b.go": {{First: 1, Last: 2}}, "none/x.go": {{First: 1, Last: 2}}, "deep/nested/n.go": {{First: 3, Last: 3}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !got.Touches("cart.go", observe.Lines{First: 8, Last: 20}) || got.Touches("cart.go", observe.Lines{First: 9, Last: 20}) {
		t.Error("Touches does not compare ranges")
	}
	for _, bad := range []string{"", "mode: set\nx", "mode: set\nx.go:1.1 1 1", "mode: set\nx.go:2.1,1.1 1 1", "mode: set\nx.go:1.1,1.2 1 -1", "mode: set\nx.go:0.1,1.2 1 1"} {
		if _, err := parseProfile([]byte(bad), name); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func FuzzParseProfile(f *testing.F) {
	f.Add([]byte("mode: set\nexample.org/a/x.go:1.1,2.2 1 1\nexample.org/a/../../x.go:1.1,9.2 1 1\n"))
	f.Fuzz(func(t *testing.T, profile []byte) {
		reach, err := parseProfile(profile, func(file string) string { return treePath(map[string]string{"example.org/a": "a"}, file) })
		if err != nil {
			return
		}
		for file, spans := range reach {
			if file != path.Clean(file) || path.IsAbs(file) || strings.HasPrefix(file, "../") {
				t.Errorf("file %q", file)
			}
			for i, s := range spans {
				if s.First < 1 || s.Last < s.First || i > 0 && s.First <= spans[i-1].Last+1 {
					t.Errorf("lines %v of %q", spans, file)
				}
			}
		}
	})
}
