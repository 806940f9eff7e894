package mutate

import (
	"slices"
	"sort"
	"time"
)

// suite is what the clean runs told about the tests.
type suite struct {
	tests map[string]CleanTest
	tops  []string // top-level tests that may be asked, sorted
}

func newSuite(clean []CleanTest) suite {
	s := suite{tests: map[string]CleanTest{}}
	for _, t := range clean {
		s.tests[t.ID] = t
	}
	for _, t := range clean {
		if s.top(t.ID) == t.ID && s.canKill(t.ID) {
			s.tops = append(s.tops, t.ID)
		}
	}
	sort.Strings(s.tops)
	s.tops = slices.Compact(s.tops)
	return s
}

// top returns the test that holds a subtest: the shortest known id of which it is a part. A test that is no part of
// another is its own. A part begins with a slash (Go), a bracket (pytest) or a blank (unittest); where a clean run knows the test, and
// what it is a part of, that counts instead.
func (s suite) top(id string) string {
	if t := s.tests[id].Top; t != "" {
		return t
	}
	for i := range len(id) {
		if id[i] == '/' || id[i] == '[' || id[i] == ' ' {
			if _, ok := s.tests[id[:i]]; ok {
				return id[:i]
			}
		}
	}
	return id
}

// canKill reports whether a test's failure means something: it passes on the clean tree, and neither it nor the test
// that holds it is quarantined.
func (s suite) canKill(id string) bool {
	t, ok := s.tests[id]
	return ok && t.Status == Passed && !t.Quarantined && !s.tests[s.top(id)].Quarantined
}

func (s suite) usable() []string { return s.tops }

// sum adds up what the tests used on clean runs; nil = all of them.
func (s suite) sum(tests []string) (cpu, wall time.Duration) {
	if tests == nil {
		for id, t := range s.tests {
			if s.top(id) == id {
				cpu, wall = cpu+t.CPU, wall+t.Wall
			}
		}
		return cpu, wall
	}
	for _, id := range tests {
		cpu, wall = cpu+s.tests[id].CPU, wall+s.tests[id].Wall
	}
	return cpu, wall
}

// budget implements the formula at Limits.
func (l Limits) budget(s suite, tests []string, n *nullState) (cpu, wall time.Duration) {
	c, w := s.sum(tests)
	f := time.Duration(l.Factor)
	return l.FloorCPU + 3*n.buildCPU + f*c, l.FloorWall + 5*n.buildWall + f*w
}
