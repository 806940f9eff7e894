package lane

import (
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/vallane/lane/lane/mutantcache"
	"github.com/vallane/lane/lane/spec"
	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/golang"
	"github.com/vallane/lane/warmup"
)

// memory is what Mutate knows of earlier runs. A check has none: what a verdict rests on was seen in the check itself.
type memory struct {
	cache   *mutantcache.Cache
	engine  string
	depends *golang.Depends
}

// openMemory opens the cache of the spec whose state lies in dir.
func (o Options) openMemory(dir string) (*memory, error) {
	engine, err := o.build()
	if err != nil {
		return nil, err
	}
	c, err := mutantcache.Open(filepath.Join(dir, "cache"))
	if err != nil {
		return nil, err
	}
	return &memory{cache: c, engine: engine}, nil
}

// build names this very build of Lane, and not only its version: who works on Lane itself has many of one version.
func (o Options) build() (string, error) {
	name, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find lane's own program: %w", err)
	}
	if f, err := elf.Open(name); err == nil {
		defer f.Close()
		if s := f.Section(".note.go.buildid"); s != nil {
			if id, err := s.Data(); err == nil {
				return o.engine() + " " + hex.EncodeToString(id), nil
			}
		}
	}
	f, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("read lane's own program: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read lane's own program: %w", err)
	}
	return o.engine() + " " + hex.EncodeToString(h.Sum(nil)), nil
}

// sameTime is the time of every tree that Mutate looks at, so that a commit alone changes nothing that a test can see.
var sameTime = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// inputs are the parts of the tree that tests can see: code that a language answers for, and everything else. The spec and the file
// of accepted mutants are in neither.
func (j *job) inputs(isCode func(string) bool) (rest, code map[string]string, err error) {
	files, err := j.repo.List(j.change.HeadTree)
	if err != nil {
		return nil, nil, err
	}
	rest, code = map[string]string{}, map[string]string{}
	for name, b := range files {
		text := fmt.Sprintf("%s %o", b.Hash, uint32(b.Mode))
		switch {
		case j.isSpec(name), j.isBaseline(name):
		case isCode(name) && b.Mode&fs.ModeType == 0:
			code[name] = text
		default:
			rest[name] = text
		}
	}
	return rest, code, nil
}

// surroundings is a digest of whatever a run of a task sees beside the tree, where its closure has a digest.
func (j *job) surroundings(t spec.Task, reporter, closure string) string {
	var brought []string
	for _, f := range j.evidence.Record.Fetched {
		brought = append(brought, f.Digest)
	}
	for _, x := range j.tasks {
		if key := x.broughtKey(j.head.Path); x.spec.Name == t.Name && key != "" {
			brought = append(brought, key)
		}
	}
	text, _ := json.Marshal([]any{ // of texts and numbers alone: it does not fail
		j.memory.engine, closure, t.Build, t.Run, t.Dir, t.Env, t.Timeout, reporter,
		j.spec.ServicesOf(t.Name), j.spec.Limits, j.spec.Env.Fence, j.spec.Env.Tree, j.spec.Source.Git, brought, j.change.CommitTime.Unix(),
	})
	return golang.Sum(string(text))
}

// remember gives the engine the verdicts of earlier runs of a task.
func (j *job) remember(t *task, e *mutate.Engine) error {
	e.Tier, e.Whole = j.tier, j.wholeMatrix
	if j.wholeMatrix {
		e.Judge = nil
		for _, c := range e.Clean {
			if t.onHead().test[c.ID].Parent == "" {
				e.Judge = append(e.Judge, c.ID)
			}
		}
	}
	if j.memory == nil {
		return nil
	}
	isCode := func(string) bool { return true }
	goes := t.runner.Reporter.Name() == "go"
	if goes {
		isCode = golang.IsCode
	}
	rest, code, err := j.inputs(isCode)
	if err != nil {
		return err
	}
	c := &mutate.Cache{Store: j.memory.cache, Tree: mutate.Digest(code)}
	c.Base = golang.Sum(j.surroundings(t.spec, t.runner.Reporter.Name(), t.closure.Digest), mutate.Digest(rest), fmt.Sprint(e.Limits, e.ConfirmAll, e.Whole))
	if goes {
		c.Test = j.runsCode
	}
	e.Cache = c
	return nil
}

// runsCode is a digest of the code that a Go test may run; "" = nobody can tell.
func (j *job) runsCode(id string) string {
	i := strings.LastIndexByte(id, '.')
	if i < 0 {
		return ""
	}
	sum, err := j.memory.depends.Digest(id[:i], id[i+1:])
	if err != nil {
		j.note("the code that tests may run is not known function by function, so that each edit asks them all again: " + err.Error())
	}
	return sum
}

// wholeKey finds what a run came to that saw the very same; "" = nobody knows yet what this one sees. The closures need not be there
// in full for that: their locks say what they hold, and nothing of them is run.
func (j *job) wholeKey(ctx context.Context, m MutateOptions) (string, error) {
	rest, _, err := j.inputs(func(string) bool { return false })
	if err != nil {
		return "", err
	}
	asked, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	parts := []string{"1", hex.EncodeToString(j.spec.Digest[:]), j.change.BaseTree, mutate.Digest(rest), string(asked)}
	for _, t := range j.spec.Tasks {
		if len(t.Fetch) > 0 && j.tasks == nil {
			return "", nil // what it brings is a part of what is seen
		}
		src, _, err := j.environment(t)
		if err != nil {
			return "", err
		}
		c, err := j.o.closures(nil).Load(ctx, src, warmup.LevelLstat)
		if err != nil {
			return "", nil // it is made first, or refused
		}
		c.Close()
		reporter, _, err := choose(t)
		if err != nil {
			return "", err
		}
		parts = append(parts, j.surroundings(t, reporter.Name(), c.Digest))
	}
	return golang.Sum(parts...)[:32], nil
}

// recall finds what a run came to that saw the very same as this one would; nil = there was none.
func (j *job) recall(ctx context.Context, m MutateOptions) (*Mutation, error) {
	if j.memory == nil || m.List {
		return nil, nil
	}
	key, err := j.wholeKey(ctx, m)
	was := whole{Mutation: &Mutation{}}
	if err != nil || key == "" || !j.memory.cache.Whole(key, &was) {
		return nil, err
	}
	out := was.Mutation
	for i := range out.Results {
		out.Plan.Mutants = append(out.Plan.Mutants, out.Results[i].Mutant)
	}
	if m.Diffs {
		if err := json.Unmarshal(was.Noticed, &out.Diffs); err != nil {
			return nil, fmt.Errorf("read the cache of mutants: %w", err)
		}
	}
	if was.All != nil {
		out.all = map[string]bool{}
		for _, id := range was.All {
			out.all[id] = true
		}
	}
	for i := range out.Results {
		out.Results[i].Cached = true
	}
	out.Unchanged = true
	out.Facts = append([]string{"nothing has changed since an earlier run, whose results these are: no test was run"}, out.Facts...)
	return out, nil
}

// keepWhole keeps what a run came to, where nothing in it would be tried again.
func (j *job) keepWhole(ctx context.Context, m MutateOptions, out *Mutation) error {
	if j.memory == nil || m.List {
		return nil
	}
	for i := range out.Results {
		switch out.Results[i].Verdict {
		case mutate.Killed, mutate.Survived, mutate.Uncovered, mutate.Unviable, mutate.Equivalent:
		default:
			return nil
		}
	}
	key, err := j.wholeKey(ctx, m)
	if err != nil || key == "" {
		return err
	}
	kept := *out
	kept.Plan.Mutants, kept.Diffs = nil, map[string]string{}
	noticed := map[string]string{}
	for i := range out.Results {
		r := &out.Results[i]
		diffs := noticed
		if r.Verdict.Unnoticed() {
			diffs = kept.Diffs
		}
		diffs[r.Mutant.ID] = out.Diffs[r.Mutant.ID]
	}
	was := whole{Mutation: &kept}
	if was.Noticed, err = json.Marshal(noticed); err != nil {
		return err
	}
	if out.all != nil {
		was.All = keys(out.all)
	}
	return j.memory.cache.SaveWhole(key, was)
}

// whole is what is kept of a run: each mutant once, with its result, and what few want to see in a form that need not be read.
type whole struct {
	*Mutation
	Noticed json.RawMessage // diffs of the mutants that were noticed
	All     []string        // ids of every mutant of the code; nil where only a part of it was looked at
}

// forgotten says what of the cache could not be read.
func (j *job) forgotten() string {
	if j.memory == nil || j.memory.cache.Damaged() == 0 {
		return ""
	}
	return fmt.Sprintf("the cache of mutants is damaged: %d of its entries could not be read and were left out", j.memory.cache.Damaged())
}
