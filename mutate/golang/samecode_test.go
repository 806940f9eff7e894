package golang

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vallane/lane/mutate"
)

const sameSource = `package same

type T struct{ n int }

func unsigned(u uint) int {
	if u >= 0 {
		return 7
	}
	return 8
}

func plus(x int) int { return x + 0 }

func (t *T) within() func(uint) int {
	return func(u uint) int {
		if u >= 0 {
			return t.n
		}
		return 9
	}
}

func recursive(n, u uint) uint {
	if n == 3 {
		return 0
	}
	if u >= 0 {
		n--
	}
	return recursive(n, u) + 2
}

func closure() func() int { return func() int { return 5 } }

func table(n int) []int {
	list := []int{1, 2, 3}
	if len(list) > n+0 {
		return list
	}
	return nil
}

func generic[N int | uint](n N) N { return n + 0 }

func less(a, b int) bool { return a < b }
`

// Mutants of the same code are found, and none that is another program.
func TestSameCode(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	mod := []byte("module example.org/same\n\ngo 1.21\n")
	write("go.mod", mod)
	write("same.go", []byte(sameSource))
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	found, err := Mutants(t.Context(), Options{
		Tree: fstest.MapFS{"go.mod": {Data: mod}, "same.go": {Data: []byte(sameSource)}}, GOROOT: os.DirFS(strings.TrimSpace(string(root))),
	}, []string{"same.go"})
	if err != nil || len(found.Unproven) > 0 {
		t.Fatal(err, found.Unproven)
	}
	var ms []*mutate.Mutant
	for i := range found.Mutants {
		ms = append(ms, &found.Mutants[i])
	}
	copies := found.Copies(ms, [32]byte{1})
	write("copies.go.txt", copies.Files["same.go"])
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(dir, "same.go"): filepath.Join(dir, "copies.go.txt")}})
	if err != nil {
		t.Fatal(err)
	}
	write("overlay.json", overlay)
	cmd := exec.Command("go", "build", "-overlay=overlay.json", "-gcflags=-S", "-o", os.DevNull, "./"+copies.Dirs[0])
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	listing, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%.4000s", err, listing)
	}
	same, err := copies.Same(bytes.NewReader(listing))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{
		"unsigned: `u >= 0` -> `true`": true, "plus: `+` -> `-`": true, "(*T).within: `u >= 0` -> `true`": true, "recursive: `u >= 0` -> `true`": true,
		"unsigned: `8` -> `0`": true, "table: `+` -> `-`": true, "(*T).within: `9` -> `0`": true,
	}
	for _, m := range ms {
		name := m.Func + ": " + m.Description
		if same[m.ID] != want[name] {
			t.Errorf("%s: the same code is %v", name, same[m.ID])
		}
		if strings.HasPrefix(name, "generic") && same[m.ID] {
			t.Errorf("%s: no code is made of it alone", name)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("not made: %v", want)
	}
	if same, err := copies.Same(strings.NewReader("")); err != nil || len(same) > 0 {
		t.Errorf("of no listing: %v, %v", same, err)
	}
	half, _ := copies.Same(bytes.NewReader(listing[:len(listing)/2]))
	for id, is := range half {
		if is && !same[id] {
			t.Errorf("of half a listing, %s is called the same", id)
		}
	}
}
