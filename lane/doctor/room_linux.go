package doctor

import "golang.org/x/sys/unix"

// room is what this user may still put into a folder: bytes, and files, -1 where the file system does not count them.
func room(dir string) (bytes, files int64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, 0, err
	}
	if st.Files == 0 {
		return int64(st.Bavail) * st.Bsize, -1, nil
	}
	return int64(st.Bavail) * st.Bsize, int64(st.Ffree), nil
}
