//go:build unix

package fetch

import (
	"io/fs"
	"syscall"
)

// onDisk is what a file takes of the disk, in bytes: a file with holes takes less than its size.
func onDisk(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int64(st.Blocks) * 512
	}
	return info.Size()
}
