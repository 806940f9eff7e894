//go:build amd64 || arm64

package fence

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// reservedPIDs is the first id of a run. Below it live only pid 1's own threads:
// the kernel goes on from where it is told to, and never hands out the ids below
// this one again once it has wrapped round (RESERVED_PIDS).
const reservedPIDs = 300

// namespaceFlags are the bits of clone and unshare that make namespaces.
const namespaceFlags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// filterRules is the policy for every process of the box, in which pid 1's threads
// have ids up to lastOwn. It takes away what a
// test suite has no use for and what the kernel's own checks have been led past
// before; the rest is left to namespaces and to having no capability.
func filterRules(lastOwn int) []rule {
	var rules []rule
	for _, nr := range refused {
		rules = append(rules, rule{nr: nr, action: refuse(uint32(unix.EPERM))})
	}
	for _, nr := range refusedHere {
		rules = append(rules, rule{nr: nr, action: refuse(uint32(unix.EPERM))})
	}
	// its flags are in memory, where a filter cannot look; C libraries fall back to clone
	rules = append(rules, rule{nr: unix.SYS_CLONE3, action: refuse(uint32(unix.ENOSYS))})
	rules = append(rules,
		rule{unix.SYS_CLONE, []test{{0, bits, []uint32{namespaceFlags}}}, refuse(uint32(unix.EPERM))},
		rule{unix.SYS_UNSHARE, []test{{0, bits, []uint32{namespaceFlags | unix.CLONE_NEWTIME}}}, refuse(uint32(unix.EPERM))},
	)
	families := test{0, notIn, []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6}}
	inet := test{0, in, []uint32{unix.AF_INET, unix.AF_INET6}}
	protocols := test{2, notIn, []uint32{0, unix.IPPROTO_TCP, unix.IPPROTO_UDP, unix.IPPROTO_ICMP, unix.IPPROTO_ICMPV6}}
	for _, nr := range []uintptr{unix.SYS_SOCKET, unix.SYS_SOCKETPAIR} {
		rules = append(rules,
			rule{nr, []test{families}, refuse(uint32(unix.EAFNOSUPPORT))},
			rule{nr, []test{inet, protocols}, refuse(uint32(unix.EPROTONOSUPPORT))})
	}
	// these push input into a terminal, take over the console, or load line disciplines
	rules = append(rules, rule{unix.SYS_IOCTL,
		[]test{{1, in, []uint32{unix.TIOCSTI, unix.TIOCLINUX, unix.TIOCCONS, unix.TIOCSETD}}}, refuse(uint32(unix.EPERM))})
	// A process that lowers its core limit from 1 to 0 is told that it did: see
	// limitInit. errno 0 is success.
	core := []uint32{unix.RLIMIT_CORE}
	rules = append(rules,
		// limits are a process's own affair: pid 1 has the same user id as everybody here
		rule{unix.SYS_PRLIMIT64, []test{{0, notIn, []uint32{0}}, {arg: 2, op: nonNull}}, refuse(uint32(unix.EPERM))},
		rule{unix.SYS_PRLIMIT64, []test{{1, in, core}, {arg: 2, op: nonNull}}, refuse(0)},
		rule{unix.SYS_SETRLIMIT, []test{{0, in, core}}, refuse(0)})
	// keep pid 1's threads from being signalled and slowed. A signal would do nothing (see defaultSignals),
	// and a pid 1 that is starved is ended from outside; this is to be plain about it.
	init := test{0, between, []uint32{1, uint32(lastOwn)}}
	for _, nr := range aimedByFirst {
		rules = append(rules, rule{nr, []test{init}, refuse(uint32(unix.EPERM))})
	}
	initByWho := test{1, between, []uint32{1, uint32(lastOwn)}}
	for _, nr := range aimedBySecond {
		rules = append(rules, rule{nr, []test{{0, in, []uint32{prioProcess, ioprioWhoProcess}}, initByWho}, refuse(uint32(unix.EPERM))})
	}
	return rules
}

// "who" kinds of setpriority and ioprio_set that name one process.
const (
	prioProcess      = 0
	ioprioWhoProcess = 1
)

// aimedByFirst are the calls whose first argument is the id of another thread.
var aimedByFirst = []uintptr{
	unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_TGKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO,
	unix.SYS_PIDFD_OPEN, unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER,
	unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR,
}

// aimedBySecond are those where the second is.
var aimedBySecond = []uintptr{unix.SYS_SETPRIORITY, unix.SYS_IOPRIO_SET}

// refused are the calls that fail with EPERM whatever their arguments.
var refused = []uintptr{
	// mounts and namespaces
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_SETNS,
	unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR, unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSPICK,
	unix.SYS_FSMOUNT, unix.SYS_FSCONFIG, unix.SYS_MOUNT_SETATTR, unix.SYS_LISTNS,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT,
	// other processes
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD,
	unix.SYS_KCMP, unix.SYS_MOVE_PAGES, unix.SYS_MIGRATE_PAGES,
	// large and young parts of the kernel
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_FANOTIFY_INIT,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	// keys outlive and cross boxes
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	// the machine
	unix.SYS_REBOOT, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE,
	unix.SYS_DELETE_MODULE, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
	unix.SYS_SYSLOG, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_LOOKUP_DCOOKIE,
	unix.SYS_VHANGUP, unix.SYS_NFSSERVCTL,
}

// loadFilter puts the filter on the calling thread, and on what descends from it.
// The flag keeps older kernels from turning speculation off for filtered
// processes, as newer ones do by themselves: it slows suites down, and guards
// nothing here, where no process holds another's secrets.
func loadFilter(program []unix.SockFilter) error {
	fprog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW, uintptr(unsafe.Pointer(&fprog)))
	runtime.KeepAlive(program)
	if errno != 0 {
		return errno
	}
	return nil
}
