//go:build unix

package wasi

import (
	"io/fs"
	"os"
	"syscall"
)

// ownedBy reports whether a file belongs to an id; a negative one stands for this process's own.
func ownedBy(info fs.FileInfo, id int) bool {
	if id < 0 {
		id = os.Geteuid()
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == id
}
