//go:build amd64 || arm64

package fence

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// locked runs do on a thread that is made for it and locked down like every
// process of the box. Capabilities, no_new_privs, seccomp filters and namespaces
// belong to a thread in Linux, and a process forked there inherits them: so the
// thread is locked down for good, forks, and ends with its goroutine, while the
// other threads of pid 1 keep what they need to reset the box.
//
// keep gives it the ipc namespace of the run before.
func (b *boxInit) locked(keep bool, do func() error) error {
	b.setLastPID(1) // the thread itself gets an id below reservedPIDs, a process the one at it
	b.spare--
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends here
		err := b.enterIPC(keep)
		if err == nil {
			b.setLastPID(reservedPIDs - 1)
			if b.cpus != nil {
				err = unix.SchedSetaffinity(0, b.cpus)
			}
		}
		if err == nil {
			err = lockDown(b.filter)
		}
		if err == nil {
			err = do()
		}
		done <- err
	}()
	return <-done
}

// launch starts a process of the box.
func (b *boxInit) launch(path string, argv []string, attr *syscall.ProcAttr, keep bool) (pid int, err error) {
	err = b.locked(keep, func() (err error) {
		pid, err = syscall.ForkExec(path, argv, attr)
		return err
	})
	return pid, err
}

// setLastPID says after which id the kernel goes on. Where it cannot be said,
// ids go on from the run before.
func (b *boxInit) setLastPID(id int) {
	if b.lastPID != nil {
		_, _ = b.lastPID.WriteAt(strconv.AppendInt(nil, int64(id), 10), 0)
	}
}

// enterIPC gives the calling thread a new ipc namespace, with it a new view of
// cgroups, or that of the run before.
func (b *boxInit) enterIPC(keep bool) error {
	if keep && b.ipc >= 0 {
		if err := unix.Setns(b.ipc, unix.CLONE_NEWIPC); err != nil {
			return fmt.Errorf("enter ipc namespace: %w", err)
		}
		return nil
	}
	if err := unix.Unshare(unix.CLONE_NEWIPC | unix.CLONE_NEWCGROUP); err != nil {
		return fmt.Errorf("make ipc namespace: %w", err)
	}
	fd, err := unix.Open(fmt.Sprintf("/proc/self/task/%d/ns/ipc", unix.Gettid()), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open ipc namespace: %w", err)
	}
	if b.ipc >= 0 {
		unix.Close(b.ipc)
	}
	b.ipc = fd
	return nil
}

// lockDown takes everything from the calling thread that a process of the box
// must not have. There is no way back.
func lockDown(filter []unix.SockFilter) error {
	var none unix.Sigset_t
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &none, nil); err != nil {
		return fmt.Errorf("unblock signals: %w", err)
	}
	for capability := uintptr(0); capability < 64; capability++ {
		_, _, errno := unix.RawSyscall6(unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, capability, 0, 0, 0, 0)
		if errno == unix.EINVAL {
			break // the kernel knows no more of them
		}
		if errno != 0 {
			return fmt.Errorf("drop bounding capability %d: %w", capability, errno)
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("clear ambient capabilities: %w", err)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var empty [2]unix.CapUserData
	if _, _, errno := unix.RawSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&empty[0])), 0); errno != 0 {
		return fmt.Errorf("drop capabilities: %w", errno)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("set no_new_privs: %w", err)
	}
	if err := loadFilter(filter); err != nil {
		return fmt.Errorf("load seccomp filter: %w", err)
	}
	return nil
}

// openNull opens the box's own /dev/null.
func openNull() (int, error) {
	fd, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("open %s: %w", os.DevNull, err)
	}
	return fd, nil
}
