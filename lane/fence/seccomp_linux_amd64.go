package fence

import "golang.org/x/sys/unix"

const (
	auditArch   = unix.AUDIT_ARCH_X86_64
	foreignBit  = 0x40000000 // __X32_SYSCALL_BIT
	newestKnown = unix.SYS_LISTNS
)

// refusedHere are refused calls that this architecture has besides the others.
var refusedHere = []uintptr{
	unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_USELIB, unix.SYS_USTAT, unix.SYS_SYSFS,
	unix.SYS__SYSCTL, unix.SYS_CREATE_MODULE,
}
