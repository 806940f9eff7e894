//go:build amd64 || arm64

package fence

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// becomeBoxUser makes every thread of pid 1 the box's user. Before, a box that
// root opened is uid 0 of the host: without capabilities there, but the owner of
// root's files. The verification reads what the kernel says of each thread.
func becomeBoxUser(root bool) error {
	if root {
		// an ordinary user cannot drop groups in a user namespace of his own
		if err := syscall.Setgroups(nil); err != nil {
			return fail("drop groups", err)
		}
	}
	if err := syscall.Setresgid(BoxUID, BoxUID, BoxUID); err != nil {
		return fail("take group id", err)
	}
	if err := syscall.Setresuid(BoxUID, BoxUID, BoxUID); err != nil {
		return fail("take user id", err)
	}
	threads, err := filepath.Glob("/proc/self/task/*/status")
	if err != nil || len(threads) == 0 {
		return fail("verify user id", fmt.Errorf("no thread found in /proc/self/task"))
	}
	want := strings.Repeat(fmt.Sprintf("\t%d", BoxUID), 4)
	for _, name := range threads {
		status, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			continue // the thread has ended
		}
		if err != nil {
			return fail("verify user id", err)
		}
		for _, key := range []string{"Uid:", "Gid:"} {
			if !bytes.Contains(status, []byte("\n"+key+want+"\n")) {
				return fail("verify user id", fmt.Errorf("%s is not uid %d throughout", name, BoxUID))
			}
		}
	}
	return nil
}
