package spec

import (
	"strings"
	"unicode/utf8"
)

// tolerance is how many slips of the finger a word of n characters may have to
// be still taken for another.
func tolerance(n int) int { return max(1, n/3) }

// closest returns the word that was most likely meant; false where none is
// near. Of equals, the first wins.
func closest(word string, words []string) (string, bool) {
	best, found := "", -1
	for _, w := range words {
		if d, ok := distance(word, w); ok && (found < 0 || d < found) {
			best, found = w, d
		}
	}
	return best, found >= 0
}

// distance counts insertions, deletions, changes and swaps of neighbours
// (Damerau-Levenshtein, each place edited once) between two words, case and
// the kind of dash aside; false beyond the tolerance.
func distance(a, b string) (int, bool) {
	n, m := utf8.RuneCountInString(a), utf8.RuneCountInString(b)
	most := tolerance(max(n, m))
	if n-m > most || m-n > most || max(n, m) > maxWord {
		return 0, false
	}
	x, y := fold(a), fold(b)
	before, prev, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev, row = prev, row, before
	}
	d := prev[len(y)]
	return d, d <= most
}

// maxWord is the longest word, in characters, that is compared at all.
const maxWord = 40

func fold(s string) []rune {
	word := []rune(strings.ToLower(s))
	for i, r := range word {
		if r == '_' || r == ' ' {
			word[i] = '-'
		}
	}
	return word
}

// suggest says what an unknown key of a table was meant to be: a key of that
// table, or of the table it belongs in. value decides between two that are as
// near. name is the key of the same table that was meant, if one was.
func (c *checker) suggest(table, key string, value any) (hint, name string) {
	const elsewhere, misfit = 3, 5 // as bad as one and a half, two and a half slips
	settings := c.settings
	var best *Setting
	cost := 0
	for i, s := range settings {
		d, ok := meantDistance(key, s)
		if !ok {
			continue
		}
		price := 2 * d
		if s.Table() != table {
			if d > 1 || isTableValue(value) && !s.isTable() {
				continue
			}
			price += elsewhere
		}
		if !fits(c.types[s.Type], value) {
			price += misfit
		}
		if best == nil || price < cost {
			best, cost = &settings[i], price
		}
	}
	switch {
	case best == nil:
		return known(settings, table), ""
	case best.Table() == table && best.isTable():
		return "did you mean " + label(best.Key) + "?", best.Name()
	case best.Table() == table:
		return "did you mean " + quote(best.Name()) + "?", best.Name()
	case best.Name() != key:
		return "did you mean " + quote(best.Name()) + " " + where(best.Table()) + "?", ""
	}
	return "it belongs " + homes(settings, key), ""
}

// meantDistance is the distance of a key to a setting's name; a word known to
// be written for it counts as one slip.
func meantDistance(key string, s Setting) (int, bool) {
	d, ok := distance(key, s.Name())
	if ok && d <= 1 {
		return d, true
	}
	for _, word := range s.meant {
		if strings.EqualFold(key, word) {
			return 1, true
		}
	}
	return d, ok
}

// fits reports whether a decoded value has the shape of a kind.
func fits(k kind, value any) bool {
	switch v := value.(type) {
	case string:
		return k.shape == shapeString
	case bool:
		return k.shape == shapeBoolean
	case int64:
		return k.shape == shapeInteger
	case map[string]any:
		return k.shape == shapeTable || k.shape == shapeMap
	case []map[string]any:
		return k.shape == shapeTables
	case []any:
		for _, e := range v {
			switch e.(type) {
			case map[string]any:
				return k.shape == shapeTables
			case []any:
				return k.shape == shapeCommands
			}
		}
		return k.shape == shapeList
	}
	return false
}

// where says which table a key is in.
func where(table string) string {
	if table == "" {
		return "at the top of the file"
	}
	return "in " + label(table)
}

// homes lists the tables that have a key of that name, the top of the file last.
func homes(settings []Setting, key string) string {
	var tables []string
	top := ""
	for _, s := range settings {
		switch {
		case s.Name() != key:
		case s.isTable():
			top = "at the top level, as " + label(s.Key)
		case s.Table() == "":
			top = "at the top of the file, before the first table"
		default:
			tables = append(tables, "in "+label(s.Table()))
		}
	}
	if top != "" {
		tables = append(tables, top)
	}
	return orList(tables)
}

// known lists the keys of a table.
func known(settings []Setting, table string) string {
	var names []string
	for _, s := range settings {
		switch {
		case s.Table() != table:
		case s.isTable():
			names = append(names, label(s.Key))
		default:
			names = append(names, s.Name())
		}
	}
	return "the keys are " + strings.Join(names, ", ")
}
