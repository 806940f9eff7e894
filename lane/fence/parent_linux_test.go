//go:build amd64 || arm64

package fence_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vallane/lane/lane/fence"
	"golang.org/x/sys/unix"
)

// againEnv makes TestMain do one thing in place of the tests.
const againEnv = "LANE_FENCE_TEST_AGAIN"

// again starts this test program once more, to do what the name stands for.
func again(t testing.TB, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Env = append(os.Environ(), againEnv+"="+name, inboxEnv+"="+inboxDir)
	return cmd
}

// doAgain is the other side of again.
func doAgain(name string) int {
	switch name {
	case "run-for-ever":
		return runForEver()
	case "open":
		return sayWhyNot()
	case "open-in-userns":
		return openInUserns()
	case "open-filtered":
		return openFiltered()
	case "submount":
		return submount()
	}
	return 99
}

// marker is an argument by which a test finds processes of its box on the host:
// a long time, in nanoseconds, that no other test process sleeps.
func marker(test int) string { return fmt.Sprintf("9%d%013dns", test, os.Getpid()) }

func runForEver() int {
	b, err := fence.Open(background, fence.Config{
		StorePaths: []fence.Mount{{Host: inboxDir, Box: inboxStore}}, Path: []string{inboxStore + "/bin"},
	})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	_, err = b.Run(background, fence.Command{
		Argv:   []string{"inbox", "sleepers", os.Args[1]},
		Events: func([]byte) { fmt.Println("up") },
	})
	fmt.Println(err)
	return 1
}

// processesWith lists the processes of this machine with an argument.
func processesWith(t *testing.T, argument string) []int {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, name := range names {
		line, err := os.ReadFile(name)
		if err == nil && bytes.Contains(line, []byte("\x00"+argument+"\x00")) {
			pid, _ := strconv.Atoi(strings.Split(name, "/")[2])
			pids = append(pids, pid)
		}
	}
	return pids
}

func TestBoxDiesWithLane(t *testing.T) { // F32
	mark := marker(1)
	cmd := again(t, "run-for-ever", mark)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 100)
	n, _ := out.Read(buf)
	if string(buf[:n]) != "up\n" {
		t.Fatalf("got %q", buf[:n])
	}
	if got := processesWith(t, mark); len(got) != 4 { // Lane itself has the argument too
		t.Errorf("%d processes of the box are seen", len(got))
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	deadline := time.Now().Add(5 * time.Second)
	for len(processesWith(t, mark)) > 0 && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	if left := processesWith(t, mark); len(left) != 0 {
		t.Errorf("processes %v of the box live on", left)
	}
}

func TestBoxWhoseFirstProcessDies(t *testing.T) {
	b := open(t, config(t, ""))
	mark := marker(2)
	done := make(chan fence.Result, 1)
	go func() {
		r, err := b.Run(t.Context(), fence.Command{Argv: []string{"inbox", "sleep", mark}})
		if err != nil {
			t.Error(err)
		}
		done <- r
	}()
	deadline := time.Now().Add(5 * time.Second)
	for len(processesWith(t, mark)) == 0 && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	for _, pid := range processesWith(t, mark) {
		if err := syscall.Kill(parentOf(t, pid), syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	}
	if r := <-done; r.End != fence.BoxDied || r.Note == "" {
		t.Errorf("%s %q", r.End, r.Note)
	}
	if left := processesWith(t, mark); len(left) != 0 {
		t.Errorf("processes %v of the box live on", left)
	}
}

func TestHostSeesAnUnprivilegedUser(t *testing.T) {
	b := open(t, config(t, ""))
	mark := marker(3)
	done := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer close(done)
		if _, err := b.Run(ctx, fence.Command{Argv: []string{"inbox", "sleep", mark}}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}()
	deadline := time.Now().Add(5 * time.Second)
	for len(processesWith(t, mark)) == 0 && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	pids := processesWith(t, mark)
	if len(pids) != 1 {
		t.Fatalf("processes %v", pids)
	}
	gid := fence.HostID(0)
	if os.Geteuid() != 0 {
		gid = os.Getegid()
	}
	uids, gids := strings.Repeat(fmt.Sprintf("\t%d", fence.HostID(0)), 4), strings.Repeat(fmt.Sprintf("\t%d", gid), 4)
	for _, pattern := range []string{fmt.Sprintf("/proc/%d/task/*/status", pids[0]), fmt.Sprintf("/proc/%d/task/*/status", parentOf(t, pids[0]))} {
		threads, err := filepath.Glob(pattern)
		if err != nil || len(threads) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range threads {
			status, err := os.ReadFile(name)
			if err == nil && (!bytes.Contains(status, []byte("\nUid:"+uids+"\n")) || !bytes.Contains(status, []byte("\nGid:"+gids+"\n"))) {
				t.Errorf("%s:\n%s", name, status)
			}
		}
	}
	cancel()
	<-done
}

func parentOf(t *testing.T, pid int) int {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		t.Fatal(err)
	}
	return parent
}

func TestNothingOfManyBoxesIsLeft(t *testing.T) {
	count := func() (fds, mounts int) {
		data, err := os.ReadFile("/proc/self/mountinfo")
		if err != nil {
			t.Fatal(err)
		}
		return openDescriptors(t), bytes.Count(data, []byte{'\n'})
	}
	once := func(runs int) {
		b := open(t, config(t, ""))
		for range runs {
			ok(t, runCommand(t, b, fence.Command{Argv: []string{"inbox", "true"}, Events: func([]byte) {}}))
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	once(1)
	fds, mounts := count()
	for range 3 {
		once(10)
	}
	if f, m := count(); f != fds || m != mounts {
		t.Errorf("%d descriptors and %d mounts, before %d and %d", f, m, fds, mounts)
	}
	if groups, boxes := fence.Leftovers(); len(groups)+len(boxes) > 0 { // others may have boxes of theirs at work
		t.Errorf("left are the cgroups %q and the boxes %v", groups, boxes)
	}
}

// asRootOf starts cmd in a user namespace of its own, as root there, where it may
// change the settings that a machine might have.
func asRootOf(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
	}
}
