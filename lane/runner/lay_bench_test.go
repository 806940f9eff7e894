package runner

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/vallane/lane/internal/testclosure"
	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/observe/exit"
	"github.com/vallane/lane/mutate"
)

// BenchmarkLaidMutant runs mutants whose file is laid over a tree of 10,000 files (T0), in turns with the bare command, and reports the
// medians and what a mutant costs beside its command.
func BenchmarkLaidMutant(b *testing.B) {
	c := testclosure.Python(b)
	tree := treeOf(b, 100, "a < b\n")
	busybox := c.Paths[0]
	// The command reads what the mutant changes.
	argv := []string{busybox.StorePath + "/bin/busybox", "grep", "-q", "a <= b", "50/50"}
	task := &Task{
		Name: "unit", Argv: argv, Timeout: time.Minute, Reporter: exit.Reporter{}, Path: c.PathDirs(), Zones: filepath.Join(os.TempDir(), "lane-test-zones"),
	}
	for _, p := range c.Paths {
		task.Store = append(task.Store, fence.Mount{Host: p.Host, Box: p.StorePath})
	}
	stage := task.On(tree, "")
	defer stage.Close()
	trials := &Trials{Stage: stage}
	mutant := func() {
		res, err := trials.Run(b.Context(), mutate.Trial{Tier: mutate.T0, Overlay: map[string]mutate.Content{"50/50": {Data: []byte("a <= b\n")}}, CPU: 5 * time.Second, Wall: 20 * time.Second})
		if err != nil || res.Exit != 0 {
			b.Fatalf("mutant: %v, %+v", err, res)
		}
	}
	bare := func() {
		cmd := exec.Command(busybox.Host+"/bin/busybox", "grep", "-q", "a < b", "50/50")
		cmd.Dir = tree
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("bare: %v\n%s", err, out)
		}
	}
	took := func(do func()) time.Duration {
		start := time.Now()
		do()
		return time.Since(start)
	}
	took(mutant)
	var mutants, commands []time.Duration
	for b.Loop() {
		mutants, commands = append(mutants, took(mutant)), append(commands, took(bare))
	}
	ms := func(d []time.Duration) float64 { return float64(median(d).Microseconds()) / 1000 }
	b.ReportMetric(ms(mutants), "mutant-ms")
	b.ReportMetric(ms(commands), "bare-ms")
	b.ReportMetric(ms(mutants)-ms(commands), "added-ms")
	b.ReportMetric(0, "ns/op")
}
