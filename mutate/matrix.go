package mutate

import (
	"encoding/json"
	"slices"
	"sort"
)

// Cell is what one test said about one mutant.
type Cell string

const (
	CellKilled   Cell = "killed"
	CellPassed   Cell = "passed"
	CellNotAsked Cell = "not-asked"
)

// Matrix is the test by mutant matrix. It holds what was seen and nothing else: a test that was not run on a mutant,
// or that cannot kill there, is not-asked. It is not safe for concurrent use.
type Matrix struct {
	tests map[string]int32
	names []string
	rows  map[string]*row // by mutant
}

type row struct{ killed, passed []int32 }

func newMatrix() *Matrix {
	return &Matrix{tests: map[string]int32{}, rows: map[string]*row{}}
}

func (x *Matrix) set(test, mutant string, c Cell) {
	t, ok := x.tests[test]
	if !ok {
		t = int32(len(x.names))
		x.tests[test] = t
		x.names = append(x.names, test)
	}
	r := x.rows[mutant]
	if r == nil {
		r = &row{}
		x.rows[mutant] = r
	}
	r.killed, r.passed = without(r.killed, t), without(r.passed, t)
	switch c {
	case CellKilled:
		r.killed = append(r.killed, t)
	case CellPassed:
		r.passed = append(r.passed, t)
	}
}

// clear forgets everything about a mutant.
func (x *Matrix) clear(mutant string) { delete(x.rows, mutant) }

func without(s []int32, t int32) []int32 {
	return slices.DeleteFunc(s, func(x int32) bool { return x == t })
}

// Cell returns what test said about mutant, both by id.
func (x *Matrix) Cell(test, mutant string) Cell {
	t, ok := x.tests[test]
	r := x.rows[mutant]
	switch {
	case !ok || r == nil:
		return CellNotAsked
	case slices.Contains(r.killed, t):
		return CellKilled
	case slices.Contains(r.passed, t):
		return CellPassed
	}
	return CellNotAsked
}

// Killers returns the tests that killed mutant, sorted.
func (x *Matrix) Killers(mutant string) []string {
	if r := x.rows[mutant]; r != nil {
		return x.resolve(r.killed)
	}
	return nil
}

// asked returns the tests that ran on mutant and can kill it, in no order.
func (x *Matrix) asked(mutant string) []string {
	r := x.rows[mutant]
	if r == nil {
		return nil
	}
	return append(x.resolve(r.killed), x.resolve(r.passed)...)
}

// Kills counts the mutants that each test killed.
func (x *Matrix) Kills() map[string]int {
	out := map[string]int{}
	for _, r := range x.rows {
		for _, t := range r.killed {
			out[x.names[t]]++
		}
	}
	return out
}

func (x *Matrix) resolve(ts []int32) []string {
	var out []string
	for _, t := range ts {
		out = append(out, x.names[t])
	}
	sort.Strings(out)
	return out
}

type matrixRow struct {
	Killed []string `json:"killed,omitempty"`
	Passed []string `json:"passed,omitempty"`
}

// MarshalJSON writes, per mutant, who killed it and who passed; who is in neither list was not asked.
func (x *Matrix) MarshalJSON() ([]byte, error) {
	out := map[string]matrixRow{}
	for id, r := range x.rows {
		out[id] = matrixRow{x.resolve(r.killed), x.resolve(r.passed)}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (x *Matrix) UnmarshalJSON(b []byte) error {
	var in map[string]matrixRow
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	*x = *newMatrix()
	for id, r := range in {
		for _, t := range r.Killed {
			x.set(t, id, CellKilled)
		}
		for _, t := range r.Passed {
			x.set(t, id, CellPassed)
		}
	}
	return nil
}
