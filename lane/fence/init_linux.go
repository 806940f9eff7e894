//go:build amd64 || arm64

package fence

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// initName is the name under which this program starts itself as pid 1 of a box.
const initName = "lane-box"

// controlFD is the descriptor of the control socket in pid 1.
const controlFD = 3

// Init must be the first call of main, and of TestMain in packages that open
// boxes. In a process that Open started it becomes the box's pid 1 and never
// returns; in any other it returns at once.
func Init() {
	if len(os.Args) > 0 && os.Args[0] == initName && os.Getpid() == 1 {
		os.Exit(boxMain())
	}
}

// boxInit is pid 1 of a box.
type boxInit struct {
	wire     *wire
	requests chan request
	config   Config
	boxTime  time.Time

	root    *root
	filter  []unix.SockFilter
	lastPID *os.File // ns_last_pid, where the kernel has it
	ipc     int      // ipc namespace of the last run, for Keep; -1 if none

	cpus *unix.CPUSet // processors of the box's processes; nil for those of pid 1

	spare    int      // idle threads that pid 1 has for runs to come
	runFiles []string // per-run files that lie below FilesDir
}

type request struct {
	message
	fds []int
}

// boxMain is the life of pid 1. Its result is the exit status, which nobody but
// a person with a debugger sees.
func boxMain() int {
	// The main thread is kept for main: a goroutine that ends with its thread,
	// as each run's launcher does, must never have been put on it.
	runtime.LockOSThread()
	closeInherited()
	b := &boxInit{
		wire: newWire(controlFD),
		ipc:  -1,
		// a run asks for few things: listen must never be kept from seeing the end
		requests: make(chan request, 16),
	}
	go b.listen()
	first := <-b.requests
	if first.Open == nil {
		return 70
	}
	sockets, err := b.open(first.Open)
	if err != nil {
		_ = b.wire.send(reply{Failed: fail("open box", err)})
		return 71
	}
	if b.wire.send(reply{Opened: &openedReply{Facts: b.boxFacts()}}, sockets...) != nil {
		return 0
	}
	closeAll(sockets)
	for r := range b.requests {
		var answer reply
		var fatal bool
		switch {
		case r.Run != nil:
			answer = b.run(r.Run, r.fds)
			fatal = answer.Failed != nil && answer.Failed.Fatal
		case r.Probe != nil:
			answer = b.probe(r.Probe)
		case r.Inspect:
			answer = b.inspect()
		default: // Settle or Kill, for a run that has just ended
			continue
		}
		closeAll(r.fds)
		if b.wire.send(answer) != nil || fatal {
			return 0
		}
		b.warmThreads() // while Lane looks at the answer
	}
	return 0
}

// listen hands on what Lane says. When Lane is gone, so is the box: pid 1 ends
// and the kernel kills everything below it.
func (b *boxInit) listen() {
	for {
		var r request
		fds, err := b.wire.receive(&r.message)
		if errors.Is(err, io.EOF) {
			os.Exit(0)
		}
		if err != nil {
			os.Exit(72)
		}
		r.fds = fds
		b.requests <- r
	}
}

// open makes the box: see the package documentation for the order. What it returns is the listeners, and where
// Lane asks for ways, if it may.
func (b *boxInit) open(req *openRequest) (sockets []int, err error) {
	b.config, b.boxTime = req.Config, req.BoxTime
	syscall.Umask(0o022)
	sources, err := openSources(&b.config, req.Zones)
	if err != nil {
		return nil, err
	}
	defer sources.close()
	if err := becomeBoxUser(req.Root); err != nil {
		return nil, err
	}
	if err := sources.checkUppers(b.config.Overlays); err != nil {
		return nil, err
	}
	defaultSignals() // only now: changing ids on all threads works by signals
	if b.root, err = buildRoot(&b.config, sources, b.boxTime); err != nil {
		return nil, err
	}
	if err := b.root.fresh(); err != nil {
		return nil, fail("make writable layers", err)
	}
	if err := setUpNetwork(); err != nil {
		return nil, err
	}
	if err := unix.Sethostname([]byte("lane")); err != nil {
		return nil, fail("set host name", err)
	}
	// with no_new_privs this keeps a box process from tracing pid 1 or looking
	// into /proc/1, which has the same user id
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return nil, fail("hide pid 1", err)
	}
	b.lastPID = b.root.lastPID
	if b.cpus, err = chooseCPUs(b.config.Limits.CPUs, req.FirstCPU); err != nil {
		return nil, fail("choose processors", err)
	}
	ways := -1
	if b.config.Ways { // before the threads are settled, since it keeps one of them
		if ways, err = openWays(); err != nil {
			return nil, err
		}
	}
	if err := b.settleThreads(); err != nil {
		return nil, err
	}
	if n := len(b.config.Listen); n > mostListeners {
		return nil, badInput("listen in box", fmt.Errorf("%d addresses are more than %d", n, mostListeners))
	}
	for _, address := range b.config.Listen {
		fd, err := listenInBox(address)
		if err != nil {
			return nil, err
		}
		sockets = append(sockets, fd)
	}
	if ways >= 0 {
		sockets = append(sockets, ways)
	}
	return sockets, limitInit(b.config.Limits)
}

// closeInherited closes what Lane's own parent leaked to Lane without
// close-on-exec. The Go runtime's descriptors have that flag.
func closeInherited() {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		unix.CloseRange(controlFD+1, ^uint(0), unix.CLOSE_RANGE_CLOEXEC)
		return
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= controlFD {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			unix.Close(fd)
		}
	}
	unix.CloseOnExec(controlFD)
}

// defaultSignals takes the handlers of the Go runtime away. The kernel drops a
// signal from inside the pid namespace to a pid 1 that has no handler for it, so
// that no process of the box can end or stop it. SIGURG stays: the runtime
// preempts goroutines by it, and one too many does no harm.
func defaultSignals() {
	var dfl [4]uint64 // struct sigaction: SIG_DFL, no flags, empty mask
	for sig := uintptr(1); sig <= 64; sig++ {
		if sig == uintptr(unix.SIGURG) {
			continue
		}
		// SIGKILL and SIGSTOP fail, as they should
		_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, sig, uintptr(unsafe.Pointer(&dfl)), 0, 8, 0, 0)
	}
}

// settleThreads starts pid 1's threads and makes the filter that protects them.
func (b *boxInit) settleThreads() error {
	b.warmThreads()
	lastOwn := reservedPIDs - 1
	if b.lastPID == nil { // the ids of the box begin where those of the threads end
		lastOwn = 1
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return fail("list threads", err)
		}
		for _, task := range tasks {
			if id, err := strconv.Atoi(task.Name()); err == nil {
				lastOwn = max(lastOwn, id)
			}
		}
	}
	rules := filterRules(lastOwn)
	if b.cpus != nil {
		rules = append(rules, rule{nr: unix.SYS_SCHED_SETAFFINITY, action: refuse(uint32(unix.EPERM))})
	}
	b.filter = assemble(rules)
	return nil
}

// Each run uses up one of pid 1's threads, and needs some more to be at hand.
const (
	spareThreads = 12
	fewThreads   = 5
)

// warmThreads has the runtime start its threads while nothing lives in the box:
// so they get low ids, which the seccomp filter protects, and a box at its process
// limit cannot keep pid 1 from having one. The runtime keeps idle threads.
func (b *boxInit) warmThreads() {
	if b.spare > fewThreads {
		return
	}
	b.spare = spareThreads
	b.setLastPID(1)
	var started, release = make(chan struct{}), make(chan struct{})
	done := make(chan struct{})
	for range spareThreads {
		go func() {
			runtime.LockOSThread()
			started <- struct{}{}
			<-release
			runtime.UnlockOSThread()
			done <- struct{}{}
		}()
	}
	for range spareThreads {
		<-started
	}
	close(release)
	for range spareThreads {
		<-done
	}
	// the runtime may have asked for a thread too many, which comes a moment later
	time.Sleep(300 * time.Microsecond)
}

// leastOpenFiles is what pid 1 needs itself.
const leastOpenFiles = 64

// initHeadroom is what pid 1's own threads may take of the process limit.
const initHeadroom = 48

// limitInit bounds pid 1 itself, and so all that it starts; the command's own
// limit on processes is set once it runs. Hard limits cannot be raised again.
func limitInit(l Limits) error {
	set := func(name string, resource int, value uint64) error {
		var now unix.Rlimit
		if err := unix.Getrlimit(resource, &now); err != nil {
			return fail("read limit "+name, err)
		}
		value = min(value, now.Max)
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: value, Max: value}); err != nil {
			return fail("limit "+name, err)
		}
		return nil
	}
	// With a limit of exactly 1 the kernel starts no core handler of the host's
	// either; with 0 it would. The seccomp filter keeps it at that.
	if err := set("core", unix.RLIMIT_CORE, 1); err != nil {
		return err
	}
	for name, resource := range map[string]int{"nice": unix.RLIMIT_NICE, "real-time priority": unix.RLIMIT_RTPRIO} {
		if err := set(name, resource, 0); err != nil {
			return err
		}
	}
	if l.OpenFiles > 0 {
		if err := set("open files", unix.RLIMIT_NOFILE, uint64(max(l.OpenFiles, leastOpenFiles))); err != nil {
			return err
		}
	}
	if l.FileSize > 0 {
		if err := set("file size", unix.RLIMIT_FSIZE, uint64(l.FileSize)); err != nil {
			return err
		}
	}
	if l.Processes > 0 {
		return set("processes", unix.RLIMIT_NPROC, uint64(l.Processes+initHeadroom))
	}
	return nil
}
