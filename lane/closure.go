package lane

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/spec"
	"github.com/vallane/lane/lane/worktree"
	"github.com/vallane/lane/warmup"
	"github.com/vallane/lane/warmup/bincache"
	"github.com/vallane/lane/warmup/nix"
)

// closures loads the closure of each task, and makes it first where it is missing and Nix is there.
func (j *job) closures(ctx context.Context) error {
	for i := range j.spec.Tasks {
		t := &j.spec.Tasks[i]
		if j.leaveClosureOut(t) || j.closure[t.Flake] != nil {
			continue
		}
		src, edits, err := j.environment(*t)
		if err != nil {
			return err
		}
		j.evidence.Plan.Change.Environment = append(j.evidence.Plan.Change.Environment, edits...)
		j.say("closure", t.Flake)
		c, err := loadOrWarm(ctx, j.o, src, func(s string) { j.say("closure", s) })
		if err != nil {
			return err
		}
		j.closure[t.Flake] = c
		if len(edits) == 0 {
			if edits, err = j.lockEdits(*t, src, c); err != nil {
				return err
			}
			j.evidence.Plan.Change.Environment = append(j.evidence.Plan.Change.Environment, edits...)
		}
		id := "closure/" + t.Flake
		j.evidence.Plan.Closures = append(j.evidence.Plan.Closures,
			assurance.PlannedClosure{ID: id, Name: t.Flake, Digest: c.Digest, Pinned: true})
	}
	return nil
}

// environment reads what makes a task's closure from base, so that a change cannot bring its own; from
// head where base has none. edits names what the change does to it all the same.
func (j *job) environment(t spec.Task) (src warmup.Source, edits []assurance.EnvironmentEdit, err error) {
	head, err := flakeFiles(j.repo, j.change.HeadTree, t, j.spec.Env.Extras)
	if err != nil {
		return src, nil, err
	}
	base := head
	fromHead := j.whole() && j.under == nil
	if j.change.BaseTree != "" && !fromHead {
		if base, err = flakeFiles(j.repo, j.change.BaseTree, t, j.spec.Env.Extras); err != nil {
			return src, nil, err
		}
		edits = environmentEdits(base, head)
		if len(base) == 0 {
			for i := range edits {
				edits[i].Brought = true
			}
		}
	}
	accepted, err := j.accepts(head, edits)
	if err != nil {
		return src, nil, err
	}
	tree, files := j.change.BaseTree, base
	if len(base) == 0 || tree == "" || accepted || fromHead {
		tree, files = j.change.HeadTree, head
	}
	if src, err = source(j.repo, tree, t, files); err != nil {
		return src, edits, err
	}
	if src.Lock, err = readLock(j.repo, tree, t); err != nil {
		return src, edits, err
	}
	if !j.repin {
		err = addPins(j.repo.Root(), t, j.spec.Env.Extras, src.Files, head)
	}
	return src, edits, err
}

// readLock reads the closure.lock beside a task's flake; nil is none.
func readLock(repo *worktree.Repo, tree string, t spec.Task) ([]byte, error) {
	data, err := repo.ReadFile(tree, lockFile(t))
	if worktree.IsNotExist(err) {
		return nil, nil
	}
	return data, err
}

// lockEdits names a closure.lock that the change edits, where what it says now is not what was run in: with its flake it would
// decide, once merged, what later checks run in.
func (j *job) lockEdits(t spec.Task, src warmup.Source, c *warmup.Closure) ([]assurance.EnvironmentEdit, error) {
	if j.change.BaseTree == "" || j.whole() && j.under == nil {
		return nil, nil
	}
	head, err := readLock(j.repo, j.change.HeadTree, t)
	if err != nil || bytes.Equal(head, src.Lock) {
		return nil, err
	}
	if src.Lock == nil || head != nil {
		src.Lock = head
		if c.Agrees(src) {
			return nil, nil
		}
	}
	return []assurance.EnvironmentEdit{{Path: lockFile(t)}}, nil
}

// addPins takes the caller's own files of pins: extras that git ignores, so that neither tree holds
// them, but that lie in the working tree. Nothing else is taken from there: the name may be the change's.
func addPins(root string, t spec.Task, extras []string, files map[string]warmup.File, head map[string]worktree.Blob) error {
	if root == "" {
		return nil
	}
	folder, _ := t.FlakeRef()
	for _, name := range extras {
		rel, ok := inFolder(name, folder)
		if _, held := head[name]; held || !ok || !fs.ValidPath(name) || path.Ext(name) != ".json" {
			continue
		}
		if _, held := files[path.Clean(rel)]; held {
			continue
		}
		top, err := os.OpenRoot(root)
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		data, err := fs.ReadFile(top.FS(), name)
		top.Close()
		if err != nil {
			continue // the flake says what it lacks
		}
		if _, err := warmup.ParsePins(data); err != nil {
			return &warmup.Refusal{
				Code: warmup.BadSource,
				Msg:  fmt.Sprintf("%s is ignored by git and no file of pins: %v", name, err),
				Tip:  "`lane warm --pin` writes it anew; what else the flake reads must be committed",
			}
		}
		files[path.Clean(rel)] = warmup.File{Data: data}
	}
	return nil
}

// accepts reports whether a spec that the change did not bring lists every edited file as head has it; the edits then say so.
func (j *job) accepts(head map[string]worktree.Blob, edits []assurance.EnvironmentEdit) (bool, error) {
	by := j.evidence.Plan.Spec.Authority
	if len(edits) == 0 || by == assurance.ByChange {
		return false, nil
	}
	for _, e := range edits {
		if _, ok := head[e.Path]; !ok {
			return false, nil // a file that is gone has no digest
		}
		data, err := j.repo.ReadFile(j.change.HeadTree, e.Path)
		if err != nil {
			return false, err
		}
		sum := sha256.Sum256(data)
		if !slices.Contains(j.spec.Env.Accept, "sha256:"+hex.EncodeToString(sum[:])) {
			return false, nil
		}
	}
	for i := range edits {
		edits[i].ListedBy = by
	}
	return true, nil
}

// flakeFiles lists the flake's files of a tree: flake.nix, flake.lock and the declared extras.
func flakeFiles(repo *worktree.Repo, tree string, t spec.Task, extras []string) (map[string]worktree.Blob, error) {
	folder, _ := t.FlakeRef()
	all, err := repo.List(tree)
	if err != nil {
		return nil, err
	}
	out := map[string]worktree.Blob{}
	for name, b := range all {
		rel, ok := inFolder(name, folder)
		if !ok {
			continue
		}
		if rel == "flake.nix" || rel == "flake.lock" || slices.ContainsFunc(extras, func(g string) bool { return spec.Match(g, name) }) {
			out[name] = b
		}
	}
	return out, nil
}

func inFolder(name, folder string) (rel string, ok bool) {
	if folder == "." || folder == "" {
		return name, true
	}
	return strings.CutPrefix(name, strings.TrimSuffix(folder, "/")+"/")
}

// source reads the files for package warmup.
func source(repo *worktree.Repo, tree string, t spec.Task, files map[string]worktree.Blob) (warmup.Source, error) {
	folder, attr := t.FlakeRef()
	src := warmup.Source{Files: map[string]warmup.File{}, Attr: attr, System: system()}
	for name, b := range files {
		data, err := repo.ReadFile(tree, name)
		if err != nil {
			return src, err
		}
		rel, _ := inFolder(name, folder)
		src.Files[path.Clean(rel)] = warmup.File{Data: data, Mode: b.Mode}
	}
	return src, nil
}

// system is Nix's name for this machine.
func system() string {
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	return arch + "-" + runtime.GOOS
}

func (o Options) closures(log func(string)) warmup.Options {
	w := warmup.Options{
		State: o.State, Private: "", Log: log,
		Substituters: strings.Fields(o.Substituters), TrustedKeys: strings.Fields(o.TrustedKeys), Netrc: o.Netrc, Offline: o.Offline,
		WithoutNix: o.WithoutNix,
	}
	if _, err := exec.LookPath("nix"); err != nil || o.WithoutNix {
		w.Private = o.privateStore()
	}
	if o.Shared != "" && filepath.Clean(o.Shared) != filepath.Clean(o.State) {
		w.Shared = []string{o.Shared}
	}
	return w
}

// privateStore is the store of a machine without Nix.
func (o Options) privateStore() string { return filepath.Join(o.Cache, "store") }

// loadOrWarm finds a closure at the level that VAL-1 needs.
func loadOrWarm(ctx context.Context, o Options, src warmup.Source, log func(string)) (*warmup.Closure, error) {
	w := o.closures(log)
	c, err := w.Load(ctx, src, warmup.LevelSealed)
	var cold *warmup.NotWarm
	if err == nil || !errors.As(err, &cold) || o.onlyWarm {
		return c, err
	}
	var absent *nix.Missing
	var missing *bincache.Missing
	switch c, err := w.Warm(ctx, src); {
	case err == nil:
		c.Close()
	case errors.As(err, &absent):
		return nil, &declined{assurance.Refusal{Code: coldCode(cold), Msg: cold.Error() + "; " + err.Error(), Hint: absent.Hint()}}
	case errors.As(err, &missing):
		return nil, &declined{assurance.Refusal{Code: coldCode(cold), Msg: cold.Error() + "; " + err.Error(), Hint: missing.Hint()}}
	default:
		return nil, fmt.Errorf("make the closure: %w", err)
	}
	return w.Load(ctx, src, warmup.LevelSealed)
}
