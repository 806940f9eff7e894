//go:build amd64 || arm64

package fence

import "golang.org/x/sys/unix"

// chooseCPUs picks n of the processors that this process may use, from the first that is at or after the number first on,
// round and round; nil where it may use no more than n, or where n is 0. Boxes with other numbers use other processors, so that
// several of them share the machine.
func chooseCPUs(n, first int) (*unix.CPUSet, error) {
	if n <= 0 {
		return nil, nil
	}
	var mine, chosen unix.CPUSet
	if err := unix.SchedGetaffinity(0, &mine); err != nil {
		return nil, err
	}
	if mine.Count() <= n {
		return nil, nil
	}
	size := len(mine) * 64
	for i := 0; chosen.Count() < n; i++ {
		if cpu := (first%mine.Count() + i) % size; mine.IsSet(cpu) {
			chosen.Set(cpu)
		}
	}
	return &chosen, nil
}
