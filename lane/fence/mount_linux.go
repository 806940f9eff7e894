//go:build amd64 || arm64

package fence

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Attributes of every mount in the box.
const (
	attrSafe     = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	attrReadOnly = attrSafe | unix.MOUNT_ATTR_RDONLY
)

// bind shows what fd stands for at target, with everything mounted below it,
// under the given attributes. The attributes are set before anybody can see it.
func bind(fd int, target string, attributes uint64) error {
	tree, err := unix.OpenTree(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE|unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return fmt.Errorf("clone mount: %w", err)
	}
	defer unix.Close(tree)
	attr := unix.MountAttr{Attr_set: attributes, Propagation: unix.MS_PRIVATE}
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		return fmt.Errorf("restrict mount: %w", err)
	}
	if err := unix.MoveMount(tree, "", unix.AT_FDCWD, target, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return fmt.Errorf("attach mount: %w", err)
	}
	return nil
}

// setAttributes changes the mount at path, and with recursive all below it.
func setAttributes(path string, attributes uint64, recursive bool) error {
	flags := uint(0)
	if recursive {
		flags = unix.AT_RECURSIVE
	}
	return unix.MountSetattr(unix.AT_FDCWD, path, flags, &unix.MountAttr{Attr_set: attributes})
}

// mountTmpfs mounts a new tmpfs at target.
func mountTmpfs(target, options string, flags uintptr) error {
	return unix.Mount("tmpfs", target, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|flags, options)
}

// makeFile makes an empty file, as a target for a mount, with its folders.
func makeFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDONLY, 0o444)
	if err != nil {
		return err
	}
	return f.Close()
}

// fdPath names an open descriptor as a path, for calls that take only those.
func fdPath(fd int, elements ...string) string {
	return filepath.Join(append([]string{fmt.Sprintf("/proc/self/fd/%d", fd)}, elements...)...)
}
