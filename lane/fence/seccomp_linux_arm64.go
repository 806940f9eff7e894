package fence

import "golang.org/x/sys/unix"

const (
	auditArch   = unix.AUDIT_ARCH_AARCH64
	foreignBit  = 0 // 32-bit programs have an architecture of their own
	newestKnown = unix.SYS_LISTNS
)

// refusedHere are refused calls that this architecture has besides the others.
var refusedHere = []uintptr{}
