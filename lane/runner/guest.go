package runner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/fence/wasi"
	"github.com/vallane/lane/lane/observe"
)

// WASI says that a task's commands are WebAssembly guests, and no programs of the closure. Test programs that the reporter knows how to
// build are built in boxes of the local fence.
type WASI struct {
	Compiled string // host folder of compiled modules; see wasi.OpenCache
	Scratch  string // host folder below which built programs are kept while a stage is in use
}

// guestDisk bounds what a guest may write: it is memory of the guest's process.
const guestDisk = 256 << 20

// guests are the test programs of a stage, built once for all runs of its tree as it is.
type guests struct {
	mu    sync.Mutex
	built *programs
}

// programs are what one build left: a file of the host for each unit that was built, and what the others said.
type programs struct {
	dir    string
	files  map[string]string       // by unit
	failed map[string]fence.Result // by unit
	built  fence.Result            // sums up the builds that succeeded
}

func (p *programs) remove() { os.RemoveAll(p.dir) }

// runGuest runs the task once as ordered, as one guest or as one for each unit.
func (s *Stage) runGuest(ctx context.Context, o Order) (Seen, error) {
	if b, ok := s.task.Reporter.(observe.Builder); ok {
		return s.runPrograms(ctx, b, o)
	}
	plan, err := s.task.Reporter.Instrument(s.request(o))
	if err != nil {
		return Seen{}, err
	}
	seen := Seen{Plan: plan}
	cmd := s.command(plan.Argv, plan.Env, plan.Files, o)
	cmd.Collect, cmd.TailLimit = plan.Collect, plan.Output
	cmd.Overlay = absent(cmd.Overlay, plan.Absent)
	collector := plan.Collector()
	if seen.Box, err = s.guest(ctx, nil, o, cmd); err == nil && plan.Read != nil {
		err = seen.read(collector)
	}
	seen.Session = collector.Session()
	return seen, err
}

// guest runs one command.
func (s *Stage) guest(ctx context.Context, programs map[string]string, o Order, cmd fence.Command) (fence.Result, error) {
	if s.task.Slots != nil {
		if err := s.task.Slots.Acquire(ctx, 1); err != nil {
			return fence.Result{}, err
		}
		defer s.task.Slots.Release(1)
	}
	return wasi.Open(s.guestConfig(programs, o)).Run(ctx, cmd)
}

func (s *Stage) guestConfig(programs map[string]string, o Order) wasi.Config {
	t := s.task
	c := wasi.Config{Tree: s.tree, Programs: programs, Time: t.Time, Limits: t.Limits, Cache: t.WASI.Compiled}
	c.Limits.Disk = guestDisk
	if private(o) {
		c.Cache = "" // nobody will run this program again
	}
	return c
}

// private reports whether an order needs programs of its own.
func private(o Order) bool { return o.Canaries != nil || len(o.Overlay) > 0 }

// runPrograms runs the program of each unit, until one fails where that is enough.
func (s *Stage) runPrograms(ctx context.Context, b observe.Builder, o Order) (Seen, error) {
	build, err := b.Build(s.request(o))
	if err != nil {
		return Seen{}, err
	}
	seen := Seen{Plan: build.Plan}
	collector := build.Collector()
	seen.Session = collector.Session() // for where nothing runs
	made, release, err := s.programsFor(ctx, b, build, o)
	if err != nil {
		return seen, err
	}
	defer release()
	sum := made.built
	for _, p := range build.Programs {
		if sum.End != fence.Exited || o.FailFast && sum.Exit != 0 {
			break
		}
		if failed, ok := made.failed[p.Unit]; ok {
			merge(&sum, &failed)
			continue
		}
		cmd := s.command(p.Argv, []string{"LANE_EVENTS=" + wasi.EventsPath}, nil, o)
		cmd.Dir, cmd.Events = p.Dir, collector.Feed
		cmd.CPU, cmd.Timeout = left(o.CPU, sum.CPU), left(cmd.Timeout, sum.Wall)
		res, err := s.guest(ctx, map[string]string{p.Argv[0]: made.files[p.Unit]}, o, cmd)
		if err != nil {
			return seen, err
		}
		if res.EventsLost {
			collector.Lose()
		}
		merge(&sum, &res)
	}
	seen.Box, seen.Session = sum, collector.Session()
	return seen, nil
}

// programsFor builds what an order needs, or finds it built. release gives it back.
func (s *Stage) programsFor(ctx context.Context, b observe.Builder, build observe.Build, o Order) (p *programs, release func(), err error) {
	if private(o) {
		p, err := s.build(ctx, build, o)
		if err != nil {
			return nil, nil, err
		}
		return p, p.remove, nil
	}
	s.guests.mu.Lock()
	defer s.guests.mu.Unlock()
	if s.guests.built == nil {
		whole, err := b.Build(s.request(Order{}))
		if err != nil {
			return nil, nil, err
		}
		if s.guests.built, err = s.build(ctx, whole, Order{}); err != nil {
			return nil, nil, err
		}
		// One build serves many runs, and the time of none of them.
		s.guests.built.built.CPU, s.guests.built.built.Wall = 0, 0
	}
	return s.guests.built, func() {}, nil
}

// build builds test programs in a box of the local fence and keeps them in a folder of their own.
func (s *Stage) build(ctx context.Context, build observe.Build, o Order) (p *programs, err error) {
	dir, err := os.MkdirTemp(s.task.WASI.Scratch, ".programs-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for programs: %w", err)
	}
	p = &programs{dir: dir, files: map[string]string{}, failed: map[string]fence.Result{}, built: fence.Result{End: fence.Exited}}
	if err = s.use(ctx, func(b *fence.Box) error { return s.buildIn(ctx, b, build, o, p) }); err != nil {
		p.remove()
		return nil, fmt.Errorf("build test programs of task %s: %w", s.task.Name, err)
	}
	return p, nil
}

func (s *Stage) buildIn(ctx context.Context, b *fence.Box, build observe.Build, o Order, p *programs) error {
	for i, step := range build.Steps {
		cmd := s.command(step.Argv, step.Env, step.Files, o)
		cmd.Dir, cmd.Keep, cmd.Timeout, cmd.CPU = step.Dir, i > 0, warming, 0
		cmd.Collect, cmd.CollectLimit = step.Collect, 256<<20
		if i > 0 {
			cmd.Overlay = nil
		}
		res, err := b.Run(ctx, cmd)
		if err != nil {
			return err
		}
		unit, data := step.Units[0], res.Collected[step.Collect[0]]
		res.Collected, res.Facts, res.Census.Peak = nil, fence.Facts{}, 0
		switch {
		case res.End != fence.Exited:
			p.failed[unit] = res
		case res.Exit != 0 || len(data) == 0:
			res.Exit = max(res.Exit, 1)
			// As the go command ends the output of a package that it could not build.
			res.Stdout = joinTails(res.Stdout, fence.Tail{Head: []byte("FAIL\t" + unit + " [build failed]\n")})
			p.failed[unit] = res
		default:
			p.files[unit] = filepath.Join(p.dir, strconv.Itoa(i)+".wasm")
			if err := os.WriteFile(p.files[unit], data, 0o600); err != nil {
				return err
			}
			res.Stdout, res.Stderr = fence.Tail{}, fence.Tail{}
			merge(&p.built, &res)
		}
	}
	return nil
}

// merge adds the result of one more part of a run.
func merge(sum, r *fence.Result) {
	sum.Exit = max(sum.Exit, r.Exit)
	if sum.End == fence.Exited {
		sum.End = r.End
		if r.End != fence.Exited {
			sum.Exit, sum.Signal = r.Exit, r.Signal
		}
	}
	if sum.Note == "" {
		sum.Note = r.Note
	}
	for _, e := range r.Exhausted {
		if !slices.Contains(sum.Exhausted, e) {
			sum.Exhausted = append(sum.Exhausted, e)
		}
	}
	sum.Stdout, sum.Stderr = joinTails(sum.Stdout, r.Stdout), joinTails(sum.Stderr, r.Stderr)
	sum.LogCut = sum.LogCut || r.LogCut
	sum.Events, sum.EventsLost = sum.Events+r.Events, sum.EventsLost || r.EventsLost
	sum.Wall, sum.CPU = sum.Wall+r.Wall, sum.CPU+r.CPU
	sum.PeakMemory, sum.DiskUsed = max(sum.PeakMemory, r.PeakMemory), max(sum.DiskUsed, r.DiskUsed)
	sum.Leaky = append(sum.Leaky, r.Leaky...)
	c := &sum.Census
	c.Peak, c.Started, c.After = max(c.Peak, r.Census.Peak), c.Started+r.Census.Started, max(c.After, r.Census.After)
	c.Left, c.Inconclusive = append(c.Left, r.Census.Left...), c.Inconclusive || r.Census.Inconclusive
	if sum.Facts.MemoryBy == "" {
		sum.Facts = r.Facts
	}
}

// tailOfRun bounds what is kept of a stream of all parts of a run together.
const tailOfRun = 256 << 10

// joinTails puts one stream behind another.
func joinTails(a, b fence.Tail) fence.Tail {
	if a.Total == 0 && len(a.Head) == 0 {
		b.Total = max(b.Total, int64(len(b.Head)))
		return b
	}
	all := slices.Concat(a.Head, a.End, b.Head)
	if len(all) > tailOfRun {
		all = all[:tailOfRun]
	}
	return fence.Tail{Head: all, End: b.End, Total: a.Total + max(b.Total, int64(len(b.Head)))}
}

// guestNetwork is Network for guests: a guest that is given a listener gets a connection, and no guest of the stage does.
func (s *Stage) guestNetwork(ctx context.Context) (n Network, err error) {
	if n.Control, err = wasi.NetworkControl(ctx, wasi.Config{Time: s.task.Time, Cache: s.task.WASI.Compiled}); err != nil {
		return n, err
	}
	r, err := wasi.Open(s.guestConfig(nil, Order{})).Probe(ctx)
	n.Dialled = []fence.ProbeResult{r}
	return n, err
}
