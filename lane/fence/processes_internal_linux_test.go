//go:build amd64 || arm64

package fence

import (
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	line := "42 (a) b) (c) S 7 42 42 0 -1 4194560 100 200 0 0 11 22 33 44 20 0 5 0 100 1000000 250 18446744073709551615 1 1\n"
	e, ok := parseStat(42, []byte(line))
	if !ok || e.Name != "a) b) (c" || e.Parent != 7 || e.threads != 5 || e.cpu != 110*10*time.Millisecond || e.rss != 250*4096 && e.rss != 250*16384 && e.rss != 250*65536 || e.zombie {
		t.Errorf("%+v %v", e, ok)
	}
	for _, bad := range []string{"", "42", "42 (x", "42 )(", "42 (x) S 1"} {
		if _, ok := parseStat(42, []byte(bad)); ok {
			t.Errorf("%q was accepted", bad)
		}
	}
}
