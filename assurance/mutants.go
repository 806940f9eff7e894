package assurance

import (
	"fmt"
	"slices"
	"strings"
)

// leastSample is how many killed mutants of a sample make it unlikely (5 %) that more than one in twenty of
// all would survive: 0.95^59 < 0.05.
const leastSample = 59

// mutant is one planned mutant with what was seen of it.
type mutant struct {
	plan *PlannedMutant
	obs  MutantObservation
	// verdict is the observed one, less what the other evidence takes from it: a kill needs a killer that
	// passes on the clean tree and on the null mutant.
	verdict MutantVerdict
	killers []string // the valid ones
	why     string   // why a kill does not count
	// arid ones are listed and not tried, by a rule that is not the change's. put-back hunks of a refactor
	// are out as well: they must survive.
	out       bool
	explained string
}

func (m *mutant) viable() bool {
	return m.verdict != MutantUnviable && m.verdict != MutantEquivalent
}

// where returns the file and the tier that it was tried in.
func (m *mutant) where() fileTier {
	if m.obs.Tier != "" {
		return fileTier{m.plan.File, m.obs.Tier}
	}
	return fileTier{m.plan.File, m.plan.Tier}
}

func (m *mutant) survived() bool {
	return m.verdict == MutantSurvived || m.verdict == MutantUncovered
}

func (m *mutant) inconclusive() bool {
	switch m.verdict {
	case MutantHung, MutantExhausted, MutantCrashed, MutantFlaky:
		return true
	}
	return false
}

// clean maps a verdict outside of the closed list to not-run.
func (v MutantVerdict) clean() MutantVerdict {
	switch v {
	case MutantKilled, MutantSurvived, MutantUncovered, MutantHung, MutantExhausted, MutantCrashed, MutantFlaky,
		MutantUnviable, MutantEquivalent:
		return v
	}
	return MutantNotRun
}

type fileTier struct{ file, tier string }

// readMutants looks up each planned mutant.
func (v *view) readMutants() []*mutant {
	noticed := v.noticedNulls()
	explained := map[string]string{}
	for _, x := range v.plan.Explained {
		if x.Signed && x.By.Outside() {
			explained[x.Mutant] = x.Reason
		}
	}
	refactor := v.waives(Refactor)
	good := map[string]bool{}
	out := make([]*mutant, 0, len(v.plan.Mutants))
	for i := range v.plan.Mutants {
		p := &v.plan.Mutants[i]
		m := &mutant{plan: p, verdict: MutantNotRun, explained: explained[p.ID]}
		m.out = p.Arid != "" && (p.AridBy == ByLane || p.AridBy.Outside()) || refactor && p.Origin == OriginRevert
		out = append(out, m)
		o, ok := v.observed(p.ID)
		if !ok || o.Mutant == nil {
			continue
		}
		m.obs = *o.Mutant
		m.verdict = m.obs.Verdict.clean()
		if p.Known != "" && m.verdict != p.Known {
			m.verdict, m.why = MutantNotRun, fmt.Sprintf("planned as %s and observed as %s", p.Known, m.obs.Verdict)
		}
		if m.verdict != MutantKilled {
			continue
		}
		where := m.where()
		for _, k := range m.obs.Killers {
			ok, known := good[k]
			if !known {
				ok = v.passesOnHead(k)
				good[k] = ok
			}
			if ok && !slices.Contains(noticed[where], k) {
				m.killers = append(m.killers, k)
			}
		}
		if len(m.killers) == 0 {
			m.verdict, m.why = MutantFlaky, "no killer of it passes on the clean tree and on the null mutant"
		}
	}
	return out
}

// noticedNulls returns, per file and tier, the tests that fail on a null mutant: they notice an edit, and a
// test that does cannot kill.
func (v *view) noticedNulls() map[fileTier][]string {
	out := map[fileTier][]string{}
	for _, n := range v.plan.Nulls {
		if o, ok := v.observed(n.ID); ok && o.Null != nil {
			k := fileTier{n.File, n.Tier}
			out[k] = append(out[k], o.Null.Failed...)
		}
	}
	return out
}

// ofChange returns the mutants that count for mutants-killed.
func (v *view) ofChange() []*mutant {
	var out []*mutant
	for _, m := range v.mutants {
		if m.plan.InChange && !m.out {
			out = append(out, m)
		}
	}
	return out
}

// hasCode reports whether the change touches anything that could hold a fault.
func (v *view) hasCode() bool {
	return v.plan.Change.Kind == Tree || slices.ContainsFunc(v.plan.Change.Files, func(f ChangedFile) bool {
		return f.Kind == FileCode || f.Kind == FileConfig
	})
}

// nothingToBite is the clause of a change that has no code: there is nothing that a test could notice.
func (v *view) nothingToBite() (Clause, bool) {
	if len(v.ofChange()) > 0 || v.hasCode() || len(v.plan.Change.Files) == 0 {
		return Clause{}, false
	}
	return Clause{State: Failed, Code: CodeNothingToBite, Reason: "the change touches no code, so no fault can be put into it"}, true
}

func (v *view) mutantsKilled() Clause {
	if c, ok := v.nothingToBite(); ok {
		return c
	}
	all := v.ofChange()
	if len(all) == 0 && len(v.plan.Unmutated) > 0 {
		return v.unmutated(0, 0)
	}
	if len(all) == 0 {
		return Clause{State: Failed, Code: CodeInconclusive, Reason: "there is no mutant of the change to judge"}
	}
	// Mutants of a plugin may only make it worse: how many there are is for whoever wrote the plugin to say.
	var viable, own, survivors, unclear, unseen, killed, ownKilled int
	var facts, open []string
	for _, m := range all {
		if !m.viable() {
			continue
		}
		viable++
		brought := m.plan.Origin == OriginPlugin
		if !brought {
			own++
		}
		switch {
		case m.verdict == MutantKilled && brought:
			killed++
		case m.verdict == MutantKilled:
			killed++
			ownKilled++
		case m.survived() && m.explained == "":
			survivors++
			facts = append(facts, fmt.Sprintf("%s: %s:%d %s", m.verdict, m.plan.File, m.plan.Line, m.plan.label()))
		case m.inconclusive():
			unclear++
			open = append(open, sentence(fmt.Sprintf("%s: %s:%d %s", m.verdict, m.plan.File, m.plan.Line, m.plan.label()), m.why))
		case m.verdict == MutantNotRun:
			unseen++
			open = append(open, sentence(fmt.Sprintf("not run: %s:%d %s", m.plan.File, m.plan.Line, m.plan.label()), m.why))
		}
	}
	controls, controlsUnseen := v.mutationControls()
	bare := v.barePlaces(all)
	fail := func(code, reason string, facts []string) Clause {
		return Clause{State: Failed, Code: code, Reason: reason, Facts: bound(facts)}
	}
	switch {
	case survivors > 0:
		return fail(CodeSurvivor, fmt.Sprintf("%d of %d faults went unnoticed", survivors, viable), append(facts, open...))
	case len(v.plan.Unmutated) > 0:
		return v.unmutated(killed, viable)
	case viable == 0:
		return fail(CodeInconclusive, fmt.Sprintf("none of %d mutants is viable", len(all)), nil)
	case len(controls) > 0:
		return fail(CodeInconclusive, "a control of the mutation says that its verdicts cannot be trusted", controls)
	case unseen > 0:
		return Clause{State: NotRun, Reason: fmt.Sprintf("%d of %d mutants of the change were not judged", unseen, viable), Facts: bound(open)}
	case len(controlsUnseen) > 0:
		return Clause{State: NotRun, Reason: "a control of the mutation was not seen", Facts: controlsUnseen}
	case unclear*4 > own:
		return fail(CodeInconclusive, fmt.Sprintf("%d of %d mutants have no clear verdict, which is more than a quarter", unclear, viable), open)
	case len(bare) > 0:
		return fail(CodeInconclusive, number(len(bare), "changed place has", "changed places have")+" viable mutants and no kill by Lane's own operators", append(bare, open...))
	}
	if s := v.plan.Sample; s != nil && s.Population > len(all) {
		if !s.AfterHeadFixed {
			return fail(CodeInconclusive, "the sample of mutants could be known before head was fixed", nil)
		}
		if ownKilled < leastSample {
			return fail(CodeInconclusive, fmt.Sprintf("a sample of %d with %d killed; %d is the least", len(all), ownKilled, leastSample), nil)
		}
	}
	return Clause{State: Held, Reason: fmt.Sprintf("%d of %d viable mutants of the change killed, none survived unexplained", killed, viable), Facts: bound(open)}
}

// unmutated is the clause of a change in a language that Lane has no operators for. Hunks put back to base show that the tests notice the
// change, and nothing of the faults that it may hold.
func (v *view) unmutated(killed, viable int) Clause {
	files := v.plan.Unmutated
	reason := fmt.Sprintf("Lane has no operators yet for the language of %s", files[0])
	if len(files) > 1 {
		reason += fmt.Sprintf(" and %d more", len(files)-1)
	}
	if viable > 0 {
		reason += fmt.Sprintf("; of the hunks put back to base, %d of %d were noticed", killed, viable)
	}
	return Clause{State: NotRun, Reason: reason, Facts: bound(files[1:])}
}

// mutationControls returns what the broken files and the audits say against the verdicts, and which of them
// were not seen.
func (v *view) mutationControls() (against, unseen []string) {
	for _, b := range v.plan.Breaks {
		switch o, ok := v.observed(b.ID); {
		case !ok || o.Break == nil:
			unseen = append(unseen, fmt.Sprintf("the broken %s at %s", b.File, b.Tier))
		case !o.Break.Noticed:
			against = append(against, fmt.Sprintf("%s at %s can be broken and every test passes: it is not the file under test", b.File, b.Tier))
		}
	}
	byID := map[string]*mutant{}
	for _, m := range v.mutants {
		byID[m.plan.ID] = m
	}
	for _, a := range v.plan.Audits {
		o, ok := v.observed(a.ID)
		m := byID[a.Mutant]
		switch {
		case m == nil || !ok || o.Audit == nil || o.Audit.Verdict.clean() == MutantNotRun || m.verdict == MutantNotRun:
			unseen = append(unseen, "audit of mutant "+a.Mutant)
		case o.Audit.Verdict != m.obs.Verdict:
			against = append(against, fmt.Sprintf("mutant %s is %s at %s, and was %s in another trial", a.Mutant, m.obs.Verdict, m.plan.Tier, o.Audit.Verdict))
		}
	}
	return bound(against), bound(unseen)
}

// barePlaces returns the places of the change that have a viable mutant and no kill by an operator of Lane's.
func (v *view) barePlaces(all []*mutant) []string {
	viable, killed := map[string]bool{}, map[string]bool{}
	for _, m := range all {
		for _, p := range m.plan.Places {
			// A place in which everything that survived is accounted for has nothing left to kill.
			viable[p] = viable[p] || m.viable() && !(m.survived() && m.explained != "")
			killed[p] = killed[p] || m.verdict == MutantKilled && m.plan.Origin != OriginPlugin
		}
	}
	var out []string
	for _, p := range v.plan.Places {
		if viable[p.ID] && !killed[p.ID] {
			out = append(out, strings.TrimSpace(fmt.Sprintf("no kill in %s %s:%d %s", p.Kind, p.File, p.Line, p.Name)))
		}
	}
	return out
}

func (p *PlannedMutant) label() string {
	if p.Description != "" {
		return p.Description
	}
	return p.Operator
}
