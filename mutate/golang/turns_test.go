package golang

import (
	"bytes"
	le "encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vallane/lane/mutate"
)

// The largest count of any record decides, and a loop that nobody counted has no bound.
func TestLimits(t *testing.T) {
	record := func(counts ...uint32) mutate.Record {
		data, _ := le.Append(nil, le.LittleEndian, append([]uint32{1}, counts...))
		return mutate.Record{Files: map[string][]byte{"a": data}}
	}
	s := &Switched{turns: []*noted{{file: "a", limits: "turns-a", turns: []int{1, 0, 2, 3, 9}}, {file: "b", limits: "turns-b", turns: []int{1}}}}
	laid := s.Limit([]mutate.Record{record(3, 1_000_000, 1<<31), record(5, 7, 0), {}})
	want := []uint32{leastTurns, 0, maxTurns * 1_000_000, 1 << 31, 0}
	if len(laid["turns-a"]) != 4*len(want) {
		t.Fatalf("laid %v", laid)
	}
	for i, w := range want {
		if got := le.LittleEndian.Uint32(laid["turns-a"][4*i:]); got != w {
			t.Errorf("loop %d may go round %d times, want %d", i, got, w)
		}
	}
	if string(laid["turns-b"]) != "\x00\x00\x00\x00" {
		t.Errorf("of a package that left no record: %v", laid["turns-b"])
	}
}

// How often loops went round is counted anew for each value that a process tries: many mutants that each stay within bounds do not end it,
// and one that does not ends it, whatever went before.
func TestTurnsAreThoseOfOneValue(t *testing.T) {
	_, sw := switchedUp(t, recordedSource)
	name, dir := named(string(sw.Files["rec.go"])), t.TempDir()
	files := map[string][]byte{"go.mod": []byte("module example.org/rec\n\ngo 1.22\n"), "rec_test.go": []byte(fmt.Sprintf(`package rec

import "testing"

func rounds(t *testing.T, values []uint32, each int) {
	for i := range most%[1]s {
		most%[1]s[i] = 10
	}
	for _, v := range values {
		*lane%[1]s = v
		for range each {
			if Half(24) != 5 { // goes round twice
				t.Fatal(Half(24))
			}
		}
	}
}

func TestWithin(t *testing.T) { rounds(t, []uint32{%[2]s, %[3]s, %[4]s, %[2]s}, 4) }

func TestBeyond(t *testing.T) { rounds(t, []uint32{%[2]s, %[3]s}, 6) }
`, name, sw.Nulls["rec.go"][0], sw.Nulls["rec.go"][1], sw.Null["rec.go"]))}
	ended := filepath.Join(dir, "ended")
	for file, text := range sw.Files {
		files[file] = bytes.ReplaceAll(text, []byte(sw.Ended), []byte(ended))
	}
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		test string
		ends bool
	}{{"TestWithin", false}, {"TestBeyond", true}} {
		cmd := exec.Command("go", "test", "-vet=off", "-run", tt.test, ".")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		if _, marked := os.Stat(ended); (err != nil) != tt.ends || (marked == nil) != tt.ends || strings.Contains(string(out), "build failed") {
			t.Errorf("%s: %v, mark %v\n%s", tt.test, err, marked, out)
		}
	}
}
