package main

import (
	"fmt"
	"os"
	"syscall"
)

func init() { programs["inode"] = inode }

// inode PATH... prints what else stat tells of a file, but for its times of
// access and status change.
func inode(args []string) int {
	devices := map[uint64]int{} // numbered as they come: the kernel's numbers are another in each run
	for _, name := range args {
		st, err := os.Lstat(name)
		if err != nil {
			fmt.Println(err)
			return 1
		}
		s := st.Sys().(*syscall.Stat_t)
		if _, seen := devices[s.Dev]; !seen {
			devices[s.Dev] = len(devices)
		}
		fmt.Println(name, s.Ino, "device", devices[s.Dev], s.Nlink, st.Mode(), owner(st), st.ModTime().UnixNano())
	}
	return 0
}

func owner(st os.FileInfo) string {
	s := st.Sys().(*syscall.Stat_t)
	return fmt.Sprintf("%d:%d", s.Uid, s.Gid)
}
