//go:build amd64 || arm64

package fence_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vallane/lane/lane/fence"
)

// lines splits output into "what: outcome" pairs.
func lines(out string) [][2]string {
	var pairs [][2]string
	for line := range strings.Lines(out) {
		what, outcome, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		pairs = append(pairs, [2]string{what, outcome})
	}
	return pairs
}

// refusedAll fails the test for each attack that did not end in one of errors.
func refusedAll(t *testing.T, out string, atLeast int, errors ...string) {
	t.Helper()
	pairs := lines(out)
	if len(pairs) < atLeast {
		t.Errorf("only %d attacks were made:\n%s", len(pairs), out)
	}
	for _, p := range pairs {
		if !slices.ContainsFunc(errors, func(e string) bool { return strings.HasSuffix(p[1], e) }) {
			t.Errorf("%s: %s", p[0], p[1])
		}
	}
}

func TestMachineSettingsCannotBeWritten(t *testing.T) { // F1
	b := open(t, config(t, ""))
	refusedAll(t, ok(t, run(t, b, "attack-proc")), 13,
		"permission denied", "read-only file system", "no such file or directory", "operation not permitted", "empty")
}

func TestNoFurtherNamespaces(t *testing.T) { // F3
	b := open(t, config(t, ""))
	refusedAll(t, ok(t, run(t, b, "attack-namespaces")), 20, "operation not permitted", "function not implemented")
}

func TestForeignSystemCallsKill(t *testing.T) { // F4
	if runtime.GOARCH != "amd64" {
		t.Skip("only amd64 has further system call tables in one program")
	}
	b := open(t, config(t, ""))
	for _, attack := range []string{"attack-int80", "attack-x32"} {
		r := run(t, b, attack)
		// a kernel built without that table raises SIGSEGV itself, which Go turns into exit 2
		absent := r.End == fence.Exited && r.Exit == 2 && r.Stdout.Total == 0
		if !absent && (r.End != fence.Signaled || r.Signal != int(syscall.SIGSYS)) {
			t.Errorf("%s ended as %s, signal %d: %s", attack, r.End, r.Signal, r.Stdout)
		}
	}
}

func TestOnlyUnixAndInetSockets(t *testing.T) { // F5
	b := open(t, config(t, ""))
	families, protocols := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(ok(t, run(t, b, "attack-families"))) {
		f := strings.Fields(line)
		if f[0] == "family" {
			families[f[1]] = true
			continue
		}
		protocols[f[2]] = true
	}
	for family := range families { // unix, inet, inet6
		if family != "1" && family != "2" && family != "10" {
			t.Errorf("sockets of family %s can be had", family)
		}
	}
	if len(families) != 3 {
		t.Errorf("got families %v, want 3 of them", families)
	}
	for protocol := range protocols { // tcp, udp
		if protocol != "6" && protocol != "17" {
			t.Errorf("inet sockets of protocol %s can be had", protocol)
		}
	}
}

func TestPid1IsOutOfReach(t *testing.T) { // F7, F8, F16
	b := open(t, config(t, ""))
	for range 20 { // pid 1 makes new threads from run to run: they must be protected too
		ok(t, run(t, b, "true"))
	}
	out := ok(t, run(t, b, "attack-pid1"))
	// a thread that the runtime starts late has an id like any other's, and may be signalled to no effect
	late := strings.NewReplacer("tkill: done\n", "", "kill: done\n", "", "setpriority: done\n", "", "ioprio: done\n", "", "affinity: done\n", "")
	first, _, _ := strings.Cut(out, "ptrace: ") // up to pid 1's first thread
	refusedAll(t, first, 30, "permission denied", "operation not permitted", "input/output error")
	refusedAll(t, late.Replace(out), 100, "permission denied", "operation not permitted", "input/output error", "no such file or directory")
	if got := strings.Count(out, "ptrace:"); got < 10 {
		t.Errorf("only %d threads of pid 1 were attacked", got)
	}
	ok(t, run(t, b, "true"))
}

func TestKillingEverybodyHurtsNobodyOutside(t *testing.T) { // F8
	sleeper := exec.Command("sleep", "1m")
	if os.Geteuid() == 0 { // the same user of the host as in the box
		sleeper.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: fence.DefaultHostID, Gid: fence.DefaultHostID}}
	}
	if err := sleeper.Start(); err != nil {
		t.Fatal(err)
	}
	other := open(t, config(t, ""))
	done := make(chan fence.Result)
	go func() { done <- run(t, other, "sleep", "600ms") }()
	time.Sleep(100 * time.Millisecond)
	b := open(t, config(t, ""))
	out := ok(t, run(t, b, "attack-killall"))
	if out != "kill everybody: done\nsleeper: signal: killed\n" {
		t.Errorf("got %s", out)
	}
	ok(t, run(t, b, "true"))
	ok(t, <-done)
	if err := sleeper.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("a process outside is gone: %v", err)
	}
	if err := sleeper.Process.Kill(); err != nil {
		t.Error(err)
	}
	if err := sleeper.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Errorf("a process outside ended by itself: %v", err)
	}
}

func TestSystemCallsWithoutUseForTests(t *testing.T) { // F14, F16
	b := open(t, config(t, ""))
	out := ok(t, run(t, b, "attack-calls"))
	const own = "open a terminal of our own: done\n"
	if !strings.Contains(out, own) {
		t.Errorf("no terminal of its own: %s", out)
	}
	refusedAll(t, strings.Replace(out, own, "", 1), 28, "operation not permitted", "function not implemented", "no such device or address",
		"invalid argument") // uid 0 does not exist
}

func TestNoCoreHandlerOfTheHost(t *testing.T) {
	b := open(t, config(t, ""))
	r := run(t, b, "attack-core")
	if out := ok(t, r); !strings.HasSuffix(out, "core limit 1 1 <nil>\n") {
		t.Errorf("got\n%s", out)
	}
	if r.Facts.Core != 1 {
		t.Errorf("facts say core limit %d", r.Facts.Core)
	}
}

func TestOnlyOwnDescriptors(t *testing.T) {
	// a descriptor that somebody leaked to this process, without close-on-exec
	secret, err := os.Open("/etc/passwd")
	if err != nil {
		t.Fatal(err)
	}
	defer secret.Close()
	leak, err := syscall.Dup(int(secret.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(leak)
	b := open(t, config(t, ""))
	got := ok(t, runCommand(t, b, fence.Command{Argv: []string{"inbox", "fds"}, Events: func([]byte) {}}))
	if want := "0 /dev/null\n1 pipe\n2 pipe\n3 socket\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestSocketsOfTheHostAreUnreachable(t *testing.T) { // F9
	path := filepath.Join(t.TempDir(), "agent.sock")
	abstract := fmt.Sprintf("@lane-fence-test-%d", os.Getpid())
	for _, address := range []string{path, abstract} {
		l, err := net.Listen("unix", address)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
	}
	b := open(t, config(t, ""))
	for address, want := range map[string]string{
		path: "no such file or directory", abstract: "connection refused",
		"/var/run/docker.sock": "no such file or directory", "/nix/var/nix/daemon-socket/socket": "no such file or directory",
	} {
		if got := ok(t, run(t, b, "dial", "unix", address)); got != address+": "+want+"\n" {
			t.Errorf("got %s", got)
		}
	}
}

func TestSetUserIDGivesNothing(t *testing.T) { // F13
	tree := folder(t, nil)
	program, err := os.ReadFile(filepath.Join(inboxDir, "bin/inbox"))
	if err != nil {
		t.Fatal(err)
	}
	c := config(t, tree)
	name := filepath.Join(tree, "inbox") // belongs to whoever runs the test, root too
	if err := os.WriteFile(name, program, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, 0o755|os.ModeSetuid|os.ModeSetgid); err != nil {
		t.Fatal(err)
	}
	b := open(t, c)
	got := ok(t, runCommand(t, b, fence.Command{Argv: []string{"./inbox", "whoami"}}))
	if !strings.HasPrefix(got, "uid 1000 euid 1000 gid 1000 egid 1000 ") {
		t.Errorf("got %s", got)
	}
}

func TestFactsAreTheKernels(t *testing.T) {
	b := open(t, config(t, ""))
	r := run(t, b, "whoami")
	out := ok(t, r)
	if !strings.Contains(out, "uid 1000 euid 1000 gid 1000 egid 1000") || !strings.Contains(out, "pid 300 parent 1 host lane") {
		t.Errorf("inside: %s", out)
	}
	f := r.Facts
	if f.UID != 1000 || f.GID != 1000 || f.CapEff|f.CapPrm|f.CapInh|f.CapBnd|f.CapAmb != 0 || !f.NoNewPrivs || f.Seccomp != 2 {
		t.Errorf("facts: %+v", f)
	}
	if os.Geteuid() == 0 && len(f.Groups) != 0 {
		t.Errorf("groups of the caller are left: %v", f.Groups)
	}
	if len(f.Interfaces) != 1 || f.Interfaces[0] != (fence.Interface{Name: "lo", Up: true}) {
		t.Errorf("interfaces: %+v", f.Interfaces)
	}
	if f.OpenFiles != 4096 || f.FileSize != 1<<30 || f.Processes < 512 || f.Mounts == 0 || f.MemoryBy == "" || f.ProcessesBy == "" {
		t.Errorf("limits: %+v", f)
	}
}

func TestInspectionSeesWhatACommandIs(t *testing.T) {
	b := open(t, config(t, ""))
	seen, err := b.Inspect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, b, "true")
	ok(t, r)
	want := r.Facts
	want.Processes = seen.Processes // set once a command runs
	if !reflect.DeepEqual(seen, want) {
		t.Errorf("inspected %+v\na command is %+v", seen, want)
	}
}
