package lane

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/runner"
	"github.com/vallane/lane/lane/spec"
	"github.com/vallane/lane/lane/worktree"
	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/golang"
)

// mutants changes the code of head and asks the tests to notice. It is left out where head's own tests
// do not pass: then there is nothing that a mutant could be compared with.
func (j *job) mutants(ctx context.Context) error {
	if v := assurance.Judge(j.evidence); v.Outcome != assurance.OutcomePassed {
		j.say("mutants", "left out: "+string(v.Outcome))
		return nil
	}
	root, err := os.OpenRoot(j.head.Path)
	if err != nil {
		return fmt.Errorf("open head tree: %w", err)
	}
	defer root.Close()
	plan, err := j.planMutants(ctx, root.FS())
	if err != nil {
		return err
	}
	j.putPlan(&plan)
	if err := j.explain(&plan); err != nil {
		return err
	}
	defer j.noteAccepted(&plan)
	if len(plan.Mutants) == 0 {
		return nil
	}
	defer j.putAudits()
	return j.eachTask(ctx, root, plan, j.putReport)
}

// eachTask asks of each mutant the tests of every task that can run its language, until those of one notice it.
func (j *job) eachTask(ctx context.Context, root *os.Root, plan mutate.Plan, take func(*task, *mutate.Report)) error {
	done := map[string]bool{}
	for _, t := range j.tasks {
		mine := plan
		mine.Mutants = slices.DeleteFunc(slices.Clone(plan.Mutants), func(m mutate.Mutant) bool { return done[m.ID] || !j.asks(t, m.File) })
		if len(mine.Mutants) == 0 {
			continue
		}
		rep, err := j.tryMutants(ctx, t, root, mine)
		if err != nil {
			return err
		}
		take(t, rep)
		for _, r := range rep.Results {
			// Another task's tests may still notice what these did not.
			done[r.Mutant.ID] = r.Verdict == mutate.Killed || r.Verdict == mutate.Unviable || r.Mutant.Known != ""
		}
	}
	return ctx.Err()
}

// planMutants makes the candidates and freezes which of them are tried.
func (j *job) planMutants(ctx context.Context, head fs.FS) (mutate.Plan, error) {
	j.say("mutants", "plan")
	all, err := j.repo.List(j.change.HeadTree)
	if err != nil {
		return mutate.Plan{}, err
	}
	scope := mutate.Scope{Changed: map[string][]mutate.Range{}, All: j.spec.Mutation.Scope == spec.ScopeAll, Seed: 1}
	files := map[string]bool{}
	for _, c := range j.mutationCriteria(head, all) {
		scope.Quota = append(scope.Quota, c)
		for _, f := range c.Files {
			files[f] = true
		}
	}
	changes, err := j.fileChanges()
	if err != nil {
		return mutate.Plan{}, err
	}
	for _, c := range changes {
		if c.Head == nil {
			continue
		}
		var base []byte
		if c.Base != nil {
			base = c.Base.Data
		}
		scope.Changed[c.Path] = mutate.ChangedLines(base, c.Head.Data)
		files[c.Path] = true
	}
	if scope.All || j.whole() {
		scope.All = true
		for name := range all {
			files[name] = true
		}
	}
	maps.DeleteFunc(files, func(name string, _ bool) bool { return j.isBaseline(name) })
	if j.only != nil {
		maps.DeleteFunc(files, func(name string, _ bool) bool { return !j.only(name) })
	}
	j.changedLines = scope.Changed
	candidates, err := j.findMutants(ctx, head, keys(files))
	if err != nil {
		return mutate.Plan{}, err
	}
	brought, err := j.pluginMutants(ctx, head, j.holding(head, keys(files)))
	if err != nil {
		return mutate.Plan{}, err
	}
	candidates = append(candidates, brought...)
	if err := j.ignore(head, candidates); err != nil {
		return mutate.Plan{}, err
	}
	var unproven error
	scope.Prove = func(ms []*mutate.Mutant) { unproven = j.prove(ctx, ms) }
	if j.evidence.Plan.Change.Kind != assurance.Refactor && !j.whole() {
		reverts := mutate.Reverts(changes)
		if err := j.annotate(ctx, head, reverts); err != nil {
			return mutate.Plan{}, err
		}
		candidates = append(candidates, reverts...)
	}
	j.setManifestsApart(candidates)
	return mutate.NewPlan(candidates, scope), unproven
}

func keys[V any](m map[string]V) (out []string) {
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// mutationCriteria lists the criteria that tests can show, with their code and tests as files and ids.
func (j *job) mutationCriteria(head fs.FS, all map[string]worktree.Blob) (out []mutate.Criterion) {
	for i, c := range j.spec.Criteria {
		if c.Kind != spec.KindTest {
			continue
		}
		m := mutate.Criterion{ID: c.ID, Tests: j.evidence.Plan.Criteria[i].Tests}
		if j.spec.Mutation.Scope == spec.ScopeCriteria {
			m.N = math.MaxInt // all of its code, in place of a sample
		}
		for name := range all {
			if c.Covers(name) && (isSource(name) || isScript(head, name)) {
				m.Files = append(m.Files, name)
			}
		}
		slices.Sort(m.Files)
		out = append(out, m)
	}
	return out
}

// fileChanges reads both sides of each changed file that can hold a fault.
func (j *job) fileChanges() (out []mutate.FileChange, err error) {
	if j.base == nil {
		return nil, nil
	}
	for _, f := range j.change.Files {
		if k := j.kind(f.Path); k != assurance.FileCode && k != assurance.FileConfig || isEnvironment(j.evidence.Plan.Change, f.Path) || j.isSpec(f.Path) || j.isBaseline(f.Path) || j.isLock(f.Path) {
			continue
		}
		c := mutate.FileChange{Path: f.Path}
		if c.Base, err = j.blob(j.change.BaseTree, f.Path, f.Old); err != nil {
			return nil, err
		}
		if c.Head, err = j.blob(j.change.HeadTree, f.Path, f.New); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// isEnvironment reports whether a path makes the closure: base's is in use, so putting it back to base
// changes nothing that a test could see.
func isEnvironment(c assurance.Change, path string) bool {
	return slices.ContainsFunc(c.Environment, func(e assurance.EnvironmentEdit) bool { return e.Path == path })
}

// isSpec reports whether a path is the spec itself, which no test reads.
func (j *job) isSpec(path string) bool {
	rel, inside := j.repo.Rel(j.file)
	return inside && rel == path
}

func (j *job) blob(tree, path string, b worktree.Blob) (*mutate.Blob, error) {
	if b.Hash == "" {
		return nil, nil
	}
	data, err := j.repo.ReadFile(tree, path)
	if err != nil {
		return nil, err
	}
	return &mutate.Blob{Data: data, Mode: b.Mode}, nil
}

// tryMutants runs the engine on one task.
func (j *job) tryMutants(ctx context.Context, t *task, root *os.Root, plan mutate.Plan) (*mutate.Report, error) {
	head := t.onHead()
	trials := &runner.Trials{Stage: t.head}
	e := mutate.Engine{
		Runner: trials, Canary: canary, Concurrency: j.o.jobs(),
		Select: len(t.seen) > 0 && t.seen[0].seen.Plan.Selectable,
		Budget: mutate.Budget{Wall: j.spec.Mutation.Budget},
		Source: func(path string) ([]byte, error) {
			data, err := root.ReadFile(path)
			if errors.Is(err, fs.ErrNotExist) {
				return nil, nil
			}
			return data, err
		},
	}
	for id, st := range head.worst {
		x := head.test[id]
		e.Clean = append(e.Clean, mutate.CleanTest{
			ID: id, Top: head.top(id), Status: mutate.Status(st), CPU: x.Duration, Wall: x.Duration, Quarantined: head.seen[id] < head.runs,
			Flipped: j.flipped[t.spec.Name][id] != "",
		})
	}
	slices.SortFunc(e.Clean, func(a, b mutate.CleanTest) int { return compare(a.ID, b.ID) })
	e.Criteria = j.criteriaOf(root.FS(), head)
	e.Judge = j.judged(t, head)
	e.Blind, e.Equivalent = j.blind(t), j.sameCode(t)
	if e.Select {
		start := time.Now()
		if err := j.coverWithin(ctx, t, head, root, &e); err != nil {
			return nil, err
		}
		e.Budget.Wall = max(e.Budget.Wall-time.Since(start), time.Millisecond)
		served := len(t.runner.Services) > 0 // which start with each run: a process that tries many mutants would carry over what one left in a service
		alone := len(t.spec.Build) > 0       // what a build makes of one mutant says nothing of a program that holds many, unless it names them
		if _, ok := t.runner.Reporter.(observe.Switcher); ok && !served && (!alone || t.runner.Reporter.Name() == "node") {
			defer j.switchable(t, trials, &e)()
		}
		if _, ok := t.runner.Reporter.(observe.Forker); ok && j.foundPython != nil && !alone && !served {
			defer j.forkable(t, trials, &e)()
		}
	}
	if err := j.remember(t, &e); err != nil {
		return nil, err
	}
	e.OnEvent = func(ev mutate.Event) {
		out := Event{Spec: j.spec.ID, Phase: "mutants", Text: t.spec.Name, Done: ev.Done, Total: ev.Total}
		if r := ev.Result; ev.Kind == mutate.EventMutant && r != nil {
			out.Text = string(r.Verdict) + " " + r.Mutant.String()
			out.Important = r.Verdict.Unnoticed()
			j.journal.Event("mutant", map[string]any{"id": r.Mutant.ID, "verdict": r.Verdict, "killers": r.Killers, "tier": r.Tier})
		}
		j.o.emit(out)
	}
	return e.Run(ctx, plan)
}

// criteriaOf keeps of each criterion the tests that this task ran.
func (j *job) criteriaOf(tree fs.FS, head statuses) (out []mutate.Criterion) {
	all, err := j.repo.List(j.change.HeadTree)
	if err != nil {
		return nil
	}
	for _, c := range j.mutationCriteria(tree, all) {
		c.Tests = slices.DeleteFunc(slices.Clone(c.Tests), func(id string) bool { return head.seen[id] == 0 })
		if len(c.Tests) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// judged names the tests that have to show that they bite: those of the criteria and those added.
func (j *job) judged(t *task, head statuses) (out []string) {
	for _, p := range j.evidence.Plan.Tests {
		x := head.test[p.ID]
		if p.Task == t.spec.Name && x.ID != "" && x.Parent == "" && (p.Added || p.Required && !j.evidence.Plan.RequiredDefault) {
			out = append(out, p.ID)
		}
	}
	return out
}

// coverWithin is cover within the budget: where that runs out first, nothing is known of what tests reach.
func (j *job) coverWithin(ctx context.Context, t *task, head statuses, root *os.Root, e *mutate.Engine) error {
	within, cancel := context.WithTimeout(ctx, e.Budget.Wall)
	defer cancel()
	err := j.cover(within, t, head, root, e)
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		j.note(fmt.Sprintf("task %s: what its tests reach was not found within the budget of the mutants", t.spec.Name))
		return nil
	}
	return err
}

// worthTwoBoxes is how long the tests have to take in sum before what they reach is measured in several boxes at once, each of which
// builds what measures.
const worthTwoBoxes = 8 * time.Second

// cover measures what each top-level test reaches. Without it every mutant is asked of every test.
func (j *job) cover(ctx context.Context, t *task, head statuses, root *os.Root, e *mutate.Engine) error {
	var tests []string
	sum := time.Duration(0)
	for _, c := range e.Clean {
		if head.test[c.ID].Parent == "" && c.Status == mutate.Passed && !c.Quarantined {
			tests, sum = append(tests, c.ID), sum+c.Wall
		}
	}
	j.say("mutants", fmt.Sprintf("find what each of %d tests reaches", len(tests)))
	if _, ok := t.runner.Reporter.(observe.Recorder); ok && j.foundJavaScript != nil {
		return j.record(ctx, t, tests, e)
	}
	reach, loaded := &mutate.Reach{}, map[string]bool{}
	boxes := 1
	if sum > worthTwoBoxes {
		boxes = j.o.jobs()
	}
	known, err := t.head.Cover(ctx, tests, boxes, func(test string, profile []byte) error {
		return golang.Profile(reach, root.FS(), test, strings.NewReader(string(profile)))
	}, func(test string, lines observe.Reach) error {
		addLines(reach, test, lines)
		for file := range lines {
			loaded[file] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	if known && j.foundPython != nil {
		j.foundPython.Declare(reach)
	}
	if known && j.foundJavaScript != nil {
		j.foundJavaScript.Declare(reach, loaded)
	}
	if known {
		e.Reach = reach
	}
	return nil
}
