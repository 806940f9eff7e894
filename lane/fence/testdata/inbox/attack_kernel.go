package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

func init() {
	programs["attack-proc"] = attackProc
	programs["attack-namespaces"] = attackNamespaces
	programs["attack-families"] = attackFamilies
	programs["attack-pid1"] = attackPid1
	programs["attack-calls"] = attackCalls
	programs["attack-int80"] = func([]string) int { return attackInt80() }
	programs["attack-x32"] = func([]string) int { return attackX32() }
	programs["attack-core"] = attackCore
	programs["attack-killall"] = attackKillAll
	programs["whoami"] = whoami
	programs["fds"] = fds
}

// errno prints what a raw call came to.
func errno(what string, n uintptr, args ...uintptr) {
	var a [6]uintptr
	copy(a[:], args)
	_, _, e := syscall.RawSyscall6(n, a[0], a[1], a[2], a[3], a[4], a[5])
	if e == 0 {
		say(what, nil)
		return
	}
	say(what, e)
}

// attackProc opens, for writing, what is about the machine.
func attackProc([]string) int {
	for _, name := range []string{
		"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/vm/drop_caches", "/proc/sysrq-trigger",
		"/proc/sys/kernel/ns_last_pid", "/proc/sys/user/max_user_namespaces", "/proc/sys/net/ipv4/ip_forward",
		"/proc/1/oom_score_adj", "/proc/irq/default_smp_affinity", "/proc/mtrr",
	} {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteString("1")
			f.Close()
		}
		say(name, err)
	}
	for _, name := range []string{"/proc/kcore", "/proc/keys", "/proc/kallsyms", "/proc/kmsg", "/proc/timer_list"} {
		data, err := os.ReadFile(name)
		if err == nil && len(data) == 0 {
			err = errors.New("empty")
		}
		say(name, err)
	}
	return 0
}

func attackNamespaces([]string) int {
	flags := []struct {
		name string
		flag uintptr
	}{
		{"user", unix.CLONE_NEWUSER}, {"mount", unix.CLONE_NEWNS}, {"pid", unix.CLONE_NEWPID}, {"net", unix.CLONE_NEWNET},
		{"ipc", unix.CLONE_NEWIPC}, {"uts", unix.CLONE_NEWUTS}, {"cgroup", unix.CLONE_NEWCGROUP}, {"time", unix.CLONE_NEWTIME},
		{"user+mount", unix.CLONE_NEWUSER | unix.CLONE_NEWNS},
	}
	for _, f := range flags {
		errno("unshare "+f.name, unix.SYS_UNSHARE, f.flag)
		if f.flag != unix.CLONE_NEWTIME { // clone has no such flag
			pid, _, e := syscall.RawSyscall6(unix.SYS_CLONE, f.flag|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
			if e == 0 && pid == 0 {
				syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
			}
			report("clone "+f.name, e)
		}
	}
	args := [11]uint64{0: unix.CLONE_NEWUSER, 4: uint64(unix.SIGCHLD)}
	pid, _, e := syscall.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args)), unsafe.Sizeof(args), 0)
	if e == 0 && pid == 0 {
		syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	report("clone3 user", e)
	for _, ns := range []string{"user", "mnt", "pid", "net"} {
		fd, err := unix.Open("/proc/self/ns/"+ns, unix.O_RDONLY, 0)
		if err == nil {
			err = unix.Setns(fd, 0)
		}
		say("setns "+ns, err)
	}
	return 0
}

func report(what string, e syscall.Errno) {
	if e == 0 {
		say(what, nil)
		return
	}
	say(what, e)
}

// attackFamilies prints the socket families, and the protocols of inet, that can
// be had at all.
func attackFamilies([]string) int {
	for family := 0; family <= 50; family++ {
		for _, kind := range []int{unix.SOCK_STREAM, unix.SOCK_DGRAM, unix.SOCK_RAW, unix.SOCK_SEQPACKET} {
			if fd, err := unix.Socket(family, kind, 0); err == nil {
				fmt.Println("family", family, "kind", kind)
				unix.Close(fd)
			}
		}
	}
	for protocol := 1; protocol <= 262; protocol++ {
		for _, kind := range []int{unix.SOCK_STREAM, unix.SOCK_DGRAM, unix.SOCK_SEQPACKET} {
			if fd, err := unix.Socket(unix.AF_INET, kind, protocol); err == nil {
				fmt.Println("inet protocol", protocol)
				unix.Close(fd)
			}
		}
	}
	return 0
}

// attackPid1 reads, signals, traces, slows and limits the box's first process,
// by its id and by those of its threads.
func attackPid1([]string) int {
	for _, name := range []string{"environ", "mem", "maps", "root", "cwd", "exe", "fd/3", "fd", "stack", "io", "ns/mnt", "auxv"} {
		path := "/proc/1/" + name
		_, err := os.ReadFile(path)
		if name == "fd" {
			_, err = os.ReadDir(path)
		}
		if name == "ns/mnt" {
			_, err = os.Readlink(path)
		}
		say("read "+name, err)
	}
	entries, err := os.ReadDir("/proc/1/task")
	if err != nil {
		say("list threads", err)
		return 1
	}
	for _, entry := range entries {
		tid, _ := strconv.Atoi(entry.Name())
		for _, sig := range []syscall.Signal{unix.SIGSEGV, unix.SIGKILL, unix.SIGSTOP, unix.SIGTERM, unix.SIGURG, syscall.Signal(34)} {
			say("kill", syscall.Kill(tid, sig))
			say("tgkill", unix.Tgkill(1, tid, sig))
			errno("tkill", unix.SYS_TKILL, uintptr(tid), uintptr(sig))
		}
		say("prlimit", unix.Prlimit(tid, unix.RLIMIT_NOFILE, &unix.Rlimit{}, nil))
		errno("setpriority", unix.SYS_SETPRIORITY, unix.PRIO_PROCESS, uintptr(tid), 19)
		errno("ioprio", unix.SYS_IOPRIO_SET, 1, uintptr(tid), 3<<13)
		var cpus unix.CPUSet
		cpus.Set(0)
		say("affinity", unix.SchedSetaffinity(tid, &cpus))
		_, err := unix.PidfdOpen(tid, 0)
		say("pidfd", err)
		say("ptrace", unix.PtraceAttach(tid))
	}
	return 0
}

func attackCalls([]string) int {
	var buf [256]byte
	p := uintptr(unsafe.Pointer(&buf))
	calls := []struct {
		name string
		nr   uintptr
		args []uintptr
	}{
		{"io_uring_setup", unix.SYS_IO_URING_SETUP, []uintptr{1, p}},
		{"bpf", unix.SYS_BPF, []uintptr{0, p, 64}},
		{"userfaultfd", unix.SYS_USERFAULTFD, []uintptr{1}},
		{"perf_event_open", unix.SYS_PERF_EVENT_OPEN, []uintptr{p, 0, ^uintptr(0), ^uintptr(0), 0}},
		{"keyctl", unix.SYS_KEYCTL, []uintptr{0, ^uintptr(2), 1}},
		{"add_key", unix.SYS_ADD_KEY, []uintptr{p, p, 0, 0, ^uintptr(2)}},
		{"ptrace", unix.SYS_PTRACE, []uintptr{unix.PTRACE_TRACEME}},
		{"process_vm_readv", unix.SYS_PROCESS_VM_READV, []uintptr{1, p, 1, p, 1, 0}},
		{"mount", unix.SYS_MOUNT, []uintptr{p, p, p, 0, 0}},
		{"umount2", unix.SYS_UMOUNT2, []uintptr{p, 0}},
		{"pivot_root", unix.SYS_PIVOT_ROOT, []uintptr{p, p}},
		{"chroot", unix.SYS_CHROOT, []uintptr{p}},
		{"open_tree", unix.SYS_OPEN_TREE, []uintptr{0, p, 1}},
		{"fsopen", unix.SYS_FSOPEN, []uintptr{p, 0}},
		{"mount_setattr", unix.SYS_MOUNT_SETATTR, []uintptr{0, p, 0, p, 32}},
		{"open_by_handle_at", unix.SYS_OPEN_BY_HANDLE_AT, []uintptr{0, p, 0}},
		{"fanotify_init", unix.SYS_FANOTIFY_INIT, []uintptr{0, 0}},
		{"kexec_load", unix.SYS_KEXEC_LOAD, nil},
		{"init_module", unix.SYS_INIT_MODULE, []uintptr{p, 0, p}},
		{"reboot", unix.SYS_REBOOT, nil},
		{"syslog", unix.SYS_SYSLOG, []uintptr{3, p, 256}},
		{"sethostname", unix.SYS_SETHOSTNAME, []uintptr{p, 1}},
		{"setuid 0", unix.SYS_SETUID, []uintptr{0}},
		{"setgroups", unix.SYS_SETGROUPS, []uintptr{1, p}},
		{"mknod block device", unix.SYS_MKNODAT, []uintptr{uintptr(unix.AT_FDCWD & (1<<64 - 1)), uintptr(unsafe.Pointer(&[]byte("/tmp/disk\x00")[0])), unix.S_IFBLK | 0o666, 0x100}},
	}
	for _, c := range calls {
		errno(c.name, c.nr, c.args...)
	}
	errno("unknown call", 600)
	master, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY, 0)
	say("open a terminal of our own", err)
	for name, request := range map[string]uintptr{"TIOCSTI": unix.TIOCSTI, "TIOCLINUX": unix.TIOCLINUX, "TIOCSETD": unix.TIOCSETD, "TIOCCONS": unix.TIOCCONS} {
		errno(name, unix.SYS_IOCTL, uintptr(master), request, p)
	}
	_, err = os.OpenFile("/dev/tty", os.O_RDWR, 0)
	say("open a terminal of the host", err)
	return 0
}

// attackCore tries to have the kernel start the host's core handler.
func attackCore([]string) int {
	for _, limit := range []uint64{0, 1 << 30, 1} {
		say(fmt.Sprintf("setrlimit core %d", limit), unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: limit, Max: limit}))
	}
	// the pointer's low half is 0
	at, _, e := syscall.RawSyscall6(unix.SYS_MMAP, 1<<33, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_FIXED, ^uintptr(0), 0)
	if e == 0 {
		errno("prlimit core", unix.SYS_PRLIMIT64, 0, unix.RLIMIT_CORE, at, 0)
	}
	var now unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_CORE, &now)
	fmt.Println("core limit", now.Cur, now.Max, err)
	return 0
}

// attackKillAll kills everybody that it can.
func attackKillAll([]string) int {
	sleeper := exec.Command("/proc/self/exe", "sleep", "1m")
	sleeper.Args[0] = "inbox"
	if err := sleeper.Start(); err != nil {
		say("start", err)
		return 1
	}
	say("kill everybody", syscall.Kill(-1, syscall.SIGKILL))
	say("sleeper", sleeper.Wait())
	return 0
}

func whoami([]string) int {
	groups, _ := os.Getgroups()
	host, _ := os.Hostname()
	fmt.Println("uid", os.Getuid(), "euid", os.Geteuid(), "gid", os.Getgid(), "egid", os.Getegid(), "groups", groups)
	fmt.Println("pid", os.Getpid(), "parent", os.Getppid(), "host", host)
	return 0
}

// fds prints the descriptors that this process was given, and where they lead.
func fds([]string) int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		say("list", err)
		return 1
	}
	for _, e := range entries {
		target, err := os.Readlink(filepath.Join("/proc/self/fd", e.Name()))
		if err != nil || strings.HasPrefix(target, "/proc/") || strings.HasPrefix(target, "anon_inode:") {
			continue // the runtime's own, and the folder just read
		}
		kind, _, _ := strings.Cut(target, ":")
		fmt.Println(e.Name(), kind)
	}
	runtime.KeepAlive(entries)
	return 0
}
