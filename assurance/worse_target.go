package assurance

import "slices"

// targetRun compares two observations of a run of a task on the target: against the stub by the tests that say no, and else as for a run in which
// every test is required.
func (o *order) targetRun(p *PlannedTarget, id string, a, b Observation) {
	if p == nil {
		return
	}
	for i := range p.Tasks {
		t := &p.Tasks[i]
		for _, x := range t.Runs {
			if x.ID != id || !o.shape(a.Run != nil, b.Run != nil) {
				continue
			}
			was, is := newRun(x.run(), a.Run), newRun(x.run(), b.Run)
			if x.On == OnStub {
				for _, test := range t.Tests {
					o.best(was.no(test), is.no(test))
				}
				continue
			}
			o.asHead(t.task(), t.Tests, was, is)
		}
	}
}

// asHead compares two runs of head of which all the tests named are required.
func (o *order) asHead(t *Task, required []string, was, is *run) {
	o.ended(was, is)
	for _, id := range testsOf([]*run{was, is}) {
		sa, sb := was.of(id), is.of(id)
		switch {
		case sa == sb:
		case slices.Contains(required, id):
			o.best(sa == string(TestPassed), sb == string(TestPassed))
			o.same(sa == string(TestPassed))
		default:
			o.same(false)
		}
	}
	o.rest(t, was, is)
}
