package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/mutate"
)

// Joint runs a stage's switched programs with many mutants in one process.
type Joint struct {
	Switched *Switched
	Page     string // file of the box in which the programs share the value
	Record   string // the value by which they note what runs
	Records  []string
}

// Program names the program that holds a test.
func (j *Joint) Program(test string) string { return j.Switched.plan.Program(test) }

// Joins reports whether the programs can run tests more than once in a process.
func (x *Switched) Joins() bool { return x.plan.Joint != nil }

// Repeat runs tests twice over, and returns what was noted before the first.
func (j *Joint) Repeat(ctx context.Context, tests []string, b mutate.Bounds) (unsteady []string, before mutate.Record, err error) {
	o := observe.JointOrder{Page: j.Page, Test: b.Test, Value: j.Record, Tests: tests, Records: j.Records}
	results, before, _, err := j.run(ctx, o, len(tests), b)
	if err != nil {
		return nil, before, err
	}
	for i, r := range results {
		if !r.Ended || r.Statuses[0] != observe.Passed || r.Statuses[1] != observe.Passed {
			unsteady = append(unsteady, tests[i])
		}
	}
	return unsteady, before, nil
}

// Try tries mutants one after another. Which of an entry's two values is the mutant's is drawn, and nothing in the box tells.
func (j *Joint) Try(ctx context.Context, entries []mutate.JointEntry, b mutate.Bounds) (out []mutate.JointOutcome, spent mutate.Spent, err error) {
	o := observe.JointOrder{Page: j.Page, Test: b.Test, Value: "0"}
	second := make([]bool, len(entries)) // the mutant's value is
	for i, e := range entries {
		values := [2]string{e.Value, e.Null}
		if second[i] = rand.IntN(2) == 1; second[i] {
			values = [2]string{e.Null, e.Value}
		}
		o.Entries = append(o.Entries, observe.JointEntry{Values: values, Tests: e.Tests})
	}
	results, _, spent, err := j.run(ctx, o, len(entries), b)
	if err != nil {
		return nil, spent, err
	}
	for i, r := range results {
		if !r.Begun || r.Test >= len(entries[i].Tests) {
			break
		}
		state := outcome(r, second[i])
		out = append(out, mutate.JointOutcome{State: state, Test: r.Test})
		if state == mutate.JointSpoiled || !r.Ended {
			break
		}
	}
	return out, spent, nil
}

// outcome judges the runs of the last test of an entry: the first and the third under one value, the second and the fourth under the other.
func outcome(r observe.JointResult, second bool) mutate.JointState {
	var with, without []observe.Status
	runs := 0
	for i, s := range r.Statuses {
		if s == "" {
			break
		}
		runs++
		if (i%2 == 1) == second {
			with = append(with, s)
		} else {
			without = append(without, s)
		}
	}
	all := func(list []observe.Status, want observe.Status) bool {
		return !slices.ContainsFunc(list, func(s observe.Status) bool { return s != want })
	}
	switch {
	case !all(without, observe.Passed):
		return mutate.JointSpoiled
	case r.Panicked && (runs%2 == 1) == second && runs > 0:
		return mutate.JointPanicked
	case !r.Ended:
		return mutate.JointEnded
	case runs == 4 && all(with, observe.Failed):
		return mutate.JointNoticed
	case runs == 2 && all(with, observe.Passed):
		return mutate.JointUnnoticed
	}
	return mutate.JointUnclear
}

// run carries an order out.
func (j *Joint) run(ctx context.Context, o observe.JointOrder, n int, b mutate.Bounds) (results []observe.JointResult, before mutate.Record, spent mutate.Spent, err error) {
	plan, err := j.Switched.plan.Joint(o)
	if err != nil {
		return nil, before, spent, err
	}
	maps.Copy(plan.Files, b.Lay)
	seen, err := j.Switched.stage.run(ctx, plan.Plan, Order{CPU: b.CPU, Wall: b.Wall})
	if err != nil {
		return nil, before, spent, err
	}
	r := seen.Trial()
	spent = mutate.Spent{CPU: r.CPU, Wall: r.Wall, Left: r.Left}
	if r.End == mutate.EndLost {
		return nil, before, spent, errors.New("the place where it ran gave out")
	}
	report, ok := seen.Box.Collected[plan.Report]
	if !ok {
		return nil, before, spent, fmt.Errorf("the process left no report (%s, exit status %d)", r.End, r.Exit)
	}
	before.Files = map[string][]byte{}
	for name, at := range plan.Before {
		if data, ok := seen.Box.Collected[at]; ok {
			before.Files[name] = data
		}
	}
	return plan.Results(report, n), before, spent, nil
}

var _ mutate.Joint = (*Joint)(nil)
