package lane

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/contract"
	"github.com/vallane/lane/lane/hidden"
	"github.com/vallane/lane/lane/journal"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/runner"
	"github.com/vallane/lane/lane/spec"
	"github.com/vallane/lane/lane/worktree"
)

// hiddenFile lies beside a verdict and is for whoever holds the archive: names and words of the hidden tests, which the verdict leaves out.
const hiddenFile = "hidden.json"

// findHidden finds out whether there is something to look at where a caller named an archive.
func (o Options) findHidden(under *agreement) error {
	if o.Hidden == "" {
		return nil
	}
	if _, err := os.Stat(o.Hidden); err != nil {
		return &coded{fmt.Errorf("read the archive of hidden tests: %w", err), assurance.ExitUsage}
	}
	if under == nil || under.refused == nil && under.signed.Contract.Hidden == nil {
		o.emit(Event{Phase: "plan", Important: true, Text: o.Hidden + " is not looked at: no contract names hidden tests"})
	}
	return nil
}

// openHidden reads the archive that the contract names, where there is both, and refuses every other.
func (j *job) openHidden() error {
	if j.o.Hidden == "" || j.under == nil || j.under.signed.Contract.Hidden == nil {
		return nil
	}
	if j.spec.Hidden == nil {
		j.note("the contract does not say how its hidden tests run ([hidden] of the spec): they were not run")
		return nil
	}
	data, err := hidden.Read(j.o.Hidden)
	if err != nil {
		return err
	}
	// What nobody signed is not unpacked.
	if got, want := hidden.Digest(data), "sha256:"+j.under.signed.Contract.Hidden.SHA256; got != want {
		return contract.Refuse(contract.Archive, "name the archive that was signed, or have the contract's author sign for this one: lane contract sign --hidden",
			"the archive of hidden tests is %s, and the contract names %s", got, want)
	}
	a, err := hidden.Parse(data)
	if err != nil {
		return contract.Refuse(contract.Archive, "have the contract's author make another", "the archive of hidden tests cannot be used: %v", err)
	}
	if err := j.keptFromTheTrees(worktree.BlobID(data)); err != nil {
		return err
	}
	j.archive = a
	return nil
}

// keptFromTheTrees refuses an archive of which a tree that runs has a copy, under whatever name: its tests would be hidden from nobody.
func (j *job) keptFromTheTrees(blob string) error {
	for _, tree := range []string{j.change.HeadTree, j.change.BaseTree} {
		if tree == "" {
			continue
		}
		all, err := j.repo.List(tree)
		if err != nil {
			return err
		}
		for name, b := range all {
			if b.Hash == blob {
				return contract.Refuse(contract.Archive, "keep it outside of the repository, make another and have it signed", "the archive of hidden tests is part of the tree that runs, as %s: the change can read it", name)
			}
		}
	}
	return nil
}

// archiveDigest names the archive that a check rests on, "" for none.
func (j *job) archiveDigest() string {
	if j.archive == nil {
		return ""
	}
	return j.archive.Digest
}

// hiddenTests is the hidden tests of one check on their way.
type hiddenTests struct {
	j    *job
	task *task
	rep  observe.Reporter
	dir  string // of the trees that are laid for them
	plan *assurance.HiddenPlan
	veil veil

	mu   sync.Mutex
	seen map[string]runner.Seen // by id of the run
	told told
}

// told is what hiddenFile holds.
type told struct {
	Archive  string                               `json:"archive"`
	Fault    string                               `json:"fault,omitempty"`          // why Lane could not run them
	Replaced int                                  `json:"replaced_paths,omitempty"` // of head, by the archive
	Names    map[string]string                    `json:"names"`                    // as the verdict has it, to the test, unit or canary
	Runs     map[string]*assurance.RunObservation `json:"runs"`
	Programs map[string]runner.Talked             `json:"programs,omitempty"`
}

// hidden runs the hidden tests, each time in a box of their own: on head, on base, which shows what they say of the change, and as controls
// with canaries and, for a black box, without any program.
func (j *job) hidden(ctx context.Context) error {
	h := j.spec.Hidden
	at := slices.IndexFunc(j.tasks, func(t *task) bool { return t.spec.Name == h.Task })
	t := j.tasks[at]
	rep, _, err := choose(spec.Task{Name: h.Task, Run: h.Run, Reporter: h.Reporter})
	if err != nil {
		return err
	}
	x := &hiddenTests{j: j, task: t, rep: rep, veil: newVeil(), seen: map[string]runner.Seen{}, told: told{Archive: j.archive.Digest,
		Names: map[string]string{}, Runs: map[string]*assurance.RunObservation{}, Programs: map[string]runner.Talked{}}}
	x.plan = &assurance.HiddenPlan{Archive: j.archive.Digest, Kind: h.Kind, Task: h.Task, Command: h.Run, Program: h.Program, Reporter: rep.Name(),
		Class: assurance.Class(rep.Class()), Tests: []string{}}
	j.evidence.Plan.Hidden = x.plan
	if x.dir, err = j.hiddenDir(); err != nil {
		return err
	}
	defer os.RemoveAll(x.dir)
	err = x.runAll(ctx)
	if err != nil && refusalOf(err) == nil {
		x.told.Fault = err.Error() // it may name a hidden test, and a verdict would repeat it
		err = errors.New("run the hidden tests: Lane could not; " + hiddenFile + " beside the verdict says why")
	}
	x.require()
	return errors.Join(err, x.tell())
}

// hiddenDir makes the folder for trees with hidden tests in them, which nobody else can look into, and takes away what a check of this spec
// left that was killed: the spec's lock is held.
func (j *job) hiddenDir() (string, error) {
	prefix := ".hidden-" + folderName(j.journal.Dir) + "-"
	left, _ := os.ReadDir(j.o.Cache)
	for _, d := range left {
		if strings.HasPrefix(d.Name(), prefix) {
			os.RemoveAll(filepath.Join(j.o.Cache, d.Name()))
		}
	}
	dir, err := os.MkdirTemp(j.o.Cache, prefix)
	if err == nil && owner() > 0 {
		err = os.Lchown(dir, owner(), owner())
	}
	if err != nil {
		return "", fmt.Errorf("make a folder for hidden tests: %w", err)
	}
	return dir, nil
}

// runAll carries out the runs, side by side as far as there are slots for boxes.
func (x *hiddenTests) runAll(ctx context.Context) error {
	j := x.j
	on := map[assurance.TreeRole]*worktree.Tree{assurance.Head: j.head}
	runs := []assurance.HiddenRun{{ID: "hidden/head", On: assurance.Head}}
	if j.base != nil {
		on[assurance.Base] = j.base
		runs = append(runs, assurance.HiddenRun{ID: "hidden/base", On: assurance.Base})
	}
	if x.rep.Class() == observe.InProcess {
		runs = append(runs, assurance.HiddenRun{ID: "hidden/canary", On: assurance.Head, CanariesFailRun: true})
	}
	blackBox := x.plan.Kind == assurance.HiddenBlackBox
	if blackBox {
		runs = append(runs, assurance.HiddenRun{ID: "hidden/nothing", On: assurance.Nothing})
	}
	stages := map[assurance.TreeRole]*runner.Stage{}
	atOnce := make(chan struct{}, mostPrograms)
	programs := map[assurance.TreeRole]runner.Program{}
	defer func() {
		for _, s := range stages {
			s.Close()
		}
		for _, p := range programs {
			p.Stage.Close()
		}
	}()
	for role, tree := range on {
		var err error
		if blackBox {
			programs[role] = runner.Program{Stage: x.program(tree), Argv: x.plan.Program, AtOnce: atOnce}
		} else if stages[role], err = x.laid(role, tree); err != nil {
			return err
		}
	}
	if blackBox {
		s, err := x.driver(ctx)
		if err != nil {
			return err
		}
		stages[assurance.Nothing] = s
	}
	g, gctx := errgroup.WithContext(ctx)
	for _, r := range runs {
		g.Go(guarded(func() error {
			if blackBox {
				return x.run(gctx, r, stages[assurance.Nothing], programs[r.On])
			}
			return x.run(gctx, r, stages[r.On], runner.Program{})
		}))
	}
	return g.Wait()
}

// tree lays the archive over a copy of a tree, or alone, and returns where that lies.
func (x *hiddenTests) tree(name, base string) (string, error) {
	dir := filepath.Join(x.dir, name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", fmt.Errorf("lay hidden tests: %w", err)
	}
	id := owner()
	if id == 0 {
		id = -1
	}
	n, err := x.j.archive.Lay(base, hidden.Place{Dir: dir, Owner: id, Time: x.j.change.CommitTime})
	if name == string(assurance.Head) {
		x.told.Replaced = n
	}
	return dir, err
}

// laid is the stage of an in-process run: the task's, on a tree with the archive laid over it. Its boxes are opened for these runs alone.
func (x *hiddenTests) laid(role assurance.TreeRole, tree *worktree.Tree) (*runner.Stage, error) {
	dir, err := x.tree(string(role), tree.Path)
	if err != nil {
		return nil, err
	}
	r := x.runner()
	r.Git = map[string]string{dir: x.task.runner.Git[tree.Path]}
	r.Brought = map[string]runner.Brought{dir: x.task.runner.Brought[tree.Path]}
	return r.On(dir, x.task.warmed[tree.Path]), nil
}

// driver is the stage of the tests of a black box: the closure and the archive, and nothing of any tree.
func (x *hiddenTests) driver(ctx context.Context) (*runner.Stage, error) {
	dir, err := x.tree("driver", "")
	if err != nil {
		return nil, err
	}
	cache, err := x.j.seed(ctx, x.task) // of the toolchain alone
	if err != nil {
		return nil, err
	}
	r := x.runner()
	r.Dir, r.Build, r.Git, r.Brought, r.Services = "", nil, nil, nil, nil
	return r.On(dir, cache), nil
}

// program is the stage of what a black box talks to: the task's own on one tree, as its tests have it. It waits for no slot, since the run
// that talks to it holds one.
func (x *hiddenTests) program(tree *worktree.Tree) *runner.Stage {
	r := *x.task.runner
	r.Timeout, r.Slots, r.Limits.Output, r.Services = x.j.spec.Hidden.Timeout, nil, mostAnswer, nil
	return r.On(tree.Path, x.task.warmed[tree.Path])
}

// mostPrograms bounds how many programs under test run at a time, for all runs together.
const mostPrograms = 4

// mostAnswer bounds what a program under test may print for one connection, in bytes.
const mostAnswer = 64 << 20

func (x *hiddenTests) runner() *runner.Task {
	r := *x.task.runner
	r.Name, r.Argv, r.Reporter, r.Timeout = "hidden", x.plan.Command, x.rep, x.j.spec.Hidden.Timeout
	return &r
}

// run carries out one run and records what it showed: in numbers for the verdict, in words for whoever holds the archive.
func (x *hiddenTests) run(ctx context.Context, p assurance.HiddenRun, s *runner.Stage, program runner.Program) error {
	var o runner.Order
	if p.CanariesFailRun {
		seed := randomSeed()
		o.Canaries = &seed
	}
	var seen runner.Seen
	var talked runner.Talked
	var err error
	if x.plan.Kind == assurance.HiddenBlackBox {
		seen, talked, err = s.RunAgainst(ctx, o, program)
	} else {
		seen, err = s.Run(ctx, o)
	}
	for _, c := range seen.Plan.Canaries {
		p.Canaries = append(p.Canaries, assurance.Canary{Test: x.veil.of(c.ID), Unit: x.veil.of(c.Unit)})
	}
	obs, err := observedRun(&seen, talked, err)
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.seen[p.ID] = seen
	x.told.Runs[p.ID] = obs
	if x.plan.Kind == assurance.HiddenBlackBox {
		x.told.Programs[p.ID] = talked
	}
	x.plan.Runs = append(x.plan.Runs, p)
	slices.SortFunc(x.plan.Runs, func(a, b assurance.HiddenRun) int { return compare(a.ID, b.ID) })
	x.j.observe(p.ID, assurance.Observation{Run: x.veil.over(obs, x.told.Names)})
	x.j.journal.Event("run", map[string]any{"id": p.ID, "end": obs.End, "exit": obs.Exit, "tests": len(obs.Tests)})
	x.j.say("hidden", p.ID+": "+string(obs.End))
	return nil
}

// observedRun is what a run showed, also where its reporter could not be made to report.
func observedRun(seen *runner.Seen, talked runner.Talked, err error) (*assurance.RunObservation, error) {
	var unparsed *observe.Unparsed
	var absent *observe.Missing
	switch {
	case errors.As(err, &unparsed):
		return &assurance.RunObservation{End: assurance.EndExited, Lost: true, Detail: err.Error()}, nil
	case errors.As(err, &absent):
		return &assurance.RunObservation{End: assurance.EndNoCommand, Detail: err.Error()}, nil
	case err != nil:
		return nil, err
	}
	obs := seen.Observation()
	if talked.Cut && obs.End == assurance.EndExited {
		obs.End, obs.Detail = assurance.EndDisk, "the program under test met its limit of output, or of connections"
	}
	return obs, nil
}

// require says which hidden tests have to pass: those that spec and archive name, or else all that only these runs show. A test that the tree
// has as well is none of them, whatever the archive laid in its place: that has to be named.
func (x *hiddenTests) require() {
	names := slices.Concat(x.j.spec.Hidden.Tests, x.j.archive.Required)
	var known, tops []string
	own := x.ordinary()
	for id, seen := range x.seen {
		if seen.Session == nil { // its reporter could not be made to report
			continue
		}
		for _, t := range seen.Session.Tests {
			known = append(known, t.ID)
			if t.Parent == "" && (id != "hidden/base" || !own[t.ID]) { // what is gone from the tree was never the archive's
				tops = append(tops, t.ID)
			}
		}
		for _, u := range seen.Session.Units {
			known, tops = append(known, u.Hidden...), append(tops, u.Hidden...)
		}
	}
	slices.Sort(known)
	ids := tops
	if len(names) > 0 {
		found := observe.Resolve(x.rep, names, slices.Compact(known))
		ids = slices.Concat(found.IDs, found.Missing)
	} else {
		ids = slices.Concat(slices.DeleteFunc(tops, func(id string) bool { return own[id] }), x.keptOut())
	}
	for _, id := range ids {
		x.told.Names[x.veil.of(id)] = id
		x.plan.Tests = append(x.plan.Tests, x.veil.of(id))
	}
	slices.Sort(x.plan.Tests)
	x.plan.Tests = slices.Compact(x.plan.Tests)
}

// keptOut are the units of hidden tests that were to run on base, and that head does not know: where they cannot be built on base they name no
// test there, and a change that has their folder left out would have nobody ask for them.
func (x *hiddenTests) keptOut() (units []string) {
	base, head := x.seen["hidden/base"].Session, x.seen["hidden/head"].Session
	if base == nil || head == nil {
		return nil
	}
	for _, u := range base.Units {
		theirs := x.task.onBase != nil && x.task.onBase.Session != nil && x.task.onBase.Session.Unit(u.ID) != nil
		if u.Expected && head.Unit(u.ID) == nil && !theirs {
			units = append(units, u.ID)
		}
	}
	return units
}

// ordinary are the tests of the tree itself, which the task's own runs show.
func (x *hiddenTests) ordinary() map[string]bool {
	out := map[string]bool{}
	if x.plan.Kind == assurance.HiddenBlackBox {
		return out
	}
	for id := range x.task.onHead().seen {
		out[id] = true
	}
	if x.task.onBase != nil && x.task.onBase.Session != nil {
		for _, t := range x.task.onBase.Session.Tests {
			out[t.ID] = true
		}
	}
	return out
}

// tell writes what the verdict leaves out, for this user alone.
func (x *hiddenTests) tell() error {
	data, err := json.MarshalIndent(x.told, "", "  ")
	if err != nil {
		return err
	}
	return journal.Replace(filepath.Join(x.j.journal.Out, hiddenFile), append(data, '\n'), 0o600)
}
