package wasi_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/fence/wasi"
)

// alone runs a guest that never ends, and passes on what it prints.
func alone(module string) {
	b := wasi.Open(wasi.Config{Programs: map[string]string{"/lane/guest": module}, Cache: filepath.Join(filepath.Dir(module), "compiled")})
	_, err := b.Run(context.Background(), fence.Command{Argv: []string{"/lane/guest", "loop"}, Timeout: time.Hour, Stdout: os.Stdout})
	fmt.Fprintln(os.Stderr, "the guest ended:", err)
	os.Exit(1)
}

// children lists the processes below one.
func children(pid int) (out []int) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, f := range files {
		data, _ := os.ReadFile(f)
		for _, s := range strings.Fields(string(data)) {
			n, _ := strconv.Atoi(s)
			out = append(out, n)
		}
	}
	return out
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 600 {
		if ok() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("waited in vain: %s", what)
}

func TestTheGuestEndsWithItsCaller(t *testing.T) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), aloneEnv+"="+guestModule)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "looping\n" {
		t.Fatalf("the guest is not at work: %q %v", line, err)
	}
	pids := children(cmd.Process.Pid)
	if len(pids) != 1 {
		t.Fatalf("the caller has the processes %v, want one", pids)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	until(t, "the guest's process is gone", func() bool {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pids[0]))
		return err != nil || strings.Contains(string(data), ") Z ")
	})
}
