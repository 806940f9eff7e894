//go:build amd64 || arm64

package fence_test

import (
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/lane/fence"
)

func TestDaemonsAreEndedAndNamed(t *testing.T) { // F21
	b := open(t, config(t, ""))
	start := time.Now()
	r := run(t, b, "daemon")
	ok(t, r)
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("took %s", took)
	}
	if len(r.Census.Left) != 1 || !strings.Contains(r.Census.Left[0].Command, "sleep 1000s") || r.Census.Left[0].Parent != 1 {
		t.Errorf("left: %+v", r.Census.Left)
	}
	if r.Census.After != 0 || r.Census.Inconclusive || r.Census.Started < 3 {
		t.Errorf("census: %+v", r.Census)
	}
}

func TestHeldStdoutDelaysNothing(t *testing.T) { // F22
	b := open(t, config(t, ""))
	start := time.Now()
	r := run(t, b, "hold-stdout")
	if got := ok(t, r); got != "start: done\n" {
		t.Errorf("got %q", got)
	}
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("took %s", took)
	}
	if len(r.Census.Left) != 1 {
		t.Errorf("left: %+v", r.Census.Left)
	}
}

func TestNothingOutlivesTheGrace(t *testing.T) { // F23, R8
	b := open(t, config(t, ""))
	for _, program := range []string{"stubborn", "stubborn-tree"} {
		start := time.Now()
		r := runCommand(t, b, fence.Command{Argv: []string{"inbox", program}, Timeout: 500 * time.Millisecond, Grace: 300 * time.Millisecond})
		if took := time.Since(start); r.End != fence.TimedOut || r.Census.After != 0 || took < 800*time.Millisecond || took > 4*time.Second {
			t.Errorf("%s: %s after %s, census %+v", program, r.End, took, r.Census)
		}
	}
	if r := run(t, b, "true"); r.Census.Peak != 1 {
		t.Errorf("the next run sees %+v", r.Census)
	}
}

func TestProcessLimitHolds(t *testing.T) { // F25
	c := config(t, "")
	c.Limits.Processes = 60
	b := open(t, c)
	for _, argv := range [][]string{{"inbox", "fork-bomb"}, {"inbox", "fork-bomb", "raise"}} {
		most := 60
		if len(argv) > 2 {
			most += 48 // where it is quick enough to raise its limit before pid 1 takes that away; it is ended for it
		}
		start := time.Now()
		r := runCommand(t, b, fence.Command{Argv: argv, Timeout: 10 * time.Second})
		if r.End != fence.TooMany || r.Census.After != 0 || r.Census.Peak > most {
			t.Errorf("%s, census %+v", r.End, r.Census)
		}
		t.Logf("%q: peak %d, started %d, %s, held by %s", argv, r.Census.Peak, r.Census.Started, time.Since(start), r.Facts.ProcessesBy)
	}
	ok(t, run(t, b, "true"))
}

func TestMemoryLimitHolds(t *testing.T) { // F29
	c := config(t, "")
	c.Limits.Memory = 128 << 20
	b := open(t, c)
	r := run(t, b, "eat-memory", "2000")
	if r.End != fence.OutOfMem || r.PeakMemory > 1200<<20 {
		t.Errorf("%s, peak %d MiB", r.End, r.PeakMemory>>20)
	}
	t.Logf("peak %d MiB, held by %s", r.PeakMemory>>20, r.Facts.MemoryBy)
	r = run(t, b, "eat-memory", "40")
	ok(t, r)
	if r.PeakMemory < 40<<20 || r.PeakMemory > 100<<20 {
		t.Errorf("40 MiB are measured as %d", r.PeakMemory)
	}
}

func TestCPUBudgetHolds(t *testing.T) {
	b := open(t, config(t, ""))
	r := runCommand(t, b, fence.Command{Argv: []string{"inbox", "burn"}, CPU: 200 * time.Millisecond})
	if r.End != fence.OutOfCPU || r.CPU < 150*time.Millisecond || r.CPU > 2*time.Second {
		t.Errorf("%s after %s of processor time", r.End, r.CPU)
	}
}

func TestDiskLimitIsNamed(t *testing.T) { // F27
	c := config(t, "")
	c.Limits.Disk, c.Limits.Inodes = 16<<20, 500
	b := open(t, c)
	for _, argv := range [][]string{
		{"inbox", "fill", "/tmp/x"}, {"inbox", "fill", "/dev/shm/x"}, {"inbox", "fill", "/home/lane/x"}, {"inbox", "fill", "/tree/x"},
		{"inbox", "fill-inodes", "/tmp"}, {"inbox", "fill-inodes", "/tree"},
	} {
		r := runCommand(t, b, fence.Command{Argv: argv})
		if r.End != fence.DiskFull || !strings.HasSuffix(r.Stdout.String(), "no space left on device\n") {
			t.Errorf("%q: %s %s", argv, r.End, r.Stdout)
		}
		if r := run(t, b, "write", "/tmp/y", "z"); r.End != fence.Exited || r.DiskUsed > 1<<20 {
			t.Errorf("after %q: %s, %d bytes used", argv, r.End, r.DiskUsed)
		}
	}
}

func TestOpenFileLimitHoldsAndIsNamed(t *testing.T) {
	c := config(t, "")
	c.Limits.OpenFiles = 100
	b := open(t, c)
	for _, argv := range [][]string{{"open-files", "0s"}, {"open-files", "300ms"}} {
		r := run(t, b, argv...)
		if got := r.Stdout.String(); !strings.Contains(got, "opened 9") || !strings.Contains(got, "too many open files") {
			t.Errorf("%q: %s %d %s%s", argv, r.End, r.Exit, got, r.Stderr)
		}
		if argv[1] != "0s" && r.End != fence.ManyFiles {
			t.Errorf("%q ended as %s, exhausted %v", argv, r.End, r.Exhausted)
		}
	}
	if r := run(t, b, "true"); len(r.Exhausted) > 0 {
		t.Errorf("the next run: %v", r.Exhausted)
	}
}

func TestFileSizeLimitHolds(t *testing.T) {
	b := open(t, config(t, ""))
	if r := run(t, b, "big-file", "/tmp/big"); !strings.Contains(r.Stdout.String(), "file too large") {
		t.Errorf("%s: %s", r.End, r.Stdout)
	}
}

func TestSuiteThatNeverEnds(t *testing.T) { // R6
	b := open(t, config(t, ""))
	ended := false
	r := runCommand(t, b, fence.Command{
		Argv:        []string{"inbox", "suite", "hang"},
		Events:      func(rec []byte) { ended = string(rec) == "end" },
		AfterEvents: func() bool { return ended },
		ExitGrace:   300 * time.Millisecond,
	})
	if r.End != fence.DidNotExit || r.Events != 1 {
		t.Errorf("%s, %d events", r.End, r.Events)
	}
}

func TestLeakedChildThatHoldsTheRunnerUp(t *testing.T) { // R7
	b := open(t, config(t, ""))
	ended := false
	start := time.Now()
	r := runCommand(t, b, fence.Command{
		Argv:        []string{"inbox", "suite", "leak"},
		Events:      func(rec []byte) { ended = string(rec) == "end" },
		AfterEvents: func() bool { return ended },
	})
	if got := ok(t, r); !strings.Contains(got, "unit leak: done") {
		t.Errorf("got %s", got)
	}
	if len(r.Leaky) != 1 || !strings.Contains(r.Leaky[0].Command, "sleep 1000s") || time.Since(start) > 5*time.Second {
		t.Errorf("leaky %+v after %s", r.Leaky, time.Since(start))
	}
}

func TestDescriptorsSentAlongAreDropped(t *testing.T) {
	b := open(t, config(t, ""))
	r := runCommand(t, b, fence.Command{Argv: []string{"inbox", "event-fds"}, Events: func([]byte) { time.Sleep(100 * time.Microsecond) }})
	ok(t, r)
	if r.Events != 2000 || r.EventsLost {
		t.Errorf("%d events, lost %v", r.Events, r.EventsLost)
	}
	if n := openDescriptors(t); n > 60 {
		t.Errorf("%d descriptors are open", n)
	}
}
