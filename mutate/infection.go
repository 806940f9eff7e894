package mutate

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"time"
)

// Site is one expression, and mutants that change nothing but its value. A recorded run notes in the words of a record (32 bits each,
// the least byte first) whether their values ever differed from the original's.
//
// The first word counts how often the expression was begun where it may fail to end, the second one how often it ended: where they
// differ, all values did. After these stands a word for each mutant, that is 0 where its value never differed.
type Site struct {
	Record  string // name of the record
	At      int    // its first word
	Mutants []string
}

// SiteHead is how many words of a site come before those of its mutants.
const SiteHead = 2

// differs reports whether the value of the i-th mutant ever differed in what was recorded. What is cut off did.
func (s *Site) differs(i int, record []byte) bool {
	from, to := 4*s.At, 4*(s.At+SiteHead+len(s.Mutants))
	if from < 0 || to > len(record) {
		return true
	}
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(record[from+4*at:]) }
	return word(0) != word(1) || word(SiteHead+i) != 0
}

// recordings is how often all tests are recorded. What differs between runs of the same code has shown itself more often then.
const recordings = 2

const neverDiffers = "never differs: wherever the tests came by, its value was that of the original"

// infect finds the mutants of T2 and T3 whose value never differs from the original's, and gives them their verdict without a run (Just,
// Ernst, Fraser: Efficient mutation analysis by propagating and partitioning program states, ISSTA 2014).
//
// A run of the original in which a mutant's value is that of the original, each time, is a run of the mutant as well: step by step it
// does the same. All tests passed in it, so they passed on the mutant. That is what any survivor has to show for itself, one run that
// passes; it is no proof for code that does something else each time, and no less than what a run of its own would have shown. It is
// true of the run that was recorded alone, so
//
//   - a recorded run in which a test fails, is missing, or does not end is not used, and nothing follows from any;
//   - a value that differs in one of several recorded runs differs;
//   - where a test that reaches the mutant has ever ended in two ways, the mutant is run;
//   - the program of every test that reaches the mutant has to have left its record.
//
// The record lies where the code under test could write it. Code that forges it makes survivors, which serves nobody who wants to
// seem tested; and these verdicts are tried again at T0 in the same share as all others.
func (r *run) infect() {
	if r.records == nil || r.Whole {
		return
	}
	index := map[string]int{}
	for i := range r.results {
		if res := &r.results[i]; res.Verdict == "" && res.Tier == r.switched.Tier && !slices.ContainsFunc(res.Asked, r.flipped) {
			index[res.Mutant.ID] = i
		}
	}
	n := 0
	for i := range r.switched.Sites {
		s := &r.switched.Sites[i]
		for k, id := range s.Mutants {
			at, ok := index[id]
			if !ok || r.differs(s, k, r.results[at].Asked, r.records) {
				continue
			}
			res := &r.results[at]
			res.Verdict, res.Reason, res.Inferred = Survived, neverDiffers, true
			r.keep(res, false)
			n++
		}
	}
	if n > 0 {
		r.facts = append(r.facts, fmt.Sprintf("%d mutants were not run: in recorded runs of the tests their value never differed from the original's", n))
	}
}

func (r *run) flipped(test string) bool { return r.suite.tests[test].Flipped }

// record runs all tests that mutants of T2 or T3 ask, on the code as it is, and notes what they would do to it. It goes before their null
// mutants, which have to find what the mutants find.
func (r *run) record(ctx context.Context) {
	if r.switched.Record == "" {
		return
	}
	var asked []int
	for i := range r.results {
		if res := &r.results[i]; res.Verdict == "" && res.Tier == T1 && r.switched.Value[res.Mutant.ID] != "" {
			asked = append(asked, i)
		}
	}
	tests := r.askedOf(asked)
	if len(tests) == 0 {
		return
	}
	var runs [recordings][]Record
	var whys [recordings]string
	r.each(recordings, func(n int) { runs[n], whys[n] = r.recordAll(ctx, n, tests) })
	if why := cmp.Or(whys[:]...); why != "" {
		if ctx.Err() == nil {
			r.facts = append(r.facts, "what mutants do to values was not recorded, so that all of them were run: "+why)
		}
		return
	}
	records := slices.Concat(runs[:]...)
	r.records = records
	if r.switched.Limit != nil {
		r.turns = r.switched.Limit(records)
	}
}

// recordTrials bounds the runs of one recording of a forked session.
const recordTrials = 16

// recordAll records all tests in one run. Where sessions are forked and the run shows nothing, its halves are tried: a test that starts a
// program, or reads the source, shall not hide what the others show. What none of them recorded may differ.
func (r *run) recordAll(ctx context.Context, n int, tests []string) ([]Record, string) {
	if r.switched.Tier != T3 {
		return r.recordOnce(ctx, fmt.Sprintf("%s/%d", ForRecord, n+1), tests)
	}
	var out []Record
	var first string
	parts := [][]string{tests}
	for at := 0; at < min(len(parts), recordTrials); at++ {
		part := parts[at]
		got, why := r.recordOnce(ctx, fmt.Sprintf("%s/%d/%d", ForRecord, n+1, at+1), part)
		if out = append(out, got...); why == "" {
			continue
		}
		first = orElse(first, why)
		if len(part) > 1 {
			parts = append(parts, part[:len(part)/2], part[len(part)/2:])
		}
	}
	if len(out) > 0 {
		first = ""
	}
	return out, first
}

func (r *run) recordOnce(ctx context.Context, id string, tests []string) ([]Record, string) {
	cpu, wall := r.suite.sum(tests)
	factor := 10 * time.Duration(r.limits.Factor)
	t := Trial{
		ID: id, Purpose: ForRecord, Tests: tests, Tier: r.switched.Tier, Switch: r.switched.Record, Records: r.switched.Records,
	}
	t.CPU, t.Wall = r.limits.NullCPU+cpu*factor, r.limits.NullWall+wall*factor
	res, err := r.try(ctx, t)
	switch {
	case err != nil:
		return nil, err.Error()
	case res.Spoiled != "":
		return nil, res.Spoiled
	case res.End != EndExited:
		return nil, "the run ended by " + string(res.End)
	case res.Exit != 0:
		return nil, fmt.Sprintf("the run ended with exit status %d", res.Exit)
	}
	for _, id := range tests {
		if res.Tests[id] != Passed {
			return nil, id + " does not pass while it is recorded"
		}
	}
	return res.Records, ""
}

// bound gives a trial of T2 what ends its loops.
func (r *run) bound(t *Trial) {
	if t.Tier == T2 && r.turns != nil {
		t.Lay, t.Records = r.turns, []string{r.switched.Ended}
	}
}

// endedLoop reports whether a run left the mark of a loop that was ended. Code under test could leave it as well: what that makes of its
// mutants is hung, which is what a loop without an end makes of them, and never a kill. A test that failed before has to fail again
// where nothing is counted.
func (r *run) endedLoop(res TrialResult) bool {
	return r.switched != nil && r.switched.Ended != "" && slices.ContainsFunc(res.Records, func(rec Record) bool {
		_, is := rec.Files[r.switched.Ended]
		return is
	})
}

// differs reports whether the value of a site's i-th mutant differed in any record, or may have: where a program of the asked tests
// left none.
func (r *run) differs(s *Site, i int, asked []string, records []Record) bool {
	seen := map[string]int{}
	for _, rec := range records {
		data, ok := rec.Files[s.Record]
		if ok && s.differs(i, data) {
			return true
		}
		for _, t := range rec.Tests {
			if !ok && slices.Contains(asked, t) {
				return true
			}
			seen[t]++
		}
	}
	return slices.ContainsFunc(asked, func(t string) bool { return seen[t] < recordings })
}
