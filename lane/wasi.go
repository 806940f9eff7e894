package lane

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/fence/wasi"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/observe/gotest"
	"github.com/vallane/lane/lane/runner"
	"github.com/vallane/lane/lane/spec"
	"github.com/vallane/lane/warmup"
)

// guestsSupported refuses what a spec may ask for and no WASI guest can have.
func guestsSupported(s *spec.Spec) error {
	switch {
	case s.Source.Git:
		return s.Problem("source.git", "the fence wasi has no git: a guest starts no program", "leave the key out")
	case s.Env.Tree == spec.TreeCopy:
		return s.Problem("env.tree", "the tree of the fence wasi is only read: a copy of it would change nothing", "leave the key out")
	}
	for i, t := range s.Tasks {
		rep, _, err := choose(t)
		if err != nil {
			return nil // supported says it
		}
		key := "task[" + itoa(i) + "]"
		if len(t.Build) > 0 {
			return s.Problem(key+".build", "the fence wasi builds Go's test programs by itself, and nothing else", "leave the key out")
		}
		switch {
		case t.Module() && (rep.Name() == "exit" || rep.Name() == "tap"):
			if len(t.Fetch) > 0 {
				return s.Problem(key+".run", "a module has nothing to fetch for: no closure and no compiler is in its box", "leave fetch out")
			}
		case t.Module():
			return s.Problem(key+".reporter", "a module is judged by its exit status or by the TAP that it prints", `use reporter = "exit" or "tap"`)
		case !(gotest.Reporter{}).Claims(t.Run) || rep.Name() != "go":
			return s.Problem(key+".run", "the fence wasi runs go test and WASI modules of the tree, and not "+t.Run[0],
				`write run = ["go", "test", ...] or run = ["PATH.wasm", ...]`)
		}
	}
	return nil
}

// fenced finds out whether this machine has the fence that the tasks need, before anything is fetched or checked out in vain.
func (j *job) fenced(ctx context.Context) error {
	err := error(nil)
	for _, t := range j.spec.Tasks {
		if j.guests() && t.Module() {
			continue
		}
		if err = fence.Available(ctx); err == nil || !j.guests() {
			return err
		}
		r := assurance.Refusal{Code: "no-fence", Msg: "task " + t.Name + ": its test programs are built in a box of the local fence before they run under WASI: " + err.Error()}
		r.Hint = `commit the test programs (GOOS=wasip1 GOARCH=wasm go test -c) and run them as run = ["PATH.wasm"]`
		if u := (*fence.Unavailable)(nil); errors.As(err, &u) && u.Fix != "" {
			r.Hint = u.Fix + "; or " + r.Hint
		}
		return &declined{r}
	}
	return nil
}

// guests reports whether the tasks' commands run as WASI guests.
func (j *job) guests() bool { return j.spec.Env.Fence == spec.FenceWASI }

// compiledMost bounds what is kept of compiled modules, in bytes.
const compiledMost = 2 << 30

// asGuest makes a task's runs guests.
func (j *job) asGuest(t *runner.Task) error {
	if !j.guests() {
		return nil
	}
	t.WASI = &runner.WASI{Compiled: j.o.compiled(), Scratch: j.o.Cache}
	if err := wasi.OpenCache(t.WASI.Compiled, compiledMost); err != nil {
		return err
	}
	if r, ok := t.Reporter.(gotest.Reporter); ok {
		t.Reporter = builder{r, r, r, r, r}
		t.Env = append(t.Env, wasip1...)
		j.note("task " + t.Name + ": its test programs are built in a box of the local fence and run under WASI; " +
			"what each test reaches is not measured there, so that every mutant is asked of every test")
	}
	return nil
}

// wasip1 is what the go command builds for.
var wasip1 = []string{"GOOS=wasip1", "GOARCH=wasm"}

// builder is what of the Go reporter holds under WASI: programs are built, and neither measured nor switched there.
type builder struct {
	observe.Reporter
	observe.Warmer
	observe.Seeder
	observe.Builder
	observe.Explainer
}

// noClosure stands for the closure of a task that has none: no path of any is in a module's box.
const noClosure = "no closure: a module runs on Lane alone"

// leaveClosureOut plans the empty closure for a module. Its digest is, like every other, that of its sorted paths.
func (j *job) leaveClosureOut(t *spec.Task) bool {
	if !j.guests() || !t.Module() {
		return false
	}
	t.Flake = noClosure
	if j.closure[noClosure] == nil {
		nothing := sha256.Sum256(nil)
		c := &warmup.Closure{Digest: "sha256:" + hex.EncodeToString(nothing[:]), Verified: warmup.LevelFull, Sandbox: warmup.SandboxNotBuilt}
		j.closure[noClosure] = c
		j.evidence.Plan.Closures = append(j.evidence.Plan.Closures,
			assurance.PlannedClosure{ID: "closure/" + noClosure, Name: noClosure, Digest: c.Digest, Pinned: true})
	}
	return true
}

// systemOf is what the go command of a task builds for, where that is not this machine.
func systemOf(env []string) (out []string) {
	for _, kv := range env {
		if strings.HasPrefix(kv, "GOOS=") || strings.HasPrefix(kv, "GOARCH=") {
			out = append(out, kv)
		}
	}
	return out
}
