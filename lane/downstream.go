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

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/spec"
	"github.com/vallane/lane/lane/worktree"
)

// namedUsers refuses a repository that the caller gives for a user whom no spec names: a name that is misspelt would leave a suite out unseen.
func (o Options) namedUsers(specs ...*spec.Spec) error {
	known := map[string]bool{}
	for _, s := range specs {
		for _, d := range s.Downstream {
			known[d.Name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Downstream)) {
		if !known[name] {
			return &coded{fmt.Errorf("read --downstream: no [[downstream]] of a spec has the name %q", name), assurance.ExitUsage}
		}
	}
	return nil
}

// findUsers finds mistakes of the caller's about the repositories of a spec's users before anything runs.
func (o Options) findUsers(ctx context.Context, s *spec.Spec) error {
	for _, d := range s.Downstream {
		dir := o.Downstream[d.Name]
		if dir == "" {
			continue
		}
		repo, err := o.openUser(ctx, dir)
		if err == nil {
			if !repo.Has(ctx, d.Commit) {
				err = fmt.Errorf("the repository %s has no commit %s; fetch it: git -C %s fetch %s %s", dir, d.Commit, dir, d.Source, d.Commit)
			}
			repo.Close()
		}
		if err != nil {
			return &coded{fmt.Errorf("read --downstream %s: %w", d.Name, err), assurance.ExitUsage}
		}
	}
	return nil
}

// openUser opens the repository of a user, which is a folder of this machine: nothing is fetched.
func (o Options) openUser(ctx context.Context, dir string) (*worktree.Repo, error) {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is no folder", dir)
	}
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	return worktree.Open(ctx, worktree.Options{Dir: o.git(), Owner: owner()}, dir)
}

// declareDownstream notes in the plan which users there are, of whom no suite was run yet.
func (j *job) declareDownstream() {
	for _, d := range j.spec.Downstream {
		why := fmt.Sprintf("the suite of %s was not run: nobody gave its repository; lane check --downstream %s=FOLDER, a clone of %s that has the commit %s", d.Name, d.Name, d.Source, d.Commit)
		if j.o.Downstream[d.Name] != "" {
			why = "Lane stopped before it ran the suite of " + d.Name
		}
		j.evidence.Plan.Downstream = append(j.evidence.Plan.Downstream, assurance.PlannedDownstream{Name: d.Name, Source: d.Source, Commit: d.Commit,
			Unasked: why, Task: d.Task, Place: d.Place, Command: d.Run, Reporter: d.Reporter, Tests: []string{}, Runs: []assurance.DownstreamRun{}})
	}
}

// usersGiven names the users of the spec whose repositories the caller gives. What their suites are, the commits in the spec say.
func (j *job) usersGiven() (names []string) {
	for _, d := range j.spec.Downstream {
		if j.o.Downstream[d.Name] != "" {
			names = append(names, d.Name)
		}
	}
	return names
}

// downstream runs the suites of users whose repositories the caller gives. A tree that cannot be made of a user's and the one under test leaves the suite
// out, and says why: nobody asked whether the change is to blame.
func (j *job) downstream(ctx context.Context) error {
	for i, d := range j.spec.Downstream {
		dir := j.o.Downstream[d.Name]
		if dir == "" {
			continue
		}
		p := &j.evidence.Plan.Downstream[i]
		err := j.runSuite(ctx, d, dir, p)
		if r := (*worktree.Refusal)(nil); errors.As(err, &r) {
			p.Unasked = fmt.Sprintf("the suite of %s was not run: %v", d.Name, err)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// runSuite lays the trees out and runs the suite of one user. The plan gets all of it at once, when everything was seen.
func (j *job) runSuite(ctx context.Context, d spec.Downstream, dir string, p *assurance.PlannedDownstream) error {
	if j.repo.Has(ctx, d.Commit) {
		p.Unasked = fmt.Sprintf("the suite of %s was not run: %s is a commit of the repository under check, and no user of it", d.Name, d.Commit)
		return nil
	}
	j.say("downstream", "lay out "+d.Name)
	x := &suite{job: j, d: d, planned: *p, seen: map[string]observed{}}
	if err := x.prepare(); err != nil {
		return err
	}
	repo, err := j.o.openUser(ctx, dir)
	if err != nil {
		return err
	}
	defer repo.Close()
	defer x.close()
	if err := x.layOut(ctx, repo); err != nil {
		return err
	}
	if err := x.runAll(ctx); err != nil {
		return err
	}
	if err := x.unchanged(ctx); err != nil {
		return err
	}
	x.planned.Unasked = ""
	*p = x.planned
	for id, o := range x.seen {
		j.observe(id, assurance.Observation{Run: o.facts})
	}
	return nil
}

// gutted are the files that the control takes away: all code of the folders in which the change touches code. A folder is what languages call a
// package, and a suite that needs none of its code cannot speak for what the change made of it. Where the change touches no code, all of it goes.
func (j *job) gutted(d spec.Downstream) (gone map[string]bool, all bool, err error) {
	folders := map[string]bool{}
	for _, f := range j.change.Files {
		if !j.whole() && j.kind(f.Path) == assurance.FileCode {
			folders[path.Dir(f.Path)] = true
		}
	}
	files, err := j.repo.List(j.change.HeadTree)
	if err != nil {
		return nil, false, err
	}
	gone, code := map[string]bool{}, map[string]bool{}
	for name := range files {
		if _, inside := d.Inside(name); !inside || j.kind(name) != assurance.FileCode {
			continue
		}
		code[name] = true
		if folders[path.Dir(name)] {
			gone[name] = true
		}
	}
	if len(gone) == 0 {
		return code, true, nil
	}
	return gone, false, nil
}

// isPlaced reports whether a test, by its id and unit, is one of the tree under test and not the user's. module is that of the user's go.mod, "" for none.
func isPlaced(d spec.Downstream, module, id, unit string) bool {
	within := func(name, folder string) bool { return name == folder || strings.HasPrefix(name, folder+"/") }
	if module != "" {
		return within(unit, path.Join(module, d.Place))
	}
	places := []string{d.Place}
	if rel, err := filepath.Rel(d.Dir, d.Place); err == nil {
		places = append(places, filepath.ToSlash(rel))
	}
	return slices.ContainsFunc(places, func(place string) bool {
		return within(id, place) || within(unit, place) || strings.HasPrefix(id, strings.ReplaceAll(place, "/", ".")+".")
	})
}
