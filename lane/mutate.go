package lane

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/journal"
	"github.com/vallane/lane/lane/spec"
	"github.com/vallane/lane/lane/worktree"
	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/golang"
)

// MutateOptions say which mutants of a work tree are tried.
type MutateOptions struct {
	// Paths are files, folders or globs, relative to the root of the tree; none stands for all code.
	Paths []string
	// Diff tries only what differs from the merge-base with this branch or commit; "" tries everything.
	Diff string
	// IDs tries only mutants whose ids begin so; none tries all.
	IDs []string
	// List makes the plan and tries nothing.
	List bool
	// Budget bounds the whole run; 0 leaves it to the spec.
	Budget time.Duration
	// All tries every mutant; otherwise the first of each line, unless IDs names them.
	All bool
	// Choice takes a sample or a part of the plan. PerLine follows from All.
	Choice mutate.Choice
	// Operators tries only faults of these kinds, named as Operators lists them; none tries all but those that are used only by name.
	Operators []string `json:",omitempty"`
	// Tier is the only one that may be used; "" = the quickest for each mutant.
	Tier mutate.Tier
	// Baseline is the file of accepted survivors; "" = the spec's, else BaselineName beside the spec. Accept adds to it.
	Baseline string      `json:"-"`
	Accept   *Acceptance `json:"-"`
	// Matrix asks every test of every mutant that it reaches, and those that notice none alone of each.
	Matrix bool
	// Diffs gives the diffs of all mutants, and not only of those that nobody noticed.
	Diffs bool `json:"-"`
	// NoCache tries every mutant, and keeps nothing for the next run.
	NoCache bool
}

// Mutation is what became of the mutants of a work tree.
type Mutation struct {
	Plan    mutate.Plan     `json:"plan"`
	Results []mutate.Result `json:"results"` // of List: every mutant of the plan, without a verdict
	Score   mutate.Score    `json:"score"`
	// Diffs holds, by mutant's id, the fault as a unified diff.
	Diffs map[string]string `json:"diffs"`
	Facts []string          `json:"facts,omitempty"` // what a reader has to know, in sentences
	// Matrix says, by task, which tests noticed which mutants and which passed on them; Tests sums up what each is worth.
	Matrix map[string]*mutate.Matrix `json:"matrix,omitempty"`
	Tests  []mutate.TestSummary      `json:"tests,omitempty"`
	// Unchanged says that nothing differs from an earlier run, whose results these are: nothing was run.
	Unchanged bool `json:"unchanged"`
	// Tree is git's id of what was looked at, Shard and Shards the part of the plan that this is; 0 = all.
	Tree   string `json:"tree"`
	Shard  int    `json:"shard,omitempty"`
	Shards int    `json:"shards,omitempty"`

	all map[string]bool // ids of every mutant of the code; nil where only a part of it was looked at
}

// Noticed reports whether there was something to notice, and every fault was noticed or is accepted.
func (m *Mutation) Noticed() bool {
	for i := range m.Results {
		if r := &m.Results[i]; r.Verdict.Viable() && r.Verdict != mutate.Killed && r.Accepted == nil {
			return false
		}
	}
	return m.Score.Viable > 0
}

// Mutate tries mutants of the work tree that holds a spec, in the boxes of its tasks, and leaves tree and verdicts alone. Its error is
// a *TestsFail where the tests do not pass without a mutant.
func Mutate(ctx context.Context, o Options, path string, m MutateOptions) (*Mutation, error) {
	s, err := spec.Load(path)
	if err != nil {
		return nil, err
	}
	if err := supported(s); err != nil {
		return nil, err
	}
	if err := m.checkOperators(); err != nil {
		return nil, err
	}
	if m.Accept != nil {
		if err := m.Accept.check(time.Now()); err != nil {
			return nil, err
		}
	}
	j, err := o.mutationJob(s, m)
	if err != nil {
		return nil, err
	}
	defer j.close()
	if !m.NoCache {
		if j.memory, err = o.openMemory(j.journal.Dir); err != nil {
			return nil, errors.Join(err, j.journal.Finish(journal.Status{State: journal.Failed, Reason: err.Error()}))
		}
	}
	out, err := j.mutation(ctx, m)
	if j.memory != nil {
		if lost := j.memory.cache.Close(); lost != nil && out != nil {
			out.Facts = append(out.Facts, "nothing more was kept for the next run: "+lost.Error())
		}
	}
	if err == nil && !m.List {
		err = m.accept(j.baseline, out, time.Now())
	}
	end := journal.Status{State: journal.Done}
	if err != nil {
		end = journal.Status{State: journal.Failed, Reason: err.Error()}
	}
	return out, errors.Join(withExit(err), j.journal.Finish(end))
}

// mutationJob is a check of the work tree as it is, cut down to what mutants need: one plain run, and one with canaries.
func (o Options) mutationJob(s *spec.Spec, m MutateOptions) (*job, error) {
	s.Change, s.Source.Head, s.Source.Patch, s.Criteria = assurance.Tree, spec.Worktree, "", nil
	s.Mutation.Scope, s.Stability.Runs = spec.ScopeAll, 1
	if m.Diff != "" {
		s.Change, s.Source.Base, s.Mutation.Scope = assurance.Feature, m.Diff, spec.ScopeDiff
		s.Defaults["source.base"] = false
	}
	if m.Budget > 0 {
		s.Mutation.Budget = m.Budget
	}
	file, err := filepath.Abs(s.Name)
	if err != nil {
		return nil, err
	}
	baseline, err := m.baselineFile(s, file)
	if err != nil {
		return nil, err
	}
	run, err := journal.Begin(filepath.Join(o.State, "mutate", folderName(filepath.Dir(file)), s.ID), s.ID, file)
	if err != nil {
		return nil, err
	}
	j := newJob(o, s, file, run)
	j.byHand, j.baseline = true, baseline
	j.tier, j.wholeMatrix, j.operators = m.Tier, m.Matrix, m.Operators
	j.only = func(name string) bool {
		return len(m.Paths) == 0 || slices.ContainsFunc(m.Paths, func(p string) bool { return m.names(p, name) })
	}
	return j, nil
}

// TestsFail says that mutants would prove nothing: the tests do not pass as they are.
type TestsFail struct{ Outcome, Reason string }

func (t *TestsFail) Error() string {
	return "try mutants: without any, the tests are " + t.Outcome + ": " + t.Reason
}

// Hint says what to do next.
func (t *TestsFail) Hint() string { return "lane check shows what failed" }

// ExitCode is that of the outcome.
func (t *TestsFail) ExitCode() int { return int(assurance.ExitTestsFailed) }

// names reports whether a path of the caller's stands for a file of the tree.
func (MutateOptions) names(p, file string) bool {
	return spec.Match(path.Clean(filepath.ToSlash(p)), file)
}

// checkPaths finds paths that stand for nothing: a slip of the pen must not look like code without faults.
func (m MutateOptions) checkPaths(files map[string]worktree.Blob) error {
	for _, p := range m.Paths {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(files)), func(file string) bool { return m.names(p, file) }) {
			return &coded{fmt.Errorf("find %q: the tree has no such file or folder; paths are relative to its root", p), assurance.ExitUsage}
		}
	}
	return nil
}

// checkOperators finds names that no operator has.
func (m MutateOptions) checkOperators() error {
	var names []string
	for _, o := range Operators() {
		names = append(names, o.Name)
	}
	for _, name := range m.Operators {
		if !slices.Contains(names, name) {
			return &coded{fmt.Errorf("find operator %q: there is none of that name; lane mutate --list-operators prints them", name), assurance.ExitUsage}
		}
	}
	return nil
}

// checkIDs finds ids that no mutant has.
func (m MutateOptions) checkIDs(plan mutate.Plan) error {
	for _, id := range m.IDs {
		if id == "" || !slices.ContainsFunc(plan.Mutants, func(x mutate.Mutant) bool { return strings.HasPrefix(x.ID, id) }) {
			return &coded{fmt.Errorf("find mutant %q: none has an id that begins so; lane mutate --list prints them", id), assurance.ExitUsage}
		}
	}
	return nil
}

func (j *job) mutation(ctx context.Context, m MutateOptions) (*Mutation, error) {
	steps := j.ahead()
	steps = slices.Insert(steps, 1, step{"paths", func(context.Context) error {
		j.change.CommitTime = sameTime
		files, err := j.repo.List(j.change.HeadTree)
		if err != nil {
			return err
		}
		return m.checkPaths(files)
	}})
	if !m.List {
		steps = append(steps, step{"runs", j.runs})
	}
	for _, s := range steps {
		if s.name == "closure" || s.name == "caches" && len(j.evidence.Record.Fetched) > 0 {
			if out, err := j.recall(ctx, m); out != nil || err != nil {
				return out, err
			}
			if err := j.fenced(ctx); err != nil {
				return nil, err
			}
		}
		if err := guarded(func() error { return s.do(ctx) })(); err != nil {
			return nil, err
		}
	}
	if v := assurance.Judge(j.evidence); !m.List && v.Outcome != assurance.OutcomePassed {
		return nil, &TestsFail{string(v.Outcome), v.Reason}
	}
	root, err := os.OpenRoot(j.head.Path)
	if err != nil {
		return nil, fmt.Errorf("open the tree: %w", err)
	}
	defer root.Close()
	if j.memory != nil && !m.List {
		j.memory.depends = golang.NewDepends(j.goOptions(root.FS()))
	}
	plan, err := j.planMutants(ctx, root.FS())
	if err != nil {
		return nil, err
	}
	if err := m.checkIDs(plan); err != nil {
		return nil, err
	}
	out := &Mutation{Diffs: map[string]string{}, Tree: j.change.HeadTree, Shard: m.Choice.Shard, Shards: m.Choice.Shards}
	if m.Diff == "" && len(m.Paths) == 0 {
		out.all = map[string]bool{}
		for _, x := range slices.Concat(plan.Mutants, plan.Arid) {
			out.all[x.ID] = true
		}
	}
	plan.Mutants = slices.DeleteFunc(plan.Mutants, func(x mutate.Mutant) bool { return !wanted(x, m, j.only) })
	choice := m.Choice
	choice.PerLine = !m.All && len(m.IDs) == 0
	plan.Narrow(choice)
	out.Plan = plan
	if m.List {
		for _, x := range plan.Mutants {
			out.Results = append(out.Results, mutate.Result{Mutant: x, Verdict: x.Known, Reason: x.Why})
		}
	} else if err := guarded(func() error { return j.tryAll(ctx, root, plan, out) })(); err != nil {
		return nil, err
	}
	for i := range out.Results {
		x := &out.Results[i].Mutant
		src, err := root.ReadFile(x.File)
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		if text, err := x.Diff(src); err == nil {
			out.Diffs[x.ID] = text
		}
	}
	out.Facts = append(out.Facts, j.evidence.Record.Notes...)
	if why := j.forgotten(); why != "" {
		out.Facts = append(out.Facts, why)
	}
	return out, j.keepWhole(ctx, m, out)
}

func wanted(x mutate.Mutant, m MutateOptions, only func(string) bool) bool {
	return only(x.File) && (len(m.Operators) == 0 || slices.Contains(m.Operators, x.Operator)) && (len(m.IDs) == 0 || slices.ContainsFunc(m.IDs, func(id string) bool { return strings.HasPrefix(x.ID, id) }))
}

// tryAll asks each task's tests, and keeps the best of what several tasks say of a mutant.
func (j *job) tryAll(ctx context.Context, root *os.Root, plan mutate.Plan, out *Mutation) error {
	at := map[string]int{}
	out.Matrix = map[string]*mutate.Matrix{}
	err := j.eachTask(ctx, root, plan, func(t *task, rep *mutate.Report) {
		out.Facts = append(out.Facts, rep.Facts...)
		out.Matrix[t.spec.Name] = rep.Matrix
		out.Tests = append(out.Tests, rep.Summaries(t.onHead().top)...)
		for _, r := range rep.Results {
			i, seen := at[r.Mutant.ID]
			switch {
			case !seen:
				at[r.Mutant.ID] = len(out.Results)
				out.Results = append(out.Results, r)
			case slices.Index(better, assurance.MutantVerdict(r.Verdict)) < slices.Index(better, assurance.MutantVerdict(out.Results[i].Verdict)):
				out.Results[i] = r
			}
		}
	})
	out.Score = mutate.NewScore(&plan, out.Results)
	return err
}
