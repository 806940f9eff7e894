package lane

import (
	"context"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/errgroup"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/runner"
	"github.com/vallane/lane/lane/stability"
)

// runs carries out every run of whole suites, with the network probe beside them, and then says which
// tests there are and which of them are required.
func (j *job) runs(ctx context.Context) error {
	g, gctx := errgroup.WithContext(ctx)
	for _, t := range j.tasks {
		j.planRuns(gctx, g, t)
		g.Go(guarded(func() error { return j.probe(gctx, t) }))
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for _, t := range j.tasks {
		j.box(t)
		if err := j.confirmParts(ctx, t); err != nil {
			return err
		}
		if err := j.confirmFlips(ctx, t); err != nil {
			return err
		}
	}
	if err := j.rememberFlips(); err != nil {
		return err
	}
	for _, t := range j.tasks {
		j.reproduce(t)
	}
	return j.planTests()
}

// planRuns starts the runs of one task.
func (j *job) planRuns(ctx context.Context, g *errgroup.Group, t *task) {
	if t.base != nil {
		g.Go(guarded(func() error {
			seen, err := j.run(ctx, t, t.base, assurance.PlannedRun{ID: t.spec.Name + "/base", Tree: assurance.Base}, runner.Order{})
			t.onBase = &seen
			return err
		}))
		g.Go(guarded(func() error {
			_, err := j.run(ctx, t, t.hybrid, assurance.PlannedRun{ID: t.spec.Name + "/hybrid", Tree: assurance.Hybrid}, runner.Order{})
			return err
		}))
	}
	j.spoilServices(ctx, g, t)
	variations := stability.Plan(j.spec.Stability.Runs, j.spec.Stability.Vary, hex.EncodeToString(randomBytes()))
	t.seen = make([]seenRun, len(variations)+1)
	for i, v := range variations {
		g.Go(guarded(func() (err error) {
			p := assurance.PlannedRun{ID: t.spec.Name + "/head-" + itoa(i+1), Tree: assurance.Head, Variation: v.Facts()}
			t.seen[i].id, t.seen[i].variation = p.ID, v
			t.seen[i].seen, err = j.run(ctx, t, t.head, p, runner.Order{Seed: v.Seed, Env: v.Env()})
			return err
		}))
	}
	last := &t.seen[len(variations)]
	last.canary, last.id = true, t.spec.Name+"/canary"
	if t.runner.Reporter.Class() != observe.InProcess {
		t.seen = t.seen[:len(variations)]
		return
	}
	g.Go(guarded(func() (err error) {
		seed := randomSeed()
		p := assurance.PlannedRun{ID: last.id, Tree: assurance.Head, CanariesFailRun: true}
		last.seen, err = j.run(ctx, t, t.head, p, runner.Order{Canaries: &seed})
		return err
	}))
}

func randomBytes() []byte {
	seed := randomSeed()
	return seed[:8]
}

// run plans one run of the tree, carries it out and records what it showed.
func (j *job) run(ctx context.Context, t *task, stage *runner.Stage, p assurance.PlannedRun, o runner.Order) (runner.Seen, error) {
	seen, canaries, err := j.execute(p.ID, "runs", t, o, func(o runner.Order) (runner.Seen, error) { return stage.Run(ctx, o) })
	p.Task, p.Canaries = t.spec.Name, canaries
	j.mu.Lock()
	j.evidence.Plan.Runs = append(j.evidence.Plan.Runs, p)
	j.planUses(p)
	j.mu.Unlock()
	if err == nil {
		j.observeUses(p, seen.Services)
	}
	return seen, err
}

// execute carries a planned run out and records what it showed.
func (j *job) execute(id, phase string, t *task, o runner.Order, run func(runner.Order) (runner.Seen, error)) (seen runner.Seen, canaries []assurance.Canary, err error) {
	log, err := j.openLog(id)
	if err != nil {
		return seen, nil, err
	}
	o.Log = log
	seen, err = run(o)
	err = errors.Join(err, log.Close())
	for _, c := range seen.Plan.Canaries {
		canaries = append(canaries, assurance.Canary{Test: c.ID, Unit: c.Unit})
	}
	var unparsed *observe.Unparsed
	if errors.As(err, &unparsed) {
		j.observe(id, assurance.Observation{Run: &assurance.RunObservation{End: assurance.EndExited, Lost: true, Detail: err.Error()}})
		j.note(err.Error())
		return seen, canaries, nil
	}
	var absent *observe.Missing
	if errors.As(err, &absent) {
		j.observe(id, assurance.Observation{Run: &assurance.RunObservation{End: assurance.EndNoCommand, Detail: err.Error()}})
		return runner.Seen{Session: &observe.Session{}}, canaries, nil
	}
	if err != nil {
		return seen, canaries, err
	}
	for _, n := range seen.Plan.Notes {
		j.note(n)
	}
	if seen.Unread != nil {
		j.note(seen.Unread.Error())
	}
	j.hintAtCopy(t, &seen)
	obs := seen.Observation()
	j.observe(id, assurance.Observation{Run: obs})
	j.journal.Event("run", map[string]any{"id": id, "end": obs.End, "exit": obs.Exit, "tests": len(obs.Tests), "ms": obs.WallMS})
	j.o.emit(Event{Spec: j.spec.ID, Phase: phase, Text: id + ": " + string(obs.End)})
	return seen, canaries, nil
}

func (j *job) note(text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, n := range j.evidence.Record.Notes {
		if n == text {
			return
		}
	}
	j.evidence.Record.Notes = append(j.evidence.Record.Notes, text)
}

// log is the compressed full output of one run.
type log struct {
	*zstd.Encoder
	file *os.File
}

func (l log) Close() error { return errors.Join(l.Encoder.Close(), l.file.Close()) }

func (j *job) openLog(id string) (log, error) {
	dir := filepath.Join(j.o.Cache, "by-hand") // a command by hand is no run: the logs of its last fetch phase
	if j.journal != nil {
		dir = filepath.Join(j.journal.Out, "logs")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return log{}, err
	}
	name := filepath.Join(dir, strings.ReplaceAll(id, "/", "-")+".log.zst")
	f, err := os.Create(name)
	if err != nil {
		return log{}, err
	}
	z, err := zstd.NewWriter(f, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<17))
	if err != nil {
		f.Close()
		return log{}, err
	}
	j.mu.Lock()
	j.evidence.Record.Logs = append(j.evidence.Record.Logs, assurance.Log{Name: id, Path: name})
	j.mu.Unlock()
	return log{z, f}, nil
}

// box records what the inside of the task's boxes looks like, from the first run of head.
func (j *job) box(t *task) {
	id := "box/" + t.spec.Name
	j.evidence.Plan.Boxes = append(j.evidence.Plan.Boxes, assurance.PlannedBox{ID: id, Task: t.spec.Name})
	if len(t.seen) == 0 {
		return
	}
	f := t.seen[0].seen.Box.Facts
	if f.MemoryBy == "" {
		return // nothing of it ran
	}
	o := &assurance.BoxObservation{Fence: j.spec.Env.Fence, UID: f.UID, NoNewPrivs: f.NoNewPrivs, Seccomp: f.Seccomp == 2,
		Limits: map[string]string{"memory": f.MemoryBy, "processes": f.ProcessesBy, "processors": "affinity (" + strconv.Itoa(f.CPUs) + ")"}}
	for _, c := range []struct {
		name string
		set  uint64
	}{{"effective", f.CapEff}, {"permitted", f.CapPrm}, {"inheritable", f.CapInh}, {"bounding", f.CapBnd}, {"ambient", f.CapAmb}} {
		if c.set != 0 {
			o.Capabilities = append(o.Capabilities, c.name)
		}
	}
	for _, i := range f.Interfaces {
		o.Interfaces = append(o.Interfaces, i.Name)
	}
	j.observe(id, assurance.Observation{Box: o})
}

// probe dials from a box of the task what answers in a control box, and must not be answered.
func (j *job) probe(ctx context.Context, t *task) error {
	id := "probe/" + t.spec.Name
	j.mu.Lock()
	j.evidence.Plan.Probes = append(j.evidence.Plan.Probes, assurance.PlannedProbe{ID: id, Task: t.spec.Name})
	j.mu.Unlock()
	n, err := t.head.Network(ctx)
	if err != nil {
		return err
	}
	o := &assurance.ProbeObservation{Tried: 1 + len(t.runner.Cut), Control: len(t.runner.Cut)} // which were reached before the cut
	if j.guests() {
		o.Tried, o.Control = 1, 0 // a guest dials nothing: it may be given a listener, or none
	}
	if n.Control {
		o.Control++
	}
	for _, r := range n.Dialled {
		if r.Reached {
			o.Reached++
			o.Answered = append(o.Answered, r.Network+" "+r.Address)
		}
	}
	j.observe(id, assurance.Observation{Probe: o})
	return nil
}
