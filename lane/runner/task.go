package runner

import (
	"context"
	"fmt"
	"net"
	"slices"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/vallane/lane/lane/door"
	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/service"
)

// Task is one test command and what its boxes hold. It is not changed once a Stage has been made.
type Task struct {
	Name    string
	Argv    []string
	Dir     string        // slash path below the tree; "" or "." is its root
	Env     []string      // K=V that the spec sets
	Build   []string      // runs before Argv in the same box; where it fails, nothing was tested. nil for none
	Timeout time.Duration // of one run; 0 means 5 minutes

	Reporter observe.Reporter

	Store  []fence.Mount // the closure's paths
	Path   []string      // PATH in the box
	Limits fence.Limits
	Time   time.Time // SOURCE_DATE_EPOCH
	Zones  string    // host folder that keeps unpacked time zones

	// TreeCopy gives each run a copy of the tree, for suites that rename folders of it.
	TreeCopy bool
	// Git is a host folder whose entry .git shows in a tree, by the host folder of the tree.
	Git map[string]string

	// Brought is what a fetch phase brought for a tree, by the host folder of the tree.
	Brought map[string]Brought

	// Cut lists addresses that answered the very same probe in the task's fetch boxes, and may not answer in any of these.
	Cut []string

	// Services are started anew for each run of its tests.
	Services []service.Service

	// WASI runs the task's commands as WebAssembly guests. nil: as programs in boxes of the local fence.
	WASI *WASI

	// Slots bounds how many boxes are at work at once, over all tasks that share it. nil: no bound.
	Slots *semaphore.Weighted
}

// Brought is what a fetch phase brought for one tree: host folders that are only read, and what runs are told of them.
type Brought struct {
	Below  string // shows in the tree where the tree itself has nothing; "" for nothing
	Caches string // shows at CachesAt, with a layer of each run's own above it; "" for nothing
	// CachesAt is where Caches lie in every box of the tree.
	CachesAt string
	Env      []string // K=V; what the spec sets wins over it
}

// CacheDir is where a build cache lies in every box.
const CacheDir = "/cache/go-build"

// host says where a path of the box lies on this machine, "" where the closure lacks it.
func (t *Task) host(box string) string {
	for _, m := range t.Store {
		if rest, ok := below(box, m.Box); ok {
			return m.Host + rest
		}
	}
	return ""
}

func below(path, folder string) (rest string, ok bool) {
	if len(path) < len(folder) || path[:len(folder)] != folder {
		return "", false
	}
	rest = path[len(folder):]
	return rest, rest == "" || rest[0] == '/'
}

// Stage is a task on one tree, with a pool of boxes that are opened as they are needed. A Stage
// serves one spec. Close it.
type Stage struct {
	task  *Task
	tree  string
	cache string
	// programs are what was built beforehand for its runs, and files what all of them find below fence.FilesDir.
	programs []fence.Mount
	files    map[string]fence.File

	guests guests

	// serve is handed the listener at the address served of each box that is opened; nil for none. See RunServed.
	serve  func(net.Listener)
	served string

	free chan *opened
}

// opened is a box of a stage, with a door for each of the task's services.
type opened struct {
	*fence.Box
	doors []*door.Door
}

// pooled is how many idle boxes a stage keeps.
const pooled = 16

// On returns the stage of the task on the tree that lies in the host folder tree. cache is the host
// folder of the build cache below its runs, "" for none.
func (t *Task) On(tree, cache string) *Stage {
	return &Stage{task: t, tree: tree, cache: cache, free: make(chan *opened, pooled)}
}

// Close ends the stage's idle boxes.
func (s *Stage) Close() {
	if s.guests.built != nil {
		s.guests.built.remove()
	}
	for {
		select {
		case b := <-s.free:
			b.Close()
		default:
			return
		}
	}
}

func (s *Stage) config() fence.Config {
	return s.configOver(fence.Overlay{Lower: s.cache, At: CacheDir})
}

// configOver is the box's configuration with a build cache.
func (s *Stage) configOver(cache fence.Overlay) fence.Config {
	t, b := s.task, s.brought()
	c := fence.Config{
		StorePaths: slices.Concat(t.Store, s.programs), Tree: s.tree, TreeBelow: b.Below, TreeGit: t.Git[s.tree], TreeCopy: t.TreeCopy, Path: t.Path, Limits: t.Limits, Time: t.Time, Cache: t.Zones,
		Overlays: []fence.Overlay{cache}, Files: s.files,
	}
	if b.Caches != "" {
		c.Overlays = append(c.Overlays, fence.Overlay{Lower: b.Caches, At: b.CachesAt})
	}
	return c
}

// brought is what was fetched for the stage's tree.
func (s *Stage) brought() Brought { return s.task.Brought[s.tree] }

// env is what the spec sets, above what follows from what was fetched.
func (s *Stage) env() []string { return join(s.brought().Env, s.task.Env) }

// use calls f with a box that nobody else uses, and keeps the box unless f returns an error. No service runs beside it.
func (s *Stage) use(ctx context.Context, f func(*fence.Box) error) error {
	return s.useOpened(ctx, func(b *opened) error { return f(b.Box) })
}

func (s *Stage) useOpened(ctx context.Context, f func(*opened) error) error {
	if s.task.Slots != nil {
		if err := s.task.Slots.Acquire(ctx, 1); err != nil {
			return err
		}
		defer s.task.Slots.Release(1)
	}
	var box *opened
	select {
	case box = <-s.free:
	default:
		var err error
		if box, err = s.open(ctx); err != nil {
			return err
		}
	}
	if err := f(box); err != nil {
		box.Close()
		return err
	}
	select {
	case s.free <- box:
	default:
		box.Close()
	}
	return nil
}

// open opens a box of the stage and begins to serve what listens in it.
func (s *Stage) open(ctx context.Context) (*opened, error) {
	config := s.config()
	config.Listen = s.listen()
	box, err := fence.Open(ctx, config)
	if err != nil {
		return nil, err
	}
	o := &opened{Box: box}
	listeners := box.Listeners()
	for i := range s.task.Services {
		d := &door.Door{}
		o.doors = append(o.doors, d)
		go d.Serve(listeners[i]) // until the box is closed
	}
	if s.serve != nil {
		s.serve(listeners[len(s.task.Services)])
	}
	return o, nil
}

// Probe dials the addresses from inside a box of the stage.
func (s *Stage) Probe(ctx context.Context, addresses []string) (out []fence.ProbeResult, err error) {
	err = s.use(ctx, func(b *fence.Box) error {
		out, err = b.Probe(ctx, addresses)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("probe the network of task %s: %w", s.task.Name, err)
	}
	return out, nil
}

// Network is what the network looks like from inside a box.
type Network struct {
	Control bool                // the probe reached a listener in a box that may reach it
	Dialled []fence.ProbeResult // from a box of the stage: that listener's address, listeners on the host, Task.Cut
}

// Network dials from a box of the stage what must not answer, and shows by a control that the very
// same probe does reach a listener where there is one.
func (s *Stage) Network(ctx context.Context) (n Network, err error) {
	if s.task.WASI != nil {
		return s.guestNetwork(ctx)
	}
	control, address, err := fence.NetworkControl(ctx, fence.Config{Time: s.task.Time, Cache: s.task.Zones})
	if err != nil {
		return n, fmt.Errorf("probe the network: %w", err)
	}
	n.Control = control
	outside, stop, err := listen()
	if err != nil {
		return n, fmt.Errorf("probe the network: %w", err)
	}
	defer stop()
	n.Dialled, err = s.Probe(ctx, slices.Concat(outside, []string{address}, s.task.Cut))
	return n, err
}
