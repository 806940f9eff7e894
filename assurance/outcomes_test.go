package assurance_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vallane/lane/assurance"
	at "github.com/vallane/lane/assurance/assurancetest"
)

var heads = []string{at.HeadPlain, at.HeadOrder, at.HeadZone}

// everywhere sets a test's status in every head run, and the exit status that honest runs then have.
func everywhere(test string, status assurance.TestStatus) func(*assurance.Evidence) {
	return func(e *assurance.Evidence) {
		for _, id := range heads {
			at.Set(e.Observations[id], test, status, "want 1, got 2")
			if status == assurance.TestFailed || status == assurance.TestUnfinished {
				e.Observations[id].Run.Exit = 1
			}
		}
	}
}

func end(run string, end assurance.End) func(*assurance.Evidence) {
	return func(e *assurance.Evidence) {
		r := e.Observations[run].Run
		r.End, r.Exit = end, 0
	}
}

func both(edits ...func(*assurance.Evidence)) func(*assurance.Evidence) {
	return func(e *assurance.Evidence) {
		for _, f := range edits {
			f(e)
		}
	}
}

// silent makes a run show nothing at all.
func silent(run string, exit int) func(*assurance.Evidence) {
	return func(e *assurance.Evidence) {
		r := e.Observations[run].Run
		r.Exit, r.Tests = exit, nil
		for i := range r.Units {
			r.Units[i].Started, r.Units[i].Ended = false, false
		}
	}
}

// exits sets the exit status of every head run.
func exits(status int) func(*assurance.Evidence) {
	return func(e *assurance.Evidence) {
		for _, id := range heads {
			e.Observations[id].Run.Exit = status
		}
	}
}

// optional makes a plan that requires no test.
func optional(e *assurance.Evidence) {
	for i := range e.Plan.Tests {
		e.Plan.Tests[i].Required = false
	}
}

func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		name    string
		edit    func(*assurance.Evidence)
		outcome assurance.Outcome
		status  assurance.Status
		exit    int
		says    string // part of the reason
	}{
		{"good", nil, "passed", "done", 0, "every required test passed"},
		{"good and short", func(e *assurance.Evidence) { e.Plan.Subject.Dirty = true }, "passed", "done", 4, "every required test passed"},
		{"good enough", func(e *assurance.Evidence) { e.Plan.Subject.Dirty = true; e.Plan.Require = assurance.VAL0 }, "passed", "done", 0, ""},
		{"passed without a level", drop(at.OnBase), "passed", "done", 4, ""},
		{"passed without a level, and none required", func(e *assurance.Evidence) { drop(at.OnBase)(e); e.Plan.Require = assurance.LevelNone }, "passed", "done", 4, ""},

		{"failed", everywhere(at.Once, assurance.TestFailed), "tests-failed", "done", 1, at.Once + " failed"},
		{"skipped (C18, C27)", everywhere(at.Once, assurance.TestSkipped), "tests-failed", "done", 1, "skipped"},
		{"lost", everywhere(at.Total, ""), "tests-failed", "done", 1, "lost: " + at.Total},
		{"required and never there", everywhere(at.Once, ""), "tests-failed", "done", 1, "is required and did not run"},
		{"does not build", func(e *assurance.Evidence) {
			for _, id := range heads {
				r := e.Observations[id].Run
				r.Exit, r.Units[1] = 1, assurance.UnitResult{ID: at.Tax, Expected: true, Unbuilt: true, Message: "undefined: rate"}
				at.Set(e.Observations[id], at.Round, "", "")
				at.Set(e.Observations[id], at.Tax+".TestRateLw2", "", "")
			}
		}, "tests-failed", "done", 1, at.Tax + " does not build"},
		{"dies of a signal in every run", func(e *assurance.Evidence) {
			for _, id := range heads {
				r := e.Observations[id].Run
				r.End, r.Exit, r.Signal = assurance.EndSignaled, 0, "SEGV"
			}
		}, "tests-failed", "done", 1, "died of signal SEGV"},
		{"exit status without a failed test", func(e *assurance.Evidence) {
			e.Observations[at.HeadPlain].Run.Exit, e.Observations[at.HeadZone].Run.Exit = 3, 3
		}, "tests-failed", "done", 1, "exit status 3, although every required test passes"},
		{"exit status beside a test that failed on base and passes now", both(exits(1), func(e *assurance.Evidence) {
			e.Plan.Tests = append(e.Plan.Tests, assurance.PlannedTest{ID: at.Broken, Task: "unit", Unit: at.Tax, BaseFails: true})
			for _, id := range heads {
				add(e, id, at.Broken, assurance.TestPassed)
			}
		}), "tests-failed", "done", 1, "exit status 1, although"},
		{"exit status beside a package that was broken on base and builds now", both(exits(1), func(e *assurance.Evidence) {
			e.Plan.Tasks[0].BrokenOnBase = []string{at.Tax}
		}), "tests-failed", "done", 1, "exit status 1, although"},
		{"exit status of a test that nobody requires", both(exits(1), func(e *assurance.Evidence) {
			e.Plan.Tests = append(e.Plan.Tests, assurance.PlannedTest{ID: at.Broken, Task: "unit", Unit: at.Tax, Added: true})
			for _, id := range heads {
				add(e, id, at.Broken, assurance.TestFailed)
			}
		}), "tests-failed", "done", 1, "; failed: " + at.Broken},
		{"a session in which a canary waits never reports", func(e *assurance.Evidence) {
			c := &e.Plan.Runs[1].Canaries
			*c = append(*c, assurance.Canary{Test: "example.org/shop/cmd.TestVersionKe3", Unit: "example.org/shop/cmd"})
		}, "tests-failed", "done", 1, "no session of example.org/shop/cmd reported"},
		{"a session breaks off after its required tests", func(e *assurance.Evidence) {
			for _, id := range heads {
				r := e.Observations[id].Run
				r.Exit, r.Units[1].Ended = 2, false
			}
		}, "tests-failed", "done", 1, "the session of " + at.Tax + " broke off"},
		{"a failed test beside a box that died", both(everywhere(at.Once, assurance.TestFailed), end(at.HeadZone, assurance.EndBoxDied)), "tests-failed", "done", 1, ""},
		{"a failed test before time was over", both(everywhere(at.Once, assurance.TestFailed), end(at.HeadPlain, assurance.EndTimeout),
			end(at.HeadOrder, assurance.EndTimeout), end(at.HeadZone, assurance.EndTimeout)), "tests-failed", "done", 1, ""},

		{"flips", func(e *assurance.Evidence) {
			at.Set(e.Observations[at.HeadZone], at.Round, assurance.TestFailed, "")
			e.Observations[at.HeadZone].Run.Exit = 1
		}, "unstable", "done", 4, at.Round + " failed in 1 of 3 runs"},
		{"skips now and then", func(e *assurance.Evidence) { at.Set(e.Observations[at.HeadZone], at.Round, assurance.TestSkipped, "") }, "unstable", "done", 4, ""},
		{"dies of a signal now and then", func(e *assurance.Evidence) {
			r := e.Observations[at.HeadZone].Run
			r.End, r.Signal = assurance.EndSignaled, "SEGV"
		}, "unstable", "done", 4, "in 1 of 3 runs"},
		{"one flips, another fails", both(everywhere(at.Once, assurance.TestFailed), func(e *assurance.Evidence) {
			at.Set(e.Observations[at.HeadZone], at.Round, assurance.TestFailed, "")
		}), "tests-failed", "done", 1, at.Once},

		{"exit 0 beside a failed test (C4)", func(e *assurance.Evidence) { at.Set(e.Observations[at.HeadPlain], at.Round, assurance.TestFailed, "") }, "tampered", "done", 3, "exit status 0 and " + at.Round + " is failed"},
		{"exit 0 inside of a test (C8)", func(e *assurance.Evidence) {
			r := e.Observations[at.HeadPlain]
			at.Set(r, at.Round, assurance.TestUnfinished, "")
			r.Run.Units[1].Ended = false
		}, "tampered", "done", 3, ""},
		{"a session without an end", func(e *assurance.Evidence) { e.Observations[at.HeadPlain].Run.Units[1].Ended = false }, "tampered", "done", 3, "has no end"},
		{"a session that never reported beside others", func(e *assurance.Evidence) {
			r := e.Observations[at.HeadPlain]
			at.Set(r, at.Round, "", "")
			r.Run.Units[1].Started, r.Run.Units[1].Ended = false, false
		}, "tampered", "done", 3, "never reported"},
		{"forged records (C9)", func(e *assurance.Evidence) {
			e.Observations[at.HeadZone].Run.Problems = []string{"two ends of " + at.Round}
		}, "tampered", "done", 3, "contradict"},
		{"canary passes (C10)", func(e *assurance.Evidence) {
			at.Set(e.Observations[at.HeadOrder], at.Cart+".TestAmountQx7", assurance.TestPassed, "")
		}, "tampered", "done", 3, "canary of " + at.Cart},
		{"canary not seen", func(e *assurance.Evidence) { at.Set(e.Observations[at.HeadOrder], at.Cart+".TestAmountQx7", "", "") }, "tampered", "done", 3, "canary of " + at.Cart},
		{"exit 0 in spite of canaries", func(e *assurance.Evidence) { e.Observations[at.HeadOrder].Run.Exit = 0 }, "tampered", "done", 3, "although a canary has to make it fail"},
		{"tree changed", func(e *assurance.Evidence) { e.Observations["tree/head"].Tree.After = "00" }, "tampered", "done", 3, "head tree"},
		{"protected path changed", func(e *assurance.Evidence) { e.Plan.Change.Protected = []string{".ci/run"} }, "tampered", "done", 3, ".ci/run"},
		{"a canary that a dying session never reached", func(e *assurance.Evidence) {
			for _, id := range heads {
				r := e.Observations[id]
				at.Set(r, at.Round, assurance.TestFailed, "panic: index out of range")
				at.Set(r, at.Tax+".TestRateLw2", "", "")
				r.Run.Exit, r.Run.Units[1].Ended = 1, false
			}
		}, "tests-failed", "done", 1, ""},

		{"nothing ran (C6)", both(silent(at.HeadPlain, 0), silent(at.HeadOrder, 0), silent(at.HeadZone, 0)), "no-tests-observed", "done", 6, "showed no test"},
		{"nothing ran in one run", silent(at.HeadPlain, 0), "no-tests-observed", "done", 6, ""},
		{"nothing ran, and the command says so", both(silent(at.HeadPlain, 2), silent(at.HeadOrder, 2), silent(at.HeadZone, 2)), "tests-failed", "done", 1, ""},
		{"nothing required (R9)", func(e *assurance.Evidence) {
			e.Plan.Tests, e.Plan.Criteria[0].Tests = nil, nil
			for _, id := range heads {
				silent(id, 5)(e)
			}
			silent(at.OnBase, 5)(e)
			e.Plan.Runs[1].Canaries = nil
		}, "no-tests-observed", "done", 6, ""},
		{"tests ran, and none is required", optional, "no-tests-observed", "done", 6, "no test is required"},
		{"tests ran until time was over, and none is required", both(optional, end(at.HeadPlain, assurance.EndTimeout)), "budget-expired", "done", 7, ""},
		{"canaries asked for, and no session to put one into", func(e *assurance.Evidence) {
			noCanaries(e)
			e.Plan.Runs[1].CanariesFailRun = true
		}, "passed", "done", 4, ""},
		{"no task", func(e *assurance.Evidence) {
			e.Plan.Tasks, e.Plan.Tests, e.Plan.Runs, e.Plan.Boxes, e.Plan.Probes = nil, nil, nil, nil, nil
		}, "no-tests-observed", "done", 6, ""},

		{"time over", func(e *assurance.Evidence) {
			end(at.HeadPlain, assurance.EndTimeout)(e)
			at.Set(e.Observations[at.HeadPlain], at.Round, assurance.TestUnfinished, "")
		}, "budget-expired", "done", 7, "time was over"},
		{"the runner's own time limit", func(e *assurance.Evidence) {
			r := e.Observations[at.HeadPlain].Run
			r.Exit, r.Units[1].TimedOut, r.Units[1].Ended = 1, true, false
			at.Set(e.Observations[at.HeadPlain], at.Round, assurance.TestUnfinished, "")
		}, "budget-expired", "done", 7, "own time limit"},
		{"deadline", func(e *assurance.Evidence) {
			e.Stop.Deadline = true
			delete(e.Observations, at.HeadZone)
		}, "budget-expired", "done", 7, ""},
		{"everything passed and it never ended (R6)", end(at.HeadPlain, assurance.EndTimeout), "did-not-exit", "done", 7, "never ended"},
		{"as the fence saw it", end(at.HeadPlain, assurance.EndDidNotExit), "did-not-exit", "done", 7, "never ended"},

		{"memory (F29, C39)", end(at.HeadPlain, assurance.EndMemory), "environment-exhausted", "done", 5, "look at the change first"},
		{"processes (F25)", both(end(at.HeadPlain, assurance.EndProcesses), end(at.OnBase, assurance.EndProcesses)), "environment-exhausted", "done", 5, "limit of processes"},
		{"disk full is nobody's failure (R15)", both(everywhere(at.Round, assurance.TestFailed), end(at.HeadPlain, assurance.EndDisk),
			end(at.HeadOrder, assurance.EndDisk), end(at.HeadZone, assurance.EndDisk)), "environment-exhausted", "done", 5, ""},
		{"no more open files is nobody's failure", both(everywhere(at.Round, assurance.TestFailed), end(at.HeadPlain, assurance.EndFiles),
			end(at.HeadOrder, assurance.EndFiles), end(at.HeadZone, assurance.EndFiles)), "environment-exhausted", "done", 5, ""},
		{"no such command", end(at.HeadPlain, assurance.EndNoCommand), "command-unavailable", "done", 5, `"go"`},
		{"events lost", func(e *assurance.Evidence) { e.Observations[at.HeadPlain].Run.Lost = true }, "counts-unparsed", "done", 5, ""},
		{"box died (F8)", end(at.HeadPlain, assurance.EndBoxDied), "lane-fault", "done", 5, ""},
		{"an end that nobody knows", end(at.HeadPlain, "melted"), "lane-fault", "done", 5, "melted"},
		{"a planned run that nobody saw", drop(at.HeadZone), "lane-fault", "done", 5, "never observed"},
		{"two observations in one", func(e *assurance.Evidence) {
			o := e.Observations[at.HeadZone]
			o.Box = &assurance.BoxObservation{}
			e.Observations[at.HeadZone] = o
		}, "lane-fault", "done", 5, "never observed"},
		{"fault", func(e *assurance.Evidence) {
			e.Stop = assurance.Stop{Fault: "write log: no space left on device", Phase: "runs"}
		}, "lane-fault", "failed", 5, "no space left"},
		{"reaped", func(e *assurance.Evidence) {
			*e = assurance.Evidence{Version: 1, Stop: assurance.Stop{Fault: "lane was killed", Phase: "reaped"}}
		}, "lane-fault", "failed", 5, "killed"},

		{"interrupted", func(e *assurance.Evidence) { e.Stop.Signal = 2 }, "interrupted", "failed", 130, ""},
		{"terminated in the middle of a failure", both(everywhere(at.Once, assurance.TestFailed), func(e *assurance.Evidence) { e.Stop.Signal = 15 }), "interrupted", "failed", 143, ""},
		{"refused", func(e *assurance.Evidence) {
			*e = assurance.Evidence{Version: 1, Stop: assurance.Stop{Refusal: &assurance.Refusal{Code: "unlocked-flake", Msg: "flake.lock has no entry for input nixpkgs"}}}
		}, "", "refused", 3, "nixpkgs"},
		{"evidence of another version", func(e *assurance.Evidence) { e.Version = 99 }, "", "refused", 3, "version 99"},
		{"a plan with one id twice", func(e *assurance.Evidence) { e.Plan.Boxes[0].ID = at.HeadPlain }, "", "refused", 3, "names a box and a run"},
		{"a plan that cannot be, and an excuse", func(e *assurance.Evidence) { e.Plan.Change.Kind = "miracle"; e.Stop.Fault = "oops" }, "lane-fault", "failed", 5, "oops"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := at.Judged(c.edit)
			if v.Outcome != c.outcome || v.Status != c.status || !strings.Contains(v.Reason, c.says) {
				t.Errorf("got %q %q %q\nwant %q %q %q\n%s", v.Outcome, v.Status, v.Reason, c.outcome, c.status, c.says, reasons(v))
			}
			if v.ExitCode() != c.exit || int(v.Exit) != c.exit {
				t.Errorf("exit code %d (%d in the verdict), want %d", v.ExitCode(), v.Exit, c.exit)
			}
			if c.outcome != "passed" && v.Level != assurance.LevelNone {
				t.Errorf("level %s beside outcome %s", v.Level, v.Outcome)
			}
		})
	}
}

// What is no fault of the change does not count against it.
func TestLeaveToFail(t *testing.T) {
	for _, c := range []struct {
		name  string
		edit  func(*assurance.Evidence)
		level assurance.Level
	}{
		{"a test that fails on base too", func(e *assurance.Evidence) {
			e.Plan.Tests = append(e.Plan.Tests, assurance.PlannedTest{ID: at.Broken, Task: "unit", Unit: at.Tax, BaseFails: true})
			for _, id := range append(slices.Clone(heads), at.OnBase, at.OnHybrid) {
				add(e, id, at.Broken, assurance.TestFailed)
				e.Observations[id].Run.Exit = 1
			}
		}, assurance.VAL1},
		{"a test that breaks off on base too", func(e *assurance.Evidence) {
			e.Plan.Tests = append(e.Plan.Tests, assurance.PlannedTest{ID: at.Broken, Task: "unit", Unit: at.Tax, BaseFails: true})
			for _, id := range append(slices.Clone(heads), at.OnBase, at.OnHybrid) {
				add(e, id, at.Broken, assurance.TestUnfinished)
				e.Observations[id].Run.Exit = 1
			}
		}, assurance.VAL1},
		{"a package that does not build on base either", func(e *assurance.Evidence) {
			e.Plan.Tasks[0].BrokenOnBase = []string{"example.org/shop/old"}
			for _, id := range append(slices.Clone(heads), at.OnBase, at.OnHybrid) {
				r := e.Observations[id].Run
				r.Exit, r.Units = 1, append(r.Units, assurance.UnitResult{ID: "example.org/shop/old", Expected: true, Unbuilt: true})
			}
		}, assurance.VAL1},
		{"a part whose name is never the same twice", func(e *assurance.Evidence) {
			for i, id := range append(slices.Clone(heads), at.OnBase, at.OnHybrid) {
				add(e, id, fmt.Sprintf("%s/at_%d", at.Round, i), assurance.TestPassed)
			}
			e.Plan.Runs = append(e.Plan.Runs, assurance.PlannedRun{ID: "run/unit/base/2", Task: "unit", Tree: assurance.Base})
			again := *e.Observations[at.OnBase].Run
			again.Tests = append(slices.Clone(again.Tests[:len(again.Tests)-1]), assurance.TestResult{ID: at.Round + "/at_9", Status: assurance.TestPassed})
			e.Observations["run/unit/base/2"] = assurance.Observation{Run: &again}
		}, assurance.VAL1},
		{"a package without tests", func(e *assurance.Evidence) {
			for _, id := range heads {
				r := e.Observations[id].Run
				r.Units = append(r.Units, assurance.UnitResult{ID: "example.org/shop/doc"})
			}
		}, assurance.VAL1},
		{"a test whose removal base lists", func(e *assurance.Evidence) {
			everywhere(at.Round, "")(e)
			e.Plan.Removals = []assurance.Removal{{Test: at.Round, ListedBy: assurance.ByBase}}
		}, assurance.VAL1},
		{"a test whose removal the change lists", func(e *assurance.Evidence) {
			everywhere(at.Round, "")(e)
			e.Plan.Removals = []assurance.Removal{{Test: at.Round, ListedBy: assurance.ByChange}}
		}, assurance.LevelNone},
		{"a test whose removal the caller lists", func(e *assurance.Evidence) {
			everywhere(at.Round, "")(e)
			e.Plan.Removals = []assurance.Removal{{Test: at.Round, ListedBy: assurance.ByCaller}}
		}, assurance.LevelNone},
		{"a removed test that is there and fails", func(e *assurance.Evidence) {
			everywhere(at.Round, assurance.TestFailed)(e)
			e.Plan.Removals = []assurance.Removal{{Test: at.Round, ListedBy: assurance.ByBase}}
		}, assurance.LevelNone},
		{"a removed test that a task names", func(e *assurance.Evidence) {
			everywhere(at.Round, "")(e)
			e.Plan.RequiredDefault = false
			e.Plan.Removals = []assurance.Removal{{Test: at.Round, ListedBy: assurance.ByBase}}
		}, assurance.LevelNone},
	} {
		t.Run(c.name, func(t *testing.T) {
			if v := at.Judged(c.edit); v.Level != c.level {
				t.Errorf("level %s, want %s\n%s", v.Level, c.level, reasons(v))
			}
		})
	}
}

func TestUnstableListsRuns(t *testing.T) {
	v := at.Judged(func(e *assurance.Evidence) {
		at.Set(e.Observations[at.HeadZone], at.Round, assurance.TestFailed, "want 5.5, got 5")
		e.Observations[at.HeadZone].Run.Exit = 1
		e.Plan.Runs = append(e.Plan.Runs, assurance.PlannedRun{ID: "run/unit/base/2", Task: "unit", Tree: assurance.Base})
		e.Observations["run/unit/base/2"] = assurance.Observation{Run: &assurance.RunObservation{End: assurance.EndExited, Exit: 1,
			Tests: []assurance.TestResult{{ID: at.Round, Status: assurance.TestFailed}, {ID: at.Total, Status: assurance.TestPassed}, {ID: at.Empty, Status: assurance.TestPassed}}}}
	})
	if len(v.Unstable) != 1 {
		t.Fatalf("unstable tests: %+v", v.Unstable)
	}
	u := v.Unstable[0]
	if u.ID != at.Round || !u.PreExisting || !u.Required || u.Message != "want 5.5, got 5" || len(u.Runs) != 3 ||
		u.Runs[2].Status != "failed" || u.Runs[2].Variation["timezone"] == "" || u.Runs[0].Status != "passed" {
		t.Errorf("got %+v", u)
	}
}
