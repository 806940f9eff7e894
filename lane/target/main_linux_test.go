package target_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/vallane/lane/lane/fence"
)

// ordinaryUser has no account, no groups and no capability.
const ordinaryUser = 12345

// appEnv hands the folder with the built app to the tests that run again as an ordinary user.
const appEnv = "LANE_TARGET_TEST_APP"

// againEnv says that the tests run again.
const againEnv = "LANE_TARGET_TEST_AGAIN"

// TestMain runs the tests, and where root does, once more as an ordinary user at the same time.
func TestMain(m *testing.M) {
	fence.Init()
	flag.Parse()
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	if os.Getenv(appEnv) != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "lane-target-*")
	if err == nil {
		defer os.RemoveAll(dir)
		err = buildApp(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	os.Setenv(appEnv, dir)
	if os.Geteuid() != 0 {
		return m.Run()
	}
	home := filepath.Join(dir, fmt.Sprint("zones-", ordinaryUser))
	if err = os.Mkdir(home, 0o700); err == nil {
		err = os.Chown(home, ordinaryUser, ordinaryUser)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	cmd := exec.Command("/proc/self/exe")
	for _, name := range []string{"test.run", "test.v", "test.count", "test.timeout"} {
		cmd.Args = append(cmd.Args, "-"+name+"="+flag.Lookup(name).Value.String())
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Env = []string{"HOME=" + home, "TMPDIR=" + home, "PATH=" + os.Getenv("PATH"), appEnv + "=" + dir, againEnv + "=1"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: ordinaryUser, Gid: ordinaryUser}, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	status := m.Run()
	if err := cmd.Wait(); err != nil || testing.Verbose() {
		fmt.Printf("as an ordinary user: %v\n%s", err, out.Bytes())
		if err != nil {
			return 1
		}
	}
	return status
}

// buildApp builds testdata/app, without C, for every user.
func buildApp(dir string) error {
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "bin", "app"), "./testdata/app")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build app: %v\n%s", err, out)
	}
	return nil
}
