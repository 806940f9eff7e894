//go:build amd64 || arm64

package fence

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// sources are the host paths of a box, opened before pid 1 gives up the caller's
// user id: store paths and trees may lie below folders that only the caller may
// enter.
type sources struct {
	store   []source // one per Config.StorePaths
	tree    int      // -1 if none
	below   int      // of Config.TreeBelow; -1 if none
	git     int      // of Config.TreeGit; -1 if none
	lowers  []int    // one per Config.Overlays; -1 if none
	uppers  []int    // likewise
	zones   int      // -1 if none
	devices map[string]int
}

// source is one store path: a descriptor, or the target of a symlink.
type source struct {
	fd     int
	folder bool
	link   string
}

// deviceNames are the devices of a box. A process of a box has no controlling
// terminal, so that tty can only ever be one of the box's own.
var deviceNames = []string{"null", "zero", "full", "random", "urandom", "tty"}

func openSources(c *Config, zones string) (*sources, error) {
	s := &sources{tree: -1, below: -1, git: -1, zones: -1, devices: map[string]int{}}
	for _, m := range c.StorePaths {
		src, err := openSource(m.Host)
		if err != nil {
			return nil, badInput("open store path "+m.Host, err)
		}
		s.store = append(s.store, src)
	}
	optional := func(path string) (int, error) {
		if path == "" {
			return -1, nil
		}
		fd, err := openFolder(path)
		if err != nil {
			return -1, badInput("open folder "+path, err)
		}
		return fd, nil
	}
	var err error
	if s.tree, err = optional(c.Tree); err != nil {
		return nil, err
	}
	if s.below, err = optional(c.TreeBelow); err != nil {
		return nil, err
	}
	if s.git, err = optional(c.TreeGit); err != nil {
		return nil, err
	}
	if s.zones, err = optional(zones); err != nil {
		return nil, err
	}
	for _, o := range c.Overlays {
		lower, err := optional(o.Lower)
		if err != nil {
			return nil, err
		}
		upper, err := optional(o.Upper)
		if err != nil {
			return nil, err
		}
		s.lowers, s.uppers = append(s.lowers, lower), append(s.uppers, upper)
	}
	for _, name := range deviceNames {
		fd, err := unix.Open("/dev/"+name, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			return nil, fail("open device "+name, err)
		}
		s.devices[name] = fd
	}
	return s, nil
}

func openFolder(path string) (int, error) {
	return unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
}

// openSource opens a store path, which may itself be a symlink.
func openSource(path string) (source, error) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return source{}, err
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return source{}, err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFLNK {
		defer unix.Close(fd)
		link, err := os.Readlink(path)
		return source{fd: -1, link: link}, err
	}
	return source{fd: fd, folder: st.Mode&unix.S_IFMT == unix.S_IFDIR}, nil
}

// checkUppers refuses a folder that the box's user, which pid 1 is by now, could
// not write to.
func (s *sources) checkUppers(overlays []Overlay) error {
	for i, fd := range s.uppers {
		if fd < 0 {
			continue
		}
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil {
			return badInput("look at folder "+overlays[i].Upper, err)
		}
		if st.Uid != BoxUID {
			return badInput("use folder "+overlays[i].Upper, errors.New("it does not belong to the user that the box maps to"))
		}
	}
	return nil
}

func (s *sources) close() {
	for _, src := range s.store {
		closeAll(valid(src.fd))
	}
	closeAll(valid(s.tree, s.below, s.git, s.zones))
	closeAll(valid(s.lowers...))
	closeAll(valid(s.uppers...))
	for _, fd := range s.devices {
		unix.Close(fd)
	}
}

func valid(fds ...int) []int {
	var out []int
	for _, fd := range fds {
		if fd >= 0 {
			out = append(out, fd)
		}
	}
	return out
}
