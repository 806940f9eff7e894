package mutate

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// many makes a plan of n mutants, three on each line; every tenth is known to be unviable.
func many(n int) Plan {
	var p Plan
	for i := range n {
		m := Mutant{ID: fmt.Sprintf("m%04d", i), File: "f.go", Line: i/3 + 1, EndLine: i/3 + 1, Origin: Own}
		if i%10 == 0 {
			m.Known = Unviable
		}
		p.Mutants = append(p.Mutants, m)
	}
	p.Arid = []Mutant{{ID: "a1", Arid: "log line"}, {ID: "a2", Arid: "log line"}}
	return p
}

func idsOf(ms []Mutant) (out []string) {
	for _, m := range ms {
		out = append(out, m.ID)
	}
	slices.Sort(out)
	return out
}

// The parts of a plan are disjoint and complete, and of about one size; a mutant keeps its part when others go.
func TestShards(t *testing.T) {
	all := many(300)
	var seen []string
	part := map[string]int{}
	for k := 1; k <= 3; k++ {
		p := many(300)
		p.Narrow(Choice{Shard: k, Shards: 3})
		for _, id := range append(idsOf(p.Mutants), idsOf(p.Arid)...) {
			seen, part[id] = append(seen, id), k
		}
		if n := len(p.Mutants); n < 60 || n > 140 || p.OtherShards != 300-n {
			t.Errorf("part %d has %d of 300, and counts %d others", k, n, p.OtherShards)
		}
	}
	slices.Sort(seen)
	if want := idsOf(append(slices.Clone(all.Mutants), all.Arid...)); !slices.Equal(seen, want) {
		t.Errorf("the parts have %d mutants, want each of %d once", len(seen), len(want))
	}
	fewer := many(150)
	fewer.Narrow(Choice{Shard: 2, Shards: 3})
	for _, m := range fewer.Mutants {
		if part[m.ID] != 2 {
			t.Errorf("%s moved from part %d to part 2", m.ID, part[m.ID])
		}
	}
}

// A sample has the size that was asked for, depends on the seed alone, and keeps what needs no run.
func TestSample(t *testing.T) {
	for _, tt := range []struct {
		c    Choice
		want int // of 270 viable ones
	}{{Choice{Sample: 50}, 50}, {Choice{Share: 0.1}, 27}, {Choice{Sample: 500}, 270}, {Choice{Share: 1}, 270}, {Choice{Share: 0.0001}, 1}, {Choice{}, 270}} {
		var drawn [3][]string
		for i, seed := range []uint64{1, 1, 2} {
			p := many(300)
			tt.c.Seed = seed
			p.Narrow(tt.c)
			drawn[i] = idsOf(p.Mutants)
			if got := len(p.Mutants) - 30; got != tt.want || p.Unsampled != 270-tt.want || p.Sampled != (tt.want < 270) {
				t.Errorf("%+v: %d drawn, %d left out, sampled is %v", tt.c, got, p.Unsampled, p.Sampled)
			}
		}
		if !slices.Equal(drawn[0], drawn[1]) || tt.want < 270 && slices.Equal(drawn[0], drawn[2]) {
			t.Errorf("%+v: the draw does not depend on the seed alone", tt.c)
		}
	}
}

// Of each line one viable mutant is tried first, and put-back hunks are never left out.
func TestOneOfEachLine(t *testing.T) {
	p := many(30)
	p.Mutants = append(p.Mutants, Mutant{ID: "r", File: "f.go", Line: 1, Origin: Revert})
	p.Narrow(Choice{PerLine: true, Seed: 1})
	lines := map[int]int{}
	for _, m := range p.Mutants {
		if m.Known == "" && m.Origin == Own {
			lines[m.Line]++
		}
	}
	for l := 1; l <= 10; l++ {
		if lines[l] != 1 {
			t.Errorf("line %d has %d", l, lines[l])
		}
	}
	if len(p.Mutants) != 14 || p.SameLine != 17 || p.Candidates() != 33 {
		t.Errorf("%d are left and %d left out of %d", len(p.Mutants), p.SameLine, p.Candidates())
	}
}

// The bounds of a sampled score hold the true score for 19 of 20 samples, and are nothing but the score where all were tried.
func TestBoundsOfASample(t *testing.T) {
	hits := 0
	const truth, size, rounds = 0.8, 60, 400
	for seed := range rounds {
		p := many(1000)
		p.Narrow(Choice{Sample: size, Seed: uint64(seed)})
		var rs []Result
		for _, m := range p.Mutants {
			v := m.Known
			if v == "" {
				v = Killed
				if rank(7, m.ID)%10 >= 10*truth {
					v = Survived
				}
			}
			rs = append(rs, Result{Mutant: m, Verdict: v})
		}
		if s := NewScore(&p, rs); s.Low <= truth && truth <= s.High {
			hits++
		}
	}
	if share := float64(hits) / rounds; math.Abs(share-0.95) > 0.05 {
		t.Errorf("%.2f of the samples hold the true score, want 0.95", share)
	}
	p := many(10)
	s := NewScore(&p, []Result{{Verdict: Killed}, {Verdict: Survived}})
	if s.Low != s.Lower || s.High != s.Upper || strings.Contains(s.String(), "sample") {
		t.Errorf("without a sample: %+v", s)
	}
	p.Sampled, p.Population, p.Seed = true, 100, 9
	if s := NewScore(&p, []Result{{Verdict: Killed}, {Verdict: Survived}}); !strings.Contains(s.String(), "a sample of 100, seed 9: 9 to 91 %") {
		t.Errorf("with a sample: %s", s)
	}
}
