package golang

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// listing is what the compiler lists of one function: its header, and lines that each begin with a tab.
func listing(name, header string, lines ...string) string {
	return name + " STEXT " + header + "\n\t" + strings.Join(lines, "\n\t") + "\n"
}

// What of a listing makes two functions the same, line by line.
func TestListing(t *testing.T) {
	const f, c0, c1, c10 = "p.f", "p.f_lane1_0", "p.f_lane1_1", "p.f_lane1_10"
	code := func(name string, at string) []string {
		return []string{
			"0x0000 00000 (/tmp/a.go:" + at + ")\tTEXT\t" + name + "(SB), NOSPLIT|ABIInternal, $0-8",
			"0x0005 00005 (<unknown line number>)\tNOP",
			"0x0000 48 ff c0 c3  H...",
			"rel 2+4 t=R_CALL " + name + "+0",
		}
	}
	within := func(name, at, bytes string) string {
		return listing(name+".func1", "size=4", "0x0000 00000 (/tmp/a.go:"+at+")\tRET", bytes)
	}
	calls := func(name string) []string {
		return append(code(name, "3"), "rel 8+4 t=R_PCREL "+name+".func1·f+0", "rel 9+4 t=R_CALL "+name+".func1+0")
	}
	original := listing(f, "size=4", code(f, "3")...)
	for _, x := range []struct {
		name, text string
		same       string // ids, joined
	}{
		{"another place", original + listing(c0, "size=4", code(c0, "99")...), "a"},
		{"before the original", listing(c0, "size=4", code(c0, "99")...) + original, "a"},
		{"without an end of the line", original + strings.TrimSuffix(listing(c0, "size=4", code(c0, "99")...), "\n") + "\n", "a"},
		{"another size", original + listing(c0, "size=5", code(c0, "99")...), ""},
		{"other bytes", original + strings.ReplaceAll(listing(c0, "size=4", code(c0, "99")...), "ff c0", "ff c8"), ""},
		{"another offset", original + strings.ReplaceAll(listing(c0, "size=4", code(c0, "99")...), "00005", "00006"), ""},
		{"another offset of a line that has a place", original + strings.ReplaceAll(listing(c0, "size=4", code(c0, "99")...), "00000 (/tmp", "00002 (/tmp"), ""},
		{"calls another", original + strings.ReplaceAll(listing(c0, "size=4", code(c0, "99")...), "R_CALL "+c0, "R_CALL p.g"), ""},
		{"more code", original + listing(c0, "size=4", append(code(c0, "99"), "0x0004 90 .")...), ""},
		{"no original", listing(c0, "size=4", code(c0, "99")...), ""},
		{"no copy", original, ""},
		{"two copies", original + listing(c0, "size=4", code(c0, "1")...) + listing(c1, "size=4", code(c1, "2")...), "a b"},
		{"one of two", original + listing(c0, "size=9", code(c0, "1")...) + listing(c1, "size=4", code(c1, "2")...), "b"},
		{"number 10 is not number 1", original + listing(c10, "size=4", code(c10, "1")...), "k"},
		{"the same within", listing(f, "size=4", calls(f)...) + within(f, "4", "c3") + listing(f+".func1·f", "x") +
			listing(c0, "size=4", calls(c0)...) + within(c0, "44", "c3") + listing(c0+".func1·f", "x"), "a"},
		{"another within", listing(f, "size=4", calls(f)...) + within(f, "4", "c3") + listing(f+".func1·f", "x") +
			listing(c0, "size=4", calls(c0)...) + within(c0, "44", "c4") + listing(c0+".func1·f", "x"), ""},
		{"within, and not listed", listing(f, "size=4", calls(f)...) + listing(c0, "size=4", calls(c0)...), ""},
		{"data of its own", original + listing(c0, "size=4", code(c0, "9")...) + c0 + ".stmp_0 SNOPTRDATA size=8\n\t0x0000 01\n" +
			listing(c1, "size=4", append(code(c1, "9"), "rel 0+8 t=R_ADDR "+c1+".stmp_0+0")...), "a"},
		{"read-only data that differs", listing(f, "size=4", "rel 0+8 t=R_ADDR "+f+".tab+0") + f + ".tab SRODATA size=8\n\t0x0000 01\n" +
			listing(c0, "size=4", "rel 0+8 t=R_ADDR "+c0+".tab+0") + c0 + ".tab SRODATA size=8\n\t0x0000 02\n", ""},
		{"read-only data that does not", listing(f, "size=4", "rel 0+8 t=R_ADDR "+f+".tab+0") + f + ".tab SRODATA size=8\n\t0x0000 01\n" +
			listing(c0, "size=4", "rel 0+8 t=R_ADDR "+c0+".tab+0") + c0 + ".tab SRODATA size=8\n\t0x0000 01\n", "a"},
		{"a type that names it", original + listing(c0, "size=4", code(c0, "9")...) + "type:.namedata." + c0 + " SRODATA size=3\n\t0x0000 00\n", "a"},
	} {
		c := &Copies{mark: "_lane1_", names: regexp.MustCompile(`_lane1_([0-9]+)`), ids: strings.Fields("a b c d e f g h i j k")}
		same, err := c.Same(strings.NewReader(x.text))
		if got := strings.Join(slices.Sorted(maps.Keys(same)), " "); err != nil || got != x.same {
			t.Errorf("%s: %q are the same, want %q (%v)\n%s", x.name, got, x.same, err, x.text)
		}
	}
	broken := errors.New("broken")
	c := &Copies{mark: "_lane1_", names: regexp.MustCompile(`_lane1_([0-9]+)`), ids: []string{"a"}}
	if _, err := c.Same(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("a listing that cannot be read: %v", err)
	}
}
