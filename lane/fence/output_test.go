package fence

import (
	"bytes"
	"strings"
	"testing"
)

func TestTailKeepsBeginningAndEnd(t *testing.T) {
	for _, limit := range []int{1, 3, 8} {
		for size := range 40 {
			for _, chunk := range []int{1, 2, 7, 100} {
				data := []byte(strings.Repeat("0123456789", 4)[:size])
				tl := &tail{limit: limit}
				for rest := data; len(rest) > 0; {
					n := min(chunk, len(rest))
					if got, err := tl.Write(rest[:n]); got != n || err != nil {
						t.Fatal(got, err)
					}
					rest = rest[n:]
				}
				r := tl.result()
				head := data[:min(limit, size)]
				end := data[max(len(head), size-limit):]
				if !bytes.Equal(r.Head, head) || !bytes.Equal(r.End, end) || r.Total != int64(size) || r.Cut() != int64(size-len(head)-len(end)) {
					t.Fatalf("limit %d, %d bytes in chunks of %d: %q %q %d", limit, size, chunk, r.Head, r.End, r.Total)
				}
			}
		}
	}
}

func TestTailSaysWhatIsMissing(t *testing.T) {
	tl := &tail{limit: 3}
	_, _ = tl.Write([]byte("0123456789"))
	if got := tl.result().String(); got != "012\n[... 4 bytes not kept ...]\n789" {
		t.Errorf("got %q", got)
	}
}

func TestLimitsHaveDefaults(t *testing.T) {
	got := Limits{Memory: -1, Processes: 7}.withDefaults()
	if got.Memory != 0 || got.Processes != 7 || got.Disk != 2*gib || got.OpenFiles != 4096 {
		t.Errorf("got %+v", got)
	}
}
