package lane

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/journal"
	"github.com/vallane/lane/lane/spec"
)

// Result is what a check of one spec came to.
type Result struct {
	Spec    string // the file that was given
	Dir     string // the folder of its state; verdict and logs lie below it
	File    string // the verdict, as verdict.json
	Verdict assurance.Verdict
	// Earlier is when the verdict was reached, where it is one of an earlier check; see Options.Reuse.
	Earlier time.Time
}

// verdictFile is the name of a verdict, in the folder of its attempt.
const verdictFile = "verdict.json"

// Check verifies the change that the spec in the file path names. The steps:
//
//  1. plan: read the spec, find base and head, and say by whose word it holds
//  2. closure: load each task's closure, or make it where Nix is there
//  3. trees: check out head, base, and base with head's tests
//  4. fetch: bring the dependencies that their manifests name, where the spec has a fetch phase
//  5. caches: warm the build caches
//  6. runs: base, base with head's tests, varied runs of head, one with canaries, the network probe
//  7. hidden: the hidden tests of the contract, where it names some and the caller has them
//  8. downstream: the suites of users that the spec names and the caller has, on the change, on base, and without the code that it touches
//  9. deploy: an API server is asked about the manifests, where the spec has [deploy] and the caller names one
//  10. mutants: the code is changed, and the tests have to notice
//  11. target: put up a disposable target, have it checked, see it gone, where the spec has one
//  12. judge: measure trees and closures again, and let package assurance decide
//
// An error means that there is no verdict: the spec cannot be read, or another lane runs it. Every
// other trouble is in the verdict, which is on disk and final when Check returns.
func Check(ctx context.Context, o Options, path string) (Result, error) {
	s, under, err := o.load(path)
	if err == nil {
		err = o.namedUsers(s)
	}
	if err != nil {
		return Result{}, err
	}
	o.under = under
	return check(ctx, o, s)
}

func check(ctx context.Context, o Options, s *spec.Spec) (Result, error) {
	file, err := filepath.Abs(s.Name)
	if err != nil {
		return Result{}, err
	}
	if err := supported(s); err != nil {
		return Result{}, err
	}
	if err := o.Cluster.check(); err != nil {
		return Result{}, err
	}
	if err := o.findUsers(ctx, s); err != nil {
		return Result{}, err
	}
	dir, err := o.specDir(s)
	if err != nil {
		return Result{}, err
	}
	if o.Reuse && !(s.Deploy.Declared() && o.Cluster.Given()) { // a server is nothing that can be compared
		if r, ok := earlier(ctx, o, s, dir); ok {
			return r, nil
		}
	}
	run, err := journal.Begin(dir, s.ID, file)
	if err != nil {
		return Result{}, err
	}
	j := newJob(o, s, file, run)
	defer j.close()
	if err := settleTargets(dir, run.Event); err != nil {
		j.note("a target of an earlier run may still be up: " + err.Error())
	}
	v, err := j.verify(ctx)
	return Result{Spec: s.Name, Dir: dir, File: filepath.Join(run.Out, verdictFile), Verdict: v}, err
}

// step is one step of a check.
type step struct {
	name string
	do   func(context.Context) error
}

// ahead are the steps up to where the first test can run.
func (j *job) ahead() []step {
	return []step{{"plan", j.plan}, {"closure", j.closures}, {"trees", j.trees}, {"fetch", j.fetch}, {"caches", j.caches}}
}

// verify carries out the steps and always ends in a verdict.
func (j *job) verify(parent context.Context) (assurance.Verdict, error) {
	ctx, cancel := context.WithTimeout(parent, j.spec.Limits.Deadline)
	defer cancel()
	steps := append(j.ahead(), step{"runs", j.runs}, step{"hidden", j.hidden}, step{"downstream", j.downstream}, step{"deploy", j.rehearse},
		step{"mutants", j.mutants}, step{"target", j.liveTarget}, step{"judge", j.measure})
	for len(steps) > 0 {
		s := steps[0]
		steps = steps[1:]
		if s.name == "hidden" && j.archive == nil || s.name == "downstream" && len(j.o.Downstream) == 0 {
			continue
		}
		j.evidence.Stop.Phase = s.name
		if err := j.journal.Phase(s.name); err != nil {
			j.evidence.Stop.Fault = err.Error()
			break
		}
		err := guarded(func() error { return s.do(ctx) })()
		j.watch.lap(s.name)
		if err != nil {
			j.stop(parent, ctx, err)
			break
		}
		if s.name == "plan" && len(j.evidence.Plan.Change.Protected) > 0 { // nothing of such a change is run
			steps = []step{{"trees", j.checkOut}, {"judge", j.measure}}
		}
	}
	if j.evidence.Stop.Phase == "judge" && j.evidence.Stop.Fault == "" {
		j.evidence.Stop.Phase = ""
	}
	return j.finish()
}

// stop turns the error of a step into the reason why Lane stopped.
func (j *job) stop(parent, ctx context.Context, err error) {
	s := &j.evidence.Stop
	switch {
	case j.fault(err):
	case parent.Err() != nil:
		s.Signal = 2
		if c := (signalCause)(nil); errors.As(context.Cause(parent), &c) {
			s.Signal = c.Number()
		}
	case ctx.Err() != nil:
		s.Deadline = true
	default:
		if s.Refusal = refusalOf(err); s.Refusal == nil {
			s.Fault = err.Error()
		}
	}
	j.journal.Event("stop", map[string]any{"phase": s.Phase, "error": err.Error()})
}

// signalCause is the cause of a context that a signal ended.
type signalCause interface {
	error
	Number() int
}

// finish judges what there is, writes the verdict and makes the status terminal.
func (j *job) finish() (assurance.Verdict, error) {
	rec := &j.evidence.Record
	rec.Finished = time.Now().UTC()
	for i, name := range j.watch.names {
		rec.Stages = append(rec.Stages, assurance.Timing{Name: name, MS: j.watch.spent[i].Milliseconds()})
	}
	previous, perr := j.previous()
	rec.Previous = previous
	v := assurance.Judge(j.evidence)
	if v.Refusal != nil && v.Refusal.Code == assurance.BadEvidence {
		j.evidence.Stop.Fault = "the plan is not sound: " + strings.Join(j.evidence.Problems(), "; ")
	}
	end := journal.Status{
		State: journal.Done, Outcome: string(v.Outcome), Level: v.Level.String(), Exit: v.ExitCode(),
		Verdict: filepath.Join("runs", filepath.Base(j.journal.Out), verdictFile),
	}
	switch v.Status {
	case assurance.StatusRefused:
		end.State = journal.Refused
		if v.Refusal != nil {
			end.Reason = v.Refusal.Msg
		}
	case assurance.StatusFailed:
		end.State = journal.Failed
		end.Reason = j.evidence.Stop.Fault
	}
	werr := errors.Join(perr, j.writeVerdict(filepath.Join(j.journal.Out, verdictFile), v))
	if werr != nil {
		end.Verdict, end.State, end.Exit, end.Reason = "", journal.Failed, int(assurance.ExitLane), werr.Error()
	}
	if v.Outcome == assurance.OutcomePassed {
		werr = errors.Join(werr, journal.Replace(filepath.Join(j.journal.Out, inputsFile), []byte(j.restsOn(j.journal.Dir)), 0o644))
	}
	err := errors.Join(werr, j.journal.Finish(end))
	j.o.emit(Event{Spec: j.spec.ID, Phase: "done", Text: string(v.Outcome)})
	return v, err
}
