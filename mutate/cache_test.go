package mutate

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
)

// storeInMemory is a Store that keeps everything.
type storeInMemory struct {
	mu sync.Mutex
	m  map[string]Remembered
}

func (s *storeInMemory) Load(key string) (Remembered, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.m[key]
	return r, ok
}

func (s *storeInMemory) Save(key string, r Remembered) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m[key] = r
}

// world is a project with a cache: A reaches the mutants k and s, B reaches s and h, C reaches all three.
type world struct {
	d       *doubleRunner
	e       Engine
	mutants []Mutant
	source  string
	digests map[string]string // of the tests
}

func newWorld(t *testing.T) *world {
	w := &world{source: doubleSource, digests: map[string]string{"A": "a", "B": "b", "C": "c"}}
	w.d, w.e = newDouble(clean("A", "B", "C")...)
	w.d.answer = func(tr Trial) (TrialResult, error) {
		switch tr.Mutant.ID {
		case "k":
			return ends(tr, EndExited, 1, map[string]Status{"A": Failed}), nil
		case "h":
			return ends(tr, EndCPU, 0, nil), nil
		}
		return allPass(tr), nil
	}
	w.mutants = []Mutant{at("k", 1), at("s", 2), at("h", 3)}
	w.e.Reach = &Reach{}
	for id, lines := range map[string][]int{"A": {1, 2}, "B": {2, 3}, "C": {1, 2, 3}} {
		for _, n := range lines {
			w.e.Reach.Add(id, "f.go", line(n))
		}
	}
	w.e.Source = func(string) ([]byte, error) { return []byte(w.source), nil }
	w.e.Cache = &Cache{Store: &storeInMemory{m: map[string]Remembered{}}, Base: "base", Tree: "tree", Test: func(id string) string { return w.digests[id] }}
	mustRun(t, w.e, w.mutants...)
	w.d.trials = nil
	return w
}

// tried lists the mutants that have trials of their own.
func (w *world) tried() (out []string) {
	for _, q := range w.d.asked(ForMutant) {
		out = append(out, q[:strings.IndexByte(q, ':')])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// What changed since a run decides which mutants the next one tries. h hangs, and is tried each time.
func TestWhatAVerdictRestsOn(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*world)
		want   string
	}{
		{"nothing", func(*world) {}, "h"},
		{"lines above", func(w *world) {
			w.source = "\n\n" + w.source
			w.mutants = nil
			for i, id := range []string{"k", "s", "h"} {
				m := at(id, i+1)
				m.Line, m.EndLine, m.Offset, m.Reach = m.Line+2, m.EndLine+2, m.Offset+2, Range{i + 3, i + 3}
				w.mutants = append(w.mutants, m)
			}
			w.e.Reach = &Reach{}
			for id, lines := range map[string][]int{"A": {1, 2}, "B": {2, 3}, "C": {1, 2, 3}} {
				for _, n := range lines {
					w.e.Reach.Add(id, "f.go", line(n+2))
				}
			}
		}, "h"},
		{"the text of its function", func(w *world) {
			w.source = strings.Replace(w.source, "one", "One", 1)
			w.mutants[0].Original = "One"
		}, "h k"},
		{"its replacement", func(w *world) { w.mutants[1].Replacement = "S" }, "h s"},
		{"another mutant of the same text", func(w *world) { w.mutants[1].ID = "s2" }, "h s2"},
		{"whatever is the same for all", func(w *world) { w.e.Cache.Base = "other" }, "h k s"},
		{"code that no test of it runs", func(w *world) { w.e.Cache.Tree = "other" }, "h"},
		{"code that the killer runs", func(w *world) { w.digests["A"] = "a2" }, "h k s"},
		{"code that a test runs which passed on one of them", func(w *world) { w.digests["B"] = "b2" }, "h s"},
		{"code of a test that ran beside the killer", func(w *world) { w.digests["C"] = "c2" }, "h k s"},
		{"the killer fails on the clean tree", func(w *world) { w.e.Clean[0].Status = Failed }, "h k"},
		{"the killer is quarantined", func(w *world) { w.e.Clean[0].Quarantined = true }, "h k"},
		{"the killer has flipped", func(w *world) { w.e.Clean[0].Flipped = true }, "h k"},
		{"one more test reaches the survivor", func(w *world) {
			w.e.Clean = append(w.e.Clean, CleanTest{ID: "D", Status: Passed})
			w.digests["D"] = "d"
			w.e.Reach.Add("D", "f.go", line(2))
		}, "h s"},
		{"one test less reaches the survivor", func(w *world) {
			w.e.Reach = &Reach{}
			for id, lines := range map[string][]int{"A": {1, 2}, "B": {3}, "C": {1, 2, 3}} {
				for _, n := range lines {
					w.e.Reach.Add(id, "f.go", line(n))
				}
			}
		}, "h"},
		{"the killer does not reach it any more", func(w *world) {
			w.e.Reach = &Reach{}
			for id, lines := range map[string][]int{"A": {2}, "B": {2, 3}, "C": {1, 2, 3}} {
				for _, n := range lines {
					w.e.Reach.Add(id, "f.go", line(n))
				}
			}
		}, "h k"},
		{"no test tells what it runs", func(w *world) { w.e.Cache.Test = nil }, "h k s"},
		{"another tier is asked for", func(w *world) { w.e.Tier = T0 }, "h k s"},
		{"the tier is asked for that it was", func(w *world) { w.e.Tier = T1 }, "h"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			tt.change(w)
			rep := mustRun(t, w.e, w.mutants...)
			if got := strings.Join(w.tried(), " "); got != tt.want {
				t.Errorf("tried %q, want %q", got, tt.want)
			}
			for _, res := range rep.Results {
				if res.Cached == slices.Contains(w.tried(), res.Mutant.ID) {
					t.Errorf("%s: cached is %v", res.Mutant.ID, res.Cached)
				}
				if want := map[string]Verdict{"k": Killed, "s": Survived, "s2": Survived, "h": Hung}[res.Mutant.ID]; res.Verdict != want && w.e.Clean[0].Status == Passed && !w.e.Clean[0].Quarantined && res.Mutant.ID != "k" {
					t.Errorf("%s: %s, want %s", res.Mutant.ID, res.Verdict, want)
				}
			}
		})
	}
}

// A verdict without a run of its own tells the matrix what the run told.
func TestCachedVerdictsFillTheMatrix(t *testing.T) {
	w := newWorld(t)
	rep := mustRun(t, w.e, w.mutants[:2]...)
	if rep.Trials != 0 {
		t.Errorf("%d trials, want none: not even of null mutants", rep.Trials)
	}
	if got := rep.Matrix.Killers("k"); !slices.Equal(got, []string{"A"}) {
		t.Errorf("killers %v, want A", got)
	}
	for _, id := range []string{"A", "B", "C"} {
		if got := rep.Matrix.Cell(id, "s"); got != CellPassed {
			t.Errorf("%s on the survivor: %s", id, got)
		}
	}
}

// A verdict that rests on the whole command rests on all of the tree, and so does whether a mutant builds.
func TestVerdictsThatRestOnTheTree(t *testing.T) {
	w := newWorld(t)
	w.e.Select, w.e.Cache.Store = false, &storeInMemory{m: map[string]Remembered{}}
	w.d.answer = func(tr Trial) (TrialResult, error) {
		r := allPass(tr)
		r.BuildFailed = tr.Mutant.ID == "k"
		return r, nil
	}
	for _, tree := range []string{"t1", "t1", "t2"} {
		w.d.trials, w.e.Cache.Tree = nil, tree
		mustRun(t, w.e, w.mutants[:2]...)
		if tree == "t2" && len(w.tried()) != 2 {
			t.Errorf("the tree changed, tried %v", w.tried())
		}
	}
	w.d.trials = nil
	if mustRun(t, w.e, w.mutants[:2]...); len(w.tried()) != 0 {
		t.Errorf("nothing changed, tried %v", w.tried())
	}
}

// A run that was cut off goes on: what it knew is not tried again, and is audited and settled like the rest.
func TestRunGoesOnWhereItWasCutOff(t *testing.T) {
	w := newWorld(t)
	store := &storeInMemory{m: map[string]Remembered{}}
	w.e.Cache.Store = store
	ctx, stop := context.WithCancel(t.Context())
	w.e.OnEvent = func(ev Event) {
		if ev.Kind == EventMutant && ev.Done == 1 {
			stop()
		}
	}
	plan := NewPlan(w.mutants[:2], Scope{All: true})
	if _, err := w.e.Run(ctx, plan); err != nil {
		t.Fatal(err)
	}
	settled := func() (n int) {
		for r := range maps.Values(store.m) {
			if r.Settled && r.Verdict != NotRun {
				n++
			}
		}
		return n
	}
	if len(store.m) != 1 || settled() != 0 {
		t.Fatalf("after the first: %v", store.m)
	}
	w.d.trials, w.e.OnEvent = nil, nil
	rep, err := w.e.Run(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	if len(w.tried()) != 1 || rep.Score.Counts[NotRun] != 0 || settled() != 2 {
		t.Errorf("tried %v, %v, %d settled", w.tried(), rep.Score, settled())
	}
}
