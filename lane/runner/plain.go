package runner

import "github.com/vallane/lane/lane/fence"

// Plain is what boxes of the stage are made of, and the variables of a command by hand in one, for a caller who opens boxes of its own.
func (s *Stage) Plain() (fence.Config, []string) {
	var env []string
	// A command that the reporter does not know, or that is not there, is what a person may want to look into.
	if plan, err := s.task.Reporter.Instrument(s.request(Order{})); err == nil {
		env = unobserved(plan.Env)
	}
	return s.config(), join(s.env(), env)
}
