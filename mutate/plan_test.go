package mutate

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
)

// spreadOut makes n mutants in each of some functions, each on a line of its own.
func spreadOut(file string, n int, funcs ...string) []Mutant {
	var out []Mutant
	for i, fn := range funcs {
		for j := range n {
			line := 10*i + j + 1
			out = append(out, Mutant{
				ID: NewID(file, fn, "op", j), File: file, Func: fn, Line: line, EndLine: line, Offset: 100*i + j, Operator: "op", Origin: Own,
			})
		}
	}
	return out
}

func lines(ms []Mutant) []int {
	var out []int
	for _, m := range ms {
		out = append(out, m.Line)
	}
	slices.Sort(out)
	return out
}

func TestPlanTakesTheChangedLines(t *testing.T) {
	ms := spreadOut("f.go", 5, "A", "B")
	p := NewPlan(ms, Scope{Changed: map[string][]Range{"f.go": {{2, 3}, {12, 12}, {14, 13}}}})
	if got := lines(p.Mutants); !slices.Equal(got, []int{2, 3, 12}) {
		t.Errorf("lines %v", got)
	}
	if p.OutOfScope != 7 || p.Candidates() != 10 || p.Population != 3 {
		t.Errorf("%d out of scope, %d candidates, population %d", p.OutOfScope, p.Candidates(), p.Population)
	}
	for _, m := range p.Mutants {
		if want := map[int]string{2: "f.go:2-3", 3: "f.go:2-3", 12: "f.go:12"}[m.Line]; m.Hunk != want {
			t.Errorf("line %d: hunk %q, want %q", m.Line, m.Hunk, want)
		}
	}
}

func TestPlanListsAridMutants(t *testing.T) {
	ms := spreadOut("f.go", 2, "A")
	ms[0].Arid = "log line"
	s := Scope{Changed: map[string][]Range{"f.go": {{1, 9}}}}
	if p := NewPlan(ms, s); len(p.Mutants) != 1 || len(p.Arid) != 1 {
		t.Errorf("%d mutants, %d arid", len(p.Mutants), len(p.Arid))
	}
	s.Arid = true
	if p := NewPlan(ms, s); len(p.Mutants) != 2 || len(p.Arid) != 0 {
		t.Errorf("by order: %d mutants, %d arid", len(p.Mutants), len(p.Arid))
	}
}

func TestPlanBuysTheMostFirst(t *testing.T) {
	ms := append(spreadOut("f.go", 4, "A", "B", "C"), spreadOut("q.go", 9, "Q", "R")...)
	s := Scope{
		Changed: map[string][]Range{"f.go": {{1, 99}}},
		Quota:   []Criterion{{ID: "AC-1", Files: []string{"q.go"}, N: 4}, {ID: "AC-2", Files: []string{"q.go", "f.go"}, N: 2}},
	}
	p := NewPlan(ms, s)
	var got []string
	for _, m := range p.Mutants {
		got = append(got, m.Func)
	}
	first := slices.Sorted(slices.Values(got[:3]))
	if !slices.Equal(first, []string{"A", "B", "C"}) {
		t.Errorf("first come %v, want one of each changed function", got[:3])
	}
	quota := map[string]int{}
	funcs := map[string]int{}
	for _, m := range p.Mutants[3:] {
		if m.File != "q.go" {
			break
		}
		funcs[m.Func]++
		for _, c := range m.Quota {
			quota[c]++
		}
	}
	if quota["AC-1"] != 4 || quota["AC-2"] != 2 {
		t.Errorf("quota %v, want 4 and 2", quota)
	}
	if funcs["Q"] == 0 || funcs["R"] == 0 {
		t.Errorf("the quota is not spread over functions: %v", funcs)
	}
	for _, m := range p.Mutants {
		if want := []string{"AC-2"}; m.File == "f.go" && !slices.Equal(m.Criteria, want) {
			t.Errorf("%s: criteria %v, want %v", m.File, m.Criteria, want)
		}
	}
}

// Viability is proven for what may be tried and for nothing else, and a quota is made of viable mutants.
func TestPlanProvesWhatItTakes(t *testing.T) {
	ms := append(spreadOut("f.go", 4, "A"), spreadOut("q.go", 40, "Q")...)
	asked := 0
	p := NewPlan(ms, Scope{
		Changed: map[string][]Range{"f.go": {{1, 99}}},
		Quota:   []Criterion{{ID: "AC", Files: []string{"q.go"}, N: 5}},
		Prove: func(ms []*Mutant) {
			for _, m := range ms {
				if asked++; m.Line%2 == 0 {
					m.Known = Unviable
				}
			}
		},
	})
	quota, unviable := 0, 0
	for _, m := range p.Mutants {
		if len(m.Quota) > 0 {
			quota++
		}
		if m.Known == Unviable {
			unviable++
		}
	}
	if quota != 5 || unviable != 2 || asked > 30 {
		t.Errorf("%d of the quota, %d unviable, %d proven", quota, unviable, asked)
	}
}

func TestPlanIsDeterministic(t *testing.T) {
	ms := append(spreadOut("f.go", 9, "A", "B"), spreadOut("q.go", 30, "Q")...)
	s := Scope{Changed: map[string][]Range{"f.go": {{1, 99}}}, Quota: []Criterion{{ID: "AC", Files: []string{"q.go"}}}, Sample: 6, Seed: 7}
	text := func(s Scope, ms []Mutant) string {
		b, err := json.Marshal(NewPlan(ms, s))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	a := text(s, ms)
	if a != text(s, ms) {
		t.Error("two plans from the same candidates differ")
	}
	reversed := slices.Clone(ms)
	slices.Reverse(reversed)
	if pa, pb := NewPlan(ms, s), NewPlan(reversed, s); fmt.Sprint(ids(pa)) != fmt.Sprint(ids(pb)) {
		t.Error("the plan depends on the order of the candidates")
	}
	s.Seed++
	if a == text(s, ms) {
		t.Error("another seed gives the same plan")
	}
}

func ids(p Plan) []string {
	var out []string
	for _, m := range p.Mutants {
		out = append(out, m.ID)
	}
	return out
}

func TestPlanSamples(t *testing.T) {
	ms := spreadOut("f.go", 9, "A", "B", "C", "D")
	ms = append(ms, Reverts([]FileChange{{Path: "f.go", Base: blob("a\n"), Head: blob("b\n")}})...)
	unviable := Mutant{ID: "unviable", File: "f.go", Known: Unviable, Offset: 999}
	p := NewPlan(append(ms, unviable), Scope{All: true, Sample: 10})
	if !p.Sampled || len(p.Mutants) != 11 || p.Unsampled != 27 || p.Population != 37 || p.Candidates() != 38 {
		t.Errorf("sampled %v: %d of %d, %d left out", p.Sampled, len(p.Mutants), p.Population, p.Unsampled)
	}
	seen := map[string]bool{}
	for _, m := range p.Mutants {
		seen[m.Func] = true
		seen[string(m.Origin)] = true
	}
	for _, want := range []string{"A", "B", "C", "D", "revert"} {
		if !seen[want] {
			t.Errorf("the sample has nothing of %s", want)
		}
	}
}

func TestPlanDropsDoubles(t *testing.T) {
	ms := spreadOut("f.go", 2, "A")
	twin := ms[0]
	twin.ID, twin.Origin = "other", Revert
	if p := NewPlan(append(ms, twin, ms[1]), Scope{All: true}); len(p.Mutants) != 2 {
		t.Errorf("%d mutants, want 2", len(p.Mutants))
	}
}

func TestGroupsNeedAKillOfLanesOwn(t *testing.T) {
	m := func(fn, hunk string, o Origin, v Verdict) Result {
		return Result{Mutant: Mutant{ID: fn + hunk + string(v), File: "f.go", Func: fn, Hunk: hunk, Origin: o}, Verdict: v}
	}
	quota := m("Q", "", Own, Killed)
	quota.Mutant.Quota = []string{"AC"}
	got := groups([]Result{
		m("A", "f.go:1", Own, Killed), m("A", "f.go:1", Own, Survived), m("A", "f.go:3", Plugin, Killed), m("B", "f.go:9", Own, Unviable), quota,
	})
	want := []Group{
		{Name: "function f.go A", Viable: 3, Killed: 2, OwnKilled: 1, Survivors: []string{"Af.go:1survived"}},
		{Name: "function f.go B"},
		{Name: "hunk f.go:1", Viable: 2, Killed: 1, OwnKilled: 1, Survivors: []string{"Af.go:1survived"}},
		{Name: "hunk f.go:3", Viable: 1, Killed: 1},
		{Name: "hunk f.go:9"},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v\nwant\n%+v", got, want)
	}
}

func TestScoreHasTwoBounds(t *testing.T) {
	var rs []Result
	for _, v := range Verdicts() {
		rs = append(rs, Result{Verdict: v})
	}
	s := NewScore(&Plan{}, rs)
	if s.Viable != 8 || s.Killed != 1 || s.Lower != 0.125 || s.Upper != 0.75 || s.Unclear != 4 {
		t.Errorf("%+v", s)
	}
	if got := s.String(); got != "1 of 8 killed (12 to 75 %)" {
		t.Errorf("%q", got)
	}
	for want, rs := range map[string][]Result{
		"no viable mutant":     {{Verdict: Unviable}},
		"1 of 2 killed (50 %)": {{Verdict: Killed}, {Verdict: Survived}},
	} {
		if got := NewScore(&Plan{}, rs).String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestMatrixSurvivesJSON(t *testing.T) {
	x := newMatrix()
	x.set("A", "m", CellKilled)
	x.set("B", "m", CellPassed)
	x.set("C", "m", CellPassed)
	x.set("C", "m", CellNotAsked)
	b, err := json.Marshal(x)
	if err != nil || string(b) != `{"m":{"killed":["A"],"passed":["B"]}}` {
		t.Fatalf("%s %v", b, err)
	}
	var y Matrix
	if err := json.Unmarshal(b, &y); err != nil {
		t.Fatal(err)
	}
	for test, want := range map[string]Cell{"A": CellKilled, "B": CellPassed, "C": CellNotAsked, "D": CellNotAsked} {
		if x.Cell(test, "m") != want || y.Cell(test, "m") != want {
			t.Errorf("%s: %s and %s, want %s", test, x.Cell(test, "m"), y.Cell(test, "m"), want)
		}
	}
	if got := x.Kills(); got["A"] != 1 || got["B"] != 0 {
		t.Errorf("kills %v", got)
	}
}
