//go:build amd64 || arm64

package fence

import (
	"os"
	"path/filepath"
	"testing"
)

// The kernel asks to be asked again where a link with ".." is followed while something, anywhere, is
// being renamed. A box once came without its loader for that.
func TestLinksAreFollowedWhileOthersRename(t *testing.T) {
	base, other := t.TempDir(), t.TempDir()
	for _, dir := range []string{"a", "b"} {
		if err := os.Mkdir(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(base, "b", "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../b/file", filepath.Join(base, "a", "link")); err != nil {
		t.Fatal(err)
	}
	stop, ended := make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		x, y := filepath.Join(other, "x"), filepath.Join(other, "y")
		if err := os.Mkdir(x, 0o755); err != nil {
			t.Error(err)
		}
		for {
			select {
			case <-stop:
				return
			default:
			}
			if err := os.Rename(x, y); err != nil {
				t.Error(err)
				return
			}
			x, y = y, x
		}
	}()
	for range 5000 {
		if !existsBelow(base, "/a/link") {
			t.Error("the link leads nowhere")
			break
		}
	}
	close(stop)
	<-ended
	if existsBelow(base, "/a/none") {
		t.Error("there is no such file")
	}
}
