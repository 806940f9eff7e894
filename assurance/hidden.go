package assurance

import (
	"fmt"
	"slices"
	"strings"
)

// Kinds of hidden tests.
const (
	HiddenInProcess = "in-process" // laid over the tree, in a box of their own
	HiddenBlackBox  = "black-box"  // in a box without the tree; the program under test is in another
)

// CriterionBlackBox is a criterion that hidden tests of that kind meet, and nothing else does.
const CriterionBlackBox = "black-box"

// Nothing is what a black box talks to in its control: no program, so that nobody ever answers.
const Nothing TreeRole = "nothing"

// HiddenPlan is how the hidden tests of a contract were to be run. Only a plan with such a contract has one. Names of hidden tests, and of
// their units and canaries, are drawn anew for each check, so that evidence tells whoever reads it how many there are and no more.
type HiddenPlan struct {
	Archive  string   `json:"archive"` // "sha256:" and hex of what was unpacked
	Kind     string   `json:"kind"`    // HiddenInProcess or HiddenBlackBox
	Task     string   `json:"task"`    // of the plan: its closure, folder, variables and build are theirs
	Command  []string `json:"command"`
	Program  []string `json:"program,omitempty"` // what a black box talks to
	Reporter string   `json:"reporter"`
	Class    Class    `json:"class"`
	// Tests have to pass on head: those that the contract or the archive names, or else all that any run shows.
	Tests []string    `json:"tests"`
	Runs  []HiddenRun `json:"runs"`
}

// HiddenRun is one execution of the hidden tests. Its observation is a RunObservation without words: no message, no output.
type HiddenRun struct {
	ID string `json:"id"`
	// On is Head, or Base or Nothing for a control, in which they have to say no.
	On              TreeRole `json:"on"`
	Canaries        []Canary `json:"canaries,omitempty"`
	CanariesFailRun bool     `json:"canaries_fail_run,omitempty"` // as in PlannedRun
}

// HiddenResult is what became of the hidden tests, in numbers.
type HiddenResult struct {
	Archive  string `json:"archive"`
	Kind     string `json:"kind"`
	Required int    `json:"required"`
	Passed   int    `json:"passed"` // in every run on head
	Runs     int    `json:"runs"`   // on head
	Canaries int    `json:"canaries"`
	// SeenFailed counts the canaries that were seen failing.
	SeenFailed int `json:"canaries_seen_failing"`
	// OnBase is "passed" where they pass on base as well, "failed" where they say no, "" where that is not known.
	OnBase string `json:"on_base,omitempty"`
}

// hiddenRuns pairs the runs of hidden tests with what was seen of them.
func (v *view) hiddenRuns() []*run {
	h := v.plan.Hidden
	if h == nil {
		return nil
	}
	var out []*run
	for _, x := range h.Runs {
		out = append(out, newRun(x.run(), v.run(x.ID)))
	}
	return out
}

func (x HiddenRun) run() *PlannedRun {
	return &PlannedRun{ID: x.ID, Tree: x.On, Canaries: x.Canaries, CanariesFailRun: x.CanariesFailRun}
}

// task is what the rules for runs of tasks ask of one.
func (h *HiddenPlan) task() *Task {
	return &Task{Name: "hidden tests", Command: h.Command, Class: h.Class}
}

// refuses reports whether a control said no: by its exit status, and without leaving doubt about what it showed.
func (r *run) refuses() bool {
	return r.obs != nil && r.obs.End == EndExited && r.obs.Exit != 0 && !r.obs.Lost && len(r.obs.Problems) == 0 && !r.masked()
}

// saysNo reports whether the hidden tests said no in a control: not its exit status alone, which a suite of the tree's own may have, too.
func (h *HiddenPlan) saysNo(r *run) bool {
	return r.refuses() && slices.ContainsFunc(h.Tests, func(id string) bool { return r.of(id) != string(TestPassed) })
}

// findHidden returns what the runs of hidden tests say against the outcome passed. A hidden test that fails is a required test that failed.
func (v *view) findHidden() []finding {
	h := v.plan.Hidden
	if h == nil {
		return nil
	}
	var out []finding
	unseen := func(reason string) {
		o := LaneFault
		if v.ev.Stop.Deadline {
			o = BudgetExpired
		}
		out = append(out, finding{o, reason, true})
	}
	failed, heads := map[string]bool{}, 0
	for _, r := range v.hiddenRuns() {
		if r.obs == nil {
			unseen(fmt.Sprintf("run %s was planned and never observed", r.plan.ID))
		}
		if r.plan.Tree != Head {
			continue
		}
		heads++
		if r.obs == nil {
			continue
		}
		out = append(out, v.findRun(h.task(), r)...)
		out = append(out, h.symptoms(r)...)
		for _, id := range h.failures(r) {
			failed[id] = true
		}
	}
	if heads == 0 {
		unseen("no run of hidden tests on head is planned")
	}
	if len(failed) > 0 {
		out = append(out, finding{outcome: TestsFailed, reason: fmt.Sprintf("%d of %s did not pass", len(failed), number(len(h.Tests), "hidden test", "hidden tests"))})
	}
	if len(h.Tests) == 0 {
		out = append(out, finding{outcome: NoTestsObserved, reason: "no hidden test was seen, and none is named"})
	}
	return out
}

// failures lists the tests that a run on head shows not to pass.
func (h *HiddenPlan) failures(r *run) (out []string) {
	if r.obs == nil || r.exhausted() {
		return nil
	}
	for _, id := range h.Tests {
		if s := r.of(id); s == string(TestFailed) || s != string(TestPassed) && !r.cut() {
			out = append(out, id)
		}
	}
	return out
}

// symptoms returns what is wrong in a run on head beside its tests.
func (h *HiddenPlan) symptoms(r *run) (out []finding) {
	for _, reason := range besides(h.task(), r, len(h.failures(r)) > 0) {
		out = append(out, finding{outcome: TestsFailed, reason: fmt.Sprintf("hidden tests, run %s: %s", r.plan.ID, reason)})
	}
	return out
}

// hiddenPassed is the clause of that name; ok is false where no contract names hidden tests.
func (v *view) hiddenPassed(found []finding) (c Clause, ok bool) {
	k, h := v.plan.Contract, v.plan.Hidden
	switch {
	case k == nil || k.Hidden == "":
		return Clause{}, false
	case h == nil:
		return Clause{State: NotRun, Reason: "the contract names hidden tests, and nobody ran them"}, true
	case h.Archive != k.Hidden:
		return Clause{State: Failed, Reason: fmt.Sprintf("the hidden tests of %s were run, and the contract names %s", h.Archive, k.Hidden)}, true
	}
	var bad, unseen []string
	for _, f := range found {
		if f.unseen {
			unseen = append(unseen, f.reason)
		} else {
			bad = append(bad, f.reason)
		}
	}
	if !slices.ContainsFunc(v.hiddenRuns(), func(r *run) bool { return r.plan.Tree == Head && r.obs != nil && !r.masked() }) {
		unseen = append(unseen, "no run of the hidden tests has an exit status of its tests alone")
	}
	c = settle(bad, unseen, number(len(h.Tests), "hidden test", "hidden tests"), "passed on head, from a box that the change had never seen", "no hidden test is required")
	if c.State == Held {
		if no := v.hiddenSayNo(); no.State != Held {
			return no, true
		}
		if v.hiddenOnBase() == string(TestPassed) {
			c.Facts = append(c.Facts, "they pass on base as well: they say nothing about what the change adds")
		}
	}
	return c, true
}

// hiddenSayNo says whether a control showed that the hidden tests can say no at all.
func (v *view) hiddenSayNo() Clause {
	h := v.plan.Hidden
	yes, base, nothing := false, false, false
	for _, r := range v.hiddenRuns() {
		switch r.plan.Tree {
		case Nothing:
			if !h.saysNo(r) {
				return Clause{State: Failed, Code: CodeInconclusive, Reason: "the hidden tests do not say no where no program answers them"}
			}
			nothing = true
		case Base:
			base = base || h.saysNo(r)
		case Head:
			all := h.Class == InProcess && len(r.plan.Canaries) > 0
			for _, c := range r.plan.Canaries {
				all = all && r.canary[c.Test] == TestFailed
			}
			yes = yes || all
		}
	}
	switch {
	case h.Kind == HiddenBlackBox && !nothing:
		return Clause{State: NotRun, Code: CodeInconclusive, Reason: "nobody tried the hidden tests against no program at all"}
	case h.Kind != HiddenBlackBox && !yes && !base:
		return Clause{State: NotRun, Code: CodeInconclusive, Reason: "nothing shows that the hidden tests can say no: they do not on base, and no canary was seen failing among them"}
	}
	return Clause{State: Held}
}

// hiddenOnBase is what the hidden tests come to on base: passed, failed, or "" where that is not known.
func (v *view) hiddenOnBase() string {
	h := v.plan.Hidden
	for _, r := range v.hiddenRuns() {
		switch {
		case r.plan.Tree != Base:
		case h.saysNo(r):
			return string(TestFailed)
		case r.whole() && r.obs.End == EndExited && r.obs.Exit == 0:
			return string(TestPassed)
		}
	}
	return ""
}

func (v *view) hiddenResult() *HiddenResult {
	h := v.plan.Hidden
	if h == nil {
		return nil
	}
	out := &HiddenResult{Archive: h.Archive, Kind: h.Kind, Required: len(h.Tests), OnBase: v.hiddenOnBase()}
	passed := map[string]int{}
	heads := 0
	for _, r := range v.hiddenRuns() {
		if r.plan.Tree != Head {
			continue
		}
		heads++
		if r.obs != nil {
			out.Runs++
		}
		for _, id := range h.Tests {
			if r.of(id) == string(TestPassed) {
				passed[id]++
			}
		}
		for _, c := range r.plan.Canaries {
			out.Canaries++
			if r.canary[c.Test] == TestFailed {
				out.SeenFailed++
			}
		}
	}
	for _, n := range passed {
		if n == heads {
			out.Passed++
		}
	}
	return out
}

// blackBoxCriteria settles the criteria that hidden tests meet.
func (v *view) blackBoxCriteria(results []CriterionResult, c Clause) {
	if h := v.plan.Hidden; h == nil || h.Kind != HiddenBlackBox {
		return
	}
	for i := range results {
		r := &results[i]
		if r.Kind != CriterionBlackBox {
			continue
		}
		switch c.State {
		case Held:
			r.State, r.Reason = CriterionMet, "the hidden tests passed, from outside of the program"
		case Failed:
			r.State, r.Reason = CriterionNotMet, c.Reason
		default:
			r.State, r.Reason = CriterionUnproven, c.Reason
		}
	}
}

func (c *planCheck) hidden(p *Plan) {
	h := p.Hidden
	if h == nil {
		return
	}
	if p.Contract == nil || p.Contract.Hidden == "" {
		c.say("hidden tests are planned, and no contract names any")
	}
	oneOf(c, "kind of the hidden tests", h.Kind, HiddenInProcess, HiddenBlackBox)
	oneOf(c, "class of the hidden tests", h.Class, InProcess, Forgeable)
	c.known(c.tasks, "task", h.Task, "the plan of hidden tests")
	tests := map[string]bool{}
	for _, id := range h.Tests {
		c.name(tests, "hidden test", id)
	}
	for _, r := range h.Runs {
		c.id("run of hidden tests", r.ID)
		oneOf(c, "what run "+r.ID+" is on", r.On, Head, Base, Nothing)
		for _, k := range r.Canaries {
			if k.Test == "" || tests[k.Test] {
				c.say("canary %q of run %s has no id or that of a test", k.Test, r.ID)
			}
		}
	}
}

// hidden compares two observations of a run of hidden tests: on head as for a run of a task in which every test is required, and in a
// control by whether it says no.
func (o *order) hidden(p *Plan, id string, a, b Observation) {
	h := p.Hidden
	if h == nil {
		return
	}
	for _, x := range h.Runs {
		if x.ID != id || !o.shape(a.Run != nil, b.Run != nil) {
			continue
		}
		was, is := newRun(x.run(), a.Run), newRun(x.run(), b.Run)
		if x.On != Head {
			o.best(h.saysNo(was), h.saysNo(is))
			continue
		}
		o.asHead(h.task(), h.Tests, was, is)
	}
}

// hiddenLimit is what hidden tests leave unproven; "" for nothing.
func (v *Verdict) hiddenLimit() string {
	switch {
	case v.Hidden == nil || v.Clause(HiddenPassed).State != Held:
		return "that code which knows the tests' inputs was not written for them: no hidden test was run"
	case v.Hidden.Kind == HiddenInProcess:
		return "that code did not look at the hidden tests while they ran in its own process: a black box would show it"
	}
	return ""
}

// Label is what a report says of hidden tests in one line.
func (r *HiddenResult) Label() string {
	s := fmt.Sprintf("%d of %d passed on head, %s, in %s", r.Passed, r.Required, r.Kind, number(max(r.Runs, 1), "run", "runs"))
	if r.Canaries > 0 {
		s += fmt.Sprintf("; %d of %s seen failing", r.SeenFailed, number(r.Canaries, "canary", "canaries"))
	}
	if r.OnBase != "" {
		s += "; on base they " + map[string]string{string(TestPassed): "pass as well", string(TestFailed): "fail"}[r.OnBase]
	}
	return s + "; " + strings.TrimSpace(r.Archive)
}
