package warmup

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// N9: a full disk is told, and nothing half is left.
func TestAFullDiskLeavesNothingHalf(t *testing.T) {
	s := newShop(t)
	l := s.visitor(t)
	if os.Geteuid() != 0 {
		t.Skip("only root can make a small disk; make test runs the suite as root too")
	}
	at := filepath.Join(l.Private, "nix/store")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("lane-test", at, "tmpfs", 0, "size=4k"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(at, unix.MNT_DETACH) })
	_, err := l.Warm(t.Context(), s.src)
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("it said %v", err)
	}
	if names := storeEntries(t, l); slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, ".") }) || len(names) > 1 {
		t.Errorf("it left %q", names)
	}
	if err := unix.Unmount(at, 0); err != nil {
		t.Fatal(err)
	}
	l.warm(s.src)
}
