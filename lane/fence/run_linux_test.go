//go:build amd64 || arm64

package fence_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/lane/fence"
)

func TestRunsACommand(t *testing.T) {
	b := open(t, config(t, folder(t, map[string]string{"a/b.txt": "hello\n"})))
	r := run(t, b, "cat", "a/b.txt")
	if got := ok(t, r); got != "hello\n" {
		t.Errorf("got %q", got)
	}
	if r.Census.Peak < 1 || r.Census.After != 0 || r.Census.Inconclusive || len(r.Census.Left) != 0 {
		t.Errorf("census of a plain command: %+v", r.Census)
	}
	if r := run(t, b, "exit", "7"); r.End != fence.Exited || r.Exit != 7 {
		t.Errorf("got %s %d", r.End, r.Exit)
	}
}

func TestNamesCommandsThatDoNotStart(t *testing.T) {
	tree := folder(t, map[string]string{"data": "no program\n"})
	if err := os.WriteFile(filepath.Join(tree, "script"), []byte("#!/no/such/interpreter\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	b := open(t, config(t, tree))
	for _, c := range []struct {
		argv []string
		dir  string
		want fence.End
	}{
		{[]string{"no-such-program"}, "", fence.NotFound},
		{[]string{"./missing"}, "", fence.NotFound},
		{[]string{"/nix/store/missing"}, "", fence.NotFound},
		{[]string{"./data"}, "", fence.NotStarted},
		{[]string{"./script"}, "", fence.NotStarted},
		{[]string{"inbox", "true"}, "no/such/folder", fence.NotStarted},
	} {
		r := runCommand(t, b, fence.Command{Argv: c.argv, Dir: c.dir})
		if r.End != c.want || r.Note == "" {
			t.Errorf("%q in %q: %s %q, want %s", c.argv, c.dir, r.End, r.Note, c.want)
		}
	}
}

func TestEnvironmentIsFixed(t *testing.T) {
	t.Setenv("LANE_SECRET_TOKEN", "hunter2") // F15
	c := config(t, "")
	c.Env = []string{"A=box", "B=box"}
	b := open(t, c)
	got := ok(t, runCommand(t, b, fence.Command{Argv: []string{"inbox", "env"}, Env: []string{"B=run", "TZ=Asia/Tokyo"}}))
	want := "A=box\nB=run\nHOME=/home/lane\nLANG=C.UTF-8\nLOGNAME=lane\nPATH=" + inboxStore + "/bin\n" +
		"SOURCE_DATE_EPOCH=1700000000\nTMPDIR=/tmp\nTZ=Asia/Tokyo\nUSER=lane\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestStdinIsEmpty(t *testing.T) { // R18
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer r.Close()
	stdin := os.Stdin
	os.Stdin = r
	defer func() { os.Stdin = stdin }()
	if got := ok(t, run(t, open(t, config(t, "")), "stdin")); got != "0 EOF\n" {
		t.Errorf("got %q", got)
	}
}

func TestStdinIsCopiedAndEndsWithItsReader(t *testing.T) {
	b := open(t, config(t, ""))
	text := strings.Repeat("line\n", 100_000) // more than a pipe holds
	var out bytes.Buffer
	r := runCommand(t, b, fence.Command{Argv: []string{"inbox", "cat", "/dev/stdin"}, Stdin: strings.NewReader(text), Stdout: &out})
	if ok(t, r); out.String() != text {
		t.Errorf("%d of %d bytes came back", out.Len(), len(text))
	}
	// a command that ends without reading, and a reader that never ends
	never, w := io.Pipe()
	defer w.Close()
	ok(t, runCommand(t, b, fence.Command{Argv: []string{"inbox", "true"}, Stdin: never}))
	ok(t, runCommand(t, b, fence.Command{Argv: []string{"inbox", "true"}, Stdin: strings.NewReader(text)}))
	if got := ok(t, run(t, b, "stdin")); got != "0 EOF\n" {
		t.Errorf("the next run reads %q", got)
	}
}

func TestStreamsComeApart(t *testing.T) {
	b := open(t, config(t, ""))
	var out, errs bytes.Buffer
	r := runCommand(t, b, fence.Command{Argv: []string{"inbox", "cat", "/no/such/file"}, Stdout: &out, Stderr: &errs})
	if out.String() != r.Stdout.String() || errs.String() != r.Stderr.String() || out.Len()+errs.Len() == 0 {
		t.Errorf("stdout %q, want %q; stderr %q, want %q", &out, r.Stdout, &errs, r.Stderr)
	}
	ok(t, runCommand(t, b, fence.Command{Argv: []string{"inbox", "print", "x"}, Stdout: failing{}}))
}

func TestTerminalIsTheCommandsOwn(t *testing.T) { // F14
	b := open(t, config(t, ""))
	var out bytes.Buffer
	r := runCommand(t, b, fence.Command{
		Argv: []string{"inbox", "terminal"}, Terminal: &fence.Terminal{Size: fence.Size{Rows: 33, Columns: 77}},
		Stdin: strings.NewReader("typed\n"), Stdout: &out,
	})
	ok(t, r)
	for _, want := range []string{"size 33 77", "controlling terminal: done", "push input: operation not permitted", "read \"typed\\n\"", "then EOF"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if got := ok(t, run(t, b, "stdin")); got != "0 EOF\n" {
		t.Errorf("the next run reads %q", got)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestEventsArriveInOrder(t *testing.T) {
	b := open(t, config(t, ""))
	var got []string
	r := runCommand(t, b, fence.Command{
		Argv:   []string{"inbox", "event", "one", "", "two", strings.Repeat("x", 60<<10)},
		Events: func(rec []byte) { got = append(got, string(rec[:min(len(rec), 3)])) },
	})
	ok(t, r)
	if strings.Join(got, " ") != "one two xxx" || r.Events != 3 || r.LastEvent.IsZero() {
		t.Errorf("got %q, %d events", got, r.Events)
	}
	if !r.EventsLost {
		t.Error("an empty record is not reported as lost")
	}
	// without a receiver there is no descriptor 3
	if r := run(t, b, "event", "one"); r.Exit != 1 {
		t.Errorf("descriptor 3 exists: %s", r.Stdout)
	}
}

func TestTimeoutEndsTheWholeBox(t *testing.T) {
	b := open(t, config(t, ""))
	start := time.Now()
	r := runCommand(t, b, fence.Command{Argv: []string{"inbox", "sleep", "1m"}, Timeout: 300 * time.Millisecond})
	if r.End != fence.TimedOut || time.Since(start) > 2*time.Second {
		t.Errorf("%s after %s", r.End, time.Since(start))
	}
	ok(t, run(t, b, "true"))
}

func TestCancelEndsTheRun(t *testing.T) {
	b := open(t, config(t, ""))
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	r, err := b.Run(ctx, fence.Command{Argv: []string{"inbox", "sleep", "1m"}})
	if r.End != fence.Interrupted || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%s, %v", r.End, err)
	}
	ok(t, run(t, b, "true")) // the box lives on
}

func TestCloseEndsTheRun(t *testing.T) {
	b := open(t, config(t, ""))
	time.AfterFunc(200*time.Millisecond, func() { b.Close() })
	r, err := b.Run(context.Background(), fence.Command{Argv: []string{"inbox", "sleep", "1m"}})
	if err != nil || r.End != fence.BoxDied {
		t.Errorf("%s, %v", r.End, err)
	}
	if _, err := b.Run(context.Background(), fence.Command{Argv: []string{"inbox", "true"}}); !errors.Is(err, fence.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// BenchmarkTrueInWarmBox is one run of a small Go program that does nothing: where
// the box is as it was, and where a change of the tree has it made anew.
func BenchmarkTrueInWarmBox(b *testing.B) {
	box := open(b, config(b, folder(b, map[string]string{"a.go": "package a\n"})))
	for name, changes := range map[string]map[string]fence.Change{
		"untouched": nil, "changed": {"a.go": {Data: []byte("package b\n")}},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				ok(b, runCommand(b, box, fence.Command{Argv: []string{"inbox", "true"}, Overlay: changes}))
			}
		})
	}
	b.Run("bare", func(b *testing.B) { // to compare with
		for b.Loop() {
			if err := exec.Command(filepath.Join(inboxDir, "bin/inbox"), "true").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	c := config(b, "")
	for b.Loop() {
		box, err := fence.Open(context.Background(), c)
		if err != nil {
			b.Fatal(err)
		}
		if err := box.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
