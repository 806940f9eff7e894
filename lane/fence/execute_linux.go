//go:build amd64 || arm64

package fence

import (
	"errors"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	stragglerGrace = 100 * time.Millisecond // for children that are on their way out when the command ends
	orphanDelay    = 500 * time.Millisecond // from AfterEvents to the first look for orphans
	emptyDeadline  = 10 * time.Second       // for the kernel to end what was killed
)

// execution is one command on its way.
type execution struct {
	box     *boxInit
	req     *runRequest
	result  *Result
	pid     int
	start   time.Time
	reaper  *reaper
	watch   *watcher
	cause   End              // why Lane ended the run; empty if it did not
	status  *unix.WaitStatus // the command's, once it has been reaped
	settled bool
}

// execute runs the command to its end and everything that it started with it.
func (b *boxInit) execute(req *runRequest, fds []int) *Result {
	e := &execution{box: b, req: req, result: &Result{Exit: -1}}
	e.result.Census.Inconclusive = true // until the command is seen
	env := b.environment(req)
	dir := workDirectory(req.Dir)
	program, err := lookUp(req.Argv[0], dir, env)
	if err != nil {
		e.result.End, e.result.Note = NotFound, err.Error()
		return e.result
	}
	if err := e.launch(program, dir, env, fds); err != nil {
		e.result.End, e.result.Note = NotStarted, err.Error()
		return e.result
	}
	e.observe()
	e.wait()
	if e.cause == "" {
		e.stragglers()
	}
	e.empty()
	e.conclude()
	return e.result
}

func (e *execution) launch(program, dir string, env []string, fds []int) error {
	stdin := -1
	if e.req.Stdin {
		stdin, fds = fds[len(fds)-1], fds[:len(fds)-1]
	} else {
		null, err := openNull()
		if err != nil {
			return err
		}
		defer unix.Close(null)
		stdin = null
	}
	files := []uintptr{uintptr(stdin)}
	for _, fd := range fds {
		files = append(files, uintptr(fd))
	}
	limit := newProcessLimit(e.box.root.limits.Processes)
	giveBack := limit.lend()
	e.start = time.Now()
	var err error
	e.pid, err = e.box.launch(program, e.req.Argv, &syscall.ProcAttr{
		Dir: dir, Env: env, Files: files, Sys: &syscall.SysProcAttr{Setsid: true, Setctty: e.req.Terminal},
	}, e.req.Keep)
	giveBack()
	if errors.Is(err, unix.ENOENT) {
		return errors.New("start " + program + ": the folder to start in, or the interpreter that the program names, is not in the box")
	}
	if err != nil {
		return errors.New("start " + program + ": " + err.Error())
	}
	limit.settle(e.pid, e.box.lastID() == e.pid)
	return nil
}

// observe reads the facts, and starts reaping only then: until it is reaped, the
// command's entry in /proc stays, however short its life.
func (e *execution) observe() {
	if facts, err := processFacts(e.pid); err == nil {
		e.result.Facts = facts
		e.result.Census.Peak, e.result.Census.Inconclusive = 1, false
	}
	e.reaper = startReaper(e.pid)
	e.watch = newWatcher(e.box.root, e.reaper, e.req.CPU)
}

// ended takes note of the command's end.
func (e *execution) ended(status unix.WaitStatus) {
	e.status = &status
	e.result.Wall = time.Since(e.start)
}

// wait is over when the command has ended, or when Lane ends the run, for the
// cause that is then set.
func (e *execution) wait() {
	timeout := time.NewTimer(e.req.Timeout)
	defer timeout.Stop()
	tick := time.NewTicker(e.watch.interval)
	defer tick.Stop()
	var orphans, exit <-chan time.Time
	for {
		select {
		case status := <-e.reaper.main:
			e.ended(status)
			return
		case <-timeout.C:
			e.terminate(TimedOut)
			return
		case m := <-e.box.requests:
			switch {
			case m.Seq != e.req.Seq: // came too late for the run before
			case m.Settle && !e.settled:
				e.settled = true
				orphans, exit = time.After(orphanDelay), time.After(e.req.ExitGrace)
			case m.Kill != "":
				e.cause = m.Kill
				return
			}
		case <-orphans:
			e.killOrphans()
			orphans = time.After(orphanDelay)
		case <-exit:
			e.terminate(DidNotExit)
			return
		case <-tick.C:
			if e.cause = e.watch.look(); e.cause != "" {
				return
			}
		}
	}
}

// terminate asks everything in the box to end, and gives it the grace to do so.
func (e *execution) terminate(cause End) {
	e.cause = cause
	_ = unix.Kill(-1, unix.SIGTERM)
	_ = unix.Kill(-1, unix.SIGCONT) // what is stopped must wake up to end
	grace := time.After(e.req.Grace)
	for {
		select {
		case <-e.reaper.empty:
			return
		case <-grace:
			return
		case m := <-e.box.requests:
			if m.Kill != "" && m.Seq == e.req.Seq {
				return
			}
		}
	}
}

// killOrphans ends the processes that have lost their parent. Those that their
// death orphans come next time.
func (e *execution) killOrphans() {
	list, err := processes()
	if err != nil {
		return
	}
	var orphans []procEntry
	for _, p := range alive(list) {
		if p.Parent == 1 && p.PID != e.pid {
			orphans = append(orphans, p)
		}
	}
	if len(e.result.Leaky) < leftLimit {
		e.result.Leaky = append(e.result.Leaky, describe(orphans)...)
	}
	for _, p := range orphans {
		_ = unix.Kill(p.PID, unix.SIGKILL)
	}
}

// stragglers waits a little for what is ending anyway, and counts the rest.
func (e *execution) stragglers() {
	select {
	case <-e.reaper.empty:
		return
	case <-time.After(stragglerGrace):
	}
	list, err := processes()
	if err != nil {
		e.result.Census.Inconclusive = true
		return
	}
	left := alive(list)
	e.watch.count(left)
	e.result.Census.Left = describe(left)
}

// empty kills everything in the pid namespace but pid 1, and waits for the
// kernel to say that nothing is left.
func (e *execution) empty() {
	if e.cause != "" {
		e.watch.look()
	}
	_ = unix.Kill(-1, unix.SIGKILL)
	deadline := time.After(emptyDeadline)
	for done := false; !done; {
		select {
		case status := <-e.reaper.main:
			e.ended(status)
		case <-e.reaper.empty:
			done = true
		case <-deadline:
			done = true
		}
	}
	select { // the command's status is sent before empty is closed
	case status := <-e.reaper.main:
		e.ended(status)
	default:
	}
	// with a signal that is none, the kernel says whether there is anybody to get it
	if err := unix.Kill(-1, 0); err != unix.ESRCH {
		if list, err := processes(); err != nil || len(list) > 0 {
			e.result.Census.After = max(len(list), 1)
		}
	}
}

// conclude fills in what is known now that all is over. The end is named on
// Lane's side, which may know of more limits.
func (e *execution) conclude() {
	r := e.result
	switch {
	case e.status == nil: // it does not end, as Census.After says
		r.End = BoxDied
	case e.status.Exited():
		r.End, r.Exit = Exited, e.status.ExitStatus()
	case e.status.Signaled():
		r.End, r.Signal = Signaled, int(e.status.Signal())
	}
	if e.cause != "" {
		r.End = e.cause
	}
	e.watch.disk()
	r.CPU = e.reaper.cpu()
	r.PeakMemory = max(e.watch.peakMemory, e.reaper.largest())
	r.DiskUsed = e.watch.diskUsed
	r.Exhausted = e.watch.exhausted
	r.Census.Peak = max(r.Census.Peak, e.watch.peak)
	if last := e.box.lastID(); e.box.lastPID != nil && last >= reservedPIDs {
		r.Census.Started = last - reservedPIDs + 1
	}
}
