//go:build amd64 || arm64

package fence

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// scratch are the writable folders of a run besides the overlays, by their name
// in the run's tmpfs.
var scratch = []struct {
	name, at string
	mode     os.FileMode
}{
	{"tmp", "/tmp", 0o777 | os.ModeSticky},
	{"vartmp", "/var/tmp", 0o777 | os.ModeSticky},
	{"shm", "/dev/shm", 0o777 | os.ModeSticky},
	{"home", HomeDir, 0o755},
}

// makeLayers makes the folder that holds what overlays are made of. It lies at
// the mount point of FilesDir, which is mounted over it later: a process of the
// box has no path to it.
func (r *root) makeLayers(base string, s *sources) error {
	hidden := filepath.Join(base, FilesDir)
	if err := mountTmpfs(hidden, "mode=0700,size=1m,nr_inodes=1k", 0); err != nil {
		return err
	}
	for _, dir := range []string{treeLower, treeBelow, treeGit, workDir, awayDir} {
		if err := os.Mkdir(filepath.Join(hidden, dir), 0o755); err != nil {
			return err
		}
	}
	for name, fd := range map[string]int{treeLower: s.tree, treeBelow: s.below, treeGit: s.git} {
		if fd < 0 {
			continue
		}
		if err := bind(fd, filepath.Join(hidden, name), attrReadOnly); err != nil {
			return fail("bind tree", err)
		}
	}
	for i, o := range r.config.Overlays {
		for name, fd := range map[string]int{lowerName(i): s.lowers[i], upperName(i): s.uppers[i]} {
			dir := filepath.Join(hidden, name)
			if err := os.Mkdir(dir, 0o755); err != nil {
				return err
			}
			if fd < 0 {
				continue
			}
			attributes := uint64(attrReadOnly)
			if name == upperName(i) {
				attributes = attrSafe
			}
			if err := bind(fd, dir, attributes); err != nil {
				return fail("bind layer of "+o.At, err)
			}
		}
	}
	layers, err := openFolder(hidden)
	if err != nil {
		return err
	}
	r.layers = layers
	return nil
}

// state is all that a process can see of an empty folder but its place.
type state struct {
	stat       unix.Stat_t
	attributes string
}

func folderState(dir string) (state, error) {
	var s state
	if err := unix.Lstat(dir, &s.stat); err != nil {
		return s, err
	}
	size, err := unix.Llistxattr(dir, nil)
	if err != nil && err != unix.ENOTSUP || size <= 0 {
		return s, nilIf(err, unix.ENOTSUP)
	}
	names := make([]byte, size)
	if _, err := unix.Llistxattr(dir, names); err != nil {
		return s, err
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(names), "\x00"), "\x00") {
		value := make([]byte, 4096)
		n, err := unix.Lgetxattr(dir, name, value)
		if err != nil {
			return s, err
		}
		s.attributes += name + "=" + string(value[:n]) + "\x00"
	}
	return s, nil
}

func nilIf(err, ignored error) error {
	if err == ignored {
		return nil
	}
	return err
}

// untouched says that no run has written anything since the last fresh: every
// writable folder is still empty and has the times, mode and attributes that it
// had then. A folder's time of status change cannot be set, and what happens
// within one tick of the kernel's clock and leaves nothing cannot be seen by the
// next run either.
//
// A copied tree is only taken for untouched where no run has come since: to look at all of it would take as long as another copy.
func (r *root) untouched() bool {
	if r.config.TreeCopy && r.used {
		return false
	}
	for dir, before := range r.states {
		now, err := folderState(dir)
		if err != nil || now != before {
			return false
		}
	}
	return true
}

// mounted is a mount that a run may have written to, and the folder of the run's tmpfs below which it is put when the run is over.
type mounted struct{ at, away string }

// fresh replaces everything that a run may have written. No process of the box
// may be alive.
func (r *root) fresh() error {
	if err := r.putAway(); err != nil {
		return err
	}
	work := fdPath(r.layers, workDir)
	if err := mountTmpfs(work, r.workOptions(), 0); err != nil {
		return fmt.Errorf("mount layers: %w", err)
	}
	var err error
	if r.work, err = openFolder(work); err != nil {
		return fmt.Errorf("open layers: %w", err)
	}
	for _, s := range scratch {
		if err := r.mountScratch(s.name, s.at, s.mode); err != nil {
			return fmt.Errorf("mount %s: %w", s.at, err)
		}
	}
	if err := r.mountTree(); err != nil {
		return fmt.Errorf("mount %s: %w", TreeDir, err)
	}
	for i, o := range r.config.Overlays {
		if err := r.mountExtra(i, o); err != nil {
			return fmt.Errorf("mount %s: %w", o.At, err)
		}
	}
	for dir := range r.states {
		if r.states[dir], err = folderState(dir); err != nil {
			return fmt.Errorf("look at %s: %w", dir, err)
		}
	}
	return nil
}

// putAway moves what a run may have written to out of the way, and has it unmounted while the next run is under way: to unmount is
// most of what a reset costs, since the kernel waits for all processors with each mount, while moving one is quick. Everything
// is moved below the run's tmpfs first, so that it goes in one.
func (r *root) putAway() error {
	if err := <-r.unmounted; err != nil {
		return fmt.Errorf("unmount the layers of an earlier run: %w", err)
	}
	gone := make(chan error, 1)
	r.unmounted = gone
	if r.work < 0 {
		gone <- nil
		return nil
	}
	for _, m := range slices.Backward(r.mounted) {
		if err := unix.Mount(m.at, m.away, "", unix.MS_MOVE, ""); err != nil {
			return fmt.Errorf("put %s away: %w", m.at, err)
		}
	}
	r.mounted, r.states, r.used = r.mounted[:0], map[string]state{}, false
	unix.Close(r.work)
	r.work = -1
	away := fdPath(r.layers, awayDir)
	if err := unix.Mount(fdPath(r.layers, workDir), away, "", unix.MS_MOVE, ""); err != nil {
		return fmt.Errorf("put layers away: %w", err)
	}
	go func() { gone <- unix.Unmount(away, unix.MNT_DETACH) }()
	return nil
}

func (r *root) workOptions() string {
	options := "mode=0755"
	if r.limits.Disk > 0 {
		options += fmt.Sprintf(",size=%d", r.limits.Disk)
	} else {
		options += ",size=0"
	}
	return options + fmt.Sprintf(",nr_inodes=%d", max(r.limits.Inodes, 0))
}

func (r *root) mountScratch(name, at string, mode os.FileMode) error {
	dir := fdPath(r.work, name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	if err := os.Chmod(dir, mode); err != nil {
		return err
	}
	if err := unix.Mount(dir, at, "", unix.MS_BIND, ""); err != nil {
		return err
	}
	r.mounted = append(r.mounted, mounted{at, dir})
	r.states[dir] = state{}
	return nil
}

// mountTree mounts the tree, above what is below it.
func (r *root) mountTree() error {
	lower := []string{fdPath(r.layers, treeLower)}
	if r.config.TreeBelow != "" {
		lower = append(lower, fdPath(r.layers, treeBelow))
	}
	if r.config.TreeGit != "" {
		lower = append(lower, fdPath(r.layers, treeGit))
	}
	if r.config.TreeCopy {
		return r.mountCopy(lower)
	}
	return r.mountOverlay("tree", lower, "", TreeDir)
}

// mountExtra mounts one of Config.Overlays.
func (r *root) mountExtra(i int, o Overlay) error {
	lower, upper := fdPath(r.layers, lowerName(i)), fdPath(r.layers, upperName(i))
	switch {
	case o.Upper == "":
		return r.mountOverlay(lowerName(i), []string{lower}, "", o.At)
	case o.Lower != "":
		return r.mountOverlay(lowerName(i), []string{lower}, upper, o.At)
	}
	if err := unix.Mount(upper, o.At, "", unix.MS_BIND, ""); err != nil {
		return err
	}
	return r.remember(o.At, upperName(i))
}

// mountOverlay mounts an overlay of folders, the first above the others, whose upper layer is the folder upper, or a new
// one in the run's tmpfs. All paths are Lane's own, so that no character in a
// host path can break the option string.
func (r *root) mountOverlay(name string, lower []string, upper, at string) error {
	dir := upper
	if dir == "" {
		dir = fdPath(r.work, "overlay-"+name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
	}
	up, work := filepath.Join(dir, "upper"), filepath.Join(dir, "work")
	for _, d := range []string{up, work} {
		if err := os.Mkdir(d, 0o755); err != nil && !os.IsExist(err) {
			return err
		}
	}
	if upper == "" {
		if err := copyFolderMeta(lower[0], up); err != nil {
			return err
		}
		r.states[up] = state{}
	}
	err := unix.Mount("overlay", at, "overlay", unix.MS_NOSUID|unix.MS_NODEV,
		"lowerdir="+strings.Join(lower, ":")+",upperdir="+up+",workdir="+work+",userxattr")
	if err != nil {
		return err
	}
	return r.remember(at, "overlay-"+name)
}

// remember makes the folder that a mount is put below later.
func (r *root) remember(at, name string) error {
	away := fdPath(r.work, name)
	if err := os.Mkdir(away, 0o755); err != nil && !os.IsExist(err) {
		return err
	}
	r.mounted = append(r.mounted, mounted{at, away})
	return nil
}

// keepsAttributes says whether upper layers can hold the attribute by which an
// overlay marks a folder as new.
func (r *root) keepsAttributes() bool {
	const attribute = "user.lane"
	dir := fdPath(r.work)
	return unix.Setxattr(dir, attribute, []byte("y"), 0) == nil && unix.Removexattr(dir, attribute) == nil
}

// copyFolderMeta gives the root of an overlay the mode and time of its lower
// folder: the upper one's are what is seen.
func copyFolderMeta(from, to string) error {
	st, err := os.Stat(from)
	if err != nil {
		return err
	}
	if err := os.Chmod(to, st.Mode().Perm()); err != nil {
		return err
	}
	return os.Chtimes(to, st.ModTime(), st.ModTime())
}
