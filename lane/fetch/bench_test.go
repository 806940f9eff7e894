package fetch

import (
	"os"
	"path/filepath"
	"testing"
)

// What a fetch phase costs beside its command: a box, the proxy, the control, the cut, and the hash of what came.
func BenchmarkPhase(b *testing.B) {
	p, dir, _ := node(b)
	p.Commands = [][]string{{"busybox", "true"}}
	p.Manifests = map[string][]byte{"package.json": []byte("{}")}
	for b.Loop() {
		at := filepath.Join(dir, "x")
		if err := os.Mkdir(at, 0o755); err != nil {
			b.Fatal(err)
		}
		if err := p.hand(at); err != nil {
			b.Fatal(err)
		}
		if _, err := p.Run(b.Context(), at); err != nil {
			b.Fatal(err)
		}
		if err := os.RemoveAll(at); err != nil {
			b.Fatal(err)
		}
	}
}
