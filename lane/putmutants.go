package lane

import (
	"slices"
	"strings"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/mutate"
)

// putPlan freezes the mutants into the evidence's plan, before the first of them is tried.
func (j *job) putPlan(plan *mutate.Plan) {
	p := &j.evidence.Plan
	places := map[string]bool{}
	add := func(m *mutate.Mutant, aridBy assurance.Authority) {
		pm := j.plannedMutant(m)
		pm.AridBy = aridBy
		for _, pl := range placesOf(m) {
			if !pm.InChange {
				break // drawn for a criterion alone: its place needs no kill
			}
			pm.Places = append(pm.Places, pl.ID)
			if !places[pl.ID] {
				places[pl.ID] = true
				p.Places = append(p.Places, pl)
			}
		}
		p.Mutants = append(p.Mutants, pm)
	}
	for i := range plan.Mutants {
		add(&plan.Mutants[i], "")
	}
	for i := range plan.Arid {
		by := assurance.ByLane
		if plan.Arid[i].Ignored {
			by = assurance.ByBase // what the change ignores is none
		}
		add(&plan.Arid[i], by)
	}
	p.Unmutated = j.unmutated()
	if plan.Sampled {
		p.Sample = &assurance.Sample{Population: plan.Population, AfterHeadFixed: true}
	}
}

func (j *job) plannedMutant(m *mutate.Mutant) assurance.PlannedMutant {
	pm := assurance.PlannedMutant{
		ID: mutantID(m), InChange: m.Hunk != "" || len(m.Quota) == 0, File: m.File, Line: m.Line, Operator: m.Operator,
		Origin: string(m.Origin), Tier: string(mutate.T0), Description: m.Description, Criteria: m.Criteria, Arid: m.Arid,
	}
	switch m.Known {
	case mutate.Unviable:
		pm.Known = assurance.MutantUnviable
	case mutate.Equivalent:
		pm.Known = assurance.MutantEquivalent
	}
	return pm
}

func mutantID(m *mutate.Mutant) string { return "mutant/" + m.ID }

// placesOf names the function and the hunk that a mutant lies in, and for one that lies in neither
// (a declaration, where everything is in scope) its file.
func placesOf(m *mutate.Mutant) (out []assurance.Place) {
	if m.Func != "" {
		out = append(out, assurance.Place{ID: "function/" + m.File + "#" + m.Func, Kind: assurance.PlaceFunction, File: m.File, Line: m.Line, Name: m.Func})
	}
	if m.Hunk != "" {
		out = append(out, assurance.Place{ID: "hunk/" + m.Hunk, Kind: assurance.PlaceHunk, File: m.File, Line: m.Line})
	}
	if len(out) == 0 {
		out = append(out, assurance.Place{ID: "file/" + m.File, Kind: assurance.PlaceHunk, File: m.File})
	}
	return out
}

// better orders verdicts for a mutant that several tasks were asked about: a kill by one is a kill.
var better = []assurance.MutantVerdict{
	assurance.MutantKilled, assurance.MutantFlaky, assurance.MutantCrashed, assurance.MutantExhausted, assurance.MutantHung,
	assurance.MutantUnviable, assurance.MutantEquivalent, assurance.MutantSurvived, assurance.MutantUncovered, assurance.MutantNotRun,
}

// putReport records what one task's tests made of the mutants.
func (j *job) putReport(t *task, rep *mutate.Report) {
	reach, alone := map[string][]string{}, map[string][]string{}
	for _, x := range rep.Tests {
		for _, m := range x.Reaches {
			reach[m] = append(reach[m], x.Test)
		}
		for _, m := range x.Passed {
			alone[m] = append(alone[m], x.Test)
		}
	}
	for i := range rep.Results {
		r := &rep.Results[i]
		j.putResult(rep, r, union(r.Asked, reach[r.Mutant.ID]), alone[r.Mutant.ID])
	}
	for i, c := range rep.Nulls {
		j.putNull(t, i, c)
	}
	for i, c := range rep.Canaries {
		id := "break/" + t.spec.Name + "/" + itoa(i)
		j.evidence.Plan.Breaks = append(j.evidence.Plan.Breaks, assurance.PlannedBreak{ID: id, File: c.File, Tier: string(c.Tier)})
		j.observe(id, assurance.Observation{Break: &assurance.BreakObservation{Noticed: c.OK, Detail: c.Reason}})
	}
	for _, a := range rep.Audit {
		j.audits = append(j.audits, taskAudit{t.spec.Name, a})
	}
	for _, f := range rep.Facts {
		j.note(f)
	}
	if rep.Inconclusive != "" {
		j.note("mutation proves nothing: " + rep.Inconclusive)
	}
}

func (j *job) putResult(rep *mutate.Report, r *mutate.Result, reach, alone []string) {
	o := &assurance.MutantObservation{
		Verdict: assurance.MutantVerdict(r.Verdict), Reach: reach, PassedAlone: alone, Tier: string(r.Tier),
		Detail: r.Reason, CPUMS: r.CPU.Milliseconds(), Killers: killers(rep, r),
	}
	if len(o.Killers) > 0 && o.Verdict != assurance.MutantKilled && (o.Verdict == assurance.MutantSurvived || o.Verdict == assurance.MutantUncovered) {
		o.Verdict = assurance.MutantKilled // a criterion's tests, asked alone, noticed what the others did not
	}
	id := mutantID(&r.Mutant)
	if old, ok := j.evidence.Observations[id]; ok && old.Mutant != nil {
		o = merged(old.Mutant, o)
	}
	j.observe(id, assurance.Observation{Mutant: o})
	if o.Verdict != assurance.MutantKilled && r.Verdict.Viable() {
		j.putDiff(id, &r.Mutant)
	}
}

func killers(rep *mutate.Report, r *mutate.Result) []string {
	if rep.Matrix == nil {
		return r.Killers
	}
	return union(r.Killers, rep.Matrix.Killers(r.Mutant.ID))
}

func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// merged joins what the tests of two tasks made of one mutant.
func merged(a, b *assurance.MutantObservation) *assurance.MutantObservation {
	if slices.Index(better, b.Verdict) < slices.Index(better, a.Verdict) {
		a, b = b, a
	}
	out := *a
	out.Killers = append(slices.Clone(a.Killers), b.Killers...)
	out.Reach = append(slices.Clone(a.Reach), b.Reach...)
	out.PassedAlone = append(slices.Clone(a.PassedAlone), b.PassedAlone...)
	return &out
}

// putDiff gives a mutant that was not killed its diff, for people.
func (j *job) putDiff(id string, m *mutate.Mutant) {
	src, err := j.repo.ReadFile(j.change.HeadTree, m.File)
	if err != nil {
		src = nil // head has no such file: the hunk took it away
	}
	diff, err := m.Diff(src)
	if err != nil {
		return
	}
	for i := range j.evidence.Plan.Mutants {
		if p := &j.evidence.Plan.Mutants[i]; p.ID == id {
			p.Diff = diff
		}
	}
}

// putNull records a null mutant. Several runs for one file and tier, each with other tests, are one
// planned control: it passed where all of them did.
func (j *job) putNull(t *task, i int, c mutate.Control) {
	id := strings.Join([]string{"null", t.spec.Name, c.File, string(c.Tier), itoa(i)}, "/")
	j.evidence.Plan.Nulls = append(j.evidence.Plan.Nulls, assurance.PlannedNull{ID: id, File: c.File, Tier: string(c.Tier)})
	j.observe(id, assurance.Observation{Null: &assurance.NullObservation{Passed: c.OK, Failed: c.Failed, Same: c.Same, Detail: c.Reason}})
}

// taskAudit is a second trial at T0 by one task's tests.
type taskAudit struct {
	task string
	mutate.Audited
}

// putAudits records the second trials, once it is known what became of every mutant. Where two trials disagreed, the mutant was
// judged anew without a switch, and the observation is the verdict that it did not get: that there were two lowers the level.
func (j *job) putAudits() {
	for _, a := range j.audits {
		o, ok := j.evidence.Observations["mutant/"+a.Mutant]
		if !ok || o.Mutant == nil {
			continue
		}
		verdict := o.Mutant.Verdict
		if !a.Agrees {
			if verdict = assurance.MutantVerdict(a.At0); verdict == o.Mutant.Verdict {
				verdict = assurance.MutantVerdict(a.Was)
			}
		}
		id := "audit/" + a.task + "/" + a.Mutant
		j.evidence.Plan.Audits = append(j.evidence.Plan.Audits, assurance.PlannedAudit{ID: id, Mutant: "mutant/" + a.Mutant})
		j.observe(id, assurance.Observation{Audit: &assurance.AuditObservation{Verdict: verdict}})
	}
}
