//go:build !unix

package wasi

import "time"

// spentCPU is not known here: wall time is the only bound.
func spentCPU() time.Duration { return 0 }
