//go:build amd64 || arm64

package fence

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Available says whether this process can open a box here: nil, or an
// *Unavailable. It opens an empty one to find out.
func Available(ctx context.Context) error {
	b, err := Open(ctx, Config{Cache: "", Limits: Limits{}})
	if err != nil {
		return err
	}
	return b.Close()
}

// createStep is the step in which the kernel makes the namespaces.
const createStep = "create namespaces"

// explain turns a failure to make a box into an Unavailable where the kernel
// refused something, by what the machine's settings say. Other failures, such as
// a missing store path, are the caller's.
func explain(f *failure) error {
	if f.Input || f.Errno == unix.ENOSPC && f.Step != createStep {
		return fmt.Errorf("open fence: %w", f)
	}
	switch f.Errno {
	case unix.EPERM, unix.EACCES, unix.ENOSPC, unix.ENOSYS, unix.EINVAL, unix.EUSERS, unix.ENODEV:
	default:
		return fmt.Errorf("open fence: %w", f)
	}
	u := &Unavailable{Step: f.Step, Err: f.Errno}
	kernelSetting := func(name string) string {
		data, err := os.ReadFile("/proc/sys/" + name)
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(data))
	}
	switch {
	case kernelSetting("user/max_user_namespaces") == "0":
		u.Why = "user namespaces are turned off"
		u.Fix = "sysctl -w user.max_user_namespaces=15000"
	case os.Geteuid() != 0 && kernelSetting("kernel/unprivileged_userns_clone") == "0":
		u.Why = "user namespaces are turned off for ordinary users"
		u.Fix = "sysctl -w kernel.unprivileged_userns_clone=1"
	case os.Geteuid() != 0 && kernelSetting("kernel/apparmor_restrict_unprivileged_userns") == "1":
		u.Why = "AppArmor lets ordinary users have no user namespace that can do anything"
		u.Fix = "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or give lane an AppArmor profile that has the line \"userns,\""
	case f.Errno == unix.ENOSPC:
		u.Why = "a limit on namespaces is met"
		u.Fix = "raise the limits in /proc/sys/user"
	case strings.Contains(f.Step, "/proc"):
		u.Why = "parts of /proc are masked, as they are in containers"
		u.Fix = "start the container with an unmasked /proc (docker: --security-opt systempaths=unconfined; Kubernetes: procMount: Unmasked)"
	case errors.Is(f.Errno, unix.ENOSYS) || errors.Is(f.Errno, unix.EINVAL) || errors.Is(f.Errno, unix.ENODEV):
		u.Why = "the kernel is too old, or built without it"
		u.Fix = "use Linux 5.14 or later with user namespaces, overlayfs and seccomp"
	default:
		u.Why = "a container's seccomp profile or a security module forbids it"
		u.Fix = "allow unshare, mount and clone with namespaces there (docker: --security-opt seccomp=unconfined --security-opt apparmor=unconfined)"
	}
	return u
}
