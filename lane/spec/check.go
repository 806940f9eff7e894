package spec

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vallane/lane/lane/spec/position"
)

// checker goes through a decoded text along the table of settings and keeps
// the values that are in order.
type checker struct {
	*reading
	settings []Setting
	types    map[string]kind
	values   map[position.Path]any  // string, bool, int64, []string, [][]string or map[string]string
	given    map[position.Path]bool // also those whose value is wrong
	meant    map[position.Path]bool // those that an unknown key was probably meant to be
}

func newChecker(r *reading, settings []Setting) *checker {
	return &checker{
		reading: r, settings: settings, types: kinds(),
		values: map[position.Path]any{}, given: map[position.Path]bool{}, meant: map[position.Path]bool{},
	}
}

func (c *checker) root(root map[string]any) { c.table("", "", root) }

// table checks the keys of one table; key is its path in the list of settings,
// path its path in the text.
func (c *checker) table(key string, path position.Path, m map[string]any) {
	known := map[string]*Setting{}
	for i, s := range c.settings {
		if s.Table() == key {
			known[s.Name()] = &c.settings[i]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		s := known[name]
		if s != nil {
			c.given[path.Key(name)] = true
			c.setting(s, path.Key(name), m[name])
			continue
		}
		at, _ := c.index.Find(path.Key(name))
		hint, other := c.suggest(key, name, m[name])
		c.meant[path.Key(other)] = true
		kind, place := "key "+quote(name), where(key)
		if key == "" && isTableValue(m[name]) {
			kind, place = "table "+quote(name), ""
		}
		c.report(at.Key, strings.TrimSpace("unknown "+kind+" "+place), hint)
	}
	for name, s := range known {
		if _, ok := m[name]; ok || !s.Required || c.meant[path.Key(name)] || c.partial {
			continue
		}
		if s.isTable() {
			c.report(nearest(c.index, path), fmt.Sprintf("no %s: there is nothing to run", label(s.Key)), "add one with name and run")
			continue
		}
		c.report(nearest(c.index, path), fmt.Sprintf("missing key %s %s", quote(name), where(key)), "write "+name+" = "+s.Example)
	}
}

func isTableValue(v any) bool {
	switch v.(type) {
	case map[string]any, []map[string]any:
		return true
	}
	return false
}

// setting checks one value.
func (c *checker) setting(s *Setting, path position.Path, v any) {
	k := c.types[s.Type]
	switch k.shape {
	case shapeTable:
		if m, ok := v.(map[string]any); ok {
			c.table(s.Key, path, m)
			return
		}
		c.wrongTable(s, path, v)
	case shapeTables:
		c.tables(s, path, v)
	case shapeString:
		if text, ok := v.(string); ok {
			if c.word(s, k, path, text) {
				c.values[path] = text
			}
			return
		}
		c.wrongType(s, k, path, v)
	case shapeBoolean:
		if b, ok := v.(bool); ok {
			c.values[path] = b
			return
		}
		c.wrongType(s, k, path, v)
	case shapeInteger:
		c.integer(s, k, path, v)
	case shapeList:
		if list, ok := c.list(s, k, path, v); ok {
			c.values[path] = list
		}
	case shapeCommands:
		c.commands(s, k, path, v)
	case shapeMap:
		c.variables(s, k, path, v)
	}
}

// elements returns the members of a list of either of the library's types.
func elements(v any) ([]any, bool) {
	switch v := v.(type) {
	case []any:
		return v, true
	case []map[string]any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = v[i]
		}
		return all, true
	}
	return nil, false
}

func (c *checker) tables(s *Setting, path position.Path, v any) {
	list, ok := elements(v)
	if !ok {
		c.wrongTable(s, path, v)
		if m, ok := v.(map[string]any); ok {
			c.table(s.Key, path, m)
		}
		return
	}
	for i, e := range list {
		m, ok := e.(map[string]any)
		if !ok {
			c.wrongType(s, c.types[s.Type], path.At(i), e)
			continue
		}
		c.given[path.At(i)] = true
		c.table(s.Key, path.At(i), m)
	}
	if len(list) == 0 && s.Required {
		c.report(nearest(c.index, path), fmt.Sprintf("no %s: there is nothing to run", label(s.Key)), "add one with name and run")
	}
}
