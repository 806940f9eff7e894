package position

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// places lists every path of a text as "path line:col value line:col".
func places(x *Index, paths ...Path) string {
	var b strings.Builder
	for _, p := range paths {
		at, ok := x.Find(p)
		if !ok {
			fmt.Fprintf(&b, "%s -\n", p)
			continue
		}
		fmt.Fprintf(&b, "%s %d:%d %d:%d\n", p, at.Key.Line, at.Key.Col, at.Value.Line, at.Value.Col)
	}
	return b.String()
}

func TestPlaces(t *testing.T) {
	tests := []struct {
		name, text string
		paths      []Path
		want       string
	}{
		{"pair", "a = 1\n  b =   2", []Path{"a", "b", "c"}, "a 1:1 1:5\nb 2:3 2:9\nc -\n"},
		{"table", "\n [ a ]\nb = 1", []Path{"a", "a.b"}, "a 2:4 2:2\na.b 3:1 3:5\n"},
		{"elements of an array of tables are told apart", "[[t]]\nn=1\n[[t]]\nn=2\n[t.sub]\nx=1",
			[]Path{"t", "t[0]", "t[0].n", "t[1]", "t[1].n", "t[1].sub", "t[1].sub.x", "t[0].sub"},
			"t 1:3 1:1\nt[0] 1:1 1:1\nt[0].n 2:1 2:3\nt[1] 3:1 3:1\nt[1].n 4:1 4:3\nt[1].sub 5:4 5:1\nt[1].sub.x 6:1 6:3\nt[0].sub -\n"},
		{"array of tables in an array of tables", "[[a]]\n[[a.b]]\n[[a.b]]\nc=1\n[[a]]\n[[a.b]]\nc=2",
			[]Path{"a[0].b[1].c", "a[1].b[0].c", "a[1].b[1]"},
			"a[0].b[1].c 4:1 4:3\na[1].b[0].c 7:1 7:3\na[1].b[1] -\n"},
		{"dotted key", "a . b.\"c.d\" = 1", []Path{"a", "a.b", `a.b."c.d"`}, "a 1:1 1:15\na.b 1:5 1:15\na.b.\"c.d\" 1:7 1:15\n"},
		{"an explicit header has the last word on its place", "[a.b]\n[a]\nc=1", []Path{"a", "a.b"}, "a 2:2 2:1\na.b 1:4 1:1\n"},
		{"quoted keys", "\"k\\u00e9\\\"y\" = 1\n'l\\n' = 2\n\"\" = 3",
			[]Path{Path("").Key("ké\"y"), Path("").Key(`l\n`), Path("").Key("")},
			"\"ké\\\"y\" 1:1 1:16\n\"l\\\\n\" 2:1 2:9\n\"\" 3:1 3:6\n"},
		{"columns count code points", "'ключ' = { 'é世' = 1, \"😀\" = 2 }", []Path{`"ключ"`, `"ключ"."é世"`, `"ключ"."😀"`},
			"\"ключ\" 1:1 1:10\n\"ключ\".\"é世\" 1:12 1:19\n\"ключ\".\"😀\" 1:22 1:28\n"},
		{"inline table in an array, over lines", "t = [\n  {a = 1,\n   b.c = [10, 20]}, # x = 1\n  {a = 2},\n]",
			[]Path{"t", "t[0]", "t[0].b", "t[0].b.c", "t[0].b.c[1]", "t[1].a"},
			"t 1:1 1:5\nt[0] 2:3 2:3\nt[0].b 3:4 3:10\nt[0].b.c 3:6 3:10\nt[0].b.c[1] 3:15 3:15\nt[1].a 4:4 4:8\n"},
		{"what looks like a key in a multi-line string", "a = \"\"\"\nb = 1\n\\\"\"\"\\\n\"\"\"\"\"\nc = '''\n[d]\n'''''\ne = 1",
			[]Path{"a", "b", "c", "d", "e"}, "a 1:1 1:5\nb -\nc 5:1 5:5\nd -\ne 8:1 8:5\n"},
		{"quotes before the closing ones", "a = [\"\"\"x\"\"\"\"\", 1, '''''''', 2]", []Path{"a[1]", "a[3]", "a[4]"},
			"a[1] 1:17 1:17\na[3] 1:30 1:30\na[4] -\n"},
		{"carriage returns", "a = 1\r\n[b]\r\nc = 2\r\n", []Path{"a", "b", "b.c"}, "a 1:1 1:5\nb 2:2 2:1\nb.c 3:1 3:5\n"},
		{"dates hold a space", "d = 1979-05-27 07:32:00 # e = 1\nf = [1979-05-27 07:32:00, 1.5]", []Path{"d", "f[1]"},
			"d 1:1 1:5\nf[1] 2:27 2:27\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := Scan(tt.text)
			if len(x.Faults) > 0 {
				t.Fatalf("faults in a valid text: %v", x.Faults)
			}
			if diff := cmp.Diff(tt.want, places(x, tt.paths...)); diff != "" {
				t.Errorf("places (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBrokenTextKeepsTheRest(t *testing.T) {
	tests := []struct {
		name, text, fault string
		found, lost       []Path
	}{
		{"no value", "a =\nb = 1", "1:4 a key without a value", []Path{"b"}, nil},
		{"no equals sign", "a b\nb = 1", "1:1 a key without =", []Path{"b"}, []Path{"a"}},
		{"open string", "a = \"x\nb = 1", "1:5 a string that is not closed", []Path{"a", "b"}, nil},
		{"keys below a broken header belong nowhere", "[a]\nx=1\n[b\ny=1\n[c]\nz=1", "3:1 a header that is not closed by ]",
			[]Path{"a.x", "c.z"}, []Path{"b", "a.y", "y"}},
		{"open list", "a = [1,\n2", "1:5 a list that is not closed", []Path{"a[1]"}, nil},
		{"open table", "a = {b = 1,\n", "1:5 an inline table that is not closed", []Path{"a.b"}, nil},
		{"a key that is none", "= 1\nb = 1", "1:1 a key was expected here", []Path{"b"}, nil},
		{"bad escape in a key", "\"\\q\" = 1\nb = 1", "1:1 a key was expected here", []Path{"b"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := Scan(tt.text)
			if len(x.Faults) != 1 {
				t.Fatalf("faults: %v", x.Faults)
			}
			f := x.Faults[0]
			if got := fmt.Sprintf("%d:%d %s", f.Pos.Line, f.Pos.Col, f.Msg); got != tt.fault {
				t.Errorf("fault %q, want %q", got, tt.fault)
			}
			for _, p := range tt.found {
				if _, ok := x.Find(p); !ok {
					t.Errorf("%s has no place", p)
				}
			}
			for _, p := range tt.lost {
				if at, ok := x.Find(p); ok {
					t.Errorf("%s has a place: %v", p, at)
				}
			}
		})
	}
}

func TestDuplicates(t *testing.T) {
	tests := []struct{ text, want string }{
		{"a = 1\nb = 2\na = 3", "a 1:1 3:1 expr 2\n"},
		{"[a]\n[b]\n[a]", "a 1:2 3:2 expr 2\n"},
		{"a = 1\n[a]", "a 1:1 2:2 expr 1\n"},
		{"t = {a = 1, a = 2}", "t.a 1:6 1:13 expr 0\n"},
		{"[[a]]\nx = 1\n[[a]]\nx = 1", ""},
		{"[a.b]\n[a]\n", ""},
	}
	for _, tt := range tests {
		var got strings.Builder
		for _, d := range Scan(tt.text).Duplicates {
			fmt.Fprintf(&got, "%s %d:%d %d:%d expr %d\n", d.Path, d.First.Line, d.First.Col, d.Second.Line, d.Second.Col, d.Expr)
		}
		if got.String() != tt.want {
			t.Errorf("%q: duplicates %q, want %q", tt.text, got.String(), tt.want)
		}
	}
}

func TestLimits(t *testing.T) {
	deep := func(n int) string { return "a = " + strings.Repeat("[", n) + strings.Repeat("]", n) }
	many := func(n int) string { return "a = [" + strings.Repeat("1,", n) + "]" }
	tests := []struct {
		name, within, beyond, msg string
	}{
		{"depth of lists", deep(MaxDepth), deep(1 << 20), "nested more than"},
		{"depth of tables", strings.Repeat("a={", MaxDepth-1) + strings.Repeat("}", MaxDepth-1), strings.Repeat("a={", 1<<18), "nested more than"},
		{"dotted key", strings.Repeat("a.", MaxParts-1) + "a = 1", strings.Repeat("a.", 1<<19) + "a = 1", "a key of more than"},
		{"long key", strings.Repeat("a", MaxPath) + " = 1", strings.Repeat("a", MaxPath+1) + " = 1", "a key path of more than"},
		{"elements", many(MaxEntries - 1), many(MaxEntries), "more than 50000 keys"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if x := Scan(tt.within); len(x.Faults) > 0 {
				t.Errorf("within the limit: %v", x.Faults)
			}
			x := Scan(tt.beyond)
			if n := len(x.Faults); n == 0 || !x.Faults[0].Fatal || !strings.Contains(x.Faults[0].Msg, tt.msg) {
				t.Errorf("beyond the limit: %v", x.Faults)
			}
		})
	}
}

func TestExprAt(t *testing.T) {
	text := "# c\na = [\n1]\n\n[b] # x\n"
	x := Scan(text)
	want := []Expr{{Start: 4, End: 12}, {Start: 14, End: 17, Header: true}}
	if diff := cmp.Diff(want, x.Exprs); diff != "" {
		t.Fatalf("expressions (-want +got):\n%s", diff)
	}
	for offset, want := range map[int]int{0: -1, 4: 0, 9: 0, 13: 0, 14: 1, 99: 1} {
		if got, ok := x.ExprAt(offset); got != want || ok != (want >= 0) {
			t.Errorf("ExprAt(%d) = %d, %v, want %d", offset, got, ok, want)
		}
	}
}

func TestAt(t *testing.T) {
	text := "é\n世b"
	for offset, want := range map[int]Pos{
		-1: {0, 1, 1}, 0: {0, 1, 1}, 2: {2, 1, 2}, 3: {3, 2, 1}, 6: {6, 2, 2}, 99: {7, 2, 3},
	} {
		if got := At(text, offset); got != want {
			t.Errorf("At(%d) = %v, want %v", offset, got, want)
		}
	}
}
