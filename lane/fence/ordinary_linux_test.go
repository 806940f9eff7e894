//go:build amd64 || arm64

package fence_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// ordinaryUser has no account, no groups and no capability.
const ordinaryUser = 12345

// runBoth runs the tests of this program and, where root runs it, at the same
// time all of them once more as an ordinary user, in a process of its own.
func runBoth(m *testing.M) int {
	flag.Parse()
	if os.Geteuid() != 0 {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "lane-fence-ordinary-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := os.Chown(dir, ordinaryUser, ordinaryUser); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	var out bytes.Buffer
	cmd := exec.Command("/proc/self/exe")
	for _, name := range []string{"test.run", "test.v", "test.count", "test.timeout"} {
		cmd.Args = append(cmd.Args, "-"+name+"="+flag.Lookup(name).Value.String())
	}
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Env = []string{"HOME=" + dir, "TMPDIR=" + dir, "PATH=" + os.Getenv("PATH"), inboxEnv + "=" + inboxDir}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Credential: &syscall.Credential{Uid: ordinaryUser, Gid: ordinaryUser},
		Pdeathsig:  unix.SIGKILL,
	}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	status := m.Run()
	err = cmd.Wait()
	if err != nil || testing.Verbose() {
		fmt.Printf("as an ordinary user: %v\n%s", err, out.Bytes())
	}
	if err != nil {
		return 1
	}
	return status
}
