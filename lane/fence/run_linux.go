//go:build amd64 || arm64

package fence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// answerSlack is the time that pid 1 has, beyond all graces, to report a run. It
// is only met where pid 1 itself is held up.
const answerSlack = 30 * time.Second

// ErrClosed is returned for a box that was closed or has died.
var ErrClosed = errors.New("the box is closed")

// Run runs one command. The Result says how the command fared, whatever it did;
// an error means that Lane could not run it or could not know.
func (b *Box) Run(ctx context.Context, c Command) (Result, error) {
	if len(c.Argv) == 0 {
		return Result{}, errors.New("run in box: no command given")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.gone() {
		return Result{}, fmt.Errorf("run in box: %w", ErrClosed)
	}
	if err := ctx.Err(); err != nil {
		return Result{}, fmt.Errorf("run in box: %w", context.Cause(ctx))
	}
	b.seq++
	s, err := b.openStreams(&c)
	if err != nil {
		return Result{}, fmt.Errorf("run in box: %w", err)
	}
	result, err := b.exchange(ctx, &c, s)
	s.finish(&result)
	if err != nil {
		return Result{}, fmt.Errorf("run in box: %w", err)
	}
	for _, hit := range b.group.hits() {
		if !slices.Contains(result.Exhausted, hit) {
			result.Exhausted = append(result.Exhausted, hit)
		}
	}
	b.addBoxFacts(&result.Facts)
	b.name(&result)
	if ctx.Err() != nil && result.End == Interrupted {
		return result, fmt.Errorf("run in box: %w", context.Cause(ctx))
	}
	return result, nil
}

// exchange sends the run to pid 1 and waits for its answer.
func (b *Box) exchange(ctx context.Context, c *Command, s *streams) (Result, error) {
	request := message{Run: &runRequest{
		Seq:  b.seq,
		Argv: c.Argv, Env: c.Env, Dir: c.Dir,
		Timeout: c.timeout(), Grace: c.grace(), ExitGrace: c.exitGrace(), CPU: c.CPU,
		Overlay: c.Overlay, Files: c.Files, Collect: c.Collect, CollectLimit: c.CollectLimit,
		Events: s.events != nil, Stdin: c.Stdin != nil || c.Terminal != nil, Terminal: c.Terminal != nil, Keep: c.Keep,
	}}
	err := b.wire.send(request, s.theirs...)
	s.handOver()
	if err != nil {
		return b.died(err)
	}
	seq := b.seq
	stop := context.AfterFunc(ctx, func() { _ = b.wire.send(message{Kill: Interrupted, Seq: seq}) })
	defer stop()
	watchdog := time.AfterFunc(c.timeout()+c.grace()+c.exitGrace()+emptyDeadline+answerSlack, func() { _ = b.cmd.Process.Kill() })
	defer watchdog.Stop()
	var answer reply
	if err := b.answer(&answer); err != nil {
		return b.died(err)
	}
	switch {
	case answer.Run != nil && answer.Failed != nil: // it ran, and does not end
		answer.Run.End, answer.Run.Note = BoxDied, answer.Failed.Error()
		return *answer.Run, nil
	case answer.Failed != nil:
		return Result{}, answer.Failed
	case answer.Run == nil:
		return Result{}, errors.New("the box answered something else")
	}
	return *answer.Run, nil
}

// died is the result of a run whose pid 1 is gone.
func (b *Box) died(err error) (Result, error) {
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, unix.EPIPE) && !errors.Is(err, unix.ECONNRESET) {
		return Result{}, err
	}
	// the kernel lets go of pid 1 only when everything below it is dead
	_ = b.cmd.Process.Kill()
	<-b.exited
	return Result{End: BoxDied, Exit: -1, Note: "pid 1 of the box is gone" + b.lastWords()}, nil
}

// name gives the end its name where the command failed at a limit: then the
// limit is what happened, and not what the command made of it.
func (b *Box) name(r *Result) {
	failed := r.End == Exited && r.Exit != 0 || r.End == Signaled || r.End == TimedOut || r.End == DidNotExit
	if r.End == Signaled && r.Signal == int(unix.SIGXFSZ) {
		r.Exhausted = append(r.Exhausted, DiskFull)
	}
	if failed && len(r.Exhausted) > 0 {
		r.End = r.Exhausted[0]
	}
}

// streams are the pipes and sockets of one run, and what reads them.
type streams struct {
	theirs  []int    // the box's ends: stdout, stderr, perhaps the event socket, perhaps stdin
	stdin   *os.File // where Command.Stdin goes; nil if it is empty
	readers [2]*os.File
	tails   [2]*tail
	out     *output
	events  *events
	done    sync.WaitGroup
}

func (b *Box) openStreams(c *Command) (*streams, error) {
	limit := c.TailLimit
	if limit <= 0 {
		limit = 64 << 10
	}
	logLimit := c.LogLimit
	if logLimit <= 0 {
		logLimit = 64 * mib
	}
	seq := b.seq
	s := &streams{out: &output{
		log: c.Log, logRoom: logLimit, limit: b.limits.Output, live: [2]io.Writer{c.Stdout, c.Stderr},
		tooMuch: func() { _ = b.wire.send(message{Kill: TooMuchOut, Seq: seq}) },
	}}
	for i := range s.tails {
		s.tails[i] = &tail{limit: limit}
	}
	if c.Terminal != nil {
		if err := s.openTerminal(c, HostID(b.config.HostUID)); err != nil {
			s.abandon()
			return nil, fmt.Errorf("make terminal: %w", err)
		}
		return s, nil
	}
	for i, name := range []string{"stdout", "stderr"} {
		r, w, err := boxPipe(HostID(b.config.HostUID))
		if err != nil {
			s.abandon()
			return nil, fmt.Errorf("make pipe: %w", err)
		}
		s.readers[i], s.theirs = os.NewFile(uintptr(r), name), append(s.theirs, w)
	}
	if c.Events != nil {
		var theirs int
		var err error
		s.events, theirs, err = newEvents(c, func() { _ = b.wire.send(message{Settle: true, Seq: seq}) })
		if err != nil {
			s.abandon()
			return nil, fmt.Errorf("make event socket: %w", err)
		}
		s.theirs = append(s.theirs, theirs)
	}
	if c.Stdin != nil {
		if err := s.openStdin(c.Stdin, HostID(b.config.HostUID)); err != nil {
			s.abandon()
			return nil, fmt.Errorf("make pipe: %w", err)
		}
	}
	return s, nil
}

// openStdin makes the pipe of the command's standard input and begins to fill it.
func (s *streams) openStdin(from io.Reader, owner int) error {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return err
	}
	err := unix.SetNonblock(p[1], true) // so that closing it ends a write that waits
	if err == nil && os.Geteuid() != owner {
		err = unix.Fchown(p[0], owner, owner)
	}
	if err != nil {
		closeAll(p[:])
		return err
	}
	s.theirs = append(s.theirs, p[0])
	s.stdin = os.NewFile(uintptr(p[1]), "stdin")
	go func() {
		_, _ = io.Copy(onlyWriter{s.stdin}, from) // ends with the input, or with the command
		s.stdin.Close()
	}()
	return nil
}

// onlyWriter hides what else a file can do: a copy from a terminal must end when the pipe does.
type onlyWriter struct{ io.Writer }

// boxPipe makes a pipe that belongs to the box's user, so that a process there
// can open /dev/stdout again.
func boxPipe(owner int) (r, w int, err error) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return -1, -1, err
	}
	if os.Geteuid() != owner {
		err = unix.Fchown(p[1], owner, owner)
	}
	if err == nil {
		err = unix.SetNonblock(p[0], true) // so that the runtime waits for it
	}
	if err != nil {
		closeAll(p[:])
		return -1, -1, err
	}
	return p[0], p[1], nil
}

// handOver closes the box's ends on this side and starts to read.
func (s *streams) handOver() {
	closeAll(s.theirs)
	s.theirs = nil
	for i, f := range s.readers {
		if f == nil { // a terminal shows both
			continue
		}
		s.done.Go(func() { s.out.drain(i, s.readers[i], s.tails[i]) })
	}
	if s.events != nil {
		s.done.Go(s.events.receive)
	}
}

// finish takes what is left in the streams and fills in what they held. Their
// writers are dead, so that nothing comes any more; but the end of a stream may
// not show yet, where a process had put a descriptor of it on its way to another.
// So readers that wait are woken, and take what there is.
func (s *streams) finish(r *Result) {
	for _, f := range s.files() {
		_ = f.SetReadDeadline(time.Unix(1, 0))
	}
	if s.events != nil {
		s.events.stop()
	}
	s.done.Wait()
	for _, f := range s.files() {
		f.Close()
	}
	if s.events != nil {
		s.events.close()
	}
	if s.stdin != nil {
		s.stdin.Close()
	}
	r.Stdout, r.Stderr = s.tails[0].result(), s.tails[1].result()
	r.LogCut = s.out.logCut
	if s.out.logErr != nil {
		r.LogError = s.out.logErr.Error()
	}
	if s.events != nil {
		r.Events, r.LastEvent, r.EventsLost = s.events.count, s.events.last, s.events.lost
	}
}

func (s *streams) files() []*os.File {
	var files []*os.File
	for _, f := range s.readers {
		if f != nil {
			files = append(files, f)
		}
	}
	return files
}

func (s *streams) abandon() {
	closeAll(s.theirs)
	for _, f := range s.files() {
		f.Close()
	}
	if s.events != nil {
		s.events.close()
	}
	if s.stdin != nil {
		s.stdin.Close()
	}
}
