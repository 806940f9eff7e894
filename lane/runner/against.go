package runner

import (
	"context"
	"net"
	"sync"

	"github.com/vallane/lane/lane/fence"
)

// ProgramAddress is where a run that talks to a program finds it, and ProgramVariable the variable that says so.
const (
	ProgramAddress  = "127.0.0.1:7007"
	ProgramVariable = "LANE_PROGRAM"
)

// Bounds of a run that talks to a program. What the program may print in one connection is bounded by its own Limits.Output.
const (
	mostConnections = 10_000 // in one run
	mostAtOnce      = 4      // programs that run at a time; others wait
	mostNotes       = 64     // of Talked.Ends
)

// Program is what a run talks to: a command that is started anew, in a box of another stage, for each connection that the run's own box
// opens to ProgramAddress. What is sent is its standard input, what it prints to standard output is the answer; Lane stands between the
// two, and nothing else connects them. The zero value answers nobody: each connection is closed at once.
type Program struct {
	Stage *Stage // nil: there is none
	Argv  []string
	// AtOnce bounds how many programs run at a time, for all that share it, by what it holds; nil for 4 of this run.
	AtOnce chan struct{}
}

// Talked is what passed between a run and its program.
type Talked struct {
	Connections int
	// Cut says that the program met its limit of output, or that there were more connections than Lane serves.
	Cut bool
	// Ends says how programs ended, in no order, bounded; for people.
	Ends []TalkEnd
}

// TalkEnd is how one program ended.
type TalkEnd struct {
	End    fence.End `json:"end"`
	Exit   int       `json:"exit"`
	Stderr string    `json:"stderr,omitempty"` // a tail
	Error  string    `json:"error,omitempty"`  // why Lane could not run it
}

// RunAgainst runs the task once as ordered, with a program to talk to. Its box is opened for this run and serves no other.
func (s *Stage) RunAgainst(ctx context.Context, o Order, p Program) (Seen, Talked, error) {
	serving, stop := context.WithCancel(ctx)
	defer stop()
	r := &relay{program: p, slots: p.AtOnce}
	if r.slots == nil {
		r.slots = make(chan struct{}, mostAtOnce)
	}
	o.Env = join(o.Env, []string{ProgramVariable + "=" + ProgramAddress})
	seen, err := s.RunServed(ctx, o, ProgramAddress, func(l net.Listener) { r.all.Go(func() { r.serve(serving, l) }) }, stop)
	r.all.Wait()
	return seen, r.talked, err
}

// RunServed runs the task once as ordered, in a box that is opened for this run and serves no other. What listens at the address in that box is handed to
// serve, which returns at once; over, where it is not nil, is called when the run has ended, before the listener is closed.
func (s *Stage) RunServed(ctx context.Context, o Order, address string, serve func(net.Listener), over func()) (Seen, error) {
	x := s.task.On(s.tree, s.cache)
	x.served, x.serve = address, serve
	seen, err := x.Run(ctx, o)
	if over != nil {
		over()
	}
	x.Close() // and with it the listener
	return seen, err
}

// relay serves the connections of one run.
type relay struct {
	program Program
	slots   chan struct{}
	all     sync.WaitGroup

	mu     sync.Mutex
	talked Talked
}

func (r *relay) serve(ctx context.Context, l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		r.mu.Lock()
		r.talked.Connections++
		tooMany := r.talked.Connections > mostConnections
		r.talked.Cut = r.talked.Cut || tooMany
		r.mu.Unlock()
		if tooMany || r.program.Stage == nil {
			c.Close()
			continue
		}
		select {
		case r.slots <- struct{}{}:
		case <-ctx.Done():
			c.Close()
			continue
		}
		r.all.Go(func() {
			defer func() { <-r.slots }()
			r.talk(ctx, c)
		})
	}
}

// talk runs the program for one connection. The connection ends with the run at the latest, so that no side can hold the other up for ever.
func (r *relay) talk(ctx context.Context, c net.Conn) {
	defer c.Close()
	stop := context.AfterFunc(ctx, func() { c.Close() })
	defer stop()
	res, err := r.program.Stage.talk(ctx, r.program.Argv, c)
	end := TalkEnd{End: res.End, Exit: res.Exit, Stderr: bounded(res.Stderr.String(), 2<<10)}
	if err != nil && ctx.Err() == nil {
		end.Error = err.Error()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.talked.Cut = r.talked.Cut || res.End == fence.TooMuchOut
	if len(r.talked.Ends) < mostNotes {
		r.talked.Ends = append(r.talked.Ends, end)
	}
}

// talk runs a command in a fresh box of the stage, with a connection as its standard input and output. The task's build goes before it.
func (s *Stage) talk(ctx context.Context, argv []string, c net.Conn) (res fence.Result, err error) {
	var env []string
	if plan, err := s.task.Reporter.Instrument(s.request(Order{})); err == nil {
		env = unobserved(plan.Env)
	}
	err = s.use(ctx, func(b *fence.Box) error {
		cmd := s.command(argv, env, nil, Order{})
		if len(s.task.Build) > 0 {
			if res, err = b.Run(ctx, s.command(s.task.Build, env, nil, Order{})); err != nil || res.End != fence.Exited || res.Exit != 0 {
				return err
			}
			afterBuild(&cmd)
		}
		cmd.Stdin, cmd.Stdout = c, c
		res, err = b.Run(ctx, cmd)
		return err
	})
	return res, err
}
