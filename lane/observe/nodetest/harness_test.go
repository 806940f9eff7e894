//go:build linux

package nodetest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vallane/lane/lane/observe"
)

// A bench runs plans without a fence: only for the projects of testdata, which Lane wrote itself.
type bench struct {
	tree string
	lane string // stands for /lane
	bin  string // folder of the node that runs the projects
	env  []string
}

type outcome struct {
	session *observe.Session
	end     observe.End
	output  string
}

// newBench copies a project of testdata to where it will be tested, by the machine's node or the one that NODETEST_NODE names.
func newBench(t *testing.T, project string) *bench {
	t.Helper()
	node, err := exec.LookPath(orDefault(os.Getenv("NODETEST_NODE"), "node"))
	if err != nil {
		t.Fatalf("these tests need Node.js: %v", err)
	}
	dir := t.TempDir()
	b := &bench{tree: filepath.Join(dir, "tree"), lane: filepath.Join(dir, "lane"), bin: filepath.Dir(node)}
	if err := os.CopyFS(b.tree, os.DirFS(filepath.Join("testdata", project))); err != nil {
		t.Fatal(err)
	}
	return b
}

func orDefault(s, def string) string {
	if s == "" {
		return def
	}
	return s
}

func (b *bench) request(argv ...string) observe.Request {
	return observe.Request{Argv: argv, TreeHost: b.tree, TreeBox: b.tree, Path: []string{b.bin}, Env: []string{"NODE_OPTIONS=--no-warnings"}}
}

// instrument plans a run, with what would lie below /lane laid below b.lane.
func (b *bench) instrument(t *testing.T, r observe.Request) observe.Plan {
	t.Helper()
	p, err := Reporter{}.Instrument(r)
	if err != nil {
		t.Fatal(err)
	}
	b.lay(t, p)
	return p
}

func (b *bench) lay(t *testing.T, p observe.Plan) {
	t.Helper()
	for name, data := range p.Files {
		at := b.lane + strings.TrimPrefix(name, "/lane")
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// deadline is how long any command may take: far more than it needs on a busy machine.
const deadline = 3 * time.Minute

// grace is how long a command may go on after its last test has ended.
const grace = time.Second

// run executes a plan as the fence would.
func (b *bench) run(t *testing.T, p observe.Plan) outcome {
	t.Helper()
	c := p.Collector()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_SEQPACKET|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "events"), os.NewFile(uintptr(pair[1]), "theirs")
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.Argv[0], p.Argv[1:]...)
	if p.Argv[0] == "node" {
		cmd.Path, cmd.Err = filepath.Join(b.bin, "node"), nil
	}
	cmd.Dir = b.tree
	cmd.Env = append([]string{"PATH=" + b.bin + ":/usr/bin:/bin", "HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir()}, b.env...)
	for _, kv := range p.Env {
		cmd.Env = append(cmd.Env, strings.ReplaceAll(kv, "=/lane/", "="+b.lane+"/"))
	}
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, observe.MaxRecord+1)
		for {
			n, err := ours.Read(buf)
			if n > 0 {
				c.Feed(bytes.Clone(buf[:n]))
				if c.Done() {
					time.AfterFunc(grace, cancel)
				}
			}
			if err != nil || n == 0 {
				return
			}
		}
	}()
	err = cmd.Wait()
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left behind holds the other end
	<-done
	ours.Close()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		t.Fatal(err)
	}
	state := cmd.ProcessState
	return outcome{c.Session(), observe.End{Exited: state.Exited(), Code: state.ExitCode()}, out.String()}
}
