package spec

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"testing"
)

// FuzzParse holds for any bytes: no panic; an error is a sorted list of problems
// that stand inside the file and on one line each; a spec is one that the schema
// accepts, whose ids are harmless and whose digest does not depend on line ends.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"good/*.toml", "bad/*.toml"} {
		for _, data := range read(f, pattern) {
			f.Add(data)
		}
	}
	for _, text := range []string{"\ufeffid = 'x'", "id = 1\r\n", "[[task", "a.b.c = {}", "[[task]]\n[task.env]\nA='1'", "\xff\xfe", "task = [1]", "task = [[]]"} {
		f.Add([]byte(text))
	}
	schema := schemaOf(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse("lane.toml", data)
		if err != nil {
			checkProblems(t, data, err)
			return
		}
		text := string(data)
		if problems := validate(schema, asJSON(t, text), ""); len(problems) > 0 {
			t.Fatalf("%q: the schema refuses it: %s", text, strings.Join(problems, "; "))
		}
		for _, id := range []string{s.ID, s.Tasks[0].Name} {
			if checkID(id) != nil {
				t.Fatalf("%q: the id %q got through", text, id)
			}
		}
		if strings.Contains(text, "\r") || strings.Contains(text, `"""`) || strings.Contains(text, "'''") {
			return // line ends in a string are part of it
		}
		again, err := Parse("lane.toml", []byte(strings.ReplaceAll(text, "\n", "\r\n")))
		if err != nil || again.Digest != s.Digest {
			t.Fatalf("%q: with CR LF it is another spec: %v", text, err)
		}
	})
}

func checkProblems(t *testing.T, data []byte, err error) {
	var list *Errors
	if !errors.As(err, &list) || len(list.List) == 0 {
		t.Fatalf("%q: the error is no list: %v", data, err)
	}
	lines := strings.Count(string(data), "\n") + 1
	for _, e := range list.List {
		if e.Line < 0 || e.Line > lines || e.Col < 0 || e.Line > 0 && e.Col == 0 || e.Msg == "" || e.File != "lane.toml" {
			t.Fatalf("%q: a problem out of place: %+v", data, e)
		}
		if strings.ContainsFunc(e.Error(), isHidden) {
			t.Fatalf("%q: a message with hidden characters: %q", data, e.Error())
		}
	}
	if !slices.IsSortedFunc(list.List, func(a, b Error) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col)) }) {
		t.Fatalf("%q: the problems are not in order: %v", data, err)
	}
}
