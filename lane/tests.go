package lane

import (
	"context"
	"maps"
	"slices"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/runner"
	"github.com/vallane/lane/lane/spec"
)

// statuses holds the worst status of each test over some runs, and in how many of them it was seen.
type statuses struct {
	worst map[string]observe.Status
	test  map[string]observe.Test
	seen  map[string]int
	runs  int
}

func gather(runs ...*runner.Seen) statuses {
	s := statuses{worst: map[string]observe.Status{}, test: map[string]observe.Test{}, seen: map[string]int{}, runs: len(runs)}
	for _, r := range runs {
		for _, t := range r.Session.Tests {
			s.seen[t.ID]++
			s.test[t.ID] = t
			if old, ok := s.worst[t.ID]; !ok || rank(t.Status) > rank(old) {
				s.worst[t.ID] = t.Status
			}
		}
	}
	return s
}

// top is the test that a test is in the end a part of, as far as such tests reported, or itself.
func (s statuses) top(id string) string {
	for range len(s.test) {
		up := s.test[id].Parent
		if _, known := s.test[up]; !known {
			break
		}
		id = up
	}
	return id
}

func rank(s observe.Status) int {
	return slices.Index([]observe.Status{observe.Passed, observe.Skipped, observe.Unfinished, observe.Failed}, s)
}

// onHead is what all runs of head showed.
func (t *task) onHead() statuses {
	var runs []*runner.Seen
	for i := range t.seen {
		runs = append(runs, &t.seen[i].seen)
	}
	return gather(runs...)
}

// confirmParts runs base a second time where a part of a test (a subtest) that passes on base is
// missing on head. A part whose name is not the same in two runs of the same code (it holds a time, a
// path, a random number) is no test that could be lost.
func (j *job) confirmParts(ctx context.Context, t *task) error {
	if t.base == nil || t.onBase == nil {
		return nil
	}
	head := t.onHead()
	missing := false
	for _, x := range t.onBase.Session.Tests {
		missing = missing || x.Parent != "" && head.seen[x.ID] < head.runs && !removed(j.spec.RemovedNames(), x.ID)
	}
	if !missing {
		return nil
	}
	again, err := j.run(ctx, t, t.base, assurance.PlannedRun{ID: t.spec.Name + "/base-again", Tree: assurance.Base}, runner.Order{})
	if err != nil {
		return err
	}
	t.baseParts = gather(&again).seen
	return nil
}

func removed(names []string, id string) bool { return slices.Contains(names, id) }

// planTests says which tests there are, from where they are known, and which are required.
func (j *job) planTests() error {
	p := &j.evidence.Plan
	known, all := map[*task][]string{}, map[*task]shown{}
	for _, t := range j.tasks {
		all[t] = t.shown()
		known[t] = all[t].ids()
	}
	named := map[string][]string{} // id to the reasons why it is required
	for _, c := range j.spec.Criteria {
		planned := assurance.Criterion{ID: c.ID, Kind: c.Kind, Text: c.Text}
		if c.Kind == spec.KindTarget { // nothing is known yet of tests of the target
			planned.Tests = c.Tests
			p.Criteria = append(p.Criteria, planned)
			continue
		}
		planned.Tests = j.resolveTests(c.Tests, known, j.tasks, "criterion "+c.ID)
		for _, id := range planned.Tests {
			named[id] = append(named[id], "criterion:"+c.ID)
		}
		p.Criteria = append(p.Criteria, planned)
	}
	for _, id := range j.resolveTests(j.spec.Tests.Required, known, j.tasks, "[tests]") {
		named[id] = append(named[id], "spec")
	}
	for _, t := range j.tasks {
		for _, id := range j.resolveTests(t.spec.Tests, known, []*task{t}, "task "+t.spec.Name) {
			named[id] = append(named[id], "task")
		}
	}
	placed := map[string]bool{}
	for _, t := range j.tasks {
		for _, id := range known[t] {
			placed[id] = true
			p.Tests = append(p.Tests, j.plannedTest(t, all[t], id, named[id]))
		}
		j.brokenOnBase(t)
	}
	for id, why := range named { // a named test that nobody has seen is required all the same
		if !placed[id] {
			p.Tests = append(p.Tests, assurance.PlannedTest{ID: id, Task: j.tasks[0].spec.Name, Required: true, Why: why})
		}
	}
	slices.SortFunc(p.Tests, func(a, b assurance.PlannedTest) int { return compare(a.Task+"\x00"+a.ID, b.Task+"\x00"+b.ID) })
	j.resolveRemovals(known)
	return nil
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// shown is what the runs of a task showed of its tests. It is put together once: a suite may have very many.
type shown struct {
	head, base statuses
	hidden     map[string]string
}

func (t *task) shown() shown {
	s := shown{head: t.onHead(), hidden: t.hidden()}
	if t.onBase != nil {
		s.base = gather(t.onBase)
	}
	return s
}

// ids lists the tests, from base and from every run of head.
func (s shown) ids() []string {
	ids := slices.Collect(maps.Keys(s.head.seen))
	ids = slices.AppendSeq(ids, maps.Keys(s.base.seen))
	ids = slices.AppendSeq(ids, maps.Keys(s.hidden))
	slices.Sort(ids)
	return slices.Compact(ids)
}

// hidden lists the tests, each with its unit, that head's source holds and that no run of head was going to run, although the command
// asks for them: code of the tree left them out. What base leaves out as well is the project's own way.
func (t *task) hidden() map[string]string {
	out := map[string]string{}
	if t.onBase == nil {
		return out
	}
	for i := range t.seen {
		for _, u := range t.seen[i].seen.Session.Units {
			for _, id := range u.Hidden {
				out[id] = u.ID
			}
		}
	}
	for _, u := range t.onBase.Session.Units {
		for _, id := range u.Hidden {
			delete(out, id)
		}
	}
	return out
}

func (j *job) plannedTest(t *task, s shown, id string, why []string) assurance.PlannedTest {
	head, base := s.head, s.base
	x, ok := head.test[id]
	if !ok {
		x = base.test[id]
	}
	if x.Unit == "" {
		x.Unit = s.hidden[id]
	}
	out := assurance.PlannedTest{ID: id, Task: t.spec.Name, Unit: x.Unit, Why: why, Required: len(why) > 0}
	if st, ok := base.worst[id]; ok {
		out.BasePasses = st == observe.Passed
		out.BaseFails = !out.BasePasses && st != observe.Skipped
		if x.Parent != "" && head.seen[id] < head.runs && t.baseParts != nil && t.baseParts[id] == 0 {
			out.BasePasses = false // its name is not the same in two runs of the same code
		}
	} else {
		out.Added = t.onBase != nil
	}
	if !j.evidence.Plan.RequiredDefault {
		return out
	}
	steady := x.Parent == "" || head.seen[id] == head.runs
	switch {
	case out.BasePasses:
		out.Required, out.Why = true, append(out.Why, "base-passes")
	case (out.Added || t.onBase == nil) && steady:
		out.Required, out.Why = true, append(out.Why, "added")
	}
	return out
}

// resolveTests turns the names that a person wrote into ids. A name that no test has stays as it is,
// so that it is required and not seen.
func (j *job) resolveTests(names []string, known map[*task][]string, in []*task, where string) []string {
	var out []string
	for _, name := range names {
		found := false
		for _, t := range in {
			r := observe.Resolve(t.runner.Reporter, []string{name}, known[t])
			if len(r.Ambiguous) > 0 {
				j.note(where + " names " + name + ", which fits several tests: all of them are required")
			}
			out = append(out, r.IDs...)
			found = found || len(r.IDs) > 0
		}
		if !found {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// resolveRemovals turns the names of tests that may be removed into ids.
func (j *job) resolveRemovals(known map[*task][]string) {
	var out []assurance.Removal
	for _, r := range j.evidence.Plan.Removals {
		for _, id := range j.resolveTests([]string{r.Test}, known, j.tasks, "the spec") {
			out = append(out, assurance.Removal{Test: id, ListedBy: r.ListedBy})
		}
	}
	j.evidence.Plan.Removals = out
}

// brokenOnBase notes the units of a task that never reported on base while its command failed.
func (j *job) brokenOnBase(t *task) {
	if t.onBase == nil {
		return
	}
	for i := range j.evidence.Plan.Tasks {
		p := &j.evidence.Plan.Tasks[i]
		if p.Name != t.spec.Name {
			continue
		}
		for _, u := range t.onBase.Observation().Units {
			if u.Unbuilt {
				p.BrokenOnBase = append(p.BrokenOnBase, u.ID)
			}
		}
	}
}
