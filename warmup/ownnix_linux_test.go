package warmup

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// ownNix runs the rest of a test in a process of its own that has a /nix, a
// /etc/passwd and a /etc/group of its own, so that it can use Nix as a machine
// does without touching this machine's store. It returns true in that process.
//
// A test that is built on it needs root, as the setting up of a Nix daemon does.
func ownNix(t *testing.T) bool {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a test a /nix of its own; make test runs the suite as root too")
	}
	if os.Getenv("LANE_TEST_OWN_NIX") != t.Name() {
		// t.TempDir's is below a folder that only root can enter.
		dir, err := os.MkdirTemp("", "lane-own-nix-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.timeout=60s")
		cmd.Env = append(os.Environ(), "LANE_TEST_OWN_NIX="+t.Name(), "LANE_TEST_DIR="+dir)
		cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
		cmd.WaitDelay = 5 * time.Second
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("in a /nix of its own: %v\n%s", err, out)
		}
		return false
	}
	// The machine keeps an empty folder, if it had none.
	if err := os.MkdirAll("/nix", 0o755); err != nil {
		t.Fatal(err)
	}
	dir := os.Getenv("LANE_TEST_DIR")
	nix := filepath.Join(dir, "nix")
	if err := os.Mkdir(nix, 0o755); err != nil {
		t.Fatal(err)
	}
	mount(t, "", "/", unix.MS_PRIVATE|unix.MS_REC)
	mount(t, nix, "/nix", unix.MS_BIND)
	withBuildUsers(t, dir)
	return true
}

func mount(t *testing.T, from, at string, flags uintptr) {
	t.Helper()
	if err := unix.Mount(from, at, "", flags, ""); err != nil {
		t.Fatalf("mount %s: %v", at, err)
	}
}

// The ordinary user of these tests, and the users that Nix's daemon builds as.
const (
	userID      = 71000
	buildUserID = 71100
	buildUsers  = 4
)

func withBuildUsers(t *testing.T, dir string) {
	t.Helper()
	passwd := fmt.Sprintf("root:x:0:0:root:/root:/bin/sh\nordinary:x:%d:%d::%s:/bin/sh\n", userID, userID, dir)
	group := fmt.Sprintf("root:x:0:\nordinary:x:%d:\nnixbld:x:%d:", userID, buildUserID)
	for i := range buildUsers {
		passwd += fmt.Sprintf("nixbld%d:x:%d:%d::/:/bin/false\n", i, buildUserID+i, buildUserID)
		group += fmt.Sprintf("%snixbld%d", map[bool]string{true: ","}[i > 0], i)
	}
	for name, data := range map[string]string{"passwd": passwd, "group": group + "\n"} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
		mount(t, file, "/etc/"+name, unix.MS_BIND)
	}
}

// asUser runs the test again, as the ordinary user. It returns true in that
// process.
func asUser(t *testing.T, env ...string) bool {
	t.Helper()
	if os.Geteuid() != 0 {
		return true
	}
	// The folder that the go command runs tests from is root's alone.
	self := filepath.Join(os.Getenv("LANE_TEST_DIR"), "warmup.test")
	data, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(self, data, 0o755); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(os.Getenv("LANE_TEST_DIR"), "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(home, userID, userID); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home, "LANE_TEST_AS_USER=1"}, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: userID, Gid: userID}, Pdeathsig: syscall.SIGKILL}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("as an ordinary user: %v\n%s", err, out.String())
	}
	return false
}
