package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/vallane/lane/assurance/attest"
)

// Difference is one thing that two contracts say differently.
type Difference struct {
	// Key is its path, such as "terms.tasks[unit].run"; elements of lists go by their id, name or path, or by their number.
	Key string `json:"key"`
	// Was and Is are JSON; "" where there is none.
	Was string `json:"was,omitempty"`
	Is  string `json:"is,omitempty"`
}

func (d Difference) String() string {
	switch {
	case d.Was == "":
		return fmt.Sprintf("%s: added %s", d.Key, d.Is)
	case d.Is == "":
		return fmt.Sprintf("%s: gone, was %s", d.Key, d.Was)
	}
	return fmt.Sprintf("%s: %s, was %s", d.Key, d.Is, d.Was)
}

// Diff lists what two contracts ask for differently: spec, terms, files, base and hidden archive. When they were made, by whom and until when
// is left aside, and so is the layout of the spec's text.
func Diff(was, is attest.Contract) []Difference {
	type asked struct {
		ID     string                `json:"id"`
		Path   string                `json:"path,omitempty"`
		Base   map[string]string     `json:"base"`
		Terms  attest.Terms          `json:"terms"`
		Files  []attest.ContractFile `json:"files,omitempty"`
		Hidden *attest.Hidden        `json:"hidden,omitempty"`
	}
	of := func(c attest.Contract) asked {
		files := slices.DeleteFunc(slices.Clone(c.Files), func(f attest.ContractFile) bool { return f.Role == attest.RoleSpec })
		return asked{c.Spec.ID, c.Spec.Path, map[string]string{"sha256": c.Base.SHA256, "gitTree": c.Base.GitTree}, c.Terms, files, c.Hidden}
	}
	return diff("", of(was), of(is))
}

// diff compares the JSON of two values.
func diff(key string, was, is any) []Difference {
	var a, b any
	for _, v := range []struct {
		from any
		into *any
	}{{was, &a}, {is, &b}} {
		data, err := json.Marshal(v.from)
		if err == nil {
			err = json.Unmarshal(data, v.into)
		}
		if err != nil {
			return []Difference{{Key: key, Was: err.Error()}}
		}
	}
	return compare(key, a, b)
}

func compare(key string, was, is any) []Difference {
	a, okA := children(was)
	b, okB := children(is)
	_, listA := was.([]any)
	_, listB := is.([]any)
	okA, okB = okA || was == nil && listB, okB || is == nil && listA
	if !okA || !okB {
		if x, y := text(was), text(is); x != y {
			return []Difference{{key, x, y}}
		}
		return nil
	}
	names := map[string]any{}
	maps.Copy(names, a)
	maps.Copy(names, b)
	var out []Difference
	for _, name := range slices.Sorted(maps.Keys(names)) {
		below := name
		if listA || listB {
			below = "[" + name + "]"
		} else if key != "" {
			below = "." + name
		}
		out = append(out, compare(key+below, a[name], b[name])...)
	}
	return out
}

// children are the values of an object, and of a list of objects those by their names. A list of anything else is one value: its order counts.
func children(v any) (map[string]any, bool) {
	switch v := v.(type) {
	case map[string]any:
		return v, true
	case []any:
		out := make(map[string]any, len(v))
		for i, x := range v {
			m, ok := x.(map[string]any)
			if !ok {
				return nil, false
			}
			name := fmt.Sprint(i)
			for _, k := range []string{"id", "name", "path"} {
				if s, ok := m[k].(string); ok {
					name = s
					break
				}
			}
			out[name] = x
		}
		return out, true
	}
	return nil, false
}

func text(v any) string {
	if v == nil {
		return ""
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}
