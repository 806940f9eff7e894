package mutate

import (
	"context"
	"time"
)

// Engine tries the mutants of a plan. Runner and Source are needed; the zero value of everything else works. An
// Engine is a description: Run may be called several times.
type Engine struct {
	Runner Runner
	// Source returns a file of the head tree, and nil without an error where head has none. It may be called from
	// several goroutines.
	Source func(path string) ([]byte, error)
	// Clean holds every test as it ended on the clean tree, subtests included. A test that is not here cannot kill.
	Clean []CleanTest
	// Reach is the coverage of each test; nil = unknown, every mutant is tried with the whole command.
	Reach *Reach
	// Told says that the code itself told what tests reach, in runs on a tree that was changed for it. A sample of what nobody noticed is
	// tried again by the whole command then.
	Told bool
	// Select says that the runner can run chosen tests alone. Without it everything is T0.
	Select bool
	// Judge names the tests that have to show that they bite; nil = none.
	Judge []string
	// Criteria whose tests have to kill a mutant of their code.
	Criteria []Criterion
	// Canary returns the file in a form that no program survives which uses it, so that a run which does not notice
	// shows that the file is not the one under test; nil, or false = there is no such form.
	Canary func(path string, src []byte) ([]byte, bool)
	// Blind says why a failed test of a mutant of a file proves nothing: nobody knows whether it compiled. Such a kill is not claimed.
	// "" = it does prove it; nil = it always does.
	Blind func(path string) string

	// Switch builds mutants into one program (T2), or loads them into one session (T3), where the runner takes trials with a Switch.
	// Of those that it leaves out each has a run of its own; an error leaves out all. nil = there is neither.
	Switch func(ctx context.Context, ms []*Mutant) (*Switched, error)
	// SwitchAll uses Switch also for a few mutants, where the audit of all of them costs more than it saves.
	SwitchAll bool
	// AskAll has Switch take also mutants of which nobody knows what tests reach them, as of initial values that no coverage knows of. All
	// tests are asked of those.
	AskAll bool

	// Equivalent returns, by id, those of some mutants that are proven to be the same program as the original. It is asked about survivors.
	// nil = nobody can tell.
	Equivalent func(ctx context.Context, ms []*Mutant) (map[string]bool, error)

	// Whole asks every test that reaches a mutant, also after one has failed: then the matrix says who else notices.
	Whole bool
	// Cache holds verdicts of earlier runs; nil = every mutant is tried.
	Cache *Cache
	// Tier is the only one that is used; a mutant that it cannot try is not-run. "" = the quickest for each mutant.
	Tier Tier

	Concurrency int    // trials at once; 0 = 2
	Budget      Budget // of the whole run; zero = none
	Limits      Limits // of one trial
	// ConfirmAll makes every killer fail a second time. Otherwise only kills in doubt are confirmed: by a test that
	// has flipped, by one that does not reach the mutant, or in a run that was cut short.
	ConfirmAll bool
	// OnEvent hears of progress; calls come one at a time. nil = nobody listens.
	OnEvent func(Event)
}

// Budget bounds a whole engine run. What it leaves out is not-run, for the reason "budget".
type Budget struct {
	Wall time.Duration // 0 = none
	CPU  time.Duration // 0 = none
}

// Limits makes the budget of one trial from what the selected tests used on clean runs:
//
//	CPU  = FloorCPU  + 3 x cost of building + Factor x CPU time of exactly the selected tests
//	Wall = FloorWall + 5 x cost of building + Factor x duration of exactly the selected tests
//
// where the cost of building is what the null mutant's run used beyond its tests. CPU time is what counts; wall time
// is a net for what waits for ever, wide enough for a machine that is busy. A run that it ends, and that was given less CPU time than building
// takes or was at work all along, is made once more with four times the wall time.
type Limits struct {
	FloorCPU  time.Duration // 0 = 5 s
	FloorWall time.Duration // 0 = 20 s
	Factor    int           // 0 = 10
	NullCPU   time.Duration // floor for null mutants, which are measured and not judged; 0 = 5 min
	NullWall  time.Duration // 0 = 10 min
}

func (l Limits) withDefaults() Limits {
	set := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	set(&l.FloorCPU, 5*time.Second)
	set(&l.FloorWall, 20*time.Second)
	set(&l.NullCPU, 5*time.Minute)
	set(&l.NullWall, 10*time.Minute)
	if l.Factor == 0 {
		l.Factor = 10
	}
	return l
}

// Event is one step of progress.
type Event struct {
	Kind    EventKind
	Result  *Result    // of EventMutant
	Control *Control   // of EventNull and EventCanary
	Test    *Judgement // of EventTest
	Bite    *Bite      // of EventCriterion
	Done    int        // mutants with a verdict so far
	Total   int        // mutants of the plan
}

// EventKind says what an Event tells.
type EventKind string

const (
	EventMutant    EventKind = "mutant"
	EventNull      EventKind = "null"
	EventCanary    EventKind = "canary"
	EventTest      EventKind = "test"
	EventCriterion EventKind = "criterion"
)
