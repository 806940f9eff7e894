package golang

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vallane/lane/mutate"
)

const recordedSource = `package rec

func Sum(list []int, less func(a, b int) bool) (sum int) {
	for i := 0; i < len(list); i++ {
		for j := 0; j < i; j++ {
			if less(list[i], list[j]) && list[j] > 0 {
				sum += list[i] + (list[j] - 1)
			}
		}
	}
	for range 3 {
		sum++
	}
	return sum
}

func Half(n int) int {
	for n > 10 {
		n -= 7
	}
	return n / 2
}

func Plain(b bool) bool { return !b }
`

// switchedUp is the text of a package with all of its mutants in it.
func switchedUp(t *testing.T, src string) (*Result, *Switched) {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	tree := fstest.MapFS{"go.mod": {Data: []byte("module example.org/rec\n\ngo 1.22\n")}, "rec.go": {Data: []byte(src)}}
	found, err := Mutants(t.Context(), Options{Tree: tree, GOROOT: os.DirFS(strings.TrimSpace(string(root)))}, []string{"rec.go"})
	if err != nil || len(found.Unproven) > 0 {
		t.Fatal(err, found.Unproven)
	}
	var ms []*mutate.Mutant
	for i := range found.Mutants {
		ms = append(ms, &found.Mutants[i])
	}
	return found, found.Switch(ms, [32]byte{5})
}

// Every word of a record has one meaning: the first says that there is one, each site has its own, and so has each function, loop and
// block that is counted.
func TestRecordedWords(t *testing.T) {
	_, sw := switchedUp(t, recordedSource)
	if len(sw.turns) != 1 || len(sw.Sites) < 5 {
		t.Fatalf("%d packages, %d sites", len(sw.turns), len(sw.Sites))
	}
	n := sw.turns[0]
	used := map[int]string{0: "the beginning"}
	use := func(word int, by string) {
		if was := used[word]; was != "" || word >= n.words {
			t.Errorf("word %d of %d is that of %s and of %s", word, n.words, was, by)
		}
		used[word] = by
	}
	for i, s := range sw.Sites {
		if s.Record != n.file {
			t.Errorf("site %d is noted in %s, want %s", i, s.Record, n.file)
		}
		for w := range mutate.SiteHead + len(s.Mutants) {
			use(s.At+w, fmt.Sprintf("site %d", i))
		}
	}
	for i, word := range n.turns {
		use(word, fmt.Sprintf("loop %d", i))
	}
	for _, f := range sw.Functions {
		if f.Record != n.file || len(f.Mutants) == 0 {
			t.Errorf("function %+v", f)
		}
		use(f.At, "a function")
	}
	text := string(sw.Files["rec.go"])
	blocks := 0
	for word := range n.words {
		if call := fmt.Sprintf(" count%s(%d);", named(text), word); used[word] == "" && strings.Count(text, call) == 1 {
			use(word, "a block")
			blocks++
		}
	}
	if len(n.turns) != 3 || len(sw.Functions) != 3 || blocks != 2 || len(used) != n.words {
		t.Errorf("%d loops, %d functions and %d blocks are counted, %d of %d words are used", len(n.turns), len(sw.Functions), blocks, len(used), n.words)
	}
	if !slices.Equal(sw.Records, []string{n.file}) {
		t.Errorf("records are %q", sw.Records)
	}
}

// Loops are counted behind their own brace, by a word each, where the code is recorded, and by their numbers where it is bounded.
func TestLoopsAreCounted(t *testing.T) {
	_, sw := switchedUp(t, recordedSource)
	text := string(sw.Files["rec.go"])
	name, n := named(text), sw.turns[0]
	for i, head := range []string{"i++ {", "j++ {", "n > 10 {"} {
		call := " count" + name + fmt.Sprintf("(%d);", n.turns[i])
		if strings.Count(text, call) != 1 {
			t.Errorf("loop %d is counted %d times", i, strings.Count(text, call))
		}
		if at := strings.Index(text, call); at < 0 || strings.HasSuffix(head, "++ {") && !strings.HasSuffix(text[:at], head) {
			t.Errorf("loop %d is not counted behind %q", i, head)
		}
		bound := head + " turn" + name + fmt.Sprintf("(%d);", i)
		if strings.Count(text, bound) < 3 {
			t.Errorf("loop %d is bounded in %d copies", i, strings.Count(text, bound))
		}
		if free := strings.Count(text, head) - strings.Count(text, bound) - strings.Count(text, head+call); free != 1 {
			t.Errorf("loop %d is neither counted nor bounded in %d copies, want the original alone", i, free)
		}
	}
	if strings.Contains(text, "range 3 { turn") {
		t.Error("a range is bounded")
	}
}

// named is the random part of the names that were added.
func named(text string) string {
	_, rest, _ := strings.Cut(text, " turn")
	name, _, _ := strings.Cut(rest, "(")
	return name
}

// Calls stand behind the braces that lie in a range, and nowhere else.
func TestTurning(t *testing.T) {
	src := []byte("ab{cd{ef}gh}{i")
	loops := []loop{{after: 3, number: 0}, {after: 6, number: 1}, {after: 13, number: 2}}
	call := func(l loop) string { return fmt.Sprint("c", l.number) }
	for _, x := range []struct {
		from, to int
		want     string
	}{
		{0, len(src), "ab{ c0;cd{ c1;ef}gh}{ c2;i"},
		{0, 3, "ab{ c0;"},
		{0, 2, "ab"},
		{3, 6, "cd{ c1;"},
		{2, 5, "{ c0;cd"},
		{6, 12, "ef}gh}"},
		{12, 14, "{ c2;i"},
	} {
		if got := turning(src, loops, x.from, x.to, call); got != x.want {
			t.Errorf("%d to %d: %q, want %q", x.from, x.to, got, x.want)
		}
	}
}

// A package without loops has nothing that ends them, and nothing is laid for it.
func TestNothingToCount(t *testing.T) {
	_, sw := switchedUp(t, "package rec\n\nfunc Plain(a, b int) bool { return a < b }\n")
	if len(sw.turns) != 0 || len(sw.Limit(nil)) != 0 || strings.Contains(string(sw.Files["rec.go"]), "turn0") {
		t.Errorf("%d packages with loops", len(sw.turns))
	}
	for name, text := range sw.Files {
		if strings.Contains(string(text), "func limit") {
			t.Errorf("%s bounds loops", name)
		}
	}
}
