//go:build amd64 || arm64

package fence

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// collectDefault bounds a collected file unless the command says otherwise, and
// collectTotal bounds all of a run together.
const (
	collectDefault = 16 * mib
	collectTotal   = 256 * mib
)

// collect reads files after the last process of the run is gone, so that what is
// read is what they left. Code chose what lies at these paths: only regular
// files reached through no symlink count, and only so much of them.
func collect(paths []string, limit int64) (map[string][]byte, map[string]string) {
	if limit <= 0 {
		limit = collectDefault
	}
	found, missing := map[string][]byte{}, map[string]string{}
	room := int64(collectTotal)
	for _, p := range paths {
		data, err := readRegular(p, min(limit, room))
		if err != nil {
			missing[p] = err.Error()
			continue
		}
		found[p] = data
		room -= int64(len(data))
	}
	return found, missing
}

func readRegular(p string, limit int64) ([]byte, error) {
	dir, err := openFolder("/")
	if err != nil {
		return nil, err
	}
	defer unix.Close(dir)
	how := &unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	fd, err := unix.Openat2(dir, p, how)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), p)
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	if st.Size() > limit {
		return nil, fmt.Errorf("%d bytes are more than the limit of %d", st.Size(), limit)
	}
	return io.ReadAll(io.LimitReader(f, limit))
}
