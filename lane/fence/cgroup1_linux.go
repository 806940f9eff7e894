//go:build amd64 || arm64

package fence

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// newGroup makes a child of this process's own group of one controller of the first version, in which any group may have children,
// so that limits which hold for Lane hold for the box.
func newGroup(controller string, pid int) string {
	own, err := ownGroup(controller)
	if err != nil {
		return ""
	}
	return makeGroup(own, pid)
}

// makeGroup makes a group below parent and moves pid there; "" where either cannot be done.
func makeGroup(parent string, pid int) string {
	sweepGroups(parent)
	dir, err := os.MkdirTemp(parent, cgroupPrefix+"*")
	if err != nil {
		return ""
	}
	if writeControl(dir, "cgroup.procs", strconv.Itoa(pid)) != nil {
		_ = os.Remove(dir)
		return ""
	}
	return dir
}

// ownGroup is the folder of this process's group of one controller of the first version.
func ownGroup(controller string) (string, error) {
	own, err := ownPath(func(id, controllers string) bool { return controllers == controller })
	if err != nil {
		return "", fmt.Errorf("find the cgroup of controller %s: %w", controller, err)
	}
	return groupFolder(filepath.Join(cgroupRoot, controller), own)
}

// ownPath is what the kernel says of this process's group in the hierarchy that is asked for, by its number and its controllers.
func ownPath(is func(id, controllers string) bool) (string, error) {
	data, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(data)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) == 3 && is(fields[0], fields[1]) {
			return fields[2], nil
		}
	}
	return "", os.ErrNotExist
}

// groupFolder is where a group shows below a mount. In a container, the path may be that of the host and not exist here.
func groupFolder(mount, path string) (string, error) {
	for _, dir := range []string{filepath.Join(mount, path), mount} {
		if _, err := os.Stat(filepath.Join(dir, "cgroup.procs")); err == nil {
			return dir, nil
		}
	}
	return "", fmt.Errorf("%s does not show the cgroup %s: %w", mount, path, os.ErrNotExist)
}
