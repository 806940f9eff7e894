package spec

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/vallane/lane/lane/spec/position"
)

// word checks one string, which may be an element of a list.
func (c *checker) word(s *Setting, k kind, path position.Path, text string) bool {
	var bad *complaint
	switch {
	case k.check != nil:
		bad = k.check(text)
	case len(s.Enum) > 0 && !slices.Contains(s.Enum, text):
		bad = notAmong(text, s.Enum)
	}
	if bad != nil {
		c.complain(s, path, bad)
	}
	return bad == nil
}

func (c *checker) complain(s *Setting, path position.Path, bad *complaint) {
	c.report(nearest(c.index, path), quote(s.Name())+" "+bad.msg, bad.hint)
}

func (c *checker) integer(s *Setting, k kind, path position.Path, v any) {
	n, ok := v.(int64)
	switch {
	case !ok:
		c.wrongType(s, k, path, v)
	case n < s.Min:
		c.complain(s, path, complain("", "cannot be %d: at least %d", n, s.Min))
	case n > s.Max:
		c.complain(s, path, complain("", "cannot be %d: at most %d", n, s.Max))
	default:
		c.values[path] = n
	}
}

// list checks a list of strings and returns it where all of it is in order.
func (c *checker) list(s *Setting, k kind, path position.Path, v any) ([]string, bool) {
	all, ok := elements(v)
	if !ok {
		c.wrongType(s, k, path, v)
		return nil, false
	}
	list := make([]string, 0, len(all))
	seen := map[string]bool{}
	for i, e := range all {
		at := path.At(i)
		text, isText := e.(string)
		switch {
		case !isText:
			c.report(nearest(c.index, at), fmt.Sprintf("%s wants strings, not %s", quote(s.Name()), describe(e)), "write "+s.example())
		case !c.word(s, k, at, text):
		case k.set && seen[text]:
			c.complain(s, at, complain("", "has %s twice", quote(text)))
		default:
			seen[text] = true
			list = append(list, text)
			continue
		}
		ok = false
	}
	filled := k.filled || s.Type == "commands"
	if filled && len(all) == 0 {
		c.complain(s, path, complain("write "+s.example(), "cannot be empty: there is nothing to run"))
		return nil, false
	}
	if filled && ok && strings.TrimSpace(list[0]) == "" {
		c.complain(s, path.At(0), complain("write "+s.example(), "cannot begin with %s: the first is the command", quote(list[0])))
		return nil, false
	}
	return list, ok
}

func (c *checker) commands(s *Setting, k kind, path position.Path, v any) {
	all, ok := elements(v)
	if !ok {
		c.wrongType(s, k, path, v)
		return
	}
	lists := make([][]string, 0, len(all))
	for i, e := range all {
		if _, isList := elements(e); !isList {
			c.report(nearest(c.index, path.At(i)), fmt.Sprintf("%s wants a list of commands, each a list of strings, not %s", quote(s.Name()), describe(e)),
				"write "+s.example())
			return // one message says it for all elements
		}
		list, good := c.list(s, k, path.At(i), e)
		lists, ok = append(lists, list), ok && good
	}
	if ok {
		c.values[path] = lists
	}
}

func (c *checker) variables(s *Setting, k kind, path position.Path, v any) {
	m, ok := v.(map[string]any)
	if !ok {
		c.wrongType(s, k, path, v)
		return
	}
	vars := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		at, _ := c.index.Find(path.Key(name))
		text, isText := m[name].(string)
		bad := checkVariable(name)
		switch {
		case bad != nil:
			c.report(at.Key, quote(s.Name())+" "+bad.msg, bad.hint)
		case !isText:
			c.report(at.Value, fmt.Sprintf("the variable %s wants a string, not %s", quote(name), describe(m[name])), "write "+s.example())
		case c.word(s, k, path.Key(name), text):
			vars[name] = text
			continue
		}
		ok = false
	}
	if ok {
		c.values[path] = vars
	}
}

func (s Setting) example() string {
	value := s.Example
	switch {
	case value != "":
	case len(s.Enum) > 0 && s.Type == "choice":
		value = quote(s.Enum[0])
	default:
		value = s.Default
	}
	return s.Name() + " = " + value
}

func (c *checker) wrongType(s *Setting, k kind, path position.Path, v any) {
	hint, want := "write "+s.example(), k.want
	if s.Type == "choice" {
		want = orList(s.Enum)
	}
	text, isText := v.(string)
	switch {
	case isText && s.Type == "command":
		if !strings.ContainsAny(text, "\"'`$\\|&;<>()*?[]#~={}\n") && strings.TrimSpace(text) != "" {
			hint = fmt.Sprintf("write %s = %s", s.Name(), quoteList(strings.Fields(text)))
		}
	case isText && k.shape == shapeList && k.check != nil && k.check(text) == nil:
		hint = fmt.Sprintf("write %s = %s", s.Name(), quoteList([]string{text}))
	}
	c.report(nearest(c.index, path), fmt.Sprintf("%s wants %s, not %s", quote(s.Name()), want, describe(v)), hint)
}

func (c *checker) wrongTable(s *Setting, path position.Path, v any) {
	c.report(nearest(c.index, path), fmt.Sprintf("%s wants %s, not %s", quote(s.Name()), c.types[s.Type].want, describe(v)),
		"write "+label(s.Key))
}

func quoteList(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// describe names the type of a decoded value.
func describe(v any) string {
	switch v := v.(type) {
	case string:
		return "a string"
	case int64:
		return "an integer"
	case float64:
		return "a fraction"
	case bool:
		return "a boolean"
	case time.Time:
		return "a date or time"
	case []any:
		if len(v) > 0 {
			if _, ok := v[0].([]any); ok {
				return "a list of lists"
			}
		}
		return "a list"
	case []map[string]any:
		return "a list of tables"
	}
	return "a table"
}
