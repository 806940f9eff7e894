package mutate

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// run is the state of one Run.
type run struct {
	Engine
	plan   *Plan
	suite  suite
	limits Limits
	start  time.Time

	mu      sync.Mutex
	results []Result
	reached map[string]reached // by mutant
	matrix  *Matrix
	done    int
	trials  int
	left    int
	spent   time.Duration
	lost    int          // trials in a row that the runner could not run
	kills   map[kill]int // so far, by top-level tests

	switched *Switched
	records  []Record          // of recorded runs; nil = there are none
	turns    map[string][]byte // what runs of T2 find, so that loops are ended
	canaried []Control         // canaries of T3
	spoiled  map[string]int    // why forked sessions could not tell, and how often
	facts    []string

	nullMu sync.Mutex
	nulls  map[nullKey]*nullState
	event  sync.Mutex
}

// Run tries every mutant of the plan that is not known already, judges the tests and criteria that the engine names,
// and reports. When ctx ends, what was not tried is not-run and the report is complete all the same; the error is
// for a plan or an engine that cannot be used.
func (e Engine) Run(ctx context.Context, plan Plan) (*Report, error) {
	if e.Runner == nil || e.Source == nil {
		return nil, errors.New("run mutants: the engine has no runner or no source")
	}
	r := &run{
		Engine: e, plan: &plan, suite: newSuite(e.Clean), limits: e.Limits.withDefaults(), start: time.Now(),
		results: make([]Result, len(plan.Mutants)), reached: map[string]reached{}, matrix: newMatrix(), kills: map[kill]int{}, nulls: map[nullKey]*nullState{},
	}
	if r.Concurrency <= 0 {
		r.Concurrency = 2
	}
	r.prepare()
	r.switchUp(ctx)
	r.force()
	r.infect()
	r.joint(ctx)
	r.each(len(plan.Mutants), func(i int) { r.mutant(ctx, i) })
	rep := &Report{Plan: plan, Audit: append(r.audit(ctx), r.auditReach(ctx)...)}
	rep.Canaries = append(r.canaried, r.canaries(ctx)...)
	rep.Criteria = r.criteria(ctx)
	rep.Tests = r.judgeTests(ctx)
	r.settle(ctx)
	r.proveSame(ctx)
	r.summarize(rep)
	return rep, nil
}

func (r *run) summarize(rep *Report) {
	rep.Results, rep.Matrix, rep.Trials, rep.Left = r.results, r.matrix, r.trials, r.left
	rep.Nulls, rep.Facts = r.controls(), append(r.facts, r.unforkedFacts()...)
	rep.Groups = groups(r.results)
	rep.Score = NewScore(r.plan, r.results)
	rep.Inconclusive = inconclusive(r.plan, r.results)
	for _, c := range rep.Nulls {
		if !c.OK {
			rep.Facts = append(rep.Facts, fmt.Sprintf("null mutant of %s (%s): %s", c.File, c.Tier, c.Reason))
		}
	}
	for _, c := range rep.Canaries {
		if !c.OK {
			rep.Facts = append(rep.Facts, fmt.Sprintf("%s is not the file under test: %s", c.File, c.Reason))
		}
	}
	rep.Facts = append(rep.Facts, r.blindFacts()...)
	if r.left > 0 {
		rep.Facts = append(rep.Facts, fmt.Sprintf("trials left %d processes behind; all were ended", r.left))
	}
}

// each calls f(0..n-1) in order from as many goroutines as the engine may use. A panic in f goes on in the caller, where it can
// be caught.
func (r *run) each(n int, f func(i int)) {
	var wg sync.WaitGroup
	var broken atomic.Pointer[string]
	one := func(i int) {
		defer func() {
			if v := recover(); v != nil {
				text := fmt.Sprintf("%v\n%s", v, debug.Stack())
				broken.CompareAndSwap(nil, &text)
			}
		}()
		f(i)
	}
	next := make(chan int)
	for range min(r.Concurrency, n) {
		wg.Go(func() {
			for i := range next {
				if broken.Load() == nil {
					one(i)
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	if text := broken.Load(); text != nil {
		panic(*text)
	}
}

// stop says why no further trial may start; "" = it may.
func (r *run) stop(ctx context.Context) string {
	if ctx.Err() != nil {
		return "interrupted"
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.Budget.Wall > 0 && time.Since(r.start) >= r.Budget.Wall, r.Budget.CPU > 0 && r.spent >= r.Budget.CPU:
		return "budget"
	case r.lost >= maxLost:
		return fmt.Sprintf("the runner could not run %d trials in a row", maxLost)
	}
	return ""
}

// maxLost is how many trials in a row may be lost before the engine no longer believes in the runner.
const maxLost = 8

// try runs one trial; a lost one is tried a second time.
func (r *run) try(ctx context.Context, t Trial) (TrialResult, error) {
	var res TrialResult
	var err error
	for range 2 {
		res, err = r.Runner.Run(ctx, t)
		if r.endedLoop(res) {
			res.End = EndTurns
		}
		r.mu.Lock()
		r.trials++
		r.left += res.Left
		r.spent += res.CPU
		if err == nil && res.End != EndLost {
			r.lost = 0
		} else {
			r.lost++
		}
		r.mu.Unlock()
		if ctx.Err() != nil {
			return res, ctx.Err()
		}
		if err == nil && res.End != EndLost {
			return res, nil
		}
	}
	if err == nil {
		err = errors.New("the place where it ran gave out")
	}
	return res, err
}

// mutant gives mutant i its verdict.
func (r *run) mutant(ctx context.Context, i int) {
	res := r.results[i]
	if res.Verdict == "" {
		r.judgeMutant(ctx, &res)
		r.keep(&res, false)
	}
	r.mu.Lock()
	r.results[i] = res
	r.done++
	r.mu.Unlock()
	r.emit(Event{Kind: EventMutant, Result: &res})
}

func (r *run) judgeMutant(ctx context.Context, res *Result) {
	m := &res.Mutant
	if why := r.stop(ctx); why != "" {
		res.Verdict, res.Reason, res.Tier = NotRun, why, ""
		return
	}
	null := r.null(ctx, m, res.Tier, res.Asked)
	if null.broken != "" {
		res.Verdict, res.Reason = NotRun, null.broken
		return
	}
	if res.Asked != nil {
		res.Asked = r.order(null.without(res.Asked), m)
		if len(res.Asked) == 0 {
			res.Verdict, res.Reason = Uncovered, "only tests that fail on the null mutant reach it"
			return
		}
	}
	t := Trial{Purpose: ForMutant, Mutant: m, Tests: res.Asked, Tier: res.Tier, FailFast: !r.Whole && r.mayStopEarly(res.Asked, null)}
	var acc account
	f := r.askInStages(ctx, t, null, &acc)
	if len(f.doubt) > 0 || r.needsConfirming(m, &f) {
		f = r.confirm(ctx, m, null, f, &acc)
	}
	res.Trials, res.CPU, res.Wall, res.Left, res.Output = acc.trials, acc.cpu, acc.wall, acc.left, acc.output
	res.Verdict, res.Reason, res.Killers = f.verdict, f.reason, f.killers
	if f.tier != "" {
		res.Tier = f.tier
	}
	if f.verdict == Killed || f.verdict == Survived {
		res.Output = ""
	}
	if f.verdict == Killed {
		r.remember(m, f.killers)
	}
}

// account is what the trials behind one answer cost. Its label keeps their ids apart from those of other answers about
// the same mutant.
type account struct {
	label     string
	trials    int
	cpu, wall time.Duration
	left      int
	output    string // of the last one
}

func (a *account) add(tr TrialResult) {
	a.cpu, a.wall, a.left, a.output = a.cpu+tr.CPU, a.wall+tr.Wall, a.left+tr.Left, tr.Output
}

// ask runs one trial of a mutant, notes what it cost and what each test said, and judges it.
func (r *run) ask(ctx context.Context, t Trial, null *nullState, acc *account) finding {
	m := t.Mutant
	if err := r.lay(&t); err != nil {
		return finding{verdict: NotRun, reason: err.Error()}
	}
	acc.trials++
	t.ID = fmt.Sprintf("%s/%s/%s/%s%d", t.Purpose, m.ID, t.Tier, acc.label, acc.trials)
	r.budget(&t, null)
	tr, err := r.try(ctx, t)
	acc.add(tr)
	if err == nil && tr.End == EndTimeout && (tr.CPU < null.buildCPU/2 || tr.CPU > t.CPU/2) {
		// It was not even given the CPU time that building takes, or was at work all the time and not given what it may use: the machine is to
		// blame, not the mutant.
		t.ID, t.Wall = t.ID+"/longer", 4*t.Wall
		acc.trials++
		tr, err = r.try(ctx, t)
		acc.add(tr)
	}
	if err != nil {
		if ctx.Err() != nil {
			return finding{verdict: NotRun, reason: "interrupted"}
		}
		return finding{verdict: NotRun, reason: "run trial: " + err.Error()}
	}
	canKill := func(id string) bool { return r.suite.canKill(id) && !null.fails[id] }
	f := judge(t, tr, canKill, r.suite.top)
	f = r.believed(m, f)
	if f.spoiled != "" {
		return r.unforked(ctx, t, f.spoiled, acc)
	}
	if gone := missingTests(Trial{Tests: r.suite.usable()}, tr); f.verdict == Survived && t.Tests == nil && tr.Exit != 0 && len(gone) > 0 {
		f = finding{verdict: Crashed, reason: fmt.Sprintf("exit status %d, and %s never reported", tr.Exit, names(gone))}
	}
	if t.Purpose != ForConfirm {
		r.note(m.ID, tr, f, canKill)
	}
	return f
}

// lay says how the trial's mutant gets into the run.
func (r *run) lay(t *Trial) error {
	if t.Tier.switched() {
		t.Switch = r.switched.Value[t.Mutant.ID]
		r.bound(t)
		return nil
	}
	src, err := r.Source(t.Mutant.File)
	if err == nil {
		t.Overlay, err = t.Mutant.Overlay(src)
	}
	return err
}

// note fills the matrix. Cells of a run without a clear end stay not-asked, but for tests that had passed by then.
func (r *run) note(mutant string, tr TrialResult, f finding, canKill func(string) bool) {
	if f.verdict == Unviable {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, st := range tr.Tests {
		if st == Passed && canKill(id) && r.matrix.Cell(id, mutant) != CellKilled {
			r.matrix.set(id, mutant, CellPassed)
		}
	}
	if f.verdict == Killed {
		for _, id := range f.killers {
			r.matrix.set(id, mutant, CellKilled)
			r.matrix.set(r.suite.top(id), mutant, CellKilled)
		}
	}
}

func (r *run) forget(mutant string, tests []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range tests {
		r.matrix.set(id, mutant, CellNotAsked)
		r.matrix.set(r.suite.top(id), mutant, CellNotAsked)
	}
}

func (r *run) emit(e Event) {
	if r.OnEvent == nil {
		return
	}
	r.event.Lock()
	defer r.event.Unlock()
	r.mu.Lock()
	e.Done, e.Total = r.done, len(r.results)
	r.mu.Unlock()
	r.OnEvent(e)
}
