package assurance

import (
	"fmt"
	"slices"
)

// PlannedService is a disposable service beside the tests of one task: a program of the closure that they talk to.
type PlannedService struct {
	Name string `json:"name"`
	Task string `json:"task"`
	// Program is the file of the closure that Up starts; empty where that is none of its files.
	Program string `json:"program,omitempty"`
	// Foreign says in a sentence why what answers would not be the doing of that program alone; empty where it would.
	Foreign string   `json:"foreign,omitempty"`
	Prepare []string `json:"prepare,omitempty"`
	Up      []string `json:"up"`
	Health  []string `json:"health,omitempty"`
	Address string   `json:"address"` // host:port in the box of the tests
	// Uses has one entry for each run of head.
	Uses []PlannedUse `json:"uses"`
	// Control is the id of a run of the task on head that gets no answer of the service as it was.
	Control string `json:"control"`
}

// PlannedUse is one run's own start of a service.
type PlannedUse struct {
	ID  string `json:"id"`
	Run string `json:"run"`
}

// ServiceObservation is what was seen of a service beside one run.
type ServiceObservation struct {
	// Healthy says that it was ready before the run's tests began, Alive that it still took connections when they had ended.
	Healthy bool `json:"healthy"`
	Alive   bool `json:"alive"`
	// Connections counts those that Lane carried between the tests and it, Asked and Answered the bytes to it and from it. What Lane sent to
	// see whether it is ready is not among them.
	Connections int64 `json:"connections"`
	Asked       int64 `json:"asked"`
	Answered    int64 `json:"answered"`
	// Detail says for people why it was not healthy or not alive, with the end of what it printed.
	Detail string `json:"detail,omitempty"`
}

// SpoiltObservation is a run whose tests got no answer of a service as it was.
type SpoiltObservation struct {
	// Healthy is as in ServiceObservation. Spoilt counts the answers that reached the tests wrong.
	Healthy bool  `json:"healthy"`
	Spoilt  int64 `json:"spoilt"`
	// Ended says that the run's command ended by itself. Failed lists the tests that failed.
	Ended  bool     `json:"ended"`
	Failed []string `json:"failed"`
	Detail string   `json:"detail,omitempty"` // for people
}

func (p *PlannedService) title() string {
	return fmt.Sprintf("the service %s of task %s", p.Name, p.Task)
}

// served reports whether the tests of a run had an answer of the service.
func (o *ServiceObservation) served() bool { return o.Healthy && o.Alive && o.talked() }

func (o *ServiceObservation) talked() bool { return o.Connections > 0 && o.Answered > 0 }

// served is held where every service is a program of the closure's own, and answered the tests in each run of head.
func (v *view) served() Clause {
	var bad, unseen []string
	for i := range v.plan.Services {
		p := &v.plan.Services[i]
		switch {
		case p.Foreign != "" || p.Program == "":
			bad = append(bad, sentence(p.title()+" is no counterpart", p.Foreign))
			continue
		case len(p.Uses) == 0:
			unseen = append(unseen, p.title()+" was not started")
		}
		for _, u := range p.Uses {
			o, ok := v.observed(u.ID)
			s := o.Service
			switch {
			case !ok || s == nil:
				unseen = append(unseen, fmt.Sprintf("%s was not seen in run %s", p.title(), u.Run))
			case !s.Healthy:
				bad = append(bad, sentence(fmt.Sprintf("%s was not ready for run %s", p.title(), u.Run), s.Detail))
			case !s.Alive:
				bad = append(bad, sentence(fmt.Sprintf("%s did not outlive run %s", p.title(), u.Run), s.Detail))
			case !s.talked():
				bad = append(bad, fmt.Sprintf("no test of run %s had an answer of %s", u.Run, p.title()))
			}
		}
	}
	c := settle(bad, unseen, number(len(v.plan.Services), "service", "services"), "", "")
	if c.State == Held {
		c.Reason = fmt.Sprintf("%s of the closure answered the tests in every run", number(len(v.plan.Services), "service", "services"))
	}
	return c
}

// missed is held where, for every service, a test failed that got no answer of it as it was, and that passes with it.
func (v *view) missed() Clause {
	var bad, unseen []string
	for i := range v.plan.Services {
		p := &v.plan.Services[i]
		o, ok := v.observed(p.Control)
		s := o.Spoilt
		switch {
		case !ok || s == nil:
			unseen = append(unseen, "no run was made in which the answers of "+p.title()+" were spoilt")
		case !s.Healthy:
			bad = append(bad, sentence(p.title()+" was not ready for the run in which its answers were to be spoilt", s.Detail))
		case s.Spoilt == 0:
			bad = append(bad, "no test asked "+p.title()+" anything in the run in which its answers were to be spoilt")
		case !s.Ended:
			bad = append(bad, "the run in which the answers of "+p.title()+" were spoilt did not end by itself")
		case len(v.missing(p, s)) == 0:
			bad = append(bad, "no test that passes fails where the answers of "+p.title()+" are spoilt: none needs them")
		}
	}
	c := settle(bad, unseen, number(len(v.plan.Services), "service", "services"), "", "")
	if c.State == Held {
		c.Reason = "tests that pass fail where the answers of " + number(len(v.plan.Services), "service", "services") + " are spoilt"
	}
	return c
}

// missing lists the required tests that failed without the service's answers and passed in every run with them.
func (v *view) missing(p *PlannedService, s *SpoiltObservation) (out []string) {
	runs := v.runs[Head][p.Task]
	for _, t := range v.required(p.Task) {
		if !slices.Contains(s.Failed, t.ID) || len(runs) == 0 {
			continue
		}
		if !slices.ContainsFunc(runs, func(r *run) bool { return r.of(t.ID) != string(TestPassed) }) {
			out = append(out, t.ID)
		}
	}
	return out
}

// service compares two observations of a service.
func (o *order) service(p *Plan, id string, a, b Observation) {
	for i := range p.Services {
		x := &p.Services[i]
		for _, u := range x.Uses {
			if u.ID == id && o.shape(a.Service != nil, b.Service != nil) {
				o.best(a.Service.Healthy, b.Service.Healthy)
				o.best(a.Service.Alive, b.Service.Alive)
				o.best(a.Service.talked(), b.Service.talked())
			}
		}
		if x.Control == id && o.shape(a.Spoilt != nil, b.Spoilt != nil) {
			o.best(a.Spoilt.Healthy, b.Spoilt.Healthy)
			o.best(a.Spoilt.Spoilt > 0, b.Spoilt.Spoilt > 0)
			o.best(a.Spoilt.Ended, b.Spoilt.Ended)
			o.best(!within(a.Spoilt.Failed, b.Spoilt.Failed), !within(b.Spoilt.Failed, a.Spoilt.Failed))
			o.same(within(b.Spoilt.Failed, a.Spoilt.Failed))
		}
	}
}

// services notes the ids of planned services.
func (c *planCheck) services(p *Plan) {
	seen, runs := map[string]bool{}, map[string]bool{}
	for _, r := range p.Runs {
		if r.Tree == Head {
			runs[r.Task+"\x00"+r.ID] = true
		}
	}
	for _, x := range p.Services {
		c.name(seen, "service", x.Task+"/"+x.Name)
		c.known(c.tasks, "task", x.Task, "service "+x.Name)
		if x.Name == "" || len(x.Up) == 0 || x.Address == "" {
			c.say("service %q has no name, no address, or nothing that starts it", x.Name)
		}
		used := map[string]bool{}
		for _, u := range x.Uses {
			c.id("use of a service", u.ID)
			if !runs[x.Task+"\x00"+u.Run] || used[u.Run] {
				c.say("service %q is used by run %q, which the plan does not have for its task, or twice", x.Name, u.Run)
			}
			used[u.Run] = true
		}
		for _, r := range p.Runs {
			if r.Tree == Head && r.Task == x.Task && !used[r.ID] {
				c.say("service %q is not used by run %q", x.Name, r.ID)
			}
		}
		c.id("control of a service", x.Control)
	}
}

// ServiceResult is what a service beside a task came to.
type ServiceResult struct {
	Name    string `json:"name"`
	Task    string `json:"task"`
	Program string `json:"program,omitempty"`
	Foreign string `json:"foreign,omitempty"`
	// Runs counts the runs of head, Served those in which it answered the tests.
	Runs   int `json:"runs"`
	Served int `json:"served"`
	// Missed lists the tests that pass with its answers and failed without, bounded.
	Missed []string `json:"missed,omitempty"`
}

func (v *view) services() (out []ServiceResult) {
	for i := range v.plan.Services {
		p := &v.plan.Services[i]
		r := ServiceResult{Name: p.Name, Task: p.Task, Program: p.Program, Foreign: p.Foreign, Runs: len(p.Uses)}
		for _, u := range p.Uses {
			if o, ok := v.observed(u.ID); ok && o.Service != nil && o.Service.served() {
				r.Served++
			}
		}
		if o, ok := v.observed(p.Control); ok && o.Spoilt != nil {
			r.Missed = bound(v.missing(p, o.Spoilt))
		}
		out = append(out, r)
	}
	return out
}
