package mutate

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// Switched is a program that holds many mutants, of which a value selects one: tier T2, where it was built, or T3, where it was
// loaded and is forked for each.
type Switched struct {
	Tier  Tier              // "" = T2
	Value map[string]string // by mutant's id; a mutant that is not in it is tried as if there were no switch
	Null  map[string]string // by file: selects copies that change nothing
	// Canary, of T3, selects by mutant's id a form of the function that holds it which nothing survives that calls it.
	Canary map[string]string
	Facts  []string // what a reader has to know of what was left out

	// Record, of T2, selects a form of the code that does the same and notes at Sites what mutants would make of values. It leaves Records,
	// by the names under which a trial brings them back. "" = nothing is recorded.
	Record  string
	Records []string
	Sites   []Site
	// Limit returns, by what was recorded, what every run of a mutant and of a null mutant has to find, by absolute path, so that loops that
	// do not end are ended; nil = they are not. Ended is a further record, which a run leaves where one was.
	Limit func([]Record) map[string][]byte
	Ended string

	// Joint, of T2, tries several mutants in one process; nil = it cannot. Functions are those of which records tell whether they ran.
	// Nulls are values that change nothing, by file, JointNulls of each.
	Joint     Joint
	Functions []Counted
	Nulls     map[string][]string
}

// auditShare and auditLeast say how many verdicts of T2 and T3 are tried again at T0.
const (
	auditShare = 0.05
	auditLeast = 20
)

// worthSwitching is the number of mutants from which a build of all of them saves time: up to twice the audit, the trials that it
// saves are tried again all the same.
const worthSwitching = 2*auditLeast + 1

// switchUp builds the mutants that can be switched into one program, and takes it for those files whose null mutant passes in it.
func (r *run) switchUp(ctx context.Context) {
	var ms []*Mutant
	for i := range r.results {
		if res := &r.results[i]; res.Verdict == "" && (res.Tier == T1 || r.asksAll(res)) && res.Mutant.Kind == Edit {
			ms = append(ms, &res.Mutant)
		}
	}
	if !r.switches(len(ms)) || r.stop(ctx) != "" {
		return
	}
	sw, err := r.Switch(ctx, ms)
	if err != nil {
		if ctx.Err() == nil {
			r.facts = append(r.facts, "every mutant had a run of its own: "+err.Error())
		}
		return
	}
	if sw.Tier == "" {
		sw.Tier = T2
	}
	r.switched = sw
	r.facts = append(r.facts, sw.Facts...)
	r.record(ctx)
	byFile := map[string][]int{}
	var files []string
	for i := range r.results {
		res := &r.results[i]
		if res.Verdict != "" || res.Tier != T1 && !r.asksAll(res) || sw.Value[res.Mutant.ID] == "" {
			continue
		}
		if byFile[res.Mutant.File] == nil {
			files = append(files, res.Mutant.File)
		}
		byFile[res.Mutant.File] = append(byFile[res.Mutant.File], i)
	}
	r.each(len(files), func(i int) { r.switchFile(ctx, files[i], byFile[files[i]]) })
}

// switches reports whether a program of n mutants is asked for, or saves time.
func (r *run) switches(n int) bool {
	switch {
	case r.Switch == nil || !r.Select || n == 0:
		return false
	case r.Tier != "":
		return r.Tier.switched()
	}
	return n >= worthSwitching || r.SwitchAll
}

// switchFile gives the mutants of a file to T2 where the copies that change nothing pass the tests that will be asked.
func (r *run) switchFile(ctx context.Context, file string, mutants []int) {
	if r.switched.Tier == T3 {
		r.forkFile(ctx, file, mutants)
		return
	}
	asked := r.askedOf(mutants)
	if slices.ContainsFunc(mutants, func(i int) bool { return r.results[i].Asked == nil }) {
		asked = r.suite.usable()
	}
	null := r.null(ctx, &r.results[mutants[0]].Mutant, T2, asked)
	if null.broken != "" || len(null.fails) > 0 {
		why := null.broken
		if why == "" {
			why = names(slices.Sorted(maps.Keys(null.fails))) + " does not pass on copies that change nothing"
		}
		r.abandon(nullKey{file, T2}, fmt.Sprintf("%s: its mutants had runs of their own: %s", file, why))
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, i := range mutants {
		res := &r.results[i]
		if res.Asked == nil {
			res.Asked = r.suite.usable()
		}
		res.Tier = T2
	}
}

// asksAll reports whether a mutant of which nobody knows what tests reach it is asked of all of them behind a switch.
func (r *run) asksAll(res *Result) bool {
	return r.AskAll && r.Select && r.Tier != T0 && res.Tier == T0 && res.Asked == nil
}

// Audited is a mutant whose verdict of T2 or T3, or whose reach as the code told it, was tried again at T0.
type Audited struct {
	Mutant string  `json:"mutant"`
	File   string  `json:"file"`
	Was    Verdict `json:"was"`
	At0    Verdict `json:"at_t0"`
	Agrees bool    `json:"agrees"` // both are a kill, both survived, or both are unclear
}

// audit tries a sample of the verdicts of T2 and T3 again, with the mutant alone in its file: a kill by its killers, everything else by
// the whole command. Where one disagrees, all mutants of its file are judged anew without a switch.
func (r *run) audit(ctx context.Context) []Audited {
	var at []int
	for i := range r.results {
		if res := &r.results[i]; res.Tier.switched() && (res.Trials > 0 || res.Inferred) && res.Verdict != NotRun {
			at = append(at, i)
		}
	}
	dice := rand.New(rand.NewPCG(r.plan.Seed, uint64(len(at))))
	dice.Shuffle(len(at), func(i, j int) { at[i], at[j] = at[j], at[i] })
	at = at[:min(len(at), max(auditLeast, int(math.Ceil(auditShare*float64(len(at))))))]
	found := make([]*Audited, len(at))
	r.each(len(at), func(i int) { found[i] = r.auditOne(ctx, at[i]) })
	var out []Audited
	distrusted := map[string]bool{}
	for n, a := range found {
		if a == nil {
			continue
		}
		tier := r.results[at[n]].Tier
		out = append(out, *a)
		if !a.Agrees {
			distrusted[a.File] = true
			r.facts = append(r.facts, fmt.Sprintf("mutant %s of %s was %s at %s and %s at T0: no mutant of the file is judged at %s", a.Mutant, a.File, a.Was, tier, a.At0, tier))
		}
	}
	r.withoutSwitch(ctx, distrusted)
	return out
}

// auditOne returns nil where there was no second trial.
func (r *run) auditOne(ctx context.Context, i int) *Audited {
	r.mu.Lock()
	res := r.results[i]
	r.mu.Unlock()
	if r.stop(ctx) != "" {
		return nil
	}
	t := Trial{Purpose: ForAudit, Mutant: &res.Mutant, Tier: T0}
	if res.Verdict == Killed {
		t.Tests, t.Tier = topsOf(res.Killers, r.suite.top), T1
	}
	null := r.null(ctx, &res.Mutant, t.Tier, t.Tests)
	if null.broken != "" {
		return nil
	}
	acc := account{label: "audit/"}
	f := r.ask(ctx, t, null, &acc)
	if f.verdict == NotRun {
		return nil
	}
	return &Audited{res.Mutant.ID, res.Mutant.File, res.Verdict, f.verdict, alike(res.Verdict) == alike(f.verdict)}
}

// alike puts the unclear verdicts into one class: what hangs in one run may be out of memory in the next.
func alike(v Verdict) Verdict {
	switch v {
	case Hung, Exhausted, Crashed, Flaky:
		return Hung
	}
	return v
}

// withoutSwitch judges all mutants of some files anew, each in a build of its own.
func (r *run) withoutSwitch(ctx context.Context, files map[string]bool) {
	var again []int
	for i := range r.results {
		res := &r.results[i]
		if !res.Tier.switched() || !files[res.Mutant.File] {
			continue
		}
		r.matrix.clear(res.Mutant.ID)
		s := r.selection(&res.Mutant)
		*res = Result{Mutant: res.Mutant, Tier: s.tier, Asked: s.tests}
		again = append(again, i)
	}
	r.mu.Lock()
	r.done -= len(again)
	r.mu.Unlock()
	r.each(len(again), func(i int) { r.mutant(ctx, again[i]) })
}
