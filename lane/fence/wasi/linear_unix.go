//go:build unix

package wasi

import (
	"syscall"

	"github.com/tetratelabs/wazero/experimental"
)

// A linear is the memory of a guest: as much address space as it may ever have, of which the system gives what is touched.
type linear struct {
	all   []byte
	limit uint64
	peak  uint64
	full  bool // the guest asked for more
}

// Allocate reserves the space. A module that asks for more than the limit at once gets none.
func (l *linear) Allocate(_, most uint64) experimental.LinearMemory {
	if l.all != nil {
		l.full = true // one memory to each guest
		return &linear{}
	}
	all, err := syscall.Mmap(-1, 0, int(min(most, l.limit)), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		l.full = true
		return l
	}
	l.all = all
	return l
}

// Reallocate gives the first size bytes, nil where that is more than the limit.
func (l *linear) Reallocate(size uint64) []byte {
	if size > uint64(len(l.all)) {
		l.full = true
		return nil
	}
	l.peak = max(l.peak, size)
	return l.all[:size:size]
}

// Free leaves the space to the end of the process.
func (l *linear) Free() {}
