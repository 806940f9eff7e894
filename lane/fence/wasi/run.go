package wasi

import (
	"bufio"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/vallane/lane/lane/fence"
)

// run is one guest under way, seen from its caller.
type run struct {
	command *fence.Command
	process *os.Process
	capture *fence.Capture

	mu     sync.Mutex
	killed fence.End // why the caller ended it; "" where it did not

	begun   chan<- started // told of the guest's process; nil for nobody
	started time.Time
	last    *answer // nil until the guest's process has said how it ended
	result  fence.Result
}

// kill ends the guest's process, for the first reason that is given.
func (r *run) kill(why fence.End) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.killed == "" {
		r.killed = why
		_ = r.process.Kill()
	}
}

// start carries a request out in a process of its own.
func (b *Box) start(ctx context.Context, c *fence.Command, req *request) (fence.Result, error) {
	return b.startAnd(ctx, c, req, nil)
}

// startAnd is start that tells of the guest's process before the guest begins. There has to be room for one in begun.
func (b *Box) startAnd(ctx context.Context, c *fence.Command, req *request, begun chan<- started) (fence.Result, error) {
	if err := ctx.Err(); err != nil {
		return fence.Result{}, fmt.Errorf("run under WASI: %w", context.Cause(ctx))
	}
	r := &run{command: c, begun: begun}
	r.capture = fence.NewCapture(c, b.c.Limits.Output, func() { r.kill(fence.TooMuchOut) })
	p, err := open(req)
	if err != nil {
		return fence.Result{}, fmt.Errorf("run under WASI: %w", err)
	}
	wait, err := launch(p.cmd, req.User)
	p.theirs()
	if err != nil {
		p.ours()
		return fence.Result{}, fmt.Errorf("start a process for the guest: %w", err)
	}
	r.process = p.cmd.Process
	r.follow(ctx, p, req, wait)
	if ctx.Err() != nil && r.result.End == fence.Interrupted {
		return r.result, fmt.Errorf("run under WASI: %w", context.Cause(ctx))
	}
	return r.result, nil
}

// pipes are those of one guest's process.
type pipes struct {
	cmd                     *exec.Cmd
	in                      *os.File // what the request is written to; its end is the caller's
	out, err, frames        *os.File
	inR, outW, errW, frameW *os.File
	tree, cache             *os.File // folders that are handed over
}

func open(req *request) (*pipes, error) {
	name, err := self()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	p := &pipes{cmd: &exec.Cmd{Path: name, Args: []string{guestName}, Env: []string{"GOMAXPROCS=2"}, Dir: "/"}}
	for _, pair := range []struct{ r, w **os.File }{{&p.inR, &p.in}, {&p.out, &p.outW}, {&p.err, &p.errW}, {&p.frames, &p.frameW}} {
		if *pair.r, *pair.w, err = os.Pipe(); err != nil {
			p.theirs()
			p.ours()
			return nil, err
		}
	}
	for _, folder := range []struct {
		f    **os.File
		path string
	}{{&p.tree, req.Tree}, {&p.cache, req.Cache}} {
		if folder.path == "" {
			folder.path = os.DevNull // its number is taken all the same
		}
		if *folder.f, err = os.Open(folder.path); err != nil {
			p.theirs()
			p.ours()
			return nil, err
		}
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr, p.cmd.ExtraFiles = p.inR, p.outW, p.errW, []*os.File{p.frameW, p.tree, p.cache}
	return p, nil
}

// theirs closes the ends that the guest's process has.
func (p *pipes) theirs() { closeAll(p.inR, p.outW, p.errW, p.frameW, p.tree, p.cache) }

// ours closes the caller's.
func (p *pipes) ours() { closeAll(p.in, p.out, p.err, p.frames) }

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// follow sends the request, reads all that comes back, and sees the guest's process end.
func (r *run) follow(ctx context.Context, p *pipes, req *request, wait func() error) {
	stop := context.AfterFunc(ctx, func() { r.kill(fence.Interrupted) })
	defer stop()
	var work sync.WaitGroup
	work.Go(func() { _ = gob.NewEncoder(p.in).Encode(req) })
	work.Go(func() { _, _ = io.Copy(r.capture.Stdout(), p.out) })
	work.Go(func() { _, _ = io.Copy(r.capture.Stderr(), p.err) })
	work.Go(func() { r.frames(p.frames, req.Timeout) })
	slow := time.AfterFunc(compiling, func() {
		r.mu.Lock()
		late := r.started.IsZero()
		r.mu.Unlock()
		if late {
			r.kill(fence.BoxDied)
		}
	})
	defer slow.Stop()
	_ = wait()
	over := time.Now()
	_ = p.in.Close()
	work.Wait()
	closeAll(p.out, p.err, p.frames)
	r.sum(p.cmd.ProcessState, over)
}

// frames reads what the guest's process says.
func (r *run) frames(from io.Reader, timeout time.Duration) {
	in := bufio.NewReaderSize(from, 64<<10)
	var limit, exit *time.Timer
	defer func() {
		for _, t := range []*time.Timer{limit, exit} {
			if t != nil {
				t.Stop()
			}
		}
	}()
	for {
		kind, data, err := readFrame(in)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				r.kill(fence.BoxDied) // it speaks another language
			}
			return
		}
		switch kind {
		case frameStarted:
			var s started
			if json.Unmarshal(data, &s) != nil || limit != nil {
				r.kill(fence.BoxDied)
				return
			}
			r.mu.Lock()
			r.started = time.Now()
			r.mu.Unlock()
			r.facts(s)
			if r.begun != nil {
				r.begun <- s
			}
			limit = time.AfterFunc(timeout, func() { r.kill(fence.TimedOut) })
		case frameTooLong:
			r.result.EventsLost = true
		case frameRecord:
			if r.command.Events == nil {
				continue
			}
			r.result.Events++
			r.result.LastEvent = time.Now()
			r.command.Events(data)
			if exit == nil && r.command.AfterEvents != nil && r.command.AfterEvents() {
				exit = time.AfterFunc(exitGrace(r.command), func() { r.kill(fence.DidNotExit) })
			}
		case frameEnded:
			var a answer
			if json.Unmarshal(data, &a) != nil {
				r.kill(fence.BoxDied)
				return
			}
			r.last = &a
		}
	}
}

func exitGrace(c *fence.Command) time.Duration {
	if c.ExitGrace > 0 {
		return c.ExitGrace
	}
	return 10 * time.Second
}

// facts are what the guest's process said of itself. The guest has no ids: those of its process stand for them.
func (r *run) facts(s started) {
	r.result.Facts = fence.Facts{
		UID: s.UID, GID: s.GID, Groups: s.Groups, NoNewPrivs: s.NoNewPrivs, CPUs: 1,
		MemoryBy: "the WebAssembly runtime", ProcessesBy: "the WebAssembly runtime: one thread, no processes",
	}
}

// sum puts the result together once everything has ended.
func (r *run) sum(state *os.ProcessState, over time.Time) {
	res := &r.result
	r.capture.Fill(res)
	res.CPU = state.UserTime() + state.SystemTime()
	if !r.started.IsZero() {
		res.Wall = over.Sub(r.started)
		// The guest's process was seen alive and has been waited for; a guest has no call to start another.
		res.Census = fence.Census{Peak: 1, Started: 1}
	} else {
		res.Census.Inconclusive = true
	}
	res.Exit = -1
	if a := r.last; a != nil {
		res.End, res.Exit, res.Note, res.Exhausted = a.End, a.Exit, a.Note, a.Exhausted
		res.PeakMemory, res.DiskUsed, res.Collected, res.NotCollected = a.PeakMemory, a.DiskUsed, a.Collected, a.NotCollected
		if res.End == fence.Exited && res.Exit != 0 && len(res.Exhausted) > 0 {
			res.End = res.Exhausted[0]
		}
		return
	}
	switch {
	case r.killed == fence.BoxDied && r.started.IsZero():
		res.End, res.Note = fence.NotStarted, fmt.Sprintf("the module did not compile within %s", compiling)
	case r.killed != "":
		res.End = r.killed
	case r.command.CPU > 0 && res.CPU >= r.command.CPU:
		res.End = fence.OutOfCPU
	default:
		res.End, res.Note = fence.BoxDied, "the guest's process is gone: "+state.String()
	}
}
