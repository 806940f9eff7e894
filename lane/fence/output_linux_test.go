//go:build amd64 || arm64

package fence_test

import (
	"bytes"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/vallane/lane/lane/fence"
)

func openDescriptors(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func TestOutputIsBounded(t *testing.T) { // F26
	b := open(t, config(t, ""))
	var log bytes.Buffer
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := runCommand(t, b, fence.Command{Argv: []string{"inbox", "flood", "100000000"}, Log: &log, LogLimit: 1 << 20})
	runtime.ReadMemStats(&after)
	ok(t, r)
	if r.Stdout.Total < 100_000_000 || len(r.Stdout.Head) != 64<<10 || len(r.Stdout.End) != 64<<10 || r.Stdout.Cut() != r.Stdout.Total-128<<10 {
		t.Errorf("%d bytes, %d and %d kept", r.Stdout.Total, len(r.Stdout.Head), len(r.Stdout.End))
	}
	if log.Len() != 1<<20 || !r.LogCut {
		t.Errorf("log of %d bytes, cut %v", log.Len(), r.LogCut)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 16<<20 {
		t.Errorf("%d bytes were allocated for it", got)
	}
}

func TestEndlessOutputEndsTheRun(t *testing.T) { // F26
	c := config(t, "")
	c.Limits.Output = 4 << 20
	b := open(t, c)
	if r := run(t, b, "flood", "0"); r.End != fence.TooMuchOut {
		t.Errorf("got %s", r.End)
	}
}

func TestOutputIsKeptByteForByte(t *testing.T) { // F26
	b := open(t, config(t, ""))
	if got := ok(t, run(t, b, "bytes")); got != "\xff\xfe\x00\x1b[2J\n" {
		t.Errorf("got %q", got)
	}
}

func TestStdoutCanBeOpenedAgain(t *testing.T) {
	b := open(t, config(t, ""))
	r := run(t, b, "reopen")
	if ok(t, r) != "through /dev/stdout\n" || r.Stderr.String() != "through /dev/stderr\n" {
		t.Errorf("got %q, %q", r.Stdout, r.Stderr)
	}
}

type brokenLog struct{}

func (brokenLog) Write([]byte) (int, error) { return 0, errors.New("no room for a log") }

func TestBrokenLogEndsNoRun(t *testing.T) {
	b := open(t, config(t, ""))
	r := runCommand(t, b, fence.Command{Argv: []string{"inbox", "print", "hello"}, Log: brokenLog{}})
	if ok(t, r) != "hello\n" || !strings.Contains(r.LogError, "no room") {
		t.Errorf("got %q, %q", r.Stdout, r.LogError)
	}
}
