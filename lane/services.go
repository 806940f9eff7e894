package lane

import (
	"context"
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/runner"
	"github.com/vallane/lane/lane/service"
	"github.com/vallane/lane/lane/spec"
)

// servicesSupported refuses services that this fence cannot hold.
func servicesSupported(s *spec.Spec) error {
	if len(s.Services) > 0 && s.Env.Fence == spec.FenceWASI {
		return s.Problem("service[0]", "a service needs boxes, and the fence is wasi: a guest dials nowhere", `write fence = "local" in [env]`)
	}
	return nil
}

// planServices gives a task its services, and says which programs of its closure they are.
func (j *job) planServices(t *task) {
	for _, x := range j.spec.ServicesOf(t.spec.Name) {
		s := service.Service{Name: x.Name, Prepare: x.Prepare, Up: x.Up, Port: x.Port, Health: x.Health, Timeout: x.Timeout}
		t.runner.Services = append(t.runner.Services, s)
		program := service.Find(x.Up, t.runner.Path, t.runner.Store)
		j.evidence.Plan.Services = append(j.evidence.Plan.Services, assurance.PlannedService{
			Name: x.Name, Task: t.spec.Name, Program: program.Path, Foreign: program.Foreign, Prepare: x.Prepare, Up: x.Up, Health: x.Health,
			Address: s.Address().String(), Uses: []assurance.PlannedUse{}, Control: spoiltID(t, x.Name),
		})
	}
}

func spoiltID(t *task, service string) string { return t.spec.Name + "/spoilt-" + service }

// planUses plans what is seen of the services beside a run of head. The caller holds the lock of the evidence.
func (j *job) planUses(run assurance.PlannedRun) {
	if run.Tree != assurance.Head {
		return
	}
	for i := range j.evidence.Plan.Services {
		if p := &j.evidence.Plan.Services[i]; p.Task == run.Task {
			p.Uses = append(p.Uses, assurance.PlannedUse{ID: useID(run.ID, p.Name), Run: run.ID})
		}
	}
}

func useID(run, service string) string { return "service/" + run + "/" + service }

// observeUses records what was seen of the services beside a run of head.
func (j *job) observeUses(run assurance.PlannedRun, seen []service.Seen) {
	if run.Tree != assurance.Head {
		return
	}
	for _, s := range seen {
		j.observe(useID(run.ID, s.Name), assurance.Observation{Service: &assurance.ServiceObservation{
			Healthy: s.Healthy, Alive: s.Alive, Connections: s.Connections, Asked: s.Asked, Answered: s.Answered, Detail: s.Detail,
		}})
	}
}

// spoilServices starts the runs of a task on head that get no answer of a service as it was.
func (j *job) spoilServices(ctx context.Context, g *errgroup.Group, t *task) {
	if j.byHand { // nobody asks for the clause
		return
	}
	for _, x := range t.runner.Services {
		g.Go(guarded(func() error { return j.spoil(ctx, t, x.Name) }))
	}
}

func (j *job) spoil(ctx context.Context, t *task, name string) error {
	id := spoiltID(t, name)
	log, err := j.openLog(id)
	if err != nil {
		return err
	}
	seen, err := t.head.Run(ctx, runner.Order{Spoil: name, Log: log})
	err = errors.Join(err, log.Close())
	o := &assurance.SpoiltObservation{Failed: []string{}}
	var unparsed *observe.Unparsed
	var absent *observe.Missing
	switch {
	case errors.As(err, &unparsed), errors.As(err, &absent):
		o.Detail = err.Error() // as the other runs say
	case err != nil:
		return err
	default:
		spoilt(o, name, &seen)
	}
	j.observe(id, assurance.Observation{Spoilt: o})
	j.say("runs", id+": "+itoa(len(o.Failed))+" tests failed")
	return nil
}

// spoilt fills in what such a run showed.
func spoilt(o *assurance.SpoiltObservation, name string, seen *runner.Seen) {
	for _, s := range seen.Services {
		if s.Name == name {
			o.Healthy, o.Spoilt, o.Detail = s.Healthy, s.Spoilt, s.Detail
		}
	}
	o.Ended = seen.Box.End == fence.Exited && seen.Unserved() == ""
	for _, x := range seen.Session.Tests {
		if x.Status == observe.Failed {
			o.Failed = append(o.Failed, x.ID)
		}
	}
	slices.Sort(o.Failed)
	o.Failed = slices.Compact(o.Failed)
}
