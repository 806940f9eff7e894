//go:build amd64 || arm64

package fence

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// root is the file system of a box: a part that never changes, and the layers
// that every run gets anew.
type root struct {
	config  *Config
	limits  Limits
	layers  int      // descriptor of the hidden folder that holds lower folders and the runs' tmpfs
	work    int      // descriptor of the current tmpfs below it; -1 before the first
	files   *os.Root // writable view of FilesDir
	lastPID *os.File

	used      bool             // a run has come since all of it was fresh
	mounted   []mounted        // what a run may have written to, in the order of mounting
	unmounted <-chan error     // says once how it went with what an earlier run left
	states    map[string]state // the folders behind them as they were when fresh
}

// At the mount point of FilesDir lies, hidden below the mount of Lane's files,
// the folder with the layers.
const (
	treeLower = "tree"
	treeBelow = "below"
	treeGit   = "git"
	workDir   = "work"
	awayDir   = "away" // where the tmpfs of the run before waits to be unmounted
)

func lowerName(i int) string { return fmt.Sprintf("lower%d", i) }
func upperName(i int) string { return fmt.Sprintf("upper%d", i) }

// buildRoot makes the unchanging part in a tmpfs, moves into it, and leaves the
// host's file system for good.
func buildRoot(c *Config, s *sources, at time.Time) (*root, error) {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return nil, fail("make mounts private", err)
	}
	base, err := mountPoint()
	if err != nil {
		return nil, fail("find mount point", err)
	}
	if err := mountTmpfs(base, "mode=0755,size=64m,nr_inodes=100k", 0); err != nil {
		return nil, fail("mount root", err)
	}
	r := &root{config: c, limits: c.Limits, work: -1, states: map[string]state{}}
	nothing := make(chan error, 1)
	nothing <- nil
	r.unmounted = nothing
	steps := []struct {
		name string
		do   func() error
	}{
		{"bind store paths", func() error { return bindStore(base, c.StorePaths, s.store) }},
		{"make folders", func() error { return makeFolders(base, c.Overlays) }},
		{"make /etc", func() error { return writeEtc(base, at) }},
		{"make time zones", func() error { return placeZones(base, s.zones, at) }},
		{"link sh and env", func() error { return linkPrograms(base, c.Path) }},
		{"link the loader", func() error { return linkLoader(base, c.Path) }},
		{"make /dev", func() error { return makeDevices(base, s.devices) }},
		{"mount /proc", func() error { return mountProc(base) }},
		{"restrict /proc", func() error { return r.restrictProc(base) }},
		{"make layers", func() error { return r.makeLayers(base, s) }},
		{"enter root", func() error { return enterRoot(base) }},
		{"write files", func() error { return r.writeFiles(at) }},
		{"date folders", func() error { return dateFolders(at) }},
		{"make root read-only", func() error { return setAttributes("/", unix.MOUNT_ATTR_RDONLY, false) }},
	}
	for _, step := range steps {
		if err := step.do(); err != nil {
			return nil, fail(step.name, err)
		}
	}
	return r, nil
}

// mountPoint is a folder of the host to build the root on. Nothing happens to it
// outside of the box.
func mountPoint() (string, error) {
	for _, dir := range []string{"/tmp", "/run", "/mnt", "/var"} {
		if st, err := os.Stat(dir); err == nil && st.IsDir() {
			return dir, nil
		}
	}
	return "", errors.New("none of /tmp, /run, /mnt and /var is a folder")
}

func bindStore(base string, mounts []Mount, store []source) error {
	for i, m := range mounts {
		target, err := boxPath(base, m.Box)
		if err != nil {
			return err
		}
		src := store[i]
		switch {
		case src.fd < 0:
			if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
				return err
			}
			if err := os.Symlink(src.link, target); err != nil {
				return err
			}
			continue
		case src.folder:
			err = os.MkdirAll(target, 0o755)
		default:
			err = makeFile(target)
		}
		if err == nil {
			err = bind(src.fd, target, attrReadOnly)
		}
		if err != nil {
			return fail("bind "+m.Host+" to "+m.Box, err)
		}
	}
	return nil
}

// boxPath puts an absolute, clean box path below base.
func boxPath(base, p string) (string, error) {
	if !path.IsAbs(p) || path.Clean(p) != p || p == "/" {
		return "", fmt.Errorf("box path %q is not an absolute, clean path below /", p)
	}
	return base + p, nil
}

func makeFolders(base string, overlays []Overlay) error {
	folders := []string{"/bin", "/usr/bin", "/usr/share", "/proc", "/dev", "/tmp", "/var/tmp", "/run", "/etc", TreeDir, HomeDir, FilesDir}
	for _, o := range overlays {
		if _, err := boxPath(base, o.At); err != nil {
			return err
		}
		folders = append(folders, o.At)
	}
	for _, dir := range folders {
		if err := os.MkdirAll(base+dir, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// linkPrograms makes the two absolute paths that scripts everywhere rely on,
// from the first folder of PATH that has the program.
func linkPrograms(base string, dirs []string) error {
	for _, link := range []string{"/bin/sh", "/usr/bin/env"} {
		if _, err := os.Lstat(base + link); err == nil {
			continue // a store path lies there
		}
		for _, dir := range dirs {
			target := path.Join(dir, path.Base(link))
			if !existsBelow(base, target) {
				continue
			}
			if err := os.Symlink(target, base+link); err != nil {
				return err
			}
			break
		}
	}
	return nil
}

// loaders are where programs that were built for an ordinary Linux name their loader.
var loaders = []string{"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"}

// linkLoader serves programs that were built for no store: where a store path on PATH has the
// loader that they name, /lib, /lib64 and /usr/lib are that path's, and the loader finds the
// libraries there as on any system. Other closures, such as those of nixpkgs, get no such folder.
func linkLoader(base string, dirs []string) error {
	for _, dir := range dirs {
		top := path.Dir(dir)
		if !slices.ContainsFunc(loaders, func(l string) bool { return existsBelow(base, top+l) }) {
			continue
		}
		for link, to := range map[string]string{"/lib": "/lib", "/lib64": "/lib64", "/usr/lib": "/lib"} {
			if _, err := os.Lstat(base + link); err == nil || !existsBelow(base, top+to) {
				continue // a store path lies there
			}
			if err := os.Symlink(top+to, base+link); err != nil {
				return err
			}
		}
		return nil
	}
	return nil
}

// existsBelow resolves p as a process in the box will.
func existsBelow(base, p string) bool {
	dir, err := openFolder(base)
	if err != nil {
		return false
	}
	defer unix.Close(dir)
	how := &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS}
	for {
		fd, err := unix.Openat2(dir, p, how)
		if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) {
			continue // "..", while something was renamed or mounted anywhere on the machine
		}
		if err != nil {
			return false
		}
		unix.Close(fd)
		return true
	}
}

// enterRoot makes base the root and drops what was there. The new root goes on
// top of the old one, which is then unmounted from below it.
func enterRoot(base string) error {
	if err := unix.Chdir(base); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("pivot root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leave old root: %w", err)
	}
	return unix.Chdir("/")
}

// writeFiles mounts FilesDir read-only over the hidden layers, with a writable
// view of it kept for pid 1.
func (r *root) writeFiles(at time.Time) error {
	if err := mountTmpfs(FilesDir, "mode=0755,size=256m,nr_inodes=50k", 0); err != nil {
		return err
	}
	view, err := unix.OpenTree(unix.AT_FDCWD, FilesDir, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return fmt.Errorf("clone %s: %w", FilesDir, err)
	}
	defer unix.Close(view)
	if err := setAttributes(FilesDir, unix.MOUNT_ATTR_RDONLY, false); err != nil {
		return err
	}
	if r.files, err = os.OpenRoot(fdPath(view)); err != nil {
		return err
	}
	_, err = layFiles(r.files, r.config.Files, at)
	return err
}

// layFiles writes files below FilesDir and gives the names that it made,
// folders first. A file that is there already is an error.
func layFiles(dir *os.Root, files map[string]File, at time.Time) (made []string, err error) {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		rel, ok := strings.CutPrefix(name, FilesDir+"/")
		if !ok || path.Clean(name) != name {
			return made, fmt.Errorf("file %q does not lie below %s", name, FilesDir)
		}
		for i := range rel {
			if rel[i] != '/' {
				continue
			}
			switch err := dir.Mkdir(rel[:i], 0o755); {
			case err == nil:
				made = append(made, rel[:i])
			case !errors.Is(err, fs.ErrExist):
				return made, err
			}
		}
		mode := files[name].Mode.Perm()
		if mode == 0 {
			mode = 0o444
		}
		f, err := dir.OpenFile(rel, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if err != nil {
			return made, err
		}
		made = append(made, rel)
		if _, err = f.Write(files[name].Data); err == nil {
			err = f.Close()
		}
		if err != nil {
			return made, err
		}
		if err := dir.Chtimes(rel, at, at); err != nil {
			return made, err
		}
	}
	for _, rel := range made {
		if err := dir.Chtimes(rel, at, at); err != nil {
			return made, err
		}
	}
	return made, dir.Chtimes(".", at, at)
}

// dateFolders gives the folders of the root the box's time.
func dateFolders(at time.Time) error {
	for _, dir := range []string{"/etc", "/bin", "/usr/bin", "/usr/share", "/usr", "/var", "/home", "/"} {
		// a store path may have been mounted there
		if err := os.Chtimes(dir, at, at); err != nil && !errors.Is(err, unix.EROFS) {
			return err
		}
	}
	return nil
}
