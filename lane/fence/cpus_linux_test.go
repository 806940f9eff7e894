//go:build amd64 || arm64

package fence_test

import (
	"testing"

	"github.com/vallane/lane/lane/fence"
	"golang.org/x/sys/unix"
)

func TestProcessorLimitHolds(t *testing.T) {
	var mine unix.CPUSet
	if err := unix.SchedGetaffinity(0, &mine); err != nil {
		t.Fatal(err)
	}
	c := config(t, "")
	c.Limits.CPUs = 1
	one := open(t, c)
	r := run(t, one, "processors")
	want := "1 of them\nall: operation not permitted\nafter: 1\n"
	if mine.Count() == 1 { // there is nothing to hold
		want = "1 of them\nall: done\nafter: 1\n"
	}
	if got := ok(t, r); got != want || r.Facts.CPUs != 1 {
		t.Errorf("got %s, facts say %d", got, r.Facts.CPUs)
	}
	for _, n := range []int{0, mine.Count(), 4096} {
		c.Limits.CPUs = n
		if r := run(t, open(t, c), "true"); r.End != fence.Exited || r.Facts.CPUs != mine.Count() {
			t.Errorf("with a limit of %d a run may use %d of %d", n, r.Facts.CPUs, mine.Count())
		}
	}
}
