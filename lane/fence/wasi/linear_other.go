//go:build !unix

package wasi

import "github.com/tetratelabs/wazero/experimental"

// A linear is the memory of a guest.
type linear struct {
	all         []byte
	limit, peak uint64
	full        bool // the guest asked for more
}

// Allocate hands out the memory itself.
func (l *linear) Allocate(_, _ uint64) experimental.LinearMemory { return l }

// Reallocate gives size bytes, nil where that is more than the limit.
func (l *linear) Reallocate(size uint64) []byte {
	if size > l.limit {
		l.full = true
		return nil
	}
	if more := int(size) - len(l.all); more > 0 {
		l.all = append(l.all, make([]byte, more)...)
	}
	l.peak = max(l.peak, size)
	return l.all[:size]
}

// Free leaves the memory to the end of the process.
func (l *linear) Free() {}
