package mutate

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// finding is what one trial says about its mutant.
type finding struct {
	verdict Verdict
	reason  string
	killers []string // top-level tests and their subtests, sorted
	// doubt names the tests that have to fail again, alone, before the verdict becomes a kill; why says what is in
	// doubt, and verdict is what stands if they do not.
	doubt []string
	why   string

	spoiled string // why a forked session could not tell
	tier    Tier   // where it was asked in the end, where that is not where it was to be
}

const noneDecided = "no test passed or failed: all were skipped, or cannot kill"

// judge turns the result of a trial into a verdict. canKill says which tests count: those that pass on the clean tree
// and on the null mutant and are not quarantined. top gives the test that holds a subtest.
//
// The order of the rules matters: a build failure explains everything that follows it; a named failure is a kill
// unless the run was cut short, for a test may fail because its run is being ended; and what is left over is never a
// kill.
func judge(t Trial, r TrialResult, canKill func(string) bool, top func(string) string) finding {
	f := judgeEnd(t, r, canKill, top)
	if r.Spoiled != "" && f.verdict != Killed {
		return finding{verdict: NotRun, reason: r.Spoiled, spoiled: r.Spoiled}
	}
	if r.Excused && f.verdict != Killed {
		return finding{verdict: Survived, reason: "the run told of a failed build, and it builds: no test noticed the fault"}
	}
	return f
}

func judgeEnd(t Trial, r TrialResult, canKill func(string) bool, top func(string) string) finding {
	if r.BuildFailed {
		return finding{verdict: Unviable, reason: "does not build"}
	}
	var failed, open []string
	seen, passed := 0, 0
	for id, st := range r.Tests {
		seen++
		switch {
		case st == Passed:
			passed++
		case st == Failed && canKill(id):
			failed = append(failed, id)
		case st == Unfinished && canKill(id):
			open = append(open, id)
		}
	}
	sort.Strings(failed)
	sort.Strings(open)
	switch r.End {
	case EndLost:
		return finding{verdict: NotRun, reason: "the place where it ran gave out"}
	case EndTimeout, EndCPU:
		return cutShort(Hung, budgetReason(t, r), failed, top)
	case EndTurns:
		return cutShort(Hung, "a loop went round far more often than it does in all tests without the fault", failed, top)
	case EndMemory, EndProcesses, EndFiles, EndDisk:
		return cutShort(Exhausted, "used up its "+string(r.End), failed, top)
	case EndNoExit:
		if len(failed) > 0 {
			return finding{verdict: Killed, killers: failed}
		}
		return finding{verdict: Hung, reason: "all tests reported and the process did not exit"}
	case EndSignaled:
		return cutShort(Crashed, "died by a signal", failed, top)
	case EndExited:
	default:
		return finding{verdict: NotRun, reason: fmt.Sprintf("the runner reported an unknown end %q", r.End)}
	}
	if len(failed) > 0 {
		if r.Exit == 0 {
			return finding{verdict: Crashed, reason: "a test failed and the command exited with status 0"}
		}
		return finding{verdict: Killed, killers: failed}
	}
	if len(open) > 0 {
		return judgeOpen(r, open, top)
	}
	if missing := missingTests(t, r); len(missing) > 0 && seen > 0 {
		return finding{verdict: Crashed, reason: fmt.Sprintf("%s never reported", names(missing))}
	}
	if seen == 0 {
		if r.Exit == 0 {
			return finding{verdict: NotRun, reason: "no test reported"}
		}
		reason := fmt.Sprintf("exit status %d before any test reported", r.Exit)
		if t.Mutant != nil && t.Mutant.Origin == Revert {
			return finding{verdict: Unviable, reason: reason} // what every test loads asks for the code that was put back
		}
		return finding{verdict: Crashed, reason: reason}
	}
	if r.Exit != 0 && !anyFailed(r) {
		return finding{verdict: Crashed, reason: fmt.Sprintf("exit status %d, and no test failed", r.Exit)}
	}
	if passed == 0 {
		return finding{verdict: NotRun, reason: noneDecided}
	}
	reason := ""
	if r.Exit != 0 {
		reason = "only tests that cannot kill failed"
	}
	return finding{verdict: Survived, reason: reason}
}

// judgeOpen judges a process that died while tests were running. With one test running, that test is what noticed (a
// panic, also one in another goroutine, kills the binary); with several, each has to show it alone.
func judgeOpen(r TrialResult, open []string, top func(string) string) finding {
	tops := topsOf(open, top)
	if r.Exit == 0 {
		return finding{verdict: Crashed, reason: fmt.Sprintf("exit status 0 while %s was running", names(tops))}
	}
	if len(tops) == 1 {
		return finding{verdict: Killed, killers: open, reason: fmt.Sprintf("the process died while %s was running", tops[0])}
	}
	return finding{
		verdict: Crashed, reason: fmt.Sprintf("the process died while %s were running", names(tops)),
		doubt: tops, why: "several tests were running",
	}
}

// cutShort is a run that was ended from outside. A test that failed in it may have failed because of the ending, so
// it has to fail again alone.
func cutShort(v Verdict, reason string, failed []string, top func(string) string) finding {
	f := finding{verdict: v, reason: reason}
	if len(failed) > 0 {
		f.doubt, f.why = topsOf(failed, top), "the run was cut short"
	}
	return f
}

func budgetReason(t Trial, r TrialResult) string {
	if r.End == EndCPU && t.Each > 0 && r.CPU < t.CPU {
		return fmt.Sprintf("a test used more than its budget of %v CPU time", t.Each)
	}
	if r.End == EndCPU {
		return fmt.Sprintf("used more than its budget of %v CPU time", t.CPU)
	}
	return fmt.Sprintf("did not end within %v (used %v CPU time)", t.Wall, r.CPU.Round(1e6))
}

// missingTests returns the asked tests that did not report at all.
func missingTests(t Trial, r TrialResult) []string {
	var out []string
	for _, id := range t.Tests {
		if _, ok := r.Tests[id]; !ok {
			out = append(out, id)
		}
	}
	return out
}

func anyFailed(r TrialResult) bool {
	for _, st := range r.Tests {
		if st == Failed || st == Unfinished {
			return true
		}
	}
	return false
}

func topsOf(ids []string, top func(string) string) []string {
	var out []string
	for _, id := range ids {
		out = append(out, top(id))
	}
	sort.Strings(out)
	return slices.Compact(out)
}

// names lists a few ids and counts the rest.
func names(ids []string) string {
	if len(ids) <= 3 {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:3], ", "), len(ids)-3)
}
