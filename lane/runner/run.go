package runner

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/service"
)

// Order asks for one run. The zero value is the task's own command, as it is.
type Order struct {
	Env      []string // of a variation; wins over everything else
	Seed     uint64   // shuffles the tests; 0 leaves their order
	Canaries *[32]byte
	Select   []string // ids of the only tests to run; nil for all
	FailFast bool
	NoVet    bool // leave out the runner's own static checks

	// Spoil names a service of the task whose answers do not reach the run as they were; "" for none.
	Spoil string

	Overlay map[string]fence.Change
	CPU     time.Duration // budget; 0 for none
	Wall    time.Duration // budget; 0 for the task's
	Log     io.Writer     // full output; nil for none
}

// Seen is what one run showed.
type Seen struct {
	Plan    observe.Plan
	Session *observe.Session
	Box     fence.Result
	Detail  string            // what the reporter says to the run, for a person
	Unread  *observe.Unparsed // what the run left behind cannot be counted; nil where it can
	Unbuilt bool              // the task's build command said no, and nothing else was run
	// Services are those that ran beside it, in the order of the task's. Where one was not ready, nothing else was run.
	Services []service.Seen

	ran bool // the command itself
}

// Run runs the task once as ordered, in a box of the stage's pool. The error says that Lane could not
// run it: a *observe.Unparsed where the reporter does not know the runner, a *fence.Unavailable where
// there is no fence, ctx's error where it was stopped.
func (s *Stage) Run(ctx context.Context, o Order) (Seen, error) {
	if s.task.WASI != nil {
		return s.runGuest(ctx, o)
	}
	plan, err := s.task.Reporter.Instrument(s.request(o))
	if err != nil {
		return Seen{}, err
	}
	return s.run(ctx, plan, o)
}

// run carries out a plan.
func (s *Stage) run(ctx context.Context, plan observe.Plan, o Order) (Seen, error) {
	seen := Seen{Plan: plan}
	collector := plan.Collector()
	services, err := s.beside(ctx, o.Spoil, func(b *fence.Box) error {
		cmd := s.command(plan.Argv, plan.Env, plan.Files, o)
		if len(s.task.Build) > 0 {
			if ok, err := s.compile(ctx, b, plan, o, &seen); !ok {
				return err
			}
			afterBuild(&cmd)
			plan.Absent = nil
		}
		if plan.Read == nil {
			cmd.Events, cmd.AfterEvents = collector.Feed, collector.Done
		}
		cmd.Collect, cmd.TailLimit = plan.Collect, plan.Output
		cmd.Overlay = absent(cmd.Overlay, plan.Absent)
		if plan.Dir != "" {
			cmd.Dir = plan.Dir
		}
		res, err := b.Run(ctx, cmd)
		seen.Box = withBuild(res, seen.Box)
		seen.ran = true
		return err
	})
	seen.Services = services
	if seen.Box.EventsLost {
		collector.Lose()
	}
	if err == nil && plan.Read != nil && seen.ran {
		err = seen.read(collector)
	}
	seen.Session = collector.Session()
	return seen, err
}

// absent adds to what a run changes in the tree that some paths are not there.
func absent(overlay map[string]fence.Change, paths []string) map[string]fence.Change {
	if len(paths) == 0 {
		return overlay
	}
	out := map[string]fence.Change{}
	maps.Copy(out, overlay)
	for _, p := range paths {
		out[p] = fence.Change{Delete: true}
	}
	return out
}

// read finds the tests in what the run left behind.
func (s *Seen) read(c *observe.Collector) error {
	b := &s.Box
	report, err := s.Plan.Read(observe.Remains{
		End:    observe.End{Exited: b.End == fence.Exited, Code: max(b.Exit, 0)},
		Output: slices.Concat(b.Stdout.Head, b.Stdout.End), Cut: b.Stdout.Cut() > 0,
		Files: b.Collected, Why: b.NotCollected,
	})
	if err != nil && !errors.As(err, &s.Unread) {
		return err
	}
	s.Detail = report.Detail
	c.Replay(report)
	return nil
}

func (s *Stage) request(o Order) observe.Request {
	t := s.task
	r := observe.Request{
		Name: t.Name, Argv: t.Argv, Dir: t.dir(), TreeHost: s.tree, TreeBox: fence.TreeDir, Store: t.host, Path: t.Path,
		Env: s.env(), Home: fence.HomeDir, Cache: CacheDir,
		Seed: o.Seed, Select: o.Select, FailFast: o.FailFast, NoVet: o.NoVet,
	}
	if o.Canaries != nil {
		r.Canaries, r.CanarySeed = true, *o.Canaries
	}
	return r
}

func (t *Task) dir() string {
	if t.Dir == "." {
		return ""
	}
	return t.Dir
}

func (s *Stage) command(argv, env []string, files map[string][]byte, o Order) fence.Command {
	t := s.task
	cmd := fence.Command{
		Argv: argv, Dir: t.dir(), Timeout: t.Timeout, CPU: o.CPU, Overlay: o.Overlay, Log: o.Log,
		Env: join(s.env(), env, o.Env, t.addresses()), Files: asFiles(files), ExitGrace: 5 * time.Second,
	}
	if o.Wall > 0 {
		cmd.Timeout = o.Wall
	}
	return cmd
}

func join(parts ...[]string) (out []string) {
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func asFiles(files map[string][]byte) map[string]fence.File {
	out := make(map[string]fence.File, len(files))
	for name, data := range files {
		out[name] = fence.File{Data: data}
	}
	return out
}

// Words returns the command line of an order, as a person would type it at the root of the tree, with the
// variables of its variation before it. It is nil where the order cannot be planned.
func (s *Stage) Words(o Order) []string {
	plan, err := s.task.Reporter.Instrument(s.request(o))
	if err != nil {
		return nil
	}
	env := o.Env
	if o.Seed != 0 && s.task.Reporter.Name() == "go" {
		env = join(env, []string{"GOFLAGS=-shuffle=" + strconv.FormatUint(o.Seed, 10)})
	}
	if plan.Typed != nil {
		return join(env, plan.Typed)
	}
	return join(env, plan.Argv)
}
