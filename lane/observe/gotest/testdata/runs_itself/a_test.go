package a

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestHelperProcess is not a test: TestAnswer runs it in a process of its own, which gets a pipe as descriptor 3.
func TestHelperProcess(t *testing.T) {
	if os.Getenv("WANT_HELPER") != "1" {
		return
	}
	fmt.Fprint(os.NewFile(3, "pipe"), "from the helper")
	t.Error("does not count")
}

func TestAnswer(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=TestHelperProcess")
	cmd.Env = append(os.Environ(), "WANT_HELPER=1")
	cmd.ExtraFiles = []*os.File{w}
	cmd.Run()
	w.Close()
	buf := make([]byte, 100)
	n, _ := r.Read(buf)
	if got := string(buf[:n]); !strings.HasPrefix(got, "from the helper") {
		t.Errorf("got %q", got)
	}
}
