package observe

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Session folds the records that came so far. Tests that are running are unfinished in it.
func (c *Collector) Session() *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &Session{
		Problems: slices.Clone(c.problems),
		Lost:     c.lost,
		Records:  c.records,
		Expected: c.opts.ExpectKnown,
	}
	parts := make(map[string]*Test)
	for _, t := range c.tests {
		test := t.fold()
		if t.canary {
			if t.Parent == "" {
				s.Canaries = append(s.Canaries, test)
			}
			continue
		}
		s.Tests = append(s.Tests, test)
	}
	byID := func(a, b Test) int { return cmp.Compare(a.ID, b.ID) }
	slices.SortFunc(s.Tests, byID)
	slices.SortFunc(s.Canaries, byID)
	for i := range s.Tests {
		parts[s.Tests[i].ID] = &s.Tests[i]
	}
	for i := range s.Tests {
		c.countPart(s, parts, &s.Tests[i])
	}
	for _, u := range c.units {
		s.Units = append(s.Units, c.foldUnit(u))
	}
	slices.SortFunc(s.Units, func(a, b Unit) int { return cmp.Compare(a.ID, b.ID) })
	if n := c.unsaid; n > 0 {
		s.Problems = append(s.Problems, fmt.Sprintf("and %d more", n))
	}
	return s
}

func (t *testState) fold() Test {
	test := t.Test
	test.Attempts = slices.Clone(t.Attempts)
	open := t.fresh
	if open == "" {
		open = Unfinished
	}
	switch {
	case t.opens > 0 && open.worse(test.Status):
		test.Status = open
	case test.Status == "":
		test.Status = Unfinished
	}
	test.Ended = t.opens == 0 && len(t.Attempts) >= min(t.Runs, maxAttempts) && !slices.Contains(t.Attempts, Unfinished)
	return test
}

// countPart adds a test to the counts of all tests that it is a part of.
func (c *Collector) countPart(s *Session, byID map[string]*Test, t *Test) {
	depth := 0
	for up := byID[t.Parent]; t.Parent != "" && up != nil && depth < maxName; up = byID[up.Parent] {
		up.Parts++
		if t.Status == Skipped {
			up.PartsSkipped++
		}
		if t.Status == Failed && up.Status == Passed && len(s.Problems) < maxProblems {
			s.Problems = append(s.Problems, fmt.Sprintf("%s passed although its part %s failed", clip(up.ID), clip(t.ID)))
		}
		if up.Parent == "" {
			break
		}
		depth++
	}
}

func (c *Collector) foldUnit(u *unitState) Unit {
	unit := u.Unit
	unit.Ended = u.Started && u.ended == u.Processes
	unit.Listed = c.sortedNames(u.ID, u.listed)
	unit.Left = c.sortedNames(u.ID, u.left)
	for _, name := range unit.Listed {
		if !u.ran[name] {
			unit.NotRun = append(unit.NotRun, c.opts.Join(u.ID, name))
		}
	}
	for _, name := range c.opts.Source[u.ID] {
		if u.Started && !u.listed[name] && !u.left[name] {
			unit.Unlisted = append(unit.Unlisted, c.opts.Join(u.ID, name))
		}
	}
	for _, name := range c.opts.Asked[u.ID] {
		if u.Started && !u.listed[name] {
			unit.Hidden = append(unit.Hidden, c.opts.Join(u.ID, name))
		}
	}
	return unit
}

// sortedNames leaves the canaries out: they are Lane's, not the suite's.
func (c *Collector) sortedNames(unit string, set map[string]bool) []string {
	var names []string
	for name := range set {
		if !c.canaries[c.opts.Join(unit, name)] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Find returns the test with an id, or nil.
func (s *Session) Find(id string) *Test {
	i, ok := slices.BinarySearchFunc(s.Tests, id, func(t Test, id string) int { return strings.Compare(t.ID, id) })
	if !ok {
		return nil
	}
	return &s.Tests[i]
}

// Unit returns the unit with an id, or nil.
func (s *Session) Unit(id string) *Unit {
	i, ok := slices.BinarySearchFunc(s.Units, id, func(u Unit, id string) int { return strings.Compare(u.ID, id) })
	if !ok {
		return nil
	}
	return &s.Units[i]
}

// CanariesUnseen returns those canaries that were not seen failing, with what was seen of them instead ("" for nothing).
func (s *Session) CanariesUnseen(planned []Canary) map[Canary]Status {
	unseen := make(map[Canary]Status)
	for _, k := range planned {
		i := slices.IndexFunc(s.Canaries, func(t Test) bool { return t.ID == k.ID })
		switch {
		case i < 0:
			unseen[k] = ""
		case s.Canaries[i].Status != Failed:
			unseen[k] = s.Canaries[i].Status
		}
	}
	return unseen
}

// Complete reports whether every expected unit began, every unit that began ended and every test that began ended.
func (s *Session) Complete() bool {
	for _, u := range s.Units {
		if u.Silent() || u.Started && !u.Ended {
			return false
		}
	}
	for _, t := range s.Tests {
		if !t.Ended {
			return false
		}
	}
	return !s.Lost && s.Records > 0
}
