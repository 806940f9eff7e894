//go:build amd64 || arm64

package fence

import (
	"testing"

	"golang.org/x/sys/unix"
)

func TestEveryChoiceOfProcessorsIsAllowed(t *testing.T) {
	var mine unix.CPUSet
	if err := unix.SchedGetaffinity(0, &mine); err != nil {
		t.Fatal(err)
	}
	for n := 1; n < mine.Count(); n++ {
		for first := range 3 * mine.Count() {
			chosen, err := chooseCPUs(n, first)
			if err != nil || chosen == nil || chosen.Count() != n {
				t.Fatalf("%d from %d on: %v, %v", n, first, chosen, err)
			}
			for cpu := range len(mine) * 64 {
				if chosen.IsSet(cpu) && !mine.IsSet(cpu) {
					t.Errorf("%d from %d on: %d is not ours", n, first, cpu)
				}
			}
		}
	}
}
