package assurancetest

import "github.com/vallane/lane/assurance"

// Ids of what AddService plans: a use for each run of head, and the control.
const (
	UsePlain = "service/" + HeadPlain + "/cache"
	UseOrder = "service/" + HeadOrder + "/cache"
	UseZone  = "service/" + HeadZone + "/cache"
	Spoilt   = "unit/spoilt-cache"
)

// AddService gives evidence a service that answers the tests of task unit, and without whose answers Once fails.
func AddService(e *assurance.Evidence) {
	s := assurance.PlannedService{Name: "cache", Task: "unit", Program: "/nix/store/00000000000000000000000000000000-redis/bin/redis-server",
		Up: []string{"redis-server", "--port", "6379", "--save", ""}, Health: []string{"redis-cli", "ping"}, Address: "127.0.0.1:6379", Control: Spoilt}
	for id, run := range map[string]string{UsePlain: HeadPlain, UseOrder: HeadOrder, UseZone: HeadZone} {
		s.Uses = append(s.Uses, assurance.PlannedUse{ID: id, Run: run})
		e.Observations[id] = assurance.Observation{Service: &assurance.ServiceObservation{Healthy: true, Alive: true, Connections: 2, Asked: 80, Answered: 40}}
	}
	e.Plan.Services = append(e.Plan.Services, s)
	e.Observations[Spoilt] = assurance.Observation{Spoilt: &assurance.SpoiltObservation{Healthy: true, Ended: true, Spoilt: 1, Failed: []string{Once}}}
}
