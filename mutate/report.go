package mutate

import (
	"fmt"
	"slices"
	"time"
)

// Result is what became of one mutant of the plan.
type Result struct {
	Mutant  Mutant        `json:"mutant"`
	Verdict Verdict       `json:"verdict"`
	Reason  string        `json:"reason,omitempty"`
	Killers []string      `json:"killers,omitempty"` // tests that failed because of it, subtests included
	Asked   []string      `json:"asked,omitempty"`   // tests that were selected; nil = the whole command, or none
	Tier    Tier          `json:"tier,omitempty"`    // "" where nothing was run
	Trials  int           `json:"trials"`
	CPU     time.Duration `json:"cpu_ns"`
	Wall    time.Duration `json:"wall_ns"`
	Left    int           `json:"left,omitempty"`   // processes left behind and ended
	Output  string        `json:"output,omitempty"` // tail of the last trial, unless killed or survived
	// Inferred says that it had no run of its own: Reason says from what the verdict follows.
	Inferred bool `json:"inferred,omitempty"`
	// Joint says that it was noticed in a process that tried several mutants.
	Joint bool `json:"joint,omitempty"`
	// Cached says that an earlier run found the verdict, and that nothing it rests on has changed.
	Cached bool `json:"cached,omitempty"`
	// Accepted is the entry of a baseline by which a survivor is accepted; nil = there is none.
	Accepted *Accepted `json:"accepted,omitempty"`
}

// Control is the result of a null mutant or of a canary mutant.
type Control struct {
	File  string   `json:"file"`
	Tier  Tier     `json:"tier"`
	Tests []string `json:"tests,omitempty"` // nil = the whole command
	// OK: the null mutant passed; the canary mutant was noticed.
	OK     bool     `json:"ok"`
	Reason string   `json:"reason,omitempty"`
	Failed []string `json:"failed,omitempty"` // tests that fail on the null mutant and so cannot kill in this file and tier
	// Same says that the file was laid over unchanged, because nobody knows how to write a comment in it.
	Same bool `json:"same,omitempty"`
}

// Judgement says whether a test bites.
type Judgement struct {
	Test   string    `json:"test"`
	State  TestState `json:"state"`
	Reason string    `json:"reason,omitempty"`
	Killed int       `json:"killed"` // mutants that it killed
	Alone  int       `json:"alone"`  // mutants that it was run on alone
	// Reaches and Passed list, for a test that had to be run alone, the mutants that it reaches and those on which it
	// ran alone and passed, by id. It is vacuous where they are the same.
	Reaches []string `json:"reaches,omitempty"`
	Passed  []string `json:"passed,omitempty"`
}

// TestState is the state of a Judgement.
type TestState string

const (
	Bites    TestState = "bites"   // it killed a mutant
	Vacuous  TestState = "vacuous" // it ran alone on every mutant that it reaches and killed none
	NotAsked TestState = "not-asked"
)

// Bite says whether the tests of one criterion kill a mutant of its code.
type Bite struct {
	Criterion string   `json:"criterion"`
	Killed    bool     `json:"killed"`
	Mutant    string   `json:"mutant,omitempty"` // the killed one
	Killers   []string `json:"killers,omitempty"`
	Viable    int      `json:"viable"` // mutants of its code that count
	Asked     int      `json:"asked"`  // mutants on which its tests were run
	Reason    string   `json:"reason,omitempty"`
}

// Group is a changed function or hunk, which needs a kill.
type Group struct {
	Name      string   `json:"name"` // "function FILE NAME", "hunk FILE:LINES"
	Viable    int      `json:"viable"`
	Killed    int      `json:"killed"`
	OwnKilled int      `json:"own_killed"` // of the killed ones, those that are not a plugin's
	Survivors []string `json:"survivors,omitempty"`
}

// Report is all that an engine run found out.
type Report struct {
	Plan     Plan        `json:"plan"`
	Results  []Result    `json:"results"` // in the order of the plan
	Nulls    []Control   `json:"nulls"`
	Canaries []Control   `json:"canaries,omitempty"`
	Tests    []Judgement `json:"tests,omitempty"`
	Criteria []Bite      `json:"criteria,omitempty"`
	Audit    []Audited   `json:"audit,omitempty"` // empty where nothing was judged by T2 or T3, or by what the code told of its reach
	Groups   []Group     `json:"groups,omitempty"`
	Matrix   *Matrix     `json:"matrix"`
	Score    Score       `json:"score"`
	// Inconclusive says why the run proves nothing at all; "" = it proves what the score says.
	Inconclusive string   `json:"inconclusive,omitempty"`
	Facts        []string `json:"facts,omitempty"` // what a reader has to know, in sentences
	Trials       int      `json:"trials"`
	Left         int      `json:"left"` // processes that trials left behind
}

// Score counts verdicts.
type Score struct {
	Counts map[Verdict]int `json:"counts"`
	Arid   int             `json:"arid"`
	// Ignored counts those of Arid that a person ignores in the source.
	Ignored int `json:"ignored"`
	Viable  int `json:"viable"` // all that are neither unviable nor equivalent
	Killed  int `json:"killed"`
	// Lower takes every mutant without a clear verdict as survived, Upper takes it as killed; both in 0..1. With no
	// viable mutant both are 0.
	Lower float64 `json:"lower"`
	Upper float64 `json:"upper"`
	// Unclear counts hung, exhausted, crashed and flaky.
	Unclear int `json:"unclear"`
	// Low and High hold the score of all mutants that a sample was drawn from (Population, by Seed), 19 times of 20; without a sample they
	// are Lower and Upper.
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	Population int     `json:"population,omitempty"`
	Seed       uint64  `json:"seed,omitempty"`
}

// NewScore counts the verdicts of a plan.
func NewScore(p *Plan, rs []Result) Score {
	s := Score{Counts: map[Verdict]int{}, Arid: len(p.Arid)}
	for i := range p.Arid {
		if p.Arid[i].Ignored {
			s.Ignored++
		}
	}
	for _, r := range rs {
		s.Counts[r.Verdict]++
		if r.Verdict.Viable() {
			s.Viable++
		}
	}
	s.Killed = s.Counts[Killed]
	s.Unclear = s.Counts[Hung] + s.Counts[Exhausted] + s.Counts[Crashed] + s.Counts[Flaky]
	if s.Viable > 0 {
		s.Lower = float64(s.Killed) / float64(s.Viable)
		s.Upper = float64(s.Killed+s.Unclear+s.Counts[NotRun]) / float64(s.Viable)
	}
	if s.Low, s.High = s.Lower, s.Upper; p.Sampled {
		s.Population, s.Seed = p.Population, p.Seed
		s.Low, _ = interval(s.Killed, s.Viable)
		_, s.High = interval(s.Killed+s.Unclear+s.Counts[NotRun], s.Viable)
	}
	return s
}

func (s Score) String() string {
	if s.Viable == 0 {
		return "no viable mutant"
	}
	if s.Population > 0 {
		return fmt.Sprintf("%d of %d killed (a sample of %d, seed %d: %.0f to %.0f %%)", s.Killed, s.Viable, s.Population, s.Seed, 100*s.Low, 100*s.High)
	}
	if s.Lower == s.Upper {
		return fmt.Sprintf("%d of %d killed (%.0f %%)", s.Killed, s.Viable, 100*s.Lower)
	}
	return fmt.Sprintf("%d of %d killed (%.0f to %.0f %%)", s.Killed, s.Viable, 100*s.Lower, 100*s.Upper)
}

// groups sums up the changed functions and hunks: those of mutants that lie in the diff.
func groups(rs []Result) []Group {
	index := map[string]int{}
	var out []Group
	for _, r := range rs {
		if len(r.Mutant.Quota) > 0 || r.Mutant.Hunk == "" {
			continue
		}
		for _, name := range groupsOf(&r.Mutant) {
			i, ok := index[name]
			if !ok {
				i = len(out)
				index[name] = i
				out = append(out, Group{Name: name})
			}
			g := &out[i]
			if r.Verdict.Viable() {
				g.Viable++
			}
			switch {
			case r.Verdict == Killed:
				g.Killed++
				if r.Mutant.Origin != Plugin {
					g.OwnKilled++
				}
			case r.Verdict.Unnoticed():
				g.Survivors = append(g.Survivors, r.Mutant.ID)
			}
		}
	}
	slices.SortFunc(out, func(a, b Group) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return out
}

// inconclusive implements the rule that a run which tried nothing is not green.
func inconclusive(p *Plan, rs []Result) string {
	counts := NewScore(p, rs).Counts
	switch tried := len(rs) - counts[Unviable] - counts[Equivalent]; {
	case len(rs) == 0 && len(p.Arid) == 0:
		return "there was no mutant to try"
	case len(rs) == 0:
		return fmt.Sprintf("there was no mutant to try: all %d are arid", len(p.Arid))
	case tried == 0:
		return "no mutant is viable"
	case tried == counts[Uncovered]:
		return "no test reaches any mutant"
	case tried == counts[NotRun]+counts[Uncovered]:
		return "no mutant was tried: " + firstReason(rs, NotRun)
	}
	return ""
}

func firstReason(rs []Result, v Verdict) string {
	for _, r := range rs {
		if r.Verdict == v {
			return r.Reason
		}
	}
	return ""
}

// Survivors returns the results that nobody would notice: survived and uncovered.
func (r *Report) Survivors() []Result {
	var out []Result
	for _, x := range r.Results {
		if x.Verdict.Unnoticed() {
			out = append(out, x)
		}
	}
	return out
}
