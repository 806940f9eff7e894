package process

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Grace is how long a program may take to end itself when it is asked to.
const Grace = 5 * time.Second

// Bounds on what is kept: the result of a program is small, and what it says
// goes to the end of an error message.
const (
	maxOutput = 64 << 20
	maxTail   = 8 << 10
	maxLine   = 1 << 20
)

// Command is one program to run.
type Command struct {
	Argv []string
	Env  []string // the whole environment; nil is an empty one
	Dir  string   // working folder; "" is "/"
	// Line is called, from one goroutine, with each line that the program writes
	// to its standard error; nil drops them. A line is cut after 1 MiB.
	Line func(string)
}

// Failed says that a program ended with an exit status other than 0.
type Failed struct {
	Name   string
	Status int    // -1: ended by a signal
	Tail   string // the end of its standard error
	Output []byte // its standard output
}

func (f *Failed) Error() string {
	how := fmt.Sprintf("exit status %d", f.Status)
	if f.Status < 0 {
		how = "ended by a signal"
	}
	if f.Tail == "" {
		return fmt.Sprintf("run %s: %s", f.Name, how)
	}
	return fmt.Sprintf("run %s: %s: %s", f.Name, how, f.Tail)
}

// Missing says that a program is not installed.
type Missing struct{ Name string }

func (m *Missing) Error() string { return "run " + m.Name + ": it is not installed" }

// Run runs the program to its end and returns its standard output. The error is
// a *Missing, a *Failed, the context's, or says what this machine refused.
func Run(ctx context.Context, c Command) ([]byte, error) {
	name := c.Argv[0]
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, &Missing{Name: name}
	}
	cmd := exec.CommandContext(ctx, path, c.Argv[1:]...)
	cmd.Env = c.Env
	if cmd.Env == nil {
		cmd.Env = []string{}
	}
	cmd.Dir = c.Dir
	if cmd.Dir == "" {
		cmd.Dir = "/"
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = Grace
	out := &bounded{max: maxOutput}
	said := &tail{}
	lines, done := splitLines(said, c.Line)
	cmd.Stdout, cmd.Stderr = out, lines
	if err := cmd.Start(); err != nil {
		lines.Close()
		<-done
		return nil, fmt.Errorf("run %s: %w", name, err)
	}
	endGroup(cmd.Process.Pid)
	err = cmd.Wait()
	lines.Close()
	<-done
	return result(ctx, name, cmd, out, said, err)
}

func result(ctx context.Context, name string, cmd *exec.Cmd, out *bounded, said *tail, err error) ([]byte, error) {
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("run %s: %w", name, context.Cause(ctx))
	case err == nil && out.over:
		return nil, fmt.Errorf("run %s: it printed more than %d MiB", name, maxOutput>>20)
	case err == nil:
		return out.buf.Bytes(), nil
	case errors.As(err, &exit):
		return nil, &Failed{Name: name, Status: cmd.ProcessState.ExitCode(), Tail: said.String(), Output: out.buf.Bytes()}
	}
	return nil, fmt.Errorf("run %s: %w", name, err)
}

// bounded keeps the first max bytes and goes on taking the rest.
type bounded struct {
	buf  bytes.Buffer
	max  int
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := b.max - b.buf.Len(); len(p) > room {
		b.over = true
		b.buf.Write(p[:room])
		return len(p), nil
	}
	return b.buf.Write(p)
}

// tail keeps the last lines, up to maxTail bytes.
type tail struct {
	mu   sync.Mutex
	text string
}

func (t *tail) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text += line + "\n"
	if cut := len(t.text) - maxTail; cut > 0 {
		t.text = t.text[cut:]
	}
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(t.text, "�"))
}

// splitLines returns a writer whose lines go to said and to each; done is
// closed when the last one has been delivered.
func splitLines(said *tail, each func(string)) (io.WriteCloser, <-chan struct{}) {
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		in := bufio.NewReaderSize(r, 64<<10)
		for {
			line, err := readLine(in)
			if line != "" || err == nil {
				said.add(line)
				if each != nil {
					each(line)
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return w, done
}

// readLine returns the next line without its end, cut after maxLine bytes; what
// was cut is read and dropped, so that the program never blocks.
func readLine(in *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if room := maxLine - len(line); room > 0 {
			line = append(line, part[:min(len(part), room)]...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return strings.TrimRight(string(line), "\r\n"), err
	}
}
