package lane

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/spec"
	"github.com/vallane/lane/warmup"
)

// Locked is one closure that Lock wrote down, or compared.
type Locked struct {
	Spec   string `json:"spec"`
	Flake  string `json:"flake"`
	File   string `json:"file"` // closure.lock, as a slash path in the working tree
	Digest string `json:"digest,omitempty"`
	Paths  int    `json:"paths,omitempty"`
	Wrote  bool   `json:"wrote"`
	// Differences say in what the file departs from the flake, when it is only compared.
	Differences []string `json:"differences,omitempty"`
}

// Lock writes what the flakes of the specs come to into the closure.lock beside each, in the working tree and from its files as they
// are now, committed or not. Where check is set it writes nothing, and a file that departs from its flake is an error that names
// inputs and paths.
func Lock(ctx context.Context, o Options, paths []string, check bool) ([]Locked, error) {
	specs, err := loadAll(paths)
	if err != nil {
		return nil, err
	}
	o.Change = assurance.Tree
	var all []Locked
	for _, s := range specs {
		s.Source.Head, s.Source.Base, s.Source.Patch = spec.Worktree, "", ""
		some, err := lockSpec(ctx, o, s, check)
		all = append(all, some...)
		if err != nil {
			return all, fmt.Errorf("lock %s: %w", s.Name, withExit(err))
		}
	}
	return all, departs(all)
}

// departs is the error of files that are not what their flakes come to.
func departs(all []Locked) error {
	var facts []string
	for _, l := range all {
		for _, d := range l.Differences {
			facts = append(facts, l.File+" and "+l.Flake+" disagree: "+d)
		}
	}
	if facts == nil {
		return nil
	}
	slices.Sort(facts)
	return withExit(&declined{assurance.Refusal{
		Code: "closure-lock", Msg: strings.Join(slices.Compact(facts), "\n"),
		Hint: "run lane lock, look at what it changes, and commit it",
	}})
}

func lockSpec(ctx context.Context, o Options, s *spec.Spec, check bool) (all []Locked, err error) {
	j, err := o.planOnly(ctx, s)
	if err != nil {
		return nil, err
	}
	defer j.close()
	if j.repo.Root() == "" {
		return nil, errors.New("the repository has no working tree for a " + warmup.LockName)
	}
	done := map[string]bool{}
	for _, t := range s.Tasks {
		if done[t.Flake] || j.guests() && t.Module() {
			continue
		}
		done[t.Flake] = true
		one, err := j.lockFlake(ctx, t, check)
		if err != nil {
			return all, err
		}
		all = append(all, one)
	}
	return all, nil
}

func (j *job) lockFlake(ctx context.Context, t spec.Task, check bool) (Locked, error) {
	l := Locked{Spec: j.spec.ID, Flake: t.Flake, File: lockFile(t)}
	src, _, err := j.environment(t)
	if err != nil {
		return l, err
	}
	at := filepath.Join(j.repo.Root(), filepath.FromSlash(l.File))
	// What an earlier flake of this command wrote is in no snapshot of the tree.
	if data, err := os.ReadFile(at); err == nil {
		src.Lock = data
	} else if !errors.Is(err, fs.ErrNotExist) {
		return l, err
	}
	w := j.o.closures(func(text string) { j.say("closure", text) })
	if check {
		l.Differences, err = w.CheckLock(ctx, src)
		return l, err
	}
	found, err := w.Relock(ctx, src)
	if err != nil {
		return l, err
	}
	l.Digest, l.Paths = found.Digest, len(found.Paths)
	l.Wrote, err = writeLock(at, src.Lock, found)
	return l, err
}

// writeLock puts a closure into the file that held old, and reports whether that changed it.
func writeLock(at string, old []byte, l *warmup.Lock) (bool, error) {
	c := &warmup.Committed{}
	if old != nil {
		// One that cannot be read is written anew.
		if read, err := warmup.ParseCommitted(old); err == nil {
			c = read
		}
	}
	c.Put(l)
	data, err := c.Marshal()
	if err != nil || string(data) == string(old) {
		return false, err
	}
	tmp := at + ".new"
	if err := os.WriteFile(tmp, data, 0o644); err != nil {
		return false, err
	}
	return true, os.Rename(tmp, at)
}

// isLock reports whether a path is the closure.lock of a task: what it says is compared with the closure, and no test could notice it.
func (j *job) isLock(name string) bool {
	return slices.ContainsFunc(j.spec.Tasks, func(t spec.Task) bool { return lockFile(t) == name })
}

func lockFile(t spec.Task) string {
	folder, _ := t.FlakeRef()
	return path.Join(folder, warmup.LockName)
}
