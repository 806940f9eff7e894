package lane

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/mutate/javascript"
)

// Marks of test files become the reach of their tests; those of nobody in particular that of all.
func TestReachOf(t *testing.T) {
	tree := fstest.MapFS{"a.js": {Data: []byte("exports.f = () => 1 + 1;\nexports.g = () => 2 + 2;\nexports.k = 3 + 3;\n")}}
	found, err := javascript.Find(t.Context(), javascript.Options{Tree: tree}, []string{"a.js"})
	must(t, err)
	probes, err := found.Probe(t.Context(), [32]byte{})
	must(t, err)
	const x, x2, y = "x.test.js > one", "x.test.js > two", "y.test.js > one"
	tests := []string{x, x2, y}
	for _, c := range []struct {
		name    string
		marks   string // UNIT:PLACE
		f, g, k string // tests, or "unknown"
	}{
		{"each its own", "x.test.js:0 x.test.js:1 y.test.js:0 y.test.js:2", x + ", " + x2, y, x + ", " + x2 + ", " + y},
		{"nobody loads it", "", "unknown", "unknown", "unknown"},
		{"a process of somebody's", ":0 :1", x + ", " + x2 + ", " + y, "", x + ", " + x2 + ", " + y},
		{"loaded before any test", ":0 y.test.js:2", "", y, x + ", " + x2 + ", " + y},
		{"shared", "x.test.js:0 x.test.js:1 y.test.js:1", "unknown", "unknown", "unknown"},
	} {
		var marks []observe.Mark
		for _, s := range strings.Fields(c.marks) {
			m := observe.Mark{File: "a.js"}
			unit, place, _ := strings.Cut(s, ":")
			m.Unit = unit
			fmt.Sscan(place, &m.Place)
			marks = append(marks, m)
		}
		reach := reachOf(probes, marks, tests)
		got := map[int]string{}
		for i := range found.Mutants {
			m := &found.Mutants[i]
			by, known := reach.Tests(m)
			if got[m.Line] = strings.Join(by, ", "); !known {
				got[m.Line] = "unknown"
			}
		}
		if got[1] != c.f || got[2] != c.g || got[3] != c.k {
			t.Errorf("%s: %v, want %q, %q and %q", c.name, got, c.f, c.g, c.k)
		}
	}
}
