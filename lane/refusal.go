package lane

import (
	"errors"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/contract"
	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/fetch"
	"github.com/vallane/lane/lane/spec"
	"github.com/vallane/lane/lane/worktree"
	"github.com/vallane/lane/warmup"
)

// declined is an error by which this package itself declines.
type declined struct{ assurance.Refusal }

func (d *declined) Error() string { return d.Msg }

// coded is an error that knows the exit code of the command that it ends.
type coded struct {
	error
	exit assurance.Exit
}

func (c *coded) Unwrap() error { return c.error }

// ExitCode is what the command line asks for.
func (c *coded) ExitCode() int { return int(c.exit) }

// withExit gives an error of what a spec names its exit code: that of a refusal, or of our own side. Mistakes in the spec keep theirs.
func withExit(err error) error {
	var mistake *spec.Errors
	var knows interface{ ExitCode() int }
	switch {
	case err == nil, errors.As(err, &mistake), errors.As(err, &knows):
		return err
	case refusalOf(err) != nil:
		return &coded{err, assurance.ExitDistrust}
	}
	return &coded{err, assurance.ExitLane}
}

// refusalOf turns the errors by which the packages below decline into the verdict's form.
func refusalOf(err error) *assurance.Refusal {
	var tree *worktree.Refusal
	var env *warmup.Refusal
	var cold *warmup.NotWarm
	var fenceless *fence.Unavailable
	var fetchless *fetch.Failed
	var own *declined
	var agreed *contract.Refused
	switch {
	case errors.As(err, &own):
		return &own.Refusal
	case errors.As(err, &agreed):
		return &assurance.Refusal{Code: agreed.Code, Msg: agreed.Msg, Hint: agreed.Tip}
	case errors.As(err, &tree):
		return &assurance.Refusal{Code: string(tree.Code), Msg: tree.Msg, Hint: tree.Tip}
	case errors.As(err, &env):
		return &assurance.Refusal{Code: string(env.Code), Msg: env.Msg, Hint: env.Tip}
	case errors.As(err, &cold):
		return &assurance.Refusal{Code: coldCode(cold), Msg: cold.Error(), Hint: cold.Hint()}
	case errors.As(err, &fetchless):
		return &assurance.Refusal{Code: "fetch-failed", Msg: fetchless.Msg, Hint: fetchless.Hint()}
	case errors.As(err, &fenceless):
		return &assurance.Refusal{Code: "no-fence", Msg: fenceless.Error(), Hint: fenceless.Hint()}
	}
	return nil
}

// coldCode tells a closure that is not there from one that is not what its lock says.
func coldCode(c *warmup.NotWarm) string {
	if c.Changed {
		return "closure-mismatch"
	}
	return "not-warm"
}
