package lane

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/spec"
	"github.com/vallane/lane/lane/worktree"
)

// supported refuses what a spec may ask for and this build cannot do.
func supported(s *spec.Spec) error {
	const later = "this version of lane cannot do it yet; leave the key out"
	switch s.Env.Fence {
	case spec.FenceLocal:
	case spec.FenceWASI:
		if err := guestsSupported(s); err != nil {
			return err
		}
	default:
		return s.Problem("env.fence", "the fence "+s.Env.Fence+" is not there", later)
	}
	if err := targetSupported(s); err != nil {
		return err
	}
	if err := servicesSupported(s); err != nil {
		return err
	}
	if h := s.Hidden; h != nil {
		if _, _, err := choose(spec.Task{Name: h.Task, Run: h.Run, Reporter: h.Reporter}); err != nil {
			return s.Problem("hidden.reporter", err.Error(), later)
		}
		if s.Env.Fence == spec.FenceWASI {
			return s.Problem("hidden", "the fence wasi runs no hidden tests", `set env.fence = "local"`)
		}
	}
	for i, d := range s.Downstream {
		key := "downstream[" + itoa(i) + "]"
		if _, _, err := choose(spec.Task{Name: d.Name, Run: d.Run, Reporter: d.Reporter}); err != nil {
			return s.Problem(key+".reporter", err.Error(), later)
		}
		if s.Env.Fence == spec.FenceWASI {
			return s.Problem(key, "the fence wasi runs no suites of users", `set env.fence = "local"`)
		}
	}
	for i, t := range s.Tasks {
		key := "task[" + itoa(i) + "]"
		if _, _, err := choose(t); err != nil {
			return s.Problem(key+".reporter", err.Error(), later)
		}
	}
	return nil
}

// plan finds the change and says by whose word the spec holds.
func (j *job) plan(ctx context.Context) error {
	j.say("plan", j.spec.Title)
	j.evidence.Record.Fence = j.spec.Env.Fence
	if j.under != nil && j.under.refused != nil {
		return j.under.refused
	}
	if err := j.planTarget(); err != nil {
		return err
	}
	if j.journal != nil && !j.byHand { // lane mutate may know all that it is asked for
		if err := j.fenced(ctx); err != nil {
			return err
		}
	}
	repo, err := openRepo(ctx, j.o, j.spec, j.file)
	if err != nil {
		return err
	}
	j.repo = repo
	if j.change, err = resolve(ctx, repo, j.spec, j.file); err != nil {
		return err
	}
	p := &j.evidence.Plan
	if p.Spec.Authority, err = j.authority(); err != nil {
		return err
	}
	p.Change = assurance.Change{Kind: j.spec.Change, SaidBy: p.Spec.Authority}
	if j.o.Change != "" && j.under == nil {
		p.Change.Kind, p.Change.SaidBy = j.o.Change, assurance.ByCaller
	}
	c := &j.change
	p.Subject = assurance.Subject{GitTree: c.HeadTree, Commit: c.HeadCommit, BaseTree: c.BaseTree, BaseCommit: c.BaseCommit, Dirty: c.Dirty}
	if len(c.Patch) > 0 {
		sum := sha256.Sum256(c.Patch)
		p.Subject.Patch = "sha256:" + hex.EncodeToString(sum[:])
	}
	for _, f := range c.Files {
		kind, err := j.changedKind(f)
		if err != nil {
			return err
		}
		p.Change.Files = append(p.Change.Files, assurance.ChangedFile{Path: f.Path, Kind: kind})
		if path.Base(f.Path) == "conftest.py" {
			j.note("the change edits " + f.Path + ", which runs in every test session: what its tests see may not be the code as it stands")
		}
	}
	if err := j.steering(); err != nil {
		return err
	}
	if err := j.openHidden(); err != nil {
		return err
	}
	j.declareDeploy()
	j.declareDownstream()
	p.RequiredDefault = len(j.spec.RequiredNames()) == 0
	for _, name := range j.spec.RemovedNames() {
		p.Removals = append(p.Removals, assurance.Removal{Test: name, ListedBy: p.Spec.Authority})
	}
	return nil
}

// whole reports whether there is no change to compare with: what is there is verified.
func (j *job) whole() bool { return j.evidence.Plan.Change.Kind == assurance.Tree }

// openRepo opens the repository that a spec names, relative to the spec's folder.
func openRepo(ctx context.Context, o Options, s *spec.Spec, file string) (*worktree.Repo, error) {
	where := s.Source.Repo
	if !strings.Contains(where, "://") && !filepath.IsAbs(where) {
		where = filepath.Join(filepath.Dir(file), where)
	}
	return worktree.Open(ctx, worktree.Options{Dir: o.git(), Owner: owner(), IgnoreFiles: o.IgnoreFiles}, where)
}

// resolve finds base and head as the spec names them.
func resolve(ctx context.Context, repo *worktree.Repo, s *spec.Spec, file string) (worktree.Change, error) {
	ask := worktree.Ask{Base: s.Source.Base, Head: s.Source.Head, DefaultBase: s.Defaults["source.base"]}
	if s.Source.Patch != "" {
		data, err := readPatch(filepath.Join(filepath.Dir(file), filepath.FromSlash(s.Source.Patch)))
		if err != nil {
			return worktree.Change{}, &declined{assurance.Refusal{
				Code: "missing-input", Msg: "read the patch: " + err.Error(), Hint: "source.patch names a unified diff, relative to the spec",
			}}
		}
		ask.Patch, ask.Head = data, ""
	}
	return repo.Resolve(ctx, ask)
}

// readPatch reads a file, and waits for none that is no file: a pipe would never end.
func readPatch(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", name)
	}
	return os.ReadFile(name)
}

// authority says who brought the spec: whoever signed a contract, base where base holds the same bytes at the same path, the
// caller where the spec lies outside of the repository, else the change.
func (j *job) authority() (assurance.Authority, error) {
	if j.under != nil {
		return assurance.ByContract, nil
	}
	rel, inside := j.repo.Rel(j.file)
	if !inside {
		return assurance.ByCaller, nil
	}
	if j.change.BaseTree == "" {
		return assurance.ByChange, nil
	}
	data, err := j.repo.ReadFile(j.change.BaseTree, rel)
	if err != nil {
		if worktree.IsNotExist(err) {
			return assurance.ByChange, nil
		}
		return "", err
	}
	sum := sha256.Sum256(data)
	if bytes.Equal(sum[:], j.spec.FileDigest[:]) {
		return assurance.ByBase, nil
	}
	return assurance.ByChange, nil
}

// environmentEdits names the files of a flake that head has otherwise than base.
func environmentEdits(base, head map[string]worktree.Blob) []assurance.EnvironmentEdit {
	var names []string
	for name, b := range base {
		if h, ok := head[name]; !ok || h.Hash != b.Hash || h.Mode != b.Mode {
			names = append(names, name)
		}
	}
	for name := range head {
		if _, ok := base[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var out []assurance.EnvironmentEdit
	for _, n := range names {
		out = append(out, assurance.EnvironmentEdit{Path: n})
	}
	return out
}

// owner is the host user that boxes run as and that trees and caches therefore belong to; 0 is the
// caller himself.
func owner() int {
	if id := fence.HostID(0); id != os.Geteuid() {
		return max(id, 0)
	}
	return 0
}
