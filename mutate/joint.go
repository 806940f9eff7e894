package mutate

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"time"
)

// Joint runs many mutants of T2 in one process, one after another: what costs most of a short trial is the start of its process. It
// only ever finds kills. Every other mutant gets the process of its own that it would have had.
//
// A kill is believed where one test fails with the fault and passes without it, in turns and twice each, one directly after the other. So
// neither what earlier mutants left in the process nor a test that cannot be run twice makes one. The process is not told which of two
// values is the fault's, and no other entry has either of them. What could still tell such a
// process from one of the mutant's own is what the code keeps from one run of a test to the next (a cache that was filled without the
// fault, say). So [run.joint] has all tests run twice over in one process first, without a fault: every function and block that holds
// mutants has to be entered as often the second time, test by test. And mutants of functions that ran before any test did, when the
// package was set up, are left out.
type Joint interface {
	// Program names the process that a test runs in; mutants are tried by the tests of one.
	Program(test string) string
	// Repeat runs tests twice over on the code as it is and says which of them did not do the same, and what had been noted before the
	// first began: one record, as recorded runs leave them.
	Repeat(ctx context.Context, tests []string, b Bounds) (unsteady []string, before Record, err error)
	// Try tries mutants in order, until the process ends; what it did not come to has no outcome.
	Try(ctx context.Context, entries []JointEntry, b Bounds) ([]JointOutcome, Spent, error)
}

// JointEntry is one mutant for a joint process: the value that selects it, one that selects copies of its file's code that change nothing,
// and tests, in order, of one program.
type JointEntry struct {
	Value, Null string
	Tests       []string
}

// Bounds are what a whole process may use, and one test.
type Bounds struct {
	CPU, Wall, Test time.Duration
	Lay             map[string][]byte // what it finds beside the value, so that loops are ended; by absolute path
}

// Spent is what it used.
type Spent struct {
	CPU, Wall time.Duration
	Left      int // processes that were still there when it had ended
}

// JointOutcome is what became of one entry.
type JointOutcome struct {
	State JointState
	Test  int // index of the test that State speaks of
}

// JointState says how far an entry came.
type JointState byte

const (
	JointEnded     JointState = iota + 1 // the process ended while it was tried
	JointPanicked                        // the same, by a panic of a test with the fault in it, which had passed without it directly before
	JointNoticed                         // a test fails with it and passes without it
	JointUnnoticed                       // all tests passed with it
	JointUnclear                         // a test neither passed nor failed
	JointSpoiled                         // a test does not pass without the fault: the process says nothing more
)

// Counted is a function whose runs a record counts, in one word.
type Counted struct {
	Record  string
	At      int
	Mutants []string
}

// ran reports whether the function had run when the record was taken; where there is none, it may have.
func (c *Counted) ran(rec Record) bool {
	data, ok := rec.Files[c.Record]
	return !ok || 4*c.At+4 > len(data) || binary.LittleEndian.Uint32(data[4*c.At:]) > 0
}

const (
	// jointWall bounds, in sum, the tests that a joint process asks about one mutant: those that live through them run them again in a
	// process of their own, which costs two or three times that to start.
	jointWall = 8 * time.Millisecond
	// jointSize is how many mutants a joint process is started with: the next ones are asked of the tests that killed most by then.
	jointSize = 40
	// jointStarts bounds the processes that such a number is worth, over those in which a mutant was noticed by a panic.
	jointStarts = 6
	// JointNulls is how many values of a file change nothing: an entry uses two at most.
	JointNulls = 2 * jointSize
	// jointFloor is the least that a test gets in a joint process before it is ended.
	jointFloor = 3 * time.Second
)

// joint gives verdicts to mutants of T2 that a test notices in a process that tries several.
func (r *run) joint(ctx context.Context) {
	sw := r.switched
	if sw == nil || sw.Joint == nil || r.Whole || r.ConfirmAll {
		return
	}
	byProgram := map[string][]int{}
	var programs []string
	for i := range r.results {
		if tests := r.jointTests(&r.results[i], ""); len(tests) > 0 {
			p := sw.Joint.Program(tests[0])
			if byProgram[p] == nil {
				programs = append(programs, p)
			}
			byProgram[p] = append(byProgram[p], i)
		}
	}
	n := 0
	for _, p := range programs {
		if at := byProgram[p]; len(at) >= worthJoining && r.stop(ctx) == "" {
			n += r.joinProgram(ctx, p, at)
		}
	}
	if n > 0 {
		r.facts = append(r.facts, fmt.Sprintf("%d mutants were noticed in processes that tried several, each by a test that fails with it and passes without it, in turns", n))
	}
}

// worthJoining is the number of mutants of one program from which joint processes save more than the control costs.
const worthJoining = 8

// jointTests are the tests that a joint process asks about a mutant, likeliest killer first, all of one program ("" = that of the first);
// nil = it gets its own. As kills come in, the order changes, and no test comes in that [Joint.Repeat] has not seen: the quickest are
// taken until their time is up, and a killer was among them before.
func (r *run) jointTests(res *Result, program string) (out []string) {
	if res.Verdict != "" || res.Tier != T2 || len(res.Asked) == 0 || slices.ContainsFunc(res.Asked, r.flipped) {
		return nil
	}
	fails := r.state(nullKey{res.Mutant.File, T2}).snapshot().fails
	sum := time.Duration(0)
	for _, t := range r.order(res.Asked, &res.Mutant) {
		wall := r.suite.tests[t].Wall
		switch p := r.switched.Joint.Program(t); {
		case fails[t]:
			continue
		case program == "":
			program = p
		case p != program:
			continue
		}
		if sum += wall; sum > jointWall {
			break
		}
		out = append(out, t)
	}
	return out
}

// joinProgram tries mutants of one program, and returns how many were noticed.
func (r *run) joinProgram(ctx context.Context, program string, mutants []int) (noticed int) {
	tests := r.askedBy(program, mutants)
	unsteady, before, err := r.switched.Joint.Repeat(ctx, tests, r.jointBounds(2, tests))
	switch {
	case ctx.Err() != nil:
		return 0
	case err != nil:
		r.facts = append(r.facts, "no process tried several mutants: "+err.Error())
		return 0
	case len(unsteady) > 0:
		r.facts = append(r.facts, fmt.Sprintf("no process tried several mutants of the program of %s, which does not do the same when it is run again", names(unsteady)))
		return 0
	}
	early := map[string]bool{}
	counted := map[string]bool{}
	for i := range r.switched.Functions {
		f := &r.switched.Functions[i]
		ran := f.ran(before)
		for _, id := range f.Mutants {
			early[id], counted[id] = ran, true
		}
	}
	mutants = slices.DeleteFunc(mutants, func(i int) bool {
		id := r.results[i].Mutant.ID
		return !counted[id] || early[id]
	})
	parts := slices.Collect(slices.Chunk(mutants, jointSize))
	found := make([]int, len(parts))
	r.each(len(parts), func(i int) { found[i] = r.joinSome(ctx, program, parts[i]) })
	for _, n := range found {
		noticed += n
	}
	return noticed
}

// askedBy are the tests that joint processes ask about some mutants, quickest first.
func (r *run) askedBy(program string, mutants []int) []string {
	set := map[string]bool{}
	for _, i := range mutants {
		for _, t := range r.jointTests(&r.results[i], program) {
			set[t] = true
		}
	}
	var out []string
	for t := range set {
		out = append(out, t)
	}
	slices.Sort(out)
	return r.order(out, nil)
}

// jointBounds are those of a process that runs each of the tests so many times.
func (r *run) jointBounds(times int, tests []string) Bounds {
	cpu, wall := r.suite.sum(tests)
	most := time.Duration(0)
	for _, t := range tests {
		most = max(most, r.suite.tests[t].Wall)
	}
	f := time.Duration(times * r.limits.Factor)
	return Bounds{CPU: r.limits.FloorCPU + f*cpu, Wall: r.limits.FloorWall + f*wall, Test: jointFloor + time.Duration(r.limits.Factor)*most, Lay: r.turns}
}

// A joining is one mutant on its way through joint processes.
type joining struct {
	result   int
	entry    JointEntry
	panicked string // the test that it panicked in, which has to be seen passing once more
}

// joinSome tries some mutants in as many processes as it takes, and returns how many were noticed.
func (r *run) joinSome(ctx context.Context, program string, mutants []int) (noticed int) {
	var left []joining
	for _, i := range mutants {
		res := &r.results[i]
		r.mu.Lock()
		m := res.Mutant
		r.mu.Unlock()
		left = append(left, joining{result: i, entry: JointEntry{Value: r.switched.Value[m.ID], Tests: r.jointTests(res, program)}})
	}
	nulls := map[string]int{}
	null := func(j joining) string {
		file := r.results[j.result].Mutant.File
		nulls[file]++
		return r.switched.Nulls[file][nulls[file]%JointNulls]
	}
	for starts := 0; len(left) > 0 && starts < jointStarts && r.stop(ctx) == ""; starts++ {
		var entries []JointEntry
		var asked []string
		for _, j := range left {
			e := j.entry
			if e.Null = null(j); j.panicked != "" {
				e.Value, e.Tests = null(j), []string{j.panicked}
			}
			entries = append(entries, e)
			asked = append(asked, e.Tests...)
		}
		outcomes, spent, err := r.switched.Joint.Try(ctx, entries, r.jointBounds(4, asked))
		r.mu.Lock()
		r.trials, r.spent, r.left = r.trials+1, r.spent+spent.CPU, r.left+spent.Left
		r.mu.Unlock()
		if err != nil || len(outcomes) == 0 {
			return noticed
		}
		share := Spent{CPU: spent.CPU / time.Duration(len(outcomes)), Wall: spent.Wall / time.Duration(len(outcomes))}
		var again []joining
		for k, o := range outcomes {
			j := left[k]
			switch {
			case o.State == JointNoticed && j.panicked == "":
				r.noticed(j, j.entry.Tests[o.Test], share)
				noticed++
			case o.State == JointUnnoticed && j.panicked != "":
				r.noticed(j, j.panicked, share)
				noticed++
			case o.State == JointPanicked && j.panicked == "":
				j.panicked = j.entry.Tests[o.Test]
				again = append(again, j)
				starts-- // this is what a process of its own would have cost
			}
		}
		left = append(again, left[len(outcomes):]...)
	}
	return noticed
}

// noticed gives a mutant its verdict.
func (r *run) noticed(j joining, test string, spent Spent) {
	r.mu.Lock()
	res := r.results[j.result]
	r.mu.Unlock()
	res.Verdict, res.Joint, res.Killers, res.Trials = Killed, true, []string{test}, 1
	res.CPU, res.Wall = spent.CPU, spent.Wall
	r.remember(&res.Mutant, res.Killers)
	r.keep(&res, false)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.results[j.result] = res
	for _, t := range j.entry.Tests {
		if t == test {
			r.matrix.set(t, res.Mutant.ID, CellKilled)
			return
		}
		r.matrix.set(t, res.Mutant.ID, CellPassed)
	}
}
