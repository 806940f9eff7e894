package mutate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"
)

// nullKey names what one null mutant stands for.
type nullKey struct {
	file string
	tier Tier
}

// nullState is what the null mutants of one file and tier showed. It is filled in when the first mutant of the file
// is about to run, and again when further tests are asked.
type nullState struct {
	mu      sync.Mutex
	planned map[string]bool // tests that mutants of this file will ask
	checked map[string]bool // tests that were asked
	whole   bool            // the whole command was asked
	results []Control

	// What follows is read by trials after null returned.
	fails               map[string]bool // tests that fail here and so cannot kill
	noisy               bool            // a test fails that could not kill anyway
	broken              string          // why the file cannot be judged in this tier
	buildCPU, buildWall time.Duration   // what the run used beyond its tests
	most                time.Duration   // CPU time that one test used at most, where that is measured (T3)
}

// without leaves out the tests that fail on the null mutant.
func (n *nullState) without(tests []string) []string {
	out := []string{}
	for _, t := range tests {
		if !n.fails[t] {
			out = append(out, t)
		}
	}
	return out
}

func (r *run) state(k nullKey) *nullState {
	r.nullMu.Lock()
	defer r.nullMu.Unlock()
	n := r.nulls[k]
	if n == nil {
		n = &nullState{planned: map[string]bool{}, checked: map[string]bool{}, fails: map[string]bool{}}
		r.nulls[k] = n
	}
	return n
}

func (r *run) planNull(m *Mutant, s selection) {
	n := r.state(nullKey{m.File, s.tier})
	for _, t := range s.tests {
		n.planned[t] = true
	}
}

// null returns the null mutant's result for the file of m in a tier, after it has run for all of the tests (nil = the
// whole command), in stages where mutants are tried in stages: what only passes after another test shows itself.
func (r *run) null(ctx context.Context, m *Mutant, tier Tier, tests []string) *nullState {
	n := r.state(nullKey{m.File, tier})
	n.mu.Lock()
	defer n.mu.Unlock()
	var ask []string
	switch {
	case n.broken != "", tests == nil && n.whole:
		return n.snapshot()
	case tests != nil:
		if missing := slices.DeleteFunc(slices.Clone(tests), func(t string) bool { return n.checked[t] }); len(missing) == 0 {
			return n.snapshot()
		}
		for _, t := range tests {
			n.planned[t] = true
		}
		for t := range n.planned {
			if !n.checked[t] {
				ask = append(ask, t)
			}
		}
		sort.Strings(ask)
	}
	for _, part := range r.stages(tier, ask, nil) {
		c := r.runNull(ctx, n, m.File, tier, part)
		if ctx.Err() != nil {
			s := n.snapshot()
			s.broken = "interrupted"
			return s
		}
		n.results = append(n.results, c)
		r.emit(Event{Kind: EventNull, Control: &c})
		if n.broken != "" {
			break
		}
	}
	if tests == nil {
		n.whole = true
	}
	for _, t := range ask {
		n.checked[t] = true
	}
	return n.snapshot()
}

// snapshot is a copy that later null runs do not change under its reader.
func (n *nullState) snapshot() *nullState {
	s := &nullState{fails: make(map[string]bool, len(n.fails)), broken: n.broken, noisy: n.noisy, buildCPU: n.buildCPU, buildWall: n.buildWall, most: n.most}
	for t := range n.fails {
		s.fails[t] = true
	}
	return s
}

// runNull runs a null mutant as mutants are run, in their order and up to the first failure: a test that could tell the two apart would
// pass here and fail there. Where one fails, a second run without an end at the first says which others do.
func (r *run) runNull(ctx context.Context, n *nullState, file string, tier Tier, tests []string) Control {
	c := Control{File: file, Tier: tier, Tests: tests}
	t := Trial{Purpose: ForNull, Tests: r.order(tests, nil), Tier: tier, FailFast: !r.Whole && r.mayStopEarly(tests, n)}
	t.ID = fmt.Sprintf("%s/%s/%s/%d", t.Purpose, file, tier, len(n.results)+1)
	if err := r.layNull(&t, &c); err != nil {
		n.broken = "read source: " + err.Error()
		c.Reason = n.broken
		return c
	}
	cpu, wall := r.suite.sum(tests)
	factor := time.Duration(r.limits.Factor)
	t.CPU, t.Wall = r.limits.NullCPU+factor*cpu, r.limits.NullWall+factor*wall
	res, err := r.try(ctx, t)
	var early []string
	if err == nil && t.FailFast && res.End == EndExited && !res.BuildFailed && anyFailed(res) {
		f := judge(t, res, r.suite.canKill, r.suite.top)
		early = slices.Concat(f.killers, f.doubt)
		n.noisy = n.noisy || len(early) == 0
		t.ID, t.FailFast = t.ID+"/all", false
		res, err = r.try(ctx, t)
	}
	if err == nil {
		err = r.judgeNull(n, &c, t, res, early)
	}
	if err != nil {
		n.broken = "null mutant: " + err.Error()
		c.Reason = err.Error()
		return c
	}
	n.buildCPU, n.most = max(n.buildCPU, res.CPU-cpu), max(n.most, res.Most)
	n.buildWall = max(n.buildWall, res.Wall-wall)
	return c
}

func (r *run) layNull(t *Trial, c *Control) error {
	if c.Tier.switched() {
		t.Switch = r.switched.Null[c.File]
		r.bound(t)
		return nil
	}
	src, err := r.Source(c.File)
	if err != nil || src == nil {
		return err
	}
	var out []byte
	out, c.Same = Null(c.File, src)
	t.Overlay = map[string]Content{c.File: {Data: out}}
	return nil
}

// judgeNull fills in which tests fail on a change that changes nothing. An error says that nothing can be learned
// from mutants of this file in this tier. Early are tests that would have killed in a run that ended at them, whatever they did later.
func (r *run) judgeNull(n *nullState, c *Control, t Trial, res TrialResult, early []string) error {
	switch {
	case res.BuildFailed:
		return fmt.Errorf("it does not build: %s", lastLines(res.Output))
	case res.End != EndExited:
		return fmt.Errorf("its run ended by %s", res.End)
	case res.Spoiled != "" && len(res.Tests) == 0: // where tests did run, nothing was changed that they could have missed
		return errors.New(res.Spoiled)
	case len(res.Tests) == 0:
		return fmt.Errorf("no test reported (exit status %d)", res.Exit)
	case res.Exit != 0 && !anyFailed(res):
		return fmt.Errorf("exit status %d, and no test failed", res.Exit)
	}
	expected := t.Tests
	if expected == nil {
		expected = r.suite.usable()
	}
	bad := map[string]bool{}
	for _, id := range expected {
		if st, ok := res.Tests[id]; !ok || st != Passed {
			bad[id] = true
		}
	}
	for id, st := range res.Tests {
		if r.suite.canKill(id) && st != Passed {
			bad[id] = true
		} else if st == Failed || st == Unfinished {
			n.noisy = true
		}
	}
	for _, id := range early {
		bad[id] = true
	}
	for id := range bad {
		n.fails[id] = true
		c.Failed = append(c.Failed, id)
	}
	sort.Strings(c.Failed)
	c.OK = len(bad) == 0
	if !c.OK {
		c.Reason = fmt.Sprintf("%s does not pass on it, so it cannot kill here", names(topsOf(c.Failed, r.suite.top)))
	}
	return nil
}

// lastLines is the end of an output, for a person.
func lastLines(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	return strings.Join(lines[max(0, len(lines)-3):], "; ")
}

// controls returns all null mutants that were run, by file and tier.
func (r *run) controls() []Control {
	var out []Control
	for _, n := range r.nulls {
		out = append(out, n.results...)
	}
	slices.SortStableFunc(out, func(a, b Control) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Tier, b.Tier))
	})
	return out
}

// canaries finds files that are not the ones under test (an installed copy is): every mutant of such a file would
// survive. A file none of whose mutants had any effect is laid over in a form that no program survives; where nobody
// notices, its survivors become not-run.
func (r *run) canaries(ctx context.Context) []Control {
	if r.Canary == nil {
		return nil
	}
	suspect := map[nullKey][]int{}
	cleared := map[string]bool{}
	for i, res := range r.results {
		switch {
		case res.Cached && res.Verdict == Killed:
			cleared[res.Mutant.File] = true
		case res.Trials == 0 || res.Mutant.Kind != Edit:
		case res.Verdict == Survived:
			k := nullKey{res.Mutant.File, res.Tier}
			suspect[k] = append(suspect[k], i)
		case res.Verdict != NotRun:
			cleared[res.Mutant.File] = true
		}
	}
	var keys []nullKey
	for k := range suspect {
		if !cleared[k.file] {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b nullKey) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.tier, b.tier)) })
	out := make([]Control, len(keys))
	ran := make([]bool, len(keys))
	r.each(len(keys), func(i int) { out[i], ran[i] = r.canary(ctx, keys[i], suspect[keys[i]]) })
	var done []Control
	for i, c := range out {
		if ran[i] {
			done = append(done, c)
			r.emit(Event{Kind: EventCanary, Control: &c})
		}
	}
	return done
}

func (r *run) canary(ctx context.Context, k nullKey, mutants []int) (Control, bool) {
	if k.tier.switched() {
		k.tier = T1 // what is in a switched program was laid over its file like everything else
	}
	c := Control{File: k.file, Tier: k.tier}
	src, err := r.Source(k.file)
	if err != nil || src == nil || ctx.Err() != nil {
		return c, false
	}
	broken, ok := r.Canary(k.file, src)
	if !ok {
		return c, false
	}
	var all []string
	for _, i := range mutants {
		all = append(all, r.results[i].Asked...)
	}
	sort.Strings(all)
	c.Tests = slices.Compact(all)
	t := Trial{
		ID: fmt.Sprintf("%s/%s/%s/1", ForCanary, k.file, k.tier), Purpose: ForCanary, Tests: c.Tests, Tier: k.tier,
		Overlay: map[string]Content{k.file: {Data: broken}},
	}
	// What building costs is known by the null mutant: one that runs out of its budget would seem noticed.
	null := r.null(ctx, &r.results[mutants[0]].Mutant, k.tier, c.Tests)
	if null.broken != "" {
		return c, false
	}
	t.CPU, t.Wall = r.limits.budget(r.suite, t.Tests, null)
	res, err := r.try(ctx, t)
	if err != nil {
		return c, false
	}
	c.OK = res.BuildFailed || res.End != EndExited || res.Exit != 0
	if !c.OK {
		c.Reason = "a form of it that no program survives makes no difference; the tests use none of it, or a copy from elsewhere"
		r.mu.Lock()
		for _, i := range mutants {
			r.results[i].Verdict, r.results[i].Reason = NotRun, "the file is not the one under test"
		}
		r.mu.Unlock()
	}
	return c, true
}
