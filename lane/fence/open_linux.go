//go:build amd64 || arm64

package fence

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A Box is one opened fence. Its methods may be called from any goroutine; runs
// wait for each other.
type Box struct {
	config Config
	limits Limits
	cmd    *exec.Cmd
	group  *cgroup
	facts  Facts // those that are the same for every run
	wire   *wire
	errs   *lockedTail

	listeners []net.Listener // of Config.Listen

	waysMu sync.Mutex
	ways   int // socket that asks pid 1 for ways; -1 without Config.Ways, and when the box is closed

	mu      sync.Mutex // one run or probe at a time
	seq     int        // number of the last run
	closing sync.Once
	exited  chan struct{} // closed when pid 1 has been waited for
	state   *os.ProcessState
}

// boxNamespaces are those of a box. Its ipc and cgroup namespaces are made anew
// for each run besides.
const boxNamespaces = namespaceFlags

// initCapabilities are what pid 1 needs to build and reset the box. They hold in
// its own user namespace only.
var initCapabilities = []uintptr{
	unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP, unix.CAP_SETUID, unix.CAP_SETGID,
	unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_KILL, unix.CAP_SYS_PTRACE, unix.CAP_SYS_RESOURCE,
	unix.CAP_CHECKPOINT_RESTORE,
}

// HostID is the host's user and group id that BoxUID maps to: trees and layers
// given to a box must belong to it. configured is Config.HostUID. Root of a user
// namespace that has no such id, as in a rootless container, can only map itself.
func HostID(configured int) int {
	if !mapsOthers(configured) {
		return os.Geteuid()
	}
	if configured != 0 {
		return configured
	}
	return DefaultHostID
}

// mapsOthers says whether this process may map another id than its own.
func mapsOthers(configured int) bool {
	if os.Geteuid() != 0 {
		return false
	}
	want := int64(DefaultHostID)
	if configured != 0 {
		want = int64(configured)
	}
	return mapped("/proc/self/uid_map", want) && mapped("/proc/self/gid_map", want)
}

// mapped says whether an id exists in a user namespace, by its map.
func mapped(file string, id int64) bool {
	data, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(data)) {
		var inside, outside, length int64
		if n, _ := fmt.Sscan(line, &inside, &outside, &length); n == 3 && id >= inside && id < inside+length {
			return true
		}
	}
	return false
}

// Open starts a box. It returns an *Unavailable where the kernel does not give
// what a box is made of, and another error where the Config cannot be served.
// ctx bounds the opening only.
func Open(ctx context.Context, config Config) (*Box, error) {
	config.Limits = config.Limits.withDefaults()
	zones := ""
	if config.Cache != "" {
		var err error
		if zones, err = cachedZones(config.Cache); err != nil {
			return nil, fmt.Errorf("open fence: %w", err)
		}
	}
	b, err := start(&config)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = b.cmd.Process.Kill() })
	defer stop()
	request := message{Open: &openRequest{Config: config, BoxTime: config.boxTime(), FirstCPU: b.cmd.Process.Pid, Root: mapsOthers(config.HostUID), Zones: zones}}
	var answer reply
	var fds []int
	if err = b.wire.send(request); err == nil {
		fds, err = b.wire.receive(&answer)
	}
	switch {
	case err != nil:
	case answer.Failed != nil:
		closeAll(fds)
		err = answer.Failed
	case answer.Opened == nil:
		closeAll(fds)
		err = errors.New("the box answered something else")
	default:
		err = b.takeSockets(fds)
	}
	if err == nil {
		b.facts = answer.Opened.Facts
		b.facts.MemoryBy, b.facts.ProcessesBy = b.group.names()
		b.group.limitPIDs(b.cmd.Process.Pid, config.Limits.Processes)
		return b, nil
	}
	b.Close()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("open fence: %w", context.Cause(ctx))
	}
	var f *failure
	if errors.As(err, &f) {
		return nil, explain(f)
	}
	return nil, fmt.Errorf("open fence: the box ended while it was opened: %v%s", err, b.lastWords())
}

// answer waits for what pid 1 has to say. It sends no descriptors; where some come
// all the same, they are not kept.
func (b *Box) answer(r *reply) error {
	fds, err := b.wire.receive(r)
	closeAll(fds)
	return err
}

// start makes pid 1 in its namespaces and leaves it waiting for its orders.
func start(config *Config) (*Box, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open fence: make control socket: %w", err)
	}
	child := os.NewFile(uintptr(pair[1]), "lane-control")
	defer child.Close()
	b := &Box{config: *config, limits: config.Limits, wire: newWire(pair[0]), errs: &lockedTail{}, exited: make(chan struct{}), ways: -1}
	b.errs.t.limit = 8 << 10
	root := mapsOthers(config.HostUID)
	uid, gid := HostID(config.HostUID), HostID(config.HostUID)
	if !root {
		gid = os.Getegid()
	}
	b.cmd = &exec.Cmd{
		Path:       "/proc/self/exe",
		Args:       []string{initName},
		Env:        []string{"GOMAXPROCS=2", "GOTRACEBACK=all"},
		Stderr:     b.errs,
		ExtraFiles: []*os.File{child},
		SysProcAttr: &syscall.SysProcAttr{
			Cloneflags:                 boxNamespaces,
			Setsid:                     true,
			UidMappings:                []syscall.SysProcIDMap{{ContainerID: BoxUID, HostID: uid, Size: 1}},
			GidMappings:                []syscall.SysProcIDMap{{ContainerID: BoxUID, HostID: gid, Size: 1}},
			GidMappingsEnableSetgroups: root,
			AmbientCaps:                initCapabilities,
		},
		WaitDelay: time.Second,
	}
	if err := b.cmd.Start(); err != nil {
		unix.Close(pair[0])
		return nil, explain(fail(createStep, err))
	}
	go func() {
		_ = b.cmd.Wait() // how it ended is in ProcessState
		b.state = b.cmd.ProcessState
		close(b.exited)
	}()
	b.group = newCgroup(b.cmd.Process.Pid, config.Limits)
	return b, nil
}

// Close ends the box and everything in it, and returns when both are gone.
func (b *Box) Close() error {
	b.closing.Do(func() {
		for _, l := range b.listeners {
			l.Close()
		}
		_ = b.cmd.Process.Kill()
		<-b.exited
		b.closeWays()
		// wakes a run that waits for an answer; the descriptor is closed when
		// no method uses it any more
		_ = unix.Shutdown(b.wire.sock, unix.SHUT_RDWR)
		b.mu.Lock()
		defer b.mu.Unlock()
		b.wire.close()
		b.group.close()
	})
	<-b.exited
	return nil
}

// gone says whether pid 1 has ended. The caller holds b.mu.
func (b *Box) gone() bool {
	select {
	case <-b.exited:
		return true
	default:
		return b.wire.sock < 0
	}
}

// lastWords is what pid 1 wrote before it died, for a report of a fault in Lane.
func (b *Box) lastWords() string {
	select {
	case <-b.exited:
	case <-time.After(2 * time.Second):
		return ""
	}
	words := b.errs.String()
	if words == "" {
		return fmt.Sprintf(" (%v)", b.state)
	}
	return fmt.Sprintf(" (%v): %s", b.state, words)
}

// lockedTail collects what pid 1 writes to its stderr.
type lockedTail struct {
	mu sync.Mutex
	t  tail
}

func (l *lockedTail) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.t.Write(p)
}

func (l *lockedTail) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.t.result().String()
}
