package mutate

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// recording lets m0, m1 and m2 be values of one place, of which the recorded runs say which differed, and how often it was begun.
func recording(e *Engine, differ func(run int) (begun uint32, which []int)) {
	plain := e.Switch
	e.Switch = func(ctx context.Context, ms []*Mutant) (*Switched, error) {
		sw, err := plain(ctx, ms)
		sw.Record, sw.Records = "record", []string{"notes"}
		sw.Sites = []Site{{Record: "notes", At: 1, Mutants: []string{"m0", "m1", "m2"}}}
		return sw, err
	}
	inner := e.Runner
	runs := 0
	e.Runner = runnerFunc(func(tr Trial) (TrialResult, error) {
		r, err := inner.Run(context.Background(), tr)
		if tr.Purpose == ForRecord {
			words := make([]uint32, 1+SiteHead+3)
			begun, which := differ(runs)
			words[0], words[1] = 1, begun
			for _, i := range which {
				words[1+SiteHead+i] = 1
			}
			runs++
			data, _ := binary.Append(nil, binary.LittleEndian, words)
			r.Records = []Record{{Tests: tr.Tests, Files: map[string][]byte{"notes": data}}}
		}
		return r, err
	})
}

func inferred(rep *Report) (out []string) {
	for _, r := range rep.Results {
		if r.Inferred {
			out = append(out, r.Mutant.ID+" "+string(r.Verdict))
		}
	}
	slices.Sort(out)
	return out
}

func TestWhatNeverDiffersIsNotRun(t *testing.T) {
	d, e, ms := switchedEngine()
	recording(&e, func(run int) (uint32, []int) {
		return 0, []int{run} // m0 differs in the first run, m1 in the second
	})
	rep := mustRun(t, e, ms...)
	if got := inferred(rep); !slices.Equal(got, []string{"m2 survived"}) {
		t.Errorf("not run: %q", got)
	}
	asked := strings.Join(d.asked(ForMutant), "; ")
	if strings.Contains(asked, "m2:") || !strings.Contains(asked, "m0:") || !strings.Contains(asked, "m1:") || !strings.Contains(asked, "m3:") {
		t.Errorf("asked %s", asked)
	}
	if len(d.asked(ForRecord)) != 2 || len(rep.Audit) != 4 {
		t.Errorf("%d recorded runs, %d audited", len(d.asked(ForRecord)), len(rep.Audit))
	}
	if !strings.Contains(strings.Join(rep.Facts, "\n"), "1 mutants were not run") {
		t.Errorf("facts %q", rep.Facts)
	}
}

// One that is noticed in a build of its own all the same costs its file the switch, and all that followed from what was recorded.
func TestAuditOfWhatNeverDiffers(t *testing.T) {
	d, e, ms := switchedEngine()
	d.answer = func(tr Trial) (TrialResult, error) {
		if tr.Mutant != nil && tr.Mutant.ID == "m1" && tr.Switch == "" {
			return ends(tr, EndExited, 1, map[string]Status{"A": Failed}), nil
		}
		return allPass(tr), nil
	}
	recording(&e, func(int) (uint32, []int) { return 0, nil })
	rep := mustRun(t, e, ms...)
	if disagreed(rep.Audit) != 1 || len(inferred(rep)) != 0 {
		t.Errorf("audit %+v, still inferred %q", rep.Audit, inferred(rep))
	}
	for _, r := range rep.Results {
		if r.Tier != T1 || (r.Verdict == Killed) != (r.Mutant.ID == "m1") {
			t.Errorf("%s is %s by %s", r.Mutant.ID, r.Verdict, r.Tier)
		}
	}
}

func TestWhatIsNotInferred(t *testing.T) {
	same := func(int) (uint32, []int) { return 0, nil }
	tests := []struct {
		name   string
		change func(d *doubleRunner, e *Engine)
		fact   string
	}{
		{"a test that has flipped reaches it", func(_ *doubleRunner, e *Engine) { e.Clean[0].Flipped = true; recording(e, same) }, ""},
		{"the matrix is asked for", func(_ *doubleRunner, e *Engine) { e.Whole = true; recording(e, same) }, ""},
		{"something began and did not end", func(_ *doubleRunner, e *Engine) {
			recording(e, func(run int) (uint32, []int) { return uint32(run), nil })
		}, ""},
		{"a test fails while it is recorded", func(d *doubleRunner, e *Engine) {
			recording(e, same)
			d.answer = func(tr Trial) (TrialResult, error) {
				if tr.Purpose == ForRecord {
					return ends(tr, EndExited, 0, map[string]Status{"A": Skipped}), nil
				}
				return allPass(tr), nil
			}
		}, "A does not pass while it is recorded"},
		{"the recorded run dies", func(d *doubleRunner, e *Engine) {
			recording(e, same)
			d.answer = func(tr Trial) (TrialResult, error) {
				if tr.Purpose == ForRecord {
					return ends(tr, EndSignaled, -1, nil), nil
				}
				return allPass(tr), nil
			}
		}, "ended by signaled"},
		{"a program left no record", func(_ *doubleRunner, e *Engine) {
			recording(e, same)
			inner := e.Runner
			e.Runner = runnerFunc(func(tr Trial) (TrialResult, error) {
				r, err := inner.Run(context.Background(), tr)
				for i := range r.Records {
					r.Records[i].Files = nil
				}
				return r, err
			})
		}, ""},
		{"a test that reaches it is in no program", func(_ *doubleRunner, e *Engine) {
			recording(e, same)
			inner := e.Runner
			e.Runner = runnerFunc(func(tr Trial) (TrialResult, error) {
				r, err := inner.Run(context.Background(), tr)
				for i := range r.Records {
					r.Records[i].Tests = nil
				}
				return r, err
			})
		}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, e, ms := switchedEngine()
			tt.change(d, &e)
			rep := mustRun(t, e, ms...)
			if got := inferred(rep); len(got) > 0 {
				t.Errorf("not run: %q", got)
			}
			if !strings.Contains(strings.Join(rep.Facts, "\n"), tt.fact) {
				t.Errorf("facts %q, want %q", rep.Facts, tt.fact)
			}
		})
	}
}

// forkedSession makes what an engine switches a loaded session.
func forkedSession(e *Engine) {
	plain := e.Switch
	e.Switch = func(ctx context.Context, ms []*Mutant) (*Switched, error) {
		sw, err := plain(ctx, ms)
		sw.Tier, sw.Canary = T3, map[string]string{}
		for id := range sw.Value {
			sw.Canary[id] = "canary"
		}
		return sw, err
	}
}

// Of a loaded session those tests are recorded that can be, whatever the others do; what only the others reach is run.
func TestWhatIsRecordedOfForkedSessions(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(run int) bool
		want  []string
	}{
		{"always", func(int) bool { return true }, []string{"m2 survived"}},
		{"the second time", func(run int) bool { return run > 0 }, []string{"m2 survived"}},
		{"never", func(int) bool { return false }, []string{"m1 survived", "m2 survived"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, e := newDouble(clean("A", "B", "C")...)
			e.Reach = &Reach{}
			e.Reach.Add("A", "f.go", line(1), line(2))
			e.Reach.Add("B", "f.go", line(3))
			e.Reach.Add("C", "f.go", line(2))
			switching(&e)
			ms := []Mutant{at("m0", 1), at("m1", 3), at("m2", 2)}
			recording(&e, func(int) (uint32, []int) { return 0, []int{0} })
			forkedSession(&e)
			runs := 0 // with B and others, so that they are as many as there are recordings
			d.answer = func(tr Trial) (TrialResult, error) {
				r := allPass(tr)
				if tr.Purpose == ForCanary {
					r = ends(tr, EndExited, 1, nil)
				}
				if tr.Purpose == ForRecord && slices.Contains(tr.Tests, "B") {
					if len(tr.Tests) == 3 {
						runs++
					}
					if tt.spoil(runs - 1) {
						r.Spoiled = "a test starts another program"
					}
				}
				return r, nil
			}
			rep := mustRun(t, e, ms...)
			if got := inferred(rep); !slices.Equal(got, tt.want) {
				t.Errorf("not run: %q, want %q: %q\n%q", got, tt.want, rep.Facts, d.asked(ForRecord))
			}
		})
	}
}

// A run that leaves the mark of a loop that was ended is hung, and what failed before has to fail again where nothing is counted.
func TestMarkOfAnEndedLoop(t *testing.T) {
	d, e, ms := switchedEngine()
	laid := map[string]bool{}
	d.answer = func(tr Trial) (TrialResult, error) {
		if tr.Tier != T2 || tr.Purpose == ForRecord {
			switch {
			case tr.Mutant == nil || tr.Mutant.ID == "m3":
				return allPass(tr), nil
			case tr.Mutant.ID == "m1":
				return ends(tr, EndExited, 1, map[string]Status{"A": Failed}), nil
			}
			return ends(tr, EndCPU, -1, map[string]Status{"A": Unfinished}), nil
		}
		laid[string(tr.Lay["limits"])] = true
		r := allPass(tr)
		switch tr.Mutant.ID {
		case "m0":
			r = ends(tr, EndExited, 1, map[string]Status{"A": Unfinished})
		case "m1", "m2":
			r = ends(tr, EndExited, 1, map[string]Status{"A": Failed})
		}
		if tr.Mutant.ID != "m3" {
			r.Records = []Record{{Tests: tr.Tests, Files: map[string][]byte{"ended": nil}}}
		}
		return r, nil
	}
	recording(&e, func(int) (uint32, []int) { return 0, []int{0, 1, 2} })
	plain := e.Switch
	e.Switch = func(ctx context.Context, ms []*Mutant) (*Switched, error) {
		sw, err := plain(ctx, ms)
		sw.Ended = "ended"
		sw.Limit = func(rs []Record) map[string][]byte { return map[string][]byte{"limits": []byte("few")} }
		return sw, err
	}
	want := map[string]Verdict{"m0": Hung, "m1": Killed, "m2": Hung, "m3": Survived}
	rep := mustRun(t, e, ms...)
	if disagreed(rep.Audit) > 0 {
		t.Errorf("audit %+v", rep.Audit)
	}
	for _, r := range rep.Results {
		if r.Verdict != want[r.Mutant.ID] || r.Tier != T2 {
			t.Errorf("%s is %s (%s), want %s", r.Mutant.ID, r.Verdict, r.Reason, want[r.Mutant.ID])
		}
	}
	if len(laid) != 1 || !laid["few"] {
		t.Errorf("runs of mutants found %v", laid)
	}
	for _, tr := range d.trials {
		if tr.Purpose == ForNull && tr.Tier == T2 && string(tr.Lay["limits"]) != "few" {
			t.Error("a null mutant can tell that it is none by what it finds")
		}
	}
}
