package position

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

// decode asks the library; its panics count as a refusal.
func decode(text string) (m map[string]any, keys []toml.Key, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New(fmt.Sprint(r))
		}
	}()
	md, err := toml.Decode(text, &m)
	return m, md.Keys(), err
}

// walk collects the path of everything in a decoded value.
func walk(path Path, v any, into map[Path]bool) {
	if path != "" {
		into[path] = true
	}
	switch v := v.(type) {
	case map[string]any:
		for name, child := range v {
			walk(path.Key(name), child, into)
		}
	case []map[string]any:
		for i, child := range v {
			walk(path.At(i), child, into)
		}
	case []any:
		for i, child := range v {
			walk(path.At(i), child, into)
		}
	}
}

// names takes the element numbers out of a path: the library's keys have none.
func names(path Path) Path {
	var b strings.Builder
	quoted, skip := false, false
	for i := 0; i < len(path); i++ {
		c := path[i]
		switch {
		case c == '\\' && quoted:
			b.WriteByte(c)
			i++
			b.WriteByte(path[i])
			continue
		case c == '"':
			quoted = !quoted
		case c == '[' && !quoted:
			skip = true
		case c == ']' && !quoted:
			skip = false
			continue
		}
		if !skip {
			b.WriteByte(c)
		}
	}
	return Path(b.String())
}

// agree fails the test where Scan and the library differ on a text.
func agree(t *testing.T, text string) {
	x := Scan(text)
	for _, f := range x.Faults {
		if f.Fatal {
			return
		}
	}
	for p, at := range x.places {
		for _, pos := range []Pos{at.Key, at.Value} {
			if pos != At(text, pos.Offset) {
				t.Fatalf("%q: %s is at %+v, counted afresh %+v", text, p, pos, At(text, pos.Offset))
			}
		}
	}
	m, keys, err := decode(text)
	if err != nil {
		return
	}
	if len(x.Faults) > 0 || len(x.Duplicates) > 0 {
		t.Fatalf("%q: the library accepts it, faults %v, duplicates %v", text, x.Faults, x.Duplicates)
	}
	var theirs, ours []Path
	for _, k := range keys {
		path := Path("")
		for _, name := range k {
			path = path.Key(name)
		}
		theirs = append(theirs, path)
	}
	for _, p := range x.Order {
		ours = append(ours, names(p))
	}
	if !slices.Equal(theirs, ours) {
		t.Fatalf("%q: keys of the library %q, ours %q", text, theirs, ours)
	}
	all := map[Path]bool{}
	walk("", m, all)
	for p := range all {
		if _, ok := x.Find(p); !ok {
			t.Fatalf("%q: %s has no place", text, p)
		}
	}
	if len(all) != x.Len() {
		t.Fatalf("%q: %d paths decoded, %d places", text, len(all), x.Len())
	}
}

func seeds() []string {
	return []string{
		"", "a = 1", "a.b.c = 1", "[a]\nb = 1\n[a.c]\nd = 2", "[[a]]\nb=1\n[[a]]\n[a.c]\nd=1\n[[a.e]]",
		"a = [[{b = 1}], [{b = 2, c.d = 3}]]", "t = {}", "t = {a = 1,\n b = 2,}", "\"a.b\".'c' = 1",
		"a = \"\"\"x\n[b]\n\"\"\"\"\"", "a = '''\n'''''", "a = \"\\\"]\" # b", "x = 1979-05-27 07:32:00", "a = [1, # ]\n2]",
		"[a.b.c]\n[a]\nx=1", "a = 1\r\nb = 2\r\n", "\"\\u00e9\\x41\\e\" = 1", "'é' = \"世\"", "a = [\"x\" \"y\"]",
		"[a]\n[a]", "[[a]]\n[a]", "a = {b = {c = {}}}", "\"\" = 1", "[\"\"]\n\"\"=1", "a = \"\"\"\\\\\"\"\"\"\"\"",
		"a = inf\nb = -nan\nc = 0x1f\nd = true", "[ a . 'b' ]\nc=1", "[[a.b]]\n[a]\nb.c=1\n",
	}
}

func FuzzPositions(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			Scan(text) // must not panic
			return
		}
		agree(t, text)
	})
}
