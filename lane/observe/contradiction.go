package observe

import (
	"fmt"
	"slices"
)

// ContradictionKind names one way in which the records and the end of the process disagree.
type ContradictionKind string

// The kinds. Those that hide bad news behind exit status 0 are a sign of tampering. The last two are red without a failed test: a reason to
// say no, and no sign of tampering by themselves.
const (
	ZeroButFailed     ContradictionKind = "zero-but-failed"     // exit status 0, and a test failed
	ZeroButUnfinished ContradictionKind = "zero-but-unfinished" // exit status 0, and a test began without an end
	ZeroButNoEnd      ContradictionKind = "zero-but-no-end"     // exit status 0, and a unit began without an end
	ZeroButSilent     ContradictionKind = "zero-but-silent"     // exit status 0, and an expected unit never reported
	ZeroButUnitFailed ContradictionKind = "zero-but-unit-failed"
	ZeroButNotRun     ContradictionKind = "zero-but-not-run"  // exit status 0, and a listed test never began
	ZeroButUnlisted   ContradictionKind = "zero-but-unlisted" // exit status 0, and a test of the source was not listed
	UnitZeroButFailed ContradictionKind = "unit-zero-but-failed"
	RedButGreen       ContradictionKind = "red-but-green"      // exit status not 0, and all that was expected passed
	UnitRedButGreen   ContradictionKind = "unit-red-but-green" // a unit ended in failure, and all of its tests passed
)

// A Contradiction is a fact about a session and the end of its process that cannot both be the whole truth.
type Contradiction struct {
	Kind ContradictionKind
	Unit string // where one is concerned
	Test string // id, where one is concerned
	Text string // for a person
}

// Hides reports whether the contradiction makes bad news look green.
func (c Contradiction) Hides() bool { return c.Kind != RedButGreen && c.Kind != UnitRedButGreen }

// Contradictions compares the session with the end of its process. Canaries count as the tests that they are: a session whose
// canary failed must not exit with 0.
func (s *Session) Contradictions(end End) []Contradiction {
	var found []Contradiction
	zero := end.Exited && end.Code == 0
	add := func(kind ContradictionKind, unit, test, format string, args ...any) {
		found = append(found, Contradiction{kind, unit, test, fmt.Sprintf(format, args...)})
	}
	failed := make(map[string]string) // unit to its first test without success
	for _, t := range slices.Concat(s.Tests, s.Canaries) {
		if t.Status != Failed && t.Status != Unfinished {
			continue
		}
		if failed[t.Unit] == "" {
			failed[t.Unit] = t.ID
		}
		switch {
		case zero && t.Status == Failed:
			add(ZeroButFailed, t.Unit, t.ID, "exit status 0 although %s failed", t.ID)
		case zero:
			add(ZeroButUnfinished, t.Unit, t.ID, "exit status 0 although %s never ended", t.ID)
		}
	}
	green := len(failed) == 0 && s.Records > 0
	for _, u := range s.Units {
		green = green && !u.Silent() && u.Exit == 0 && (u.Ended || !u.Started)
		unitContradictions(u, zero, failed[u.ID], add)
	}
	if end.Exited && end.Code != 0 && green {
		add(RedButGreen, "", "", "exit status %d although everything that was expected passed", end.Code)
	}
	return found
}

type addContradiction func(kind ContradictionKind, unit, test, format string, args ...any)

func unitContradictions(u Unit, zero bool, failed string, add addContradiction) {
	switch {
	case u.Ended && u.Exit == 0 && failed != "":
		add(UnitZeroButFailed, u.ID, failed, "%s ended with code 0 although %s did not pass", u.ID, failed)
	case u.Ended && u.Exit != 0 && failed == "":
		add(UnitRedButGreen, u.ID, "", "%s ended with code %d although none of its tests failed", u.ID, u.Exit)
	}
	if !zero {
		return
	}
	switch {
	case u.Silent():
		add(ZeroButSilent, u.ID, "", "exit status 0 although %s never reported", u.ID)
	case u.Started && !u.Ended:
		add(ZeroButNoEnd, u.ID, "", "exit status 0 although %s never reported its end", u.ID)
	case u.Exit != 0:
		add(ZeroButUnitFailed, u.ID, "", "exit status 0 although %s ended with code %d", u.ID, u.Exit)
	}
	for _, id := range u.Unlisted {
		add(ZeroButUnlisted, u.ID, id, "exit status 0 although %s is in the source and was neither listed nor left out", id)
	}
	if u.FailFast {
		return
	}
	for _, id := range u.NotRun {
		add(ZeroButNotRun, u.ID, id, "exit status 0 although %s was listed and never began", id)
	}
}
