package gotest

import (
	"slices"
	"testing"

	"github.com/vallane/lane/lane/observe"
)

func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		id, unit, test string
		ok             bool
	}{
		{"github.com/Masterminds/semver/v3.TestCollection", "github.com/Masterminds/semver/v3", "TestCollection", true},
		{"gopkg.in/yaml.v3.TestDecode/a.b/Test.c", "gopkg.in/yaml.v3", "TestDecode/a.b/Test.c", true},
		{"example.org/x.Example", "example.org/x", "Example", true},
		{"example.org/x.Example_suffix", "example.org/x", "Example_suffix", true},
		{"example.org/x.FuzzÄ/seed#0", "example.org/x", "FuzzÄ/seed#0", true},
		{"_/tree/sub.TestX", "_/tree/sub", "TestX", true},
		{"TestX", "", "TestX", true},
		{"./pkg.TestX", "./pkg", "TestX", true},
		{"example.org/x.Testing", "example.org/x.Testing", "", false},
		{"example.org/x", "example.org/x", "", false},
		{"", "", "", false},
	} {
		unit, test, ok := Split(tt.id)
		if unit != tt.unit || test != tt.test || ok != tt.ok {
			t.Errorf("Split(%q) = %q, %q, %v", tt.id, unit, test, ok)
		}
	}
}

func TestMatch(t *testing.T) {
	ids := []string{
		"example.org/cart.TestTotal", "example.org/cart.TestTotal/empty", "example.org/cart/till.TestTotal", "example.org/cart/till.TestPay",
		"github.com/Masterminds/semver/v3.TestSet",
	}
	for _, tt := range []struct {
		pattern string
		want    []string
	}{
		{"example.org/cart.TestTotal", ids[:1]},
		{"example.org/cart.TestTotal/empty", ids[1:2]},
		{"TestTotal", []string{ids[0], ids[2]}},
		{"TestTotal/empty", ids[1:2]},
		{"till.TestTotal", ids[2:3]},
		{"./till.TestPay", ids[3:4]},
		{"cart/till.TestPay", ids[3:4]},
		{"ill.TestPay", nil},
		{"semver.TestSet", ids[4:]},
		{"semver/v3.TestSet", ids[4:]},
		{"v3.TestSet", ids[4:]},
		{"TestNone", nil},
		{"till", nil},
	} {
		res := observe.Resolve(Reporter{}, []string{tt.pattern}, ids)
		if !slices.Equal(res.IDs, tt.want) {
			t.Errorf("%s names %q, want %q", tt.pattern, res.IDs, tt.want)
		}
		if missing := len(res.Missing) == 1; missing != (len(tt.want) == 0) {
			t.Errorf("%s: missing %q", tt.pattern, res.Missing)
		}
		if ambiguous := len(res.Ambiguous) == 1; ambiguous != (len(tt.want) > 1) {
			t.Errorf("%s: ambiguous %q", tt.pattern, res.Ambiguous)
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("gopkg.in/yaml.v3.TestDecode/a.b")
	f.Add("..Test./.Test")
	f.Fuzz(func(t *testing.T, id string) {
		unit, test, ok := Split(id)
		if ok && unit != "" && Join(unit, test) != id {
			t.Errorf("Split(%q) = %q, %q", id, unit, test)
		}
		Reporter{}.Match(id, "example.org/x.TestX")
	})
}
