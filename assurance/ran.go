package assurance

import (
	"cmp"
	"fmt"
	"slices"
)

func compare[T cmp.Ordered](a, b T) int { return cmp.Compare(a, b) }

// waives reports whether the change is of a kind by the word of somebody outside of it.
func (v *view) waives(kinds ...string) bool {
	return v.plan.Change.SaidBy.Outside() && slices.Contains(kinds, v.plan.Change.Kind)
}

func (v *view) closure(id string) *ClosureObservation {
	if o, ok := v.observed(id); ok {
		return o.Closure
	}
	return nil
}

func verifiedRank(level string) int {
	return slices.Index([]string{VerifiedNone, VerifiedLstat, VerifiedDB, VerifiedSealed, VerifiedFull}, level)
}

func (v *view) closurePinned() Clause {
	var bad, unseen []string
	for _, c := range v.plan.Closures {
		o := v.closure(c.ID)
		switch {
		case !c.Pinned || c.Digest == "":
			bad = append(bad, fmt.Sprintf("closure %s is not pinned", c.label()))
		case o == nil:
			unseen = append(unseen, fmt.Sprintf("closure %s was not looked at", c.label()))
		case o.Digest != c.Digest:
			bad = append(bad, fmt.Sprintf("closure %s is %s, and the lock says %s", c.label(), o.Digest, c.Digest))
		case verifiedRank(o.Verified) < verifiedRank(VerifiedLstat):
			bad = append(bad, fmt.Sprintf("closure %s was not verified", c.label()))
		}
	}
	return settle(bad, unseen, number(len(v.plan.Closures), "closure", "closures"), "pinned, and verified to be what the lock says", "no closure is planned")
}

func (c PlannedClosure) label() string {
	if c.Name != "" {
		return c.Name
	}
	return c.ID
}

// number writes a count with its noun; of nothing it is empty.
func number(n int, one, many string) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// settle makes a clause of what is bad and what was not seen. looked says at how many things: at none, and the
// clause was not run.
func settle(bad, unseen []string, looked, held, none string) Clause {
	switch {
	case len(bad) > 0:
		return Clause{State: Failed, Reason: bad[0], Facts: bound(bad[1:])}
	case len(unseen) > 0:
		return Clause{State: NotRun, Reason: unseen[0], Facts: bound(unseen[1:])}
	case looked == "":
		return Clause{State: NotRun, Reason: none}
	}
	return Clause{State: Held, Reason: looked + " " + held}
}

func (v *view) commandKnown() Clause {
	var bad []string
	for _, t := range v.plan.Tasks {
		if t.From != "spec" || len(t.Command) == 0 {
			bad = append(bad, fmt.Sprintf("the command of task %s does not come from the spec", t.Name))
		}
	}
	return settle(bad, nil, number(len(v.plan.Tasks), "command", "commands"), fmt.Sprintf("from the spec, by authority of %s", v.plan.Spec.Authority), "no task is planned")
}

// requiredPassed restates the findings of the runs as a clause.
func (v *view) requiredPassed(found []finding) Clause {
	var bad, unseen []string
	for _, f := range found {
		if f.unseen {
			unseen = append(unseen, f.reason)
		} else {
			bad = append(bad, f.reason)
		}
	}
	total := 0
	for _, t := range v.plan.Tasks {
		total += len(v.required(t.Name))
		plain := slices.ContainsFunc(v.runs[Head][t.Name], func(r *run) bool {
			return r.obs != nil && !r.masked()
		})
		if !plain {
			unseen = append(unseen, fmt.Sprintf("task %s has no run whose exit status is that of its tests alone", t.Name))
		}
	}
	return settle(bad, unseen, number(total, "required test", "required tests"), "passed in every run, and the exit status agrees", "no test is required")
}

// baseIsHead reports whether there is nothing to compare head with: the two are one tree, or somebody outside
// of the change says that there is no change.
func (v *view) baseIsHead() bool {
	s := v.plan.Subject
	return s.BaseTree != "" && s.BaseTree == s.GitTree || v.waives(Tree)
}

func (v *view) noneLost() (Clause, []LostTest) {
	var bad, unseen []string
	lost := false
	if !v.baseIsHead() {
		bad, unseen = v.checkBase()
	}
	var gone []LostTest
	kept := 0
	for i := range v.plan.Tests {
		t := &v.plan.Tests[i]
		if !t.BasePasses {
			continue
		}
		kept++
		worst, present, notSeen := "", false, false
		for _, r := range v.runs[Head][t.Task] {
			s := r.of(t.ID)
			present = present || s != missing
			switch {
			case s == string(TestPassed):
			case s == missing && r.cut():
				notSeen = true
			default:
				worst = s
			}
		}
		switch {
		case v.mayBeAbsent(t) && !present:
		case worst == missing && !present:
			lost = true
			gone = append(gone, LostTest{ID: t.ID, Task: t.Task, ListedBy: v.refused[t.ID]})
			bad = append(bad, fmt.Sprintf("%s passes on base and does not run on head%s", t.ID, v.refusedBy(t.ID)))
		case worst != "":
			bad = append(bad, fmt.Sprintf("%s passes on base, and on head: %s", t.ID, worst))
		case notSeen || len(v.runs[Head][t.Task]) == 0:
			unseen = append(unseen, fmt.Sprintf("%s passes on base, and a run of head did not show it", t.ID))
		}
	}
	if v.baseIsHead() && len(bad) == 0 && len(unseen) == 0 {
		return Clause{State: Held, Reason: "head is not compared with any other tree"}, nil
	}
	c := settle(bad, unseen, number(kept, "test", "tests"), "passed on base, and none of them is lost", "no test passes on base")
	if kept == 0 && len(bad) == 0 && len(unseen) == 0 {
		c = Clause{State: Held, Reason: "no test passes on base, so none is lost"}
	}
	if lost && c.State == Failed {
		c.Code = CodeLost
	}
	return c, gone
}

func (v *view) refusedBy(test string) string {
	if by, ok := v.refused[test]; ok {
		return fmt.Sprintf("; its removal is listed by %s, whose word does not count here", by)
	}
	return ""
}

// checkBase compares what the plan says of base with what base's runs show.
func (v *view) checkBase() (bad, unseen []string) {
	if v.plan.Subject.BaseTree == "" {
		unseen = append(unseen, "there is no base to compare head with")
	}
	for _, t := range v.plan.Tasks {
		runs := v.runs[Base][t.Name]
		if len(runs) == 0 {
			unseen = append(unseen, fmt.Sprintf("task %s has no run on base", t.Name))
		}
		passed, all := map[string]int{}, 0
		for _, r := range runs {
			if !r.whole() {
				unseen = append(unseen, fmt.Sprintf("run %s does not show what passes on base", r.plan.ID))
			}
			all++
			for id, s := range r.status {
				if s == TestPassed {
					passed[id]++
				}
			}
		}
		for _, p := range v.plan.Tests {
			if p.Task == t.Name && p.BasePasses && passed[p.ID] == 0 && len(unseen) == 0 {
				bad = append(bad, fmt.Sprintf("the plan says that %s passes on base, and no run on base shows it", p.ID))
			}
		}
		var left []string
		for id, n := range passed {
			if p := v.tests[testKey{t.Name, id}]; n == all && (p == nil || !p.BasePasses) && !v.removed[id] {
				left = append(left, fmt.Sprintf("%s passes on base, and the plan leaves it out", id))
			}
		}
		slices.Sort(left)
		bad = append(bad, left...)
	}
	return bad, unseen
}

// findTrees returns what the trees say against the outcome passed: one that changed while runs used it.
func (v *view) findTrees() []finding {
	var out []finding
	for _, t := range v.plan.Trees {
		if o, ok := v.observed(t.ID); ok && o.Tree != nil && o.Tree.After != "" && o.Tree.After != t.SHA256 {
			out = append(out, finding{outcome: Tampered, reason: sentence(fmt.Sprintf("the %s tree is not what it was when the runs began", t.Role), firstOf(o.Tree.Differs))})
		}
	}
	for _, p := range v.plan.Change.Protected {
		out = append(out, finding{outcome: Tampered, reason: fmt.Sprintf("the change edits %s, which is protected", p)})
	}
	return out
}

func firstOf(s []string) string {
	if len(s) == 0 {
		return ""
	}
	return s[0]
}

func (v *view) treeBound() Clause {
	var bad, unseen []string
	have := map[TreeRole]bool{}
	for _, t := range v.plan.Trees {
		have[t.Role] = true
		o, ok := v.observed(t.ID)
		switch {
		case t.SHA256 == "":
			bad = append(bad, fmt.Sprintf("the %s tree has no digest", t.Role))
		case t.Role == Head && t.SHA256 != v.plan.Subject.TreeSHA256:
			bad = append(bad, "the head tree is not the subject of this verdict")
		case !ok || o.Tree == nil || o.Tree.Before == "" || o.Tree.After == "":
			unseen = append(unseen, fmt.Sprintf("the %s tree was not measured before and after", t.Role))
		case o.Tree.Before != t.SHA256:
			bad = append(bad, fmt.Sprintf("the %s tree did not have the right content before the first run", t.Role))
		case o.Tree.After != t.SHA256:
			bad = append(bad, fmt.Sprintf("the %s tree changed while runs used it", t.Role))
		}
	}
	if v.plan.Subject.TreeSHA256 == "" {
		bad = append(bad, "the subject has no digest")
	}
	for _, r := range v.plan.Runs {
		if !have[r.Tree] {
			have[r.Tree] = true
			unseen = append(unseen, fmt.Sprintf("no %s tree is planned, and runs use one", r.Tree))
		}
	}
	if !have[Head] {
		unseen = append(unseen, "no head tree is planned")
	}
	return settle(bad, unseen, number(len(v.plan.Trees), "tree", "trees"), "measured before the first run and again after the last", "no tree is planned")
}
