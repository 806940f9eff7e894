package mutate

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// doubleJoint stands in for programs that try several mutants: two of them, and fates says what becomes of a mutant's value there, each time
// that it is tried.
type doubleJoint struct {
	mu       sync.Mutex
	fates    map[string]JointOutcome // none = a test notices
	unsteady []string
	before   Record
	failing  error
	tried    [][]string // values, process by process
	repeated [][]string
	wrong    []string // what it should not have been asked
}

func (d *doubleJoint) Program(test string) string { return test[:1] }

func (d *doubleJoint) Repeat(_ context.Context, tests []string, _ Bounds) ([]string, Record, error) {
	d.repeated = append(d.repeated, tests)
	return d.unsteady, d.before, d.failing
}

func (d *doubleJoint) Try(_ context.Context, entries []JointEntry, _ Bounds) (out []JointOutcome, spent Spent, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var values []string
	used := map[string]bool{}
	for _, e := range entries {
		for _, t := range e.Tests {
			if !slices.ContainsFunc(d.repeated, func(seen []string) bool { return slices.Contains(seen, t) }) {
				d.wrong = append(d.wrong, t+" was never run twice")
			}
			if d.Program(t) != d.Program(entries[0].Tests[0]) {
				d.wrong = append(d.wrong, t+" is not of the program of "+entries[0].Tests[0])
			}
		}
		values = append(values, e.Value+":"+strings.Join(e.Tests, ","))
		for _, v := range []string{e.Value, e.Null} {
			if used[v] {
				d.wrong = append(d.wrong, v+" is used twice in one process")
			}
			used[v] = true
		}
	}
	d.tried = append(d.tried, values)
	for _, e := range entries {
		o, ok := d.fates[strings.TrimRight(e.Value, "+")]
		if !ok {
			o.State = JointNoticed
			if strings.HasPrefix(e.Value, "null") {
				o.State = JointUnnoticed
			}
		}
		out = append(out, o)
		if s := o.State; s == JointEnded || s == JointPanicked || s == JointSpoiled {
			break
		}
	}
	return out, Spent{CPU: time.Second}, nil
}

// joined is an engine with n mutants on a line that tests reach, all of them switched, and a function that the record counts.
func joined(n int, tests ...string) (*doubleRunner, *doubleJoint, Engine, []Mutant) {
	d, e := newDouble(clean(tests...)...)
	j := &doubleJoint{fates: map[string]JointOutcome{}}
	e.Reach, e.SwitchAll, e.Concurrency = &Reach{}, true, 1
	for i := range e.Clean {
		e.Clean[i].Wall = time.Duration(i+1) * time.Millisecond
		e.Reach.Add(e.Clean[i].ID, "f.go", line(1))
	}
	d.answer = func(tr Trial) (TrialResult, error) {
		if tr.Purpose == ForAudit && tr.Tier == T1 {
			return ends(tr, EndExited, 1, map[string]Status{tr.Tests[0]: Failed}), nil // what was noticed is noticed again
		}
		return allPass(tr), nil
	}
	switching(&e)
	plain := e.Switch
	f := Counted{Record: "notes", At: 1}
	e.Switch = func(ctx context.Context, ms []*Mutant) (*Switched, error) {
		sw, err := plain(ctx, ms)
		sw.Joint, sw.Functions, sw.Nulls = j, []Counted{f}, map[string][]string{}
		for i := range JointNulls {
			sw.Nulls["f.go"] = append(sw.Nulls["f.go"], "null"+strings.Repeat("+", i))
		}
		return sw, err
	}
	var ms []Mutant
	for i := range n {
		ms = append(ms, at(fmt.Sprintf("m%02d", i), 1))
		f.Mutants = append(f.Mutants, ms[i].ID)
	}
	j.before.Files = map[string][]byte{"notes": make([]byte, 8)}
	return d, j, e, ms
}

// jointly lists the mutants that joint processes noticed.
func jointly(rep *Report) (out []string) {
	for _, r := range rep.Results {
		if r.Joint {
			out = append(out, r.Mutant.ID)
		}
		if r.Joint && (r.Verdict != Killed || r.Tier != T2 || r.Trials != 1 || len(r.Killers) != 1) {
			out = append(out, fmt.Sprintf("%+v", r))
		}
	}
	slices.Sort(out)
	return out
}

func own(d *doubleRunner) (out []string) {
	for _, asked := range d.asked(ForMutant) {
		id, _, _ := strings.Cut(asked, ":")
		out = append(out, id)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// What a joint process notices is noticed. Whatever else becomes of a mutant there, it gets a process of its own.
func TestJointMutants(t *testing.T) {
	d, j, e, ms := joined(9, "A1", "A2") // the plan's order is 8 7 6 2 1 0 3 4 5
	j.fates["m07"] = JointOutcome{JointUnnoticed, 1}
	j.fates["m06"] = JointOutcome{JointUnclear, 0}
	j.fates["m02"] = JointOutcome{JointPanicked, 1}
	j.fates["m01"] = JointOutcome{JointEnded, 0}
	j.fates["m00"] = JointOutcome{JointSpoiled, 0}
	j.fates["m03"] = JointOutcome{JointEnded, 0}
	j.fates["m04"] = JointOutcome{JointNoticed, 1}
	rep := mustRun(t, e, ms...)
	if len(j.wrong) > 0 {
		t.Errorf("%q", j.wrong)
	}
	if got := jointly(rep); !slices.Equal(got, []string{"m02", "m04", "m05", "m08"}) {
		t.Errorf("noticed jointly: %q", got)
	}
	if got := own(d); !slices.Equal(got, []string{"m00", "m01", "m03", "m06", "m07"}) {
		t.Errorf("own processes: %q", got)
	}
	// After the panic its test is seen passing without the fault; each other end costs one mutant, and the rest go on.
	want := []string{"8 7 6 2 1 0 3 4 5", "null 1 0 3 4 5", "0 3 4 5", "3 4 5", "4 5"}
	var got []string
	for _, values := range j.tried {
		line := strings.Join(values, " ")
		got = append(got, strings.NewReplacer("m0", "", ":A1,A2", "", ":A2", "", "+", "").Replace(line))
	}
	if !slices.Equal(got, want) {
		t.Errorf("processes were\n%q, want\n%q", got, want)
	}
	for cell, state := range map[string]Cell{"A1 m08": CellKilled, "A2 m08": CellNotAsked, "A1 m04": CellPassed, "A2 m04": CellKilled, "A1 m02": CellPassed, "A2 m02": CellKilled} {
		test, m, _ := strings.Cut(cell, " ")
		if got := rep.Matrix.Cell(test, m); got != state {
			t.Errorf("%s is %s, want %s", cell, got, state)
		}
	}
	if !strings.Contains(strings.Join(rep.Facts, "\n"), "4 mutants were noticed in processes that tried several") {
		t.Errorf("facts %q", rep.Facts)
	}
	if len(rep.Audit) != 9 {
		t.Errorf("%d verdicts were audited", len(rep.Audit))
	}
}

// A panic after which the test fails without the fault as well was none of the fault's.
func TestPanicThatStays(t *testing.T) {
	d, j, e, ms := joined(8, "A1")
	j.fates["m03"], j.fates["null"] = JointOutcome{JointPanicked, 0}, JointOutcome{JointSpoiled, 0}
	rep := mustRun(t, e, ms...)
	if got := own(d); !slices.Equal(got, []string{"m03"}) || len(jointly(rep)) != 7 {
		t.Errorf("own processes: %q, %q", got, j.tried)
	}
}

// No process tries several mutants where it could tell itself from one of the mutant's own, or saves nothing.
func TestNothingIsTriedJointly(t *testing.T) {
	for name, change := range map[string]func(*doubleJoint, *Engine, *[]Mutant){
		"a test does something else the second time": func(j *doubleJoint, _ *Engine, _ *[]Mutant) { j.unsteady = []string{"A2"} },
		"the control cannot be run":                  func(j *doubleJoint, _ *Engine, _ *[]Mutant) { j.failing = errors.New("no report") },
		"the function ran before any test": func(j *doubleJoint, _ *Engine, _ *[]Mutant) {
			binary.LittleEndian.PutUint32(j.before.Files["notes"][4:], 1)
		},
		"what ran before is not known": func(j *doubleJoint, _ *Engine, _ *[]Mutant) { j.before.Files = nil },
		"nobody counts the function": func(_ *doubleJoint, e *Engine, _ *[]Mutant) {
			plain := e.Switch
			e.Switch = func(ctx context.Context, ms []*Mutant) (*Switched, error) {
				sw, err := plain(ctx, ms)
				sw.Functions = nil
				return sw, err
			}
		},
		"a test has flipped before": func(_ *doubleJoint, e *Engine, _ *[]Mutant) { e.Clean[1].Flipped = true },
		"each test takes longer than a start": func(_ *doubleJoint, e *Engine, _ *[]Mutant) {
			e.Clean[0].Wall, e.Clean[1].Wall = time.Second, time.Second
		},
		"the whole matrix is wanted": func(_ *doubleJoint, e *Engine, _ *[]Mutant) { e.Whole = true },
		"every kill is confirmed":    func(_ *doubleJoint, e *Engine, _ *[]Mutant) { e.ConfirmAll = true },
		"there are few":              func(_ *doubleJoint, _ *Engine, ms *[]Mutant) { *ms = (*ms)[:worthJoining-1] },
	} {
		d, j, e, ms := joined(10, "A1", "A2")
		change(j, &e, &ms)
		rep := mustRun(t, e, ms...)
		if got := jointly(rep); len(got) > 0 || len(j.tried) > 0 || len(own(d)) != len(ms) {
			t.Errorf("%s: %q are noticed jointly, in %q", name, got, j.tried)
		}
	}
}

// All tests of an entry are of one program, the one of the likeliest killer, and take less than a start in sum.
func TestTestsOfAnEntry(t *testing.T) {
	_, j, e, ms := joined(8, "A1", "B1", "A2", "A3", "A4")
	e.Clean[3].Wall, e.Clean[4].Wall = 4*time.Millisecond, 5*time.Millisecond
	for i := range ms {
		j.fates[ms[i].ID] = JointOutcome{JointUnnoticed, 2}
	}
	mustRun(t, e, ms...)
	if len(j.tried) != 1 || j.tried[0][0] != "m07:A1,A2,A3" || len(j.repeated) != 1 || !slices.Equal(j.repeated[0], []string{"A1", "A2", "A3"}) {
		t.Errorf("tried %q, repeated %q", j.tried, j.repeated)
	}
}

// Where processes do not live, the rest are tried alone.
func TestJointProcessesThatDie(t *testing.T) {
	d, j, e, ms := joined(20, "A1")
	for i := range ms {
		j.fates[ms[i].ID] = JointOutcome{JointEnded, 0}
	}
	rep := mustRun(t, e, ms...)
	if len(j.tried) != jointStarts || len(jointly(rep)) != 0 || len(own(d)) != 20 {
		t.Errorf("%d processes, %q", len(j.tried), own(d))
	}
}

// Who noticed something in a function goes first where that function is mutated again, then who noticed most, then who is quickest.
func TestKillersOfTheFunctionFirst(t *testing.T) {
	r := run{suite: newSuite(clean("A", "B", "C", "D")), kills: map[kill]int{}}
	here, there := &Mutant{File: "f.go", Func: "Here"}, &Mutant{File: "f.go", Func: "There"}
	for mutant, killers := range map[*Mutant][]string{here: {"C"}, there: {"D", "D"}} {
		for _, k := range killers {
			r.remember(mutant, []string{k})
		}
	}
	r.remember(there, []string{"D"})
	for _, tt := range []struct {
		m    *Mutant
		want string
	}{{here, "C D A B"}, {there, "D C A B"}, {&Mutant{File: "g.go", Func: "Here"}, "D C A B"}, {nil, "D C A B"}} {
		if got := strings.Join(r.order([]string{"A", "B", "C", "D"}, tt.m), " "); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.m, got, tt.want)
		}
	}
}

// A mutant stays in the program that it was put into, also when a test of another one has noticed more by then, and no test comes in that was
// not run twice.
func TestJointProgramsStayApart(t *testing.T) {
	_, j, e, ms := joined(120, "A1", "B1", "A2", "B2", "A3")
	for i := range e.Clean {
		e.Clean[i].Wall = time.Duration(2+i) * time.Millisecond
	}
	// Half of the mutants are reached by tests of B first, and then by those of A.
	e.Reach = &Reach{}
	for i := range ms {
		ms[i].Line, ms[i].Reach, ms[i].Offset = 1+i%2, Range{1 + i%2, 1 + i%2}, 4*(i%2)
	}
	for _, id := range []string{"A1", "A2", "A3"} {
		e.Reach.Add(id, "f.go", line(1))
	}
	for _, id := range []string{"B1", "A2", "B2", "A3"} {
		e.Reach.Add(id, "f.go", line(2))
	}
	for i := range ms {
		if i%2 == 0 {
			j.fates[ms[i].ID] = JointOutcome{JointNoticed, 1} // A2 notices most, and goes first from then on
		}
	}
	rep := mustRun(t, e, ms...)
	for _, values := range j.tried {
		for _, v := range values {
			var n int
			var tests string
			if fmt.Sscanf(v, "m%d:%s", &n, &tests); n%2 == 1 && tests != "B1,B2" && tests != "B2,B1" {
				t.Errorf("a mutant of the second program is tried by %s", v)
			}
		}
	}
	if len(j.wrong) > 0 || len(j.repeated) != 2 || len(jointly(rep)) != 120 {
		t.Errorf("%q, repeated %q, %d noticed", j.wrong, j.repeated, len(jointly(rep)))
	}
}
