//go:build amd64 || arm64

package fence_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/vallane/lane/lane/fence"
	"golang.org/x/sys/unix"
)

var background = context.Background()

// sayWhyNot prints what Available has against a box.
func sayWhyNot() int {
	err := fence.Available(background)
	var u *fence.Unavailable
	switch {
	case err == nil:
		fmt.Println("available")
	case errors.As(err, &u):
		fmt.Printf("step: %s\nwhy: %s\nhint: %s\n", u.Step, u.Why, u.Hint())
	default:
		fmt.Println("another error:", err)
	}
	return 0
}

// openInUserns opens a box where user namespaces are turned off.
func openInUserns() int {
	if err := os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0); err != nil {
		fmt.Println(err)
		return 1
	}
	return sayWhyNot()
}

// openFiltered opens a box under a filter that refuses mount, as containers have.
func openFiltered() int {
	program := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_MOUNT, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	fprog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		fmt.Println(err)
		return 1
	}
	// for all threads of this process
	if _, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&fprog))); errno != 0 {
		fmt.Println(errno)
		return 1
	}
	return sayWhyNot()
}

func TestSaysWhyThereIsNoFence(t *testing.T) {
	for name, want := range map[string][]string{
		"open":           {"available"},
		"open-in-userns": {"step: create namespaces", "why: user namespaces are turned off", "hint: sysctl -w user.max_user_namespaces"},
		"open-filtered":  {"step: make mounts private", "hint: allow unshare, mount"},
	} {
		cmd := again(t, name)
		if name == "open-in-userns" {
			asRootOf(cmd)
		}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		for _, w := range want {
			if !strings.Contains(string(out), w) {
				t.Errorf("%s: no %q in\n%s", name, w, out)
			}
		}
	}
}

// submount makes a writable mount below a store path and looks at it from a box.
func submount() int {
	dir := os.Args[1]
	below := filepath.Join(dir, "below")
	if err := unix.Mount("tmpfs", below, "tmpfs", 0, ""); err != nil {
		fmt.Println("mount:", err)
		return 1
	}
	if err := os.WriteFile(filepath.Join(below, "file"), []byte("x"), 0o666); err != nil {
		fmt.Println("write:", err)
		return 1
	}
	b, err := fence.Open(background, fence.Config{
		StorePaths: []fence.Mount{{Host: inboxDir, Box: inboxStore}, {Host: dir, Box: "/nix/store/dir"}}, Path: []string{inboxStore + "/bin"},
		Tree: filepath.Join(dir, "tree"),
	})
	if err != nil {
		fmt.Println("open:", err)
		return 1
	}
	defer b.Close()
	r, err := b.Run(background, fence.Command{Argv: []string{"inbox", "errno", "/nix/store/dir/below/file", "/nix/store/dir/below/new", "/tree/new"}})
	fmt.Printf("%s%v\n", r.Stdout, err)
	return 0
}

func TestMountsBelowStorePathsAreReadOnly(t *testing.T) { // F10; also: a box inside a rootless container
	dir := folder(t, map[string]string{"below/": "", "tree/": ""})
	cmd := again(t, "submount", dir)
	asRootOf(cmd)
	out, err := cmd.CombinedOutput()
	want := "/nix/store/dir/below/file: read-only file system\n/nix/store/dir/below/new: read-only file system\n/tree/new: done\n<nil>\n"
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestMissingSourcesAreTheCallersFault(t *testing.T) {
	for name, c := range map[string]fence.Config{
		"tree":    {Tree: "/no/such/tree"},
		"store":   {StorePaths: []fence.Mount{{Host: "/no/such/path", Box: "/nix/store/x"}}},
		"overlay": {Overlays: []fence.Overlay{{Lower: "/no/such/cache", At: "/cache"}}},
		"upper":   {Overlays: []fence.Overlay{{Upper: "/etc", At: "/cache"}}}, // not ours
	} {
		_, err := fence.Open(t.Context(), c)
		var u *fence.Unavailable
		if err == nil || errors.As(err, &u) || !strings.Contains(err.Error(), "/no/such/") && name != "upper" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
