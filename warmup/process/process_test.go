package process_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vallane/lane/warmup/process"
)

func sh(script string) process.Command {
	return process.Command{Argv: []string{"sh", "-c", script}, Env: []string{"PATH=/usr/bin:/bin"}}
}

func TestRunBringsBackOutputAndLines(t *testing.T) {
	var lines []string
	c := sh("echo out; echo one >&2; printf two >&2; pwd; env | grep -c LEAK; cat")
	c.Line = func(s string) { lines = append(lines, s) }
	t.Setenv("LEAK", "1")
	out, err := process.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if string(out) != "out\n/\n0\n" {
		t.Errorf("output %q: the folder is not / or the host's environment is there", out)
	}
	if !slices.Equal(lines, []string{"one", "two"}) {
		t.Errorf("lines %q", lines)
	}
}

func TestRunTellsTheWaysToEndApart(t *testing.T) {
	var failed *process.Failed
	if _, err := process.Run(t.Context(), sh("echo why >&2; exit 3")); !errors.As(err, &failed) || failed.Status != 3 || failed.Tail != "why" {
		t.Errorf("exit 3 gave %v", err)
	}
	if _, err := process.Run(t.Context(), sh("kill -9 $$")); !errors.As(err, &failed) || failed.Status != -1 {
		t.Errorf("a signal gave %v", err)
	}
	var missing *process.Missing
	if _, err := process.Run(t.Context(), process.Command{Argv: []string{"no-such-program-of-lane"}}); !errors.As(err, &missing) {
		t.Errorf("an absent program gave %v", err)
	}
}

func TestCancelEndsTheWholeGroup(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for {
			if b, _ := os.ReadFile(pidFile); len(b) > 0 {
				cancel()
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	start := time.Now()
	_, err := process.Run(ctx, sh("sleep 1000 & echo $! > "+pidFile+"; wait"))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run gave %v", err)
	}
	if d := time.Since(start); d > process.Grace {
		t.Errorf("it took %v to end", d)
	}
	mustBeGone(t, pidFile)
}

func TestLeftOversEndWithTheProgram(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	if _, err := process.Run(t.Context(), sh("sleep 1000 >/dev/null 2>&1 & echo $! > "+pidFile)); err != nil {
		t.Fatal(err)
	}
	mustBeGone(t, pidFile)
}

func mustBeGone(t *testing.T, pidFile string) {
	t.Helper()
	b, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	for range 200 {
		if state, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err != nil || strings.Contains(string(state), ") Z ") {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	t.Errorf("process %d outlived the program that started it", pid)
}

func TestEndlessLineIsCutAndDrained(t *testing.T) {
	longest := 0
	c := sh("head -c 3000000 /dev/zero | tr '\\0' x >&2; echo >&2; echo done")
	c.Line = func(s string) { longest = max(longest, len(s)) }
	out, err := process.Run(t.Context(), c)
	if err != nil || string(out) != "done\n" {
		t.Fatalf("%q, %v", out, err)
	}
	if longest != 1<<20 {
		t.Errorf("a line of %d bytes was delivered", longest)
	}
}

func TestKeepAndWithout(t *testing.T) {
	env := []string{"A=1", "AB=2", "B=", "C"}
	if got := process.Keep(env, "A", "B"); !slices.Equal(got, []string{"A=1", "B="}) {
		t.Errorf("kept %q", got)
	}
	if got := process.Without(env, "A", "C"); !slices.Equal(got, []string{"AB=2", "B="}) {
		t.Errorf("left %q", got)
	}
}
