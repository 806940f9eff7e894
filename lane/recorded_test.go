package lane

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
		{"places that no file has", "x.test.js:0 x.test.js:3 x.test.js:-1 y.test.js:7", "", "", x + ", " + x2},
		{"a file by another name", "x.test.js:0 link.test.js:0 link.test.js:1 other.test.js:0 other.test.js:1", x + ", " + x2 + ", " + y, "", x + ", " + x2 + ", " + y},
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
		reach, err := reachOf(t.Context(), probes, marks, tests)
		must(t, err)
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

// The code under test can write as many marks as fit into what is collected. They must not keep Lane busy, nor beyond the end of its time.
func TestReachOfForgedMarks(t *testing.T) {
	tree := fstest.MapFS{"a.js": {Data: []byte("exports.f = () => 1 + 1;\n")}}
	found, err := javascript.Find(t.Context(), javascript.Options{Tree: tree}, []string{"a.js"})
	must(t, err)
	probes, err := found.Probe(t.Context(), [32]byte{})
	must(t, err)
	var forged []observe.Mark
	for i := range 1000 {
		forged = append(forged, observe.Mark{File: "a.js"}, observe.Mark{File: "a.js", Place: i}, observe.Mark{File: "a.js", Place: -i}, observe.Mark{File: fmt.Sprintf("%d.js", i)})
	}
	if got := distinct(probes, forged); !slices.Equal(got, []observe.Mark{{File: "a.js"}, {File: "a.js", Place: 1}}) {
		t.Errorf("of %d marks %d are left", len(forged), len(got))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := reachOf(ctx, probes, forged, []string{"x.test.js > one"}); !errors.Is(err, context.Canceled) {
		t.Errorf("it goes on when there is no time left: %v", err)
	}
}
