package assurance

import (
	"fmt"
	"slices"
	"strings"
)

// leastRuns is how many varied runs of head have to agree.
const leastRuns = 3

func (v *view) closureSealed() Clause {
	var bad, unseen []string
	for _, c := range v.plan.Closures {
		o := v.closure(c.ID)
		switch {
		case o == nil:
			unseen = append(unseen, fmt.Sprintf("closure %s was not looked at", c.label()))
		case verifiedRank(o.Verified) < verifiedRank(VerifiedSealed):
			bad = append(bad, fmt.Sprintf("closure %s was verified as %q only", c.label(), o.Verified))
		case o.Sandbox != SandboxOn && o.Sandbox != SandboxUnneeded:
			bad = append(bad, fmt.Sprintf("closure %s was built with Nix's sandbox %q", c.label(), o.Sandbox))
		}
	}
	return settle(bad, unseen, number(len(v.plan.Closures), "closure", "closures"), "verified file by file, and built in a sandbox", "no closure is planned")
}

func (v *view) noNetwork() Clause {
	var bad, unseen []string
	have := map[string]bool{}
	for _, p := range v.plan.Probes {
		have[p.Task] = true
		o, ok := v.observed(p.ID)
		switch {
		case !ok || o.Probe == nil || o.Probe.Tried <= 0:
			unseen = append(unseen, fmt.Sprintf("task %s: the network was not tried from the box", p.Task))
		case o.Probe.Reached != 0:
			bad = append(bad, sentence(fmt.Sprintf("task %s: the box reached the network", p.Task), strings.Join(bound(o.Probe.Answered), ", ")))
		case o.Probe.Control != o.Probe.Tried:
			unseen = append(unseen, fmt.Sprintf("task %s: the control box reached %d of %d listeners, so the probe shows nothing", p.Task, o.Probe.Control, o.Probe.Tried))
		}
	}
	for _, t := range v.plan.Tasks {
		if !have[t.Name] {
			unseen = append(unseen, fmt.Sprintf("task %s has no network probe", t.Name))
		}
	}
	return settle(bad, unseen, number(len(v.plan.Probes), "probe", "probes"), "reached a listener from the control box, and none from the test box", "no probe is planned")
}

// sentence says what was fetched without a hash.
func (u Unhashed) sentence() string {
	if u.File == "" {
		return u.Why
	}
	if len(u.Names) == 0 {
		return u.File + " " + u.Why
	}
	return fmt.Sprintf("%s %s for %s", u.File, u.Why, firstFew(u.Names, u.Count))
}

// firstFew names the first three of a list whose whole length is count.
func firstFew(names []string, count int) string {
	shown := names[:min(len(names), 3)]
	s := strings.Join(shown, ", ")
	if more := max(count, len(names)) - len(shown); more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

func (v *view) clean() Clause {
	var bad, unseen []string
	code := ""
	if v.plan.Subject.Dirty {
		code = CodeDirty
		bad = append(bad, "the tree holds edits that no commit has")
	}
	for _, e := range v.plan.Change.Environment {
		if e.ListedBy == "" || e.ListedBy == ByChange {
			if code == "" {
				code = CodeEnvEdited
			}
			if e.Brought {
				bad = append(bad, fmt.Sprintf("the change brings %s, which makes the environment; base has none", e.Path))
				continue
			}
			bad = append(bad, fmt.Sprintf("the change edits %s, which makes the environment; base's was used", e.Path))
		}
	}
	for _, u := range v.plan.Unhashed {
		if code == "" {
			code = CodeUnhashed
		}
		bad = append(bad, u.sentence())
	}
	have := map[string]bool{}
	for _, b := range v.plan.Boxes {
		have[b.Task] = true
		o, ok := v.observed(b.ID)
		if !ok || o.Box == nil {
			unseen = append(unseen, fmt.Sprintf("task %s: nobody looked at its box from inside", b.Task))
			continue
		}
		if o.Box.UID == 0 {
			bad = append(bad, fmt.Sprintf("task %s ran as root of its box", b.Task))
		}
		if len(o.Box.Capabilities) > 0 {
			bad = append(bad, fmt.Sprintf("task %s ran with capabilities: %s", b.Task, strings.Join(bound(o.Box.Capabilities), ", ")))
		}
		if !o.Box.NoNewPrivs {
			bad = append(bad, fmt.Sprintf("task %s could gain privileges", b.Task))
		}
		if len(o.Box.Environment) > 0 {
			bad = append(bad, fmt.Sprintf("task %s saw variables of the host: %s", b.Task, strings.Join(bound(o.Box.Environment), ", ")))
		}
	}
	for _, t := range v.plan.Tasks {
		if !have[t.Name] {
			unseen = append(unseen, fmt.Sprintf("task %s has no box that is looked at", t.Name))
		}
	}
	c := settle(bad, unseen, number(len(v.plan.Boxes), "box", "boxes"), "without privileges, a committed tree, and base's environment", "no box is planned")
	c.Code = code
	return c
}

// label names a variation, the same way for equal ones.
func label(variation map[string]string) string {
	keys := make([]string, 0, len(variation))
	for k := range variation {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for i, k := range keys {
		keys[i] = fmt.Sprintf("%s=%q", k, variation[k])
	}
	return strings.Join(keys, " ")
}

func (v *view) stable(unstable []UnstableTest) Clause {
	var bad, unseen []string
	total := 0
	for _, t := range v.plan.Tasks {
		variations := map[string]bool{}
		runs := v.runs[Head][t.Name]
		for _, r := range runs {
			variations[label(r.plan.Variation)] = true
			if r.cut() || r.exhausted() {
				unseen = append(unseen, fmt.Sprintf("run %s did not show every test", r.plan.ID))
			}
		}
		total += len(runs)
		switch {
		case len(runs) < leastRuns:
			bad = append(bad, fmt.Sprintf("task %s runs %d times; %d are the least", t.Name, len(runs), leastRuns))
		case len(variations) < leastRuns:
			bad = append(bad, fmt.Sprintf("the runs of task %s are of %d variations; %d are the least", t.Name, len(variations), leastRuns))
		}
	}
	if len(unstable) > 0 {
		var facts []string
		for _, u := range unstable {
			facts = append(facts, u.ID)
		}
		return Clause{State: Failed, Code: CodeFlaky, Reason: number(len(unstable), "test differs", "tests differ") + " between runs", Facts: bound(facts)}
	}
	return settle(bad, unseen, number(total, "run", "runs"), "of different variations agreed on every test", "no run is planned")
}

func (v *view) canary() Clause {
	var bad, unseen []string
	total := 0
	for i := range v.plan.Tasks {
		t := &v.plan.Tasks[i]
		if t.Class == Forgeable {
			if id := v.killedBy(t.Name); id != "" {
				total++
			} else {
				unseen = append(unseen, fmt.Sprintf("the reporter of task %s is forgeable and hosts no canary, and no killed mutant shows that it can say no", t.Name))
			}
			continue
		}
		has := map[string]bool{}
		for _, r := range v.runs[Head][t.Name] {
			for _, c := range r.plan.Canaries {
				switch {
				case r.obs == nil:
					unseen = append(unseen, fmt.Sprintf("run %s: its canaries were not seen", r.plan.ID))
				case r.canary[c.Test] == TestFailed:
					has[c.Unit] = true
					total++
				default:
					bad = append(bad, fmt.Sprintf("run %s: the canary of %s was not seen failing", r.plan.ID, c.Unit))
				}
			}
		}
		for _, u := range v.requiredUnits(t.Name) {
			if !has[u] {
				unseen = append(unseen, fmt.Sprintf("task %s: no canary was seen failing in %s", t.Name, u))
			}
		}
	}
	return settle(bad, unseen, number(total, "canary", "canaries"), v.canaryWords(), "no canary is planned")
}

func (v *view) canaryWords() string {
	if slices.ContainsFunc(v.plan.Tasks, func(t Task) bool { return t.Class == Forgeable }) {
		return "(killed mutants where the reporter is forgeable) showed that the reporter can say no"
	}
	return "seen failing, in every session with required tests"
}

// requiredUnits returns the units that hold required tests of a task, in the order of the plan.
func (v *view) requiredUnits(task string) []string {
	var out []string
	seen := map[string]bool{}
	for _, t := range v.required(task) {
		if !seen[t.Unit] && !v.mayBeAbsent(t) {
			seen[t.Unit] = true
			out = append(out, t.Unit)
		}
	}
	return out
}

// killedBy returns the id of a mutant that a test of the task kills.
func (v *view) killedBy(task string) string {
	for _, m := range v.mutants {
		if m.out || m.verdict != MutantKilled || m.plan.Origin == OriginPlugin {
			continue
		}
		for _, k := range m.killers {
			if v.tests[testKey{task, k}] != nil {
				return m.plan.ID
			}
		}
	}
	return ""
}

func (v *view) provesChange() Clause {
	if v.waives(Refactor, Tree) {
		return Clause{State: Waived, Reason: fmt.Sprintf("a %s, by the word of %s, changes nothing that a test could show", v.plan.Change.Kind, v.plan.Change.SaidBy)}
	}
	planned, unseen := 0, 0
	for _, role := range []TreeRole{Hybrid, Base} {
		for _, t := range v.plan.Tasks {
			runs := v.runs[role][t.Name]
			if role == Hybrid {
				planned += len(runs)
			}
			whole := len(runs) > 0
			for _, r := range runs {
				if !r.whole() {
					whole = false
					if role == Hybrid {
						unseen++
					}
				}
			}
			if !whole {
				continue
			}
			if id, how := v.witness(t.Name, role, runs); id != "" {
				return Clause{State: Held, Reason: fmt.Sprintf("on base, %s %s, and on head it passes", id, how)}
			}
		}
	}
	switch {
	case planned == 0:
		return Clause{State: NotRun, Reason: "the tests of the change were not run on base's code"}
	case unseen > 0:
		return Clause{State: NotRun, Reason: fmt.Sprintf("%d runs of the change's tests on base's code do not show every test", unseen)}
	}
	if c, ok := v.nothingToBite(); ok {
		return c
	}
	return Clause{State: Failed, Reason: "no test passes with the change and fails on base's code, so none of them shows the change"}
}

// witness returns a test that passes in every head run and in none of the given runs, where the command said
// so with its exit status too. Base's own tests show the change only where the plan says that they do not pass.
func (v *view) witness(task string, role TreeRole, runs []*run) (id, how string) {
	for _, p := range v.plan.Tests {
		if p.Task != task || role == Base && (p.BasePasses || v.baseIsHead()) || !v.passesOnHead(p.ID) {
			continue
		}
		how := ""
		for _, r := range runs {
			u := r.units[p.Unit]
			switch {
			case r.obs.End == EndExited && r.obs.Exit == 0:
				how = ""
			case r.of(p.ID) == string(TestFailed):
				how = "fails"
			case u.Unbuilt && r.of(p.ID) == missing:
				how = "does not build"
			case r.of(p.ID) == string(TestUnfinished) && u.Started && !u.Ended:
				how = "breaks its session"
			default:
				how = ""
			}
			if how == "" {
				break
			}
		}
		if how != "" {
			return p.ID, how
		}
	}
	return "", ""
}

func (v *view) census() Clause {
	var bad, unseen []string
	total := 0
	for _, t := range v.plan.Tasks {
		for _, r := range v.runs[Head][t.Name] {
			total++
			switch {
			case r.obs == nil:
				unseen = append(unseen, fmt.Sprintf("run %s was not observed", r.plan.ID))
			case r.obs.Leaky:
				bad = append(bad, fmt.Sprintf("run %s: something held its output after the command had ended", r.plan.ID))
			case r.obs.Census.Left != 0:
				bad = append(bad, sentence(fmt.Sprintf("run %s left %s", r.plan.ID, number(r.obs.Census.Left, "process", "processes")), strings.Join(bound(r.obs.Census.Names), ", ")))
			case r.obs.Census.Inconclusive || r.obs.Census.Peak <= 0:
				unseen = append(unseen, fmt.Sprintf("run %s: the count of processes saw nothing alive", r.plan.ID))
			}
		}
	}
	return settle(bad, unseen, number(total, "run", "runs"), "left no process behind", "no run is planned")
}
