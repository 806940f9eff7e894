package mutantcache

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vallane/lane/mutate"
)

func mustOpen(t *testing.T, dir string, most int64) *Cache {
	t.Helper()
	c, err := open(dir, most)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func verdict(c *Cache, key string) mutate.Verdict {
	r, _ := c.Load(key)
	return r.Verdict
}

func TestTheNewestVerdictOfAKeyIsFoundAgain(t *testing.T) {
	dir := t.TempDir()
	c := mustOpen(t, dir, maxFile)
	c.Save("a", mutate.Remembered{Verdict: mutate.Survived})
	c.Save("b", mutate.Remembered{Verdict: mutate.Killed, Killers: []string{"T"}, Tests: map[string]string{"T": "1"}, Settled: true})
	c.Save("a", mutate.Remembered{Verdict: mutate.Unviable})
	for range 2 { // as it is, and opened anew
		if verdict(c, "a") != mutate.Unviable || verdict(c, "c") != "" {
			t.Errorf("a is %s, c is %s", verdict(c, "a"), verdict(c, "c"))
		}
		if r, ok := c.Load("b"); !ok || !r.Settled || r.Tests["T"] != "1" || r.Killers[0] != "T" {
			t.Errorf("b is %+v", r)
		}
		c = mustOpen(t, dir, maxFile)
	}
}

// Whatever happened to the file: what is whole is found, what is not is counted, and what is written next is found again.
func TestDamageIsLeftOut(t *testing.T) {
	for _, tt := range []struct {
		name   string
		damage func([]byte) []byte
		want   string // keys that are still there
		count  int
	}{
		{"nothing", func(b []byte) []byte { return b }, "abc", 0},
		{"the last line is torn", func(b []byte) []byte { return b[:len(b)-9] }, "ab", 1},
		{"the end of the last line is missing", func(b []byte) []byte { return b[:len(b)-1] }, "abc", 0},
		{"one bit of the verdict differs", func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"key":"b","verdict":"survived"`), []byte(`"key":"b","verdict":"killed"`), 1)
		}, "ac", 1},
		{"zeros, as after a power cut", func(b []byte) []byte { return append(b, make([]byte, 4096)...) }, "abc", 1},
		{"a line without an end", func(b []byte) []byte { return append([]byte(strings.Repeat("x", 3*maxLine)+"\n"), b...) }, "abc", 1},
		{"another file", func([]byte) []byte { return []byte("MZ\x00\n\n\nhello\n") }, "", 2},
		{"nothing at all", func([]byte) []byte { return nil }, "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			c := mustOpen(t, dir, maxFile)
			for _, k := range []string{"a", "b", "c"} {
				c.Save(k, mutate.Remembered{Verdict: mutate.Survived})
			}
			c.Close()
			data, err := os.ReadFile(c.name())
			if err == nil {
				err = os.WriteFile(c.name(), tt.damage(data), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			c = mustOpen(t, dir, maxFile)
			c.Save("d", mutate.Remembered{Verdict: mutate.Killed})
			damaged := c.Damaged()
			for range 2 {
				var got string
				for _, k := range []string{"a", "b", "c", "d"} {
					if verdict(c, k) != "" {
						got += k
					}
				}
				if got != tt.want+"d" || damaged != tt.count {
					t.Errorf("found %q and %d damaged, want %q and %d", got, damaged, tt.want+"d", tt.count)
				}
				c = mustOpen(t, dir, maxFile)
			}
		})
	}
}

// The file is bounded: the newest verdicts are kept, and each key has one.
func TestItIsBounded(t *testing.T) {
	dir := t.TempDir()
	c := mustOpen(t, dir, maxFile)
	for i := range 1000 {
		c.Save(fmt.Sprintf("k%03d", i%500), mutate.Remembered{Verdict: mutate.Survived, Reason: fmt.Sprint(i)})
	}
	c.Close()
	full, _ := os.Stat(c.name())
	c = mustOpen(t, dir, full.Size()/2)
	c.Save("new", mutate.Remembered{Verdict: mutate.Killed})
	small, _ := os.Stat(c.name())
	if small.Size() > full.Size()/3 {
		t.Errorf("%d bytes of %d are left", small.Size(), full.Size())
	}
	if r, _ := c.Load("k499"); r.Reason != "999" {
		t.Errorf("the newest is %q, want 999", r.Reason)
	}
	if verdict(c, "k000") != "" || verdict(c, "new") != mutate.Killed {
		t.Errorf("the oldest is %q, what was saved after is %q", verdict(c, "k000"), verdict(c, "new"))
	}
}

func TestWholeRuns(t *testing.T) {
	dir := t.TempDir()
	c := mustOpen(t, dir, maxFile)
	for i := range maxWhole + 3 {
		if err := c.SaveWhole(fmt.Sprint("run", i), map[string]int{"n": i}); err != nil {
			t.Fatal(err)
		}
	}
	var got map[string]int
	if !c.Whole("run10", &got) || got["n"] != 10 {
		t.Errorf("the newest is %v", got)
	}
	if names, _ := os.ReadDir(filepath.Join(dir, "whole")); len(names) != maxWhole {
		t.Errorf("%d runs are kept, want %d", len(names), maxWhole)
	}
	os.WriteFile(filepath.Join(dir, "whole", "run10"), []byte("0123456789abcdef{}"), 0o600)
	if c.Whole("run10", &got) || c.Damaged() != 1 || c.Whole("run10", &got) || c.Damaged() != 1 {
		t.Errorf("a damaged run was found, or counted %d times", c.Damaged())
	}
}

func FuzzOpen(f *testing.F) {
	f.Add([]byte("0123456789abcdef {}\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		c := mustOpen(t, dir, maxFile)
		c.Close()
		if err := os.WriteFile(c.name(), data, 0o600); err != nil {
			t.Fatal(err)
		}
		c = mustOpen(t, dir, 64)
		c.Save("a", mutate.Remembered{Verdict: mutate.Killed})
		c.Close()
		if c = mustOpen(t, dir, maxFile); verdict(c, "a") != mutate.Killed {
			t.Errorf("what was saved after %q is lost", data)
		}
	})
}
