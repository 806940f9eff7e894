package warmup

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// N8: Nix builds without a sandbox, and Lane measures it.
func TestSandboxOffIsRecorded(t *testing.T) {
	if !ownNix(t) {
		return
	}
	l := newLab(t)
	l.Private = ""
	l.noSandbox = true
	src := flake(t, two)
	c := l.warm(src)
	if c.Sandbox != SandboxOff {
		t.Errorf("sandbox %s", c.Sandbox)
	}
	// What was built so stays so, whatever is asked for later.
	l.noSandbox = false
	src.Files["extra"] = File{}
	if c := l.warm(src); c.Sandbox != SandboxOff {
		t.Errorf("sandbox %s of paths that were built without", c.Sandbox)
	}
}

// Root warms and publishes; an ordinary user finds it without Nix.
func TestOrdinaryUserUsesWhatRootPublished(t *testing.T) {
	if os.Getenv("LANE_TEST_AS_USER") == "" {
		if !ownNix(t) {
			return
		}
		dir := os.Getenv("LANE_TEST_DIR")
		l := newLab(t)
		l.Private, l.Publish = "", filepath.Join(dir, "shared")
		old := syscall.Umask(0o077) // what is published is readable all the same
		l.warm(flake(t, two))
		syscall.Umask(old)
		asUser(t, "LANE_TEST_SHARED="+l.Publish, "LANE_TEST_BUILDER="+builderFile(t, dir))
		return
	}
	t.Setenv("PATH", "/nowhere")
	shared := os.Getenv("LANE_TEST_SHARED")
	o := Options{State: filepath.Join(t.TempDir(), "state"), Shared: []string{shared}}
	src := flake(t, two)
	for _, level := range []Level{LevelLstat, LevelSealed, LevelFull} {
		c, err := o.Load(t.Context(), src, level)
		if err != nil {
			t.Fatal(err)
		}
		if c.Verified != level || c.Sandbox != SandboxOn {
			t.Errorf("verified %s, sandbox %s", c.Verified, c.Sandbox)
		}
		c.Close()
	}
	if _, err := o.Warm(t.Context(), src); err != nil {
		t.Errorf("his own warm-up of what is warm: %v", err)
	}
	// A lock that another user could have written counts for nothing.
	fake := t.TempDir()
	if err := os.CopyFS(fake, os.DirFS(shared)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(lockPath(fake, src.Key()), 0o666); err != nil {
		t.Fatal(err)
	}
	o.Shared = []string{fake}
	var cold *NotWarm
	if _, err := o.Load(t.Context(), src, LevelLstat); !errors.As(err, &cold) || !strings.Contains(cold.Msg, "another user") {
		t.Errorf("a lock of anybody's gave %v", err)
	}
}

// An ordinary user warms for himself, by a daemon of Nix's.
func TestOrdinaryUserWarmsByTheDaemon(t *testing.T) {
	if os.Getenv("LANE_TEST_AS_USER") == "" {
		if !ownNix(t) {
			return
		}
		startDaemon(t)
		asUser(t, "LANE_TEST_BUILDER="+builderFile(t, os.Getenv("LANE_TEST_DIR")))
		return
	}
	l := newLab(t)
	l.Private = ""
	c := l.warm(flake(t, two))
	if c.Sandbox != SandboxOn || c.Verified != LevelSealed {
		t.Errorf("sandbox %s, verified %s", c.Sandbox, c.Verified)
	}
	info, err := os.Stat(c.Root)
	if err != nil || info.Sys().(*syscall.Stat_t).Uid != 0 {
		t.Errorf("the daemon did not build it: %v, %v", info, err)
	}
	// The root that he registered holds against the daemon's collector.
	l.nixTool("nix-store", "--gc")
	if _, err := l.Load(t.Context(), flake(t, two), LevelFull); err != nil {
		t.Error(err)
	}
}

// startDaemon starts a daemon with build users and its sandbox on, and ends it
// with the test.
func startDaemon(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	home := t.TempDir()
	cmd := exec.CommandContext(ctx, "nix-daemon")
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "NIX_CONF_DIR=" + home,
		"NIX_CONFIG=sandbox = true\nsandbox-fallback = false\nbuild-users-group = nixbld\nsubstituters =\nexperimental-features = nix-command flakes\n",
	}
	// Its workers are its children, and the builders theirs.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
	})
	const socket = "/nix/var/nix/daemon-socket/socket"
	for range 200 {
		if exists(socket) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("the daemon made no socket")
}

// builderFile leaves the test builder where the ordinary user can read it.
func builderFile(t *testing.T, dir string) string {
	t.Helper()
	bin, err := builder()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "builder")
	if err := os.WriteFile(file, bin, 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}
