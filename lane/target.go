package lane

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/journal"
	"github.com/vallane/lane/lane/spec"
	"github.com/vallane/lane/lane/target"
)

// Lines of the ledger about targets. The first is there before any command of the target runs, the second when it was seen gone.
const (
	targetMade = "target-made"
	targetGone = "target-gone"
	targetID   = "target"
)

// targetSupported refuses a target that this fence cannot hold.
func targetSupported(s *spec.Spec) error {
	if s.Target != nil && s.Env.Fence == spec.FenceWASI {
		return s.Problem("target", "a target needs boxes, and the fence is wasi: a guest listens nowhere", `write fence = "local" in [env]`)
	}
	return nil
}

// planTarget draws label and challenge of this run's target, and refuses one that could be production.
func (j *job) planTarget() error {
	t := j.spec.Target
	if t == nil {
		return nil
	}
	seed := randomSeed()
	label := "lane-" + hex.EncodeToString(seed[:6])
	p := &assurance.PlannedTarget{
		ID: targetID, Name: strings.Replace(t.Name, spec.LabelPlace, label, 1), Label: label, Context: assurance.ContextBox,
		Challenge: hex.EncodeToString(seed[16:]), Address: net.JoinHostPort("127.0.0.1", strconv.Itoa(t.Port)), Health: t.Health,
		Build: t.Build, Up: t.Up, Check: t.Check, Down: t.Down, ProductionWords: j.o.ProductionWords,
	}
	j.evidence.Plan.Target = p
	if word := p.ProductionWord(); word != "" {
		return &declined{assurance.Refusal{Code: "production-target",
			Msg:  fmt.Sprintf("the target is named %s, and %q is what production is called: nothing proves that it is none", p.Name, word),
			Hint: "give target.name another word"}}
	}
	return nil
}

// liveTarget puts the target up, has it checked and tears it down.
func (j *job) liveTarget(ctx context.Context) error {
	if j.spec.Target == nil {
		return nil
	}
	tasks := j.every()
	i := slices.IndexFunc(tasks, func(t *task) bool { return t.spec.Name == j.spec.Target.Task })
	if i < 0 {
		return fmt.Errorf("put up the target: there is no task %s", j.spec.Target.Task)
	}
	if err := j.slots.Acquire(ctx, 1); err != nil {
		return err
	}
	defer j.slots.Release(1)
	p := *j.evidence.Plan.Target
	j.say("target", "put up "+p.Name)
	config, env := tasks[i].head.Plain()
	t := &target.Target{
		Plan: p, Box: config, Env: env, Timeout: j.spec.Target.Timeout, Runs: j.targetRuns(),
		Log: func(name string) (io.WriteCloser, error) { return j.openLog("target/" + name) },
		Note: func(m target.Made, gone bool) {
			if gone {
				j.journal.Event(targetGone, map[string]any{"label": m.Label, "name": m.Name, "by": "run"})
				return
			}
			j.journal.Event(targetMade, map[string]any{"label": m.Label, "name": m.Name, "pid": m.PID, "start": m.Start, "boot": m.Boot})
		},
	}
	o, err := t.Live(ctx)
	j.observe(targetID, assurance.Observation{Target: &o})
	j.planTargetTests()
	return err
}

// settleTargets tears down what earlier runs of the spec in dir made and left, as its ledger knows it. The caller holds the spec's lock.
func settleTargets(dir string, note func(kind string, fields map[string]any)) error {
	left, err := journal.Unsettled(dir, targetMade, targetGone, "label")
	if err != nil {
		return err
	}
	var errs []error
	for _, fields := range left {
		var m target.Made
		data, err := json.Marshal(fields)
		if err == nil {
			err = json.Unmarshal(data, &m)
		}
		var ended bool
		if err == nil {
			ended, err = target.Settle(m)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		note(targetGone, map[string]any{"label": m.Label, "name": m.Name, "by": "reaped", "ended": ended})
	}
	return errors.Join(errs...)
}

// reapTargets does so for every spec that is not running.
func (o Options) reapTargets() error {
	dirs, err := journal.Specs(o.specs())
	errs := []error{err}
	for _, dir := range dirs {
		left, err := journal.Unsettled(dir, targetMade, targetGone, "label")
		if err == nil && len(left) > 0 {
			err = journal.Amend(dir, func(note func(string, map[string]any)) error { return settleTargets(dir, note) })
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", filepath.Base(dir), err))
		}
	}
	return errors.Join(errs...)
}
