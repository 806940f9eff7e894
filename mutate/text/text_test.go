package text

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vallane/lane/mutate"
)

func lines(t *testing.T, name, src string) string {
	t.Helper()
	res, err := Find(Options{Tree: fstest.MapFS{name: {Data: []byte(src)}}}, []string{name})
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
	var out []string
	for _, m := range res.Mutants {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%d %s %s %s", m.Line, m.Operator, m.Description, m.Known)))
	}
	return strings.Join(out, "|")
}

func TestFind(t *testing.T) {
	for _, c := range []struct{ name, file, src, want string }{
		{"code", "a.kt", "if (a < 3 && b == c) d = true // 4 < 5\n", "1 boundary `<` -> `<=`|1 constant `3` -> `4`|1 logical `&&` -> `||`|1 comparison `==` -> `!=`|1 boolean `true` -> `false`"},
		{"brackets of types", "a.cpp", "std::vector<int> a; b << 2; c = a->d;", "1 constant `2` -> `3`"},
		{"texts", "a.cs", "a(\"1 < 2\", '3', @\"4\"); /* 5\n6 */ f(7);", "2 constant `7` -> `8`"},
		{"a mark without a partner", "a.yaml", "a: don't 3\nb: 4\n", "2 constant `4` -> `5`"},
		{"texts of several lines", "a.toml", "a = \"\"\"\nb = 3\n\"\"\"\nc = 4\n", "4 line setting `c = 4` taken away|4 constant `4` -> `5`"},
		{"words of a language", "a.lua", "if a and not b then return 0 end -- 3\n--[[ 4\n5 ]] x = 6", "1 logical `and` -> `or`|1 constant `0` -> `1`|3 constant `6` -> `7`"},
		{"quotes of SQL", "a.sql", "SELECT 'it''s 3' WHERE a > 4 AND b;", "1 boundary `>` -> `>=`|1 constant `4` -> `5`|1 logical `AND` -> `OR`"},
		{"JSON", "a.json", `{"a": 3, "b": [true, 4], "c": "5", "d": 1.5}`, "1 constant `3` -> `4`|1 boolean `true` -> `false`|1 constant `4` -> `5`"},
		{"YAML", "a.yml", "port: 8080\non: yes # 3\ntime: 10:30\ndate: 2024-01-02\nat: 1.2.3.4\nsize: 10px\n", "1 constant `8080` -> `8081`"},
		{"a truth of YAML", "a.yml", "a: yes\nb: off\n", "1 boolean `yes` -> `no`|2 boolean `off` -> `on`"},
		{"settings by the line", "a.ini", "; b = 1\n[a]\nretries = 3\nname = x\nlong = [\n  1,\n]\nempty =\n",
			"3 line setting `retries = 3` taken away|3 constant `3` -> `4`|4 line setting `name = x` taken away|6 constant `1` -> `2`"},
		{"variables", "a.env", "# A=1\nA=2\n", "2 line setting `A=2` taken away|2 constant `2` -> `3`"},
		{"a table that needs its key", "a.toml", "a = 1\n", "1 line setting `a = 1` taken away|1 constant `1` -> `2`"},
		{"XML", "a.xml", "<a b=\"1\">2</a><!-- 3 -->", "1 constant `2` -> `3`"},
		{"lines end as they do", "a.kt", "a = 1\r\nb = 2\r\n", "1 constant `1` -> `2`|2 constant `2` -> `3`"},
	} {
		if got := lines(t, c.file, c.src); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// A mutant of a format that Lane reads is known to be none of it.
func TestProve(t *testing.T) {
	src := []byte("a = 0x1\n")
	res := &Result{opts: Options{Tree: fstest.MapFS{"a.toml": {Data: src}}}, found: map[string]bool{"x": true}}
	m := &mutate.Mutant{ID: "x", File: "a.toml", Offset: 4, Length: 3, Original: "0x1", Replacement: "0x"}
	if err := res.Prove([]*mutate.Mutant{m}); err != nil || m.Known != mutate.Unviable {
		t.Errorf("%q, %v", m.Known, err)
	}
}

func TestIsSource(t *testing.T) {
	for p, want := range map[string]bool{
		"a.kt": true, "conf/app.yaml": true, "package.json": false, "package-lock.json": false, ".github/workflows/ci.yml": false, "Cargo.lock": false,
		"vendor/a.kt": false, "a.go": false, "a.md": false, "conf/.env": true,
	} {
		if IsSource(p) != want {
			t.Errorf("%s: %v", p, !want)
		}
	}
}

func TestTooMuch(t *testing.T) {
	for src, want := range map[string]string{
		strings.Repeat("a = 1\n", 900):   "of its 1800 mutants, the first 1000 are made",
		strings.Repeat(" ", maxSource+1): "larger than",
		"a = \x00":                       "larger than 262144 bytes, or no text",
	} {
		res, err := Find(Options{Tree: fstest.MapFS{"a.ini": {Data: []byte(src)}}}, []string{"a.ini"})
		if err != nil || !strings.HasPrefix(res.Unparsed["a.ini"], want) || len(res.Mutants) > maxMutants {
			t.Errorf("%.10q: %v, %d mutants, %v", src, res.Unparsed, len(res.Mutants), err)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"a = 1", "if a < b && c == 2", "\"a", "'''", "/* ", "x: yes", "--[[ ]]", "<!--", "10:30"} {
		f.Add(".toml", []byte(s))
		f.Add(".kt", []byte(s))
	}
	f.Fuzz(func(t *testing.T, ext string, src []byte) {
		if _, ok := styles[ext]; !ok {
			return
		}
		seen := map[string]bool{}
		for _, m := range find("a"+ext, src) {
			if seen[m.ID] {
				t.Errorf("two mutants with the id of %s", m.String())
			}
			seen[m.ID] = true
			if out, err := m.Apply(src); err != nil || slices.Equal(out, src) {
				t.Errorf("%s: %v", m.String(), err)
			}
		}
	})
}
