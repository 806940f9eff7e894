package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/mutate"
)

// Forked is a stage whose tests are loaded once in each of some boxes, and forked for each trial. Close it.
type Forked struct {
	stage *Stage
	plan  observe.Plan
	left  map[string]string

	mu   sync.Mutex
	idle []*loaded
}

// sessionLife is how long one loaded session may serve, and sessionRecords how many records it may send: what a run may send is bounded.
const (
	sessionLife    = 12 * time.Hour
	sessionRecords = 500_000
)

// Fork loads the task's tests in a box of their own. The error is for a reporter that cannot, and for tests that must not be
// forked when they are loaded.
func (s *Stage) Fork(ctx context.Context, hook observe.ForkHook) (*Forked, error) {
	forker, ok := s.task.Reporter.(observe.Forker)
	if !ok {
		return nil, fmt.Errorf("fork loaded tests: the reporter %s cannot", s.task.Reporter.Name())
	}
	plan, err := forker.Fork(s.request(Order{}), hook)
	if err != nil {
		return nil, err
	}
	x := &Forked{stage: s, plan: plan, left: map[string]string{}}
	first, err := x.load(ctx)
	if err != nil {
		return nil, err
	}
	answer, err := first.ask(ctx, observe.ForkOrder{Examine: true, Wall: warming}, func(b []byte) {
		if r, ok := observe.ParseFork(b); ok {
			maps.Copy(x.left, r.Values)
		}
	})
	if err == nil && (answer.End != observe.ForkExited || answer.Code != 0) {
		err = fmt.Errorf("fork loaded tests: what can be changed in them was not found out: %s\n%s", answer.End, answer.Output)
	}
	if err != nil {
		first.close()
		return nil, err
	}
	x.put(first, answer)
	return x, nil
}

// Left returns the values that cannot be applied to what is loaded, with the reasons.
func (x *Forked) Left() map[string]string { return x.left }

// Close ends the loaded sessions.
func (x *Forked) Close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, l := range x.idle {
		l.close()
	}
	x.idle = nil
}

func (x *Forked) take(ctx context.Context) (*loaded, error) {
	x.mu.Lock()
	if n := len(x.idle); n > 0 {
		l := x.idle[n-1]
		x.idle = x.idle[:n-1]
		x.mu.Unlock()
		return l, nil
	}
	x.mu.Unlock()
	return x.load(ctx)
}

// put keeps a session for the next trial, unless the last one changed more than its own memory.
func (x *Forked) put(l *loaded, last observe.ForkRecord) {
	if last.Dirty || l.records.Load() > sessionRecords {
		l.close()
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.idle = append(x.idle, l)
}

// Run runs one trial in a child of a loaded session. A null mutant's runs twice, in both directions, so that a test which needs
// others before or after it is found.
func (x *Forked) Run(ctx context.Context, trial mutate.Trial) (mutate.TrialResult, error) {
	if x.stage.task.Slots != nil {
		if err := x.stage.task.Slots.Acquire(ctx, 1); err != nil {
			return mutate.TrialResult{}, err
		}
		defer x.stage.task.Slots.Release(1)
	}
	switch trial.Purpose {
	case mutate.ForNull:
	case mutate.ForRecord:
		return x.once(ctx, trial, observe.AsSource)
	default:
		return x.once(ctx, trial, observe.AsAsked)
	}
	res, err := x.once(ctx, trial, observe.AsSource)
	if err != nil || res.End != mutate.EndExited {
		return res, err
	}
	back, err := x.once(ctx, trial, observe.AsReversed)
	if err != nil {
		return res, err
	}
	for id, st := range back.Tests {
		if st != mutate.Passed {
			res.Tests[id] = st
		}
	}
	res.End, res.Exit, res.Left, res.Output = back.End, max(res.Exit, back.Exit), res.Left+back.Left, back.Output
	res.CPU, res.Most, res.Wall = max(res.CPU, back.CPU), max(res.Most, back.Most), max(res.Wall, back.Wall)
	if res.Spoiled == "" {
		res.Spoiled = back.Spoiled
	}
	return res, nil
}

func (x *Forked) once(ctx context.Context, trial mutate.Trial, sequence string) (mutate.TrialResult, error) {
	l, err := x.take(ctx)
	if err != nil {
		return mutate.TrialResult{}, err
	}
	collector := x.plan.Collector()
	take, notes := collector.Feed, []byte(nil)
	record := trial.Purpose == mutate.ForRecord
	if record {
		take = func(b []byte) {
			if r, ok := observe.ParseFork(b); ok {
				notes = append(notes, r.Notes...)
				return
			}
			collector.Feed(b)
		}
	}
	answer, err := l.ask(ctx, observe.ForkOrder{
		Value: trial.Switch, Tests: trial.Tests, Sequence: sequence, FailFast: trial.FailFast, Record: record, CPU: trial.CPU, Each: trial.Each, Wall: trial.Wall,
	}, take)
	if err != nil {
		l.close()
		if ctx.Err() != nil {
			return mutate.TrialResult{}, err
		}
		// What brings down more than the child is judged without one.
		return mutate.TrialResult{End: mutate.EndExited, Spoiled: err.Error()}, nil
	}
	x.put(l, answer)
	res := forkedTrial(collector.Session(), answer)
	if record {
		res.Records = []mutate.Record{{Tests: trial.Tests, Files: map[string][]byte{}}}
		for _, name := range trial.Records {
			res.Records[0].Files[name] = notes
		}
	}
	return res, nil
}

var forkEnds = map[string]mutate.End{
	observe.ForkExited: mutate.EndExited, observe.ForkSignaled: mutate.EndSignaled, observe.ForkNoTime: mutate.EndTimeout,
	observe.ForkNoCPU: mutate.EndCPU, observe.ForkDidNotEnd: mutate.EndNoExit, observe.ForkKilled: mutate.EndSignaled,
}

func forkedTrial(s *observe.Session, a observe.ForkRecord) mutate.TrialResult {
	r := mutate.TrialResult{
		Tests: make(map[string]mutate.Status, len(s.Tests)), End: forkEnds[a.End], CPU: a.CPU, Most: a.Most, Wall: a.Wall, Left: a.Left,
		Output: bounded(a.Output, 8<<10), Spoiled: a.Why,
	}
	if r.End == mutate.EndExited {
		r.Exit = a.Code
	}
	if s.Lost && r.Spoiled == "" {
		r.Spoiled = "records of its tests are missing"
	}
	for _, t := range s.Tests {
		r.Tests[t.ID] = mutate.Status(t.Status)
	}
	return r
}

// loaded is one process, in a box of its own, in which the tests are loaded.
type loaded struct {
	box     *fence.Box
	cancel  context.CancelFunc
	orders  *io.PipeWriter
	done    chan struct{} // closed when the process is gone
	ended   string        // what became of it, once done is closed
	number  int
	records atomic.Int64

	mu      sync.Mutex
	take    func([]byte) // gets the records of the child
	answers chan observe.ForkRecord
}

// load opens a box and waits until the tests are loaded in it.
func (x *Forked) load(ctx context.Context) (*loaded, error) {
	box, err := fence.Open(ctx, x.stage.config())
	if err != nil {
		return nil, err
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	orders, w := io.Pipe()
	l := &loaded{box: box, cancel: cancel, orders: w, done: make(chan struct{}), answers: make(chan observe.ForkRecord, 1)}
	cmd := x.stage.command(x.plan.Argv, x.plan.Env, x.plan.Files, Order{Wall: sessionLife})
	cmd.Events, cmd.Stdin = l.hear, orders
	cmd.Overlay = absent(cmd.Overlay, x.plan.Absent)
	go func() {
		defer close(l.done)
		res, err := box.Run(running, cmd)
		orders.CloseWithError(errors.New("the process is gone"))
		seen := Seen{Box: res}
		l.ended = fmt.Sprintf("the process that loaded the tests is gone (%s)\n%s", res.End, seen.Output())
		if err != nil {
			l.ended = err.Error()
		}
	}()
	answer, err := l.wait(ctx, x.stage.task.loading())
	if err == nil && answer.Why != "" {
		err = errors.New(answer.Why)
	}
	if err != nil {
		l.close()
		return nil, fmt.Errorf("fork loaded tests: %w", err)
	}
	return l, nil
}

// loading is the time that loading the tests may take.
func (t *Task) loading() time.Duration {
	if t.Timeout > 0 {
		return t.Timeout
	}
	return 5 * time.Minute
}

// hear sorts the records: those of the process itself are answers, all others are of its child.
func (l *loaded) hear(b []byte) {
	l.records.Add(1)
	r, own := observe.ParseFork(b)
	if own && r.Event != observe.ForkLeft && r.Event != observe.ForkNoted {
		select {
		case l.answers <- r:
		default: // nobody asked
		}
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.take != nil {
		l.take(slices.Clone(b))
	}
}

// slack is what a session may take beyond a child's budget: to kill what it started, and to say so.
const slack = 30 * time.Second

// ask gives an order and waits for the answer. The error says that the session is of no use any more.
func (l *loaded) ask(ctx context.Context, o observe.ForkOrder, take func([]byte)) (observe.ForkRecord, error) {
	l.number++
	o.Number = l.number
	line, err := o.Line()
	if err != nil {
		return observe.ForkRecord{}, err
	}
	l.hand(take)
	defer l.hand(nil)
	if _, err := l.orders.Write(line); err != nil {
		<-l.done
		return observe.ForkRecord{}, errors.New(l.ended)
	}
	limit := sessionLife
	if o.Wall > 0 {
		limit = 2*o.Wall + slack
	}
	answer, err := l.wait(ctx, limit)
	if err == nil && answer.Number != o.Number {
		err = errors.New("the process that loaded the tests answered another order")
	}
	return answer, err
}

func (l *loaded) hand(take func([]byte)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.take = take
}

func (l *loaded) wait(ctx context.Context, limit time.Duration) (observe.ForkRecord, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case r := <-l.answers:
		return r, nil
	case <-l.done:
		select { // it may have answered before it ended
		case r := <-l.answers:
			return r, nil
		default:
			return observe.ForkRecord{}, errors.New(l.ended)
		}
	case <-timer.C:
		return observe.ForkRecord{}, errors.New("the process that loaded the tests does not answer")
	case <-ctx.Done():
		return observe.ForkRecord{}, ctx.Err()
	}
}

// close ends the process and its box.
func (l *loaded) close() {
	l.cancel()
	l.orders.Close()
	<-l.done
	l.box.Close()
}
