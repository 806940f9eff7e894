package mutate

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"path"
	"slices"
	"sort"
)

// Scope says which candidates are tried.
type Scope struct {
	// Changed holds the lines of head that the change touched, by file; see ChangedLines. Every mutant on them is
	// tried, and every revert.
	Changed map[string][]Range
	// Quota draws, per criterion, mutants of the criterion's code outside of the diff.
	Quota []Criterion
	// All tries every candidate.
	All bool
	// Arid tries arid mutants too, in place of only listing them.
	Arid bool
	// Sample bounds how many mutants of the diff are tried; 0 = no bound. Each changed function and hunk keeps one
	// at least. Reverts are never left out.
	Sample int
	// Prove fills in Known and Why of mutants that may be tried, where that costs time; a language's package has such
	// a function. nil = the candidates come proven.
	Prove func([]*Mutant)
	// Seed decides every draw. The same candidates, scope and seed give the same plan.
	Seed uint64
}

// Criterion is a requirement that names its code and its tests.
type Criterion struct {
	ID    string
	Files []string // its code, as paths of the tree
	Tests []string // ids of its tests
	N     int      // mutants drawn outside of the diff; 0 = 8, negative = none
}

const defaultQuota = 8

func (c Criterion) n() int {
	if c.N == 0 {
		return defaultQuota
	}
	return max(c.N, 0)
}

// Plan is what will be tried, frozen before the first trial, in order of value.
type Plan struct {
	Seed    uint64   `json:"seed"`
	Mutants []Mutant `json:"mutants"` // tried, or known without a trial
	Arid    []Mutant `json:"arid,omitempty"`
	// OutOfScope counts the candidates that neither diff nor quota chose, Unsampled those that Scope.Sample left out
	// of the Population: the mutants of the diff that need a trial.
	OutOfScope int  `json:"out_of_scope"`
	Unsampled  int  `json:"unsampled"`
	Population int  `json:"population"`
	Sampled    bool `json:"sampled"`
	// SameLine counts those that Choice.PerLine left out, OtherShards those of the other parts.
	SameLine    int `json:"same_line,omitempty"`
	OtherShards int `json:"other_shards,omitempty"`
}

// Candidates is the number of mutants that the plan chose from.
func (p *Plan) Candidates() int {
	return len(p.Mutants) + len(p.Arid) + p.OutOfScope + p.Unsampled + p.SameLine + p.OtherShards
}

// NewPlan freezes which of the candidates are tried and in which order: first one mutant for each changed function or
// hunk, then the quotas of the criteria, then one more for each function or hunk, and so on. A budget that runs out
// early has then bought the most.
func NewPlan(candidates []Mutant, s Scope) Plan {
	p := Plan{Seed: s.Seed}
	all := dedupe(candidates)
	var diff, rest []Mutant
	for _, m := range all {
		for _, c := range s.Quota {
			if slices.Contains(c.Files, m.File) {
				m.Criteria = append(slices.Clip(m.Criteria), c.ID)
			}
		}
		in := placeInDiff(&m, s.Changed)
		switch {
		case m.Arid != "" && !s.Arid:
			if in || s.All {
				p.Arid = append(p.Arid, m)
			} else {
				p.OutOfScope++
			}
		case in || s.All:
			diff = append(diff, m)
		default:
			rest = append(rest, m)
		}
	}
	s.prove(diff)
	for _, m := range diff {
		if m.Known == "" {
			p.Population++
		}
	}
	diff = s.sample(&p, diff)
	quota := s.drawQuota(&p, rest)
	p.Mutants = order(diff, quota, s.Seed)
	return p
}

// dedupe drops mutants that do the same to the same bytes (a revert and an operator may meet) and those with an id
// that is already taken. The first one wins.
func dedupe(ms []Mutant) []Mutant {
	type edit struct {
		file, to    string
		kind        Kind
		off, length int
		text        Text
	}
	ids, edits := map[string]bool{}, map[edit]bool{}
	var out []Mutant
	for _, m := range ms {
		e := edit{m.File, m.To, m.Kind, m.Offset, m.Length, m.Replacement}
		if ids[m.ID] || edits[e] {
			continue
		}
		ids[m.ID], edits[e] = true, true
		out = append(out, m)
	}
	return out
}

func placeInDiff(m *Mutant, changed map[string][]Range) bool {
	if m.Origin == Revert {
		return true
	}
	for _, r := range changed[m.File] {
		if r.End >= r.Start && r.Overlaps(m.Line, m.EndLine) {
			m.Hunk = HunkName(m.File, r)
			return true
		}
	}
	return false
}

// rank is a number that depends on seed and id alone, so that a plan does not move when a mutant is added elsewhere.
func rank(seed uint64, id string) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d/%s", seed, id)
	return mixed(h.Sum64())
}

// mixed hides the order of similar ids, which FNV alone leaves visible.
func mixed(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}

func shuffled(ms []Mutant, seed uint64) []Mutant {
	out := slices.Clone(ms)
	slices.SortStableFunc(out, func(a, b Mutant) int {
		return cmp.Or(cmp.Compare(rank(seed, a.ID), rank(seed, b.ID)), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// sample keeps Sample of the mutants that need a trial: one of each changed function and hunk and every revert first.
func (s Scope) sample(p *Plan, diff []Mutant) []Mutant {
	if s.Sample <= 0 || p.Population <= s.Sample {
		return diff
	}
	p.Sampled = true
	keep, seen := map[string]bool{}, map[string]bool{}
	ms := slices.DeleteFunc(shuffled(diff, s.Seed), func(m Mutant) bool { return m.Known != "" })
	for _, m := range ms {
		for _, g := range groupsOf(&m) {
			if !seen[g] {
				seen[g], keep[m.ID] = true, true
			}
		}
		if m.Origin == Revert {
			keep[m.ID] = true
		}
	}
	for _, m := range ms {
		if len(keep) >= s.Sample {
			break
		}
		keep[m.ID] = true
	}
	out := slices.DeleteFunc(slices.Clone(diff), func(m Mutant) bool { return m.Known == "" && !keep[m.ID] })
	p.Unsampled = len(diff) - len(out)
	return out
}

// drawQuota takes N mutants of each criterion's code, spread over its functions. One mutant may serve several
// criteria.
func (s Scope) drawQuota(p *Plan, rest []Mutant) []Mutant {
	drawn := map[string]int{} // index in out
	var out []Mutant
	for _, c := range s.Quota {
		n := c.n()
		for from := spread(rest, c, s.Seed); n > 0 && len(from) > 0; {
			batch := from[:min(n, len(from))]
			from = from[len(batch):]
			s.prove(batch)
			for _, m := range batch {
				if m.Known != "" {
					continue // it would show nothing about the tests
				}
				n--
				i, ok := drawn[m.ID]
				if !ok {
					i = len(out)
					drawn[m.ID] = i
					out = append(out, m)
				}
				out[i].Quota = append(slices.Clip(out[i].Quota), c.ID)
			}
		}
	}
	p.OutOfScope += len(rest) - len(out)
	return out
}

func (s Scope) prove(ms []Mutant) {
	if s.Prove == nil || len(ms) == 0 {
		return
	}
	ps := make([]*Mutant, len(ms))
	for i := range ms {
		ps[i] = &ms[i]
	}
	s.Prove(ps)
}

// spread orders the mutants of c's code so that each function gives one before any gives a second.
func spread(ms []Mutant, c Criterion, seed uint64) []Mutant {
	var mine []Mutant
	for _, m := range ms {
		if slices.Contains(m.Criteria, c.ID) && m.Known == "" && m.Origin != Plugin {
			mine = append(mine, m)
		}
	}
	return rounds(shuffled(mine, seed), func(m *Mutant) string { return m.File + "\x00" + m.Func })
}

// rounds reorders ms: the first of each key, then the second of each key, and so on.
func rounds(ms []Mutant, key func(*Mutant) string) []Mutant {
	nth, seen := make([]int, len(ms)), map[string]int{}
	for i := range ms {
		k := key(&ms[i])
		nth[i] = seen[k]
		seen[k]++
	}
	idx := make([]int, len(ms))
	for i := range idx {
		idx[i] = i
	}
	sort.SliceStable(idx, func(a, b int) bool { return nth[idx[a]] < nth[idx[b]] })
	out := make([]Mutant, len(ms))
	for i, j := range idx {
		out[i] = ms[j]
	}
	return out
}

func order(diff, quota []Mutant, seed uint64) []Mutant {
	var tried, known []Mutant
	for _, m := range shuffled(diff, seed) {
		if m.Known != "" {
			known = append(known, m)
		} else {
			tried = append(tried, m)
		}
	}
	tried = rounds(tried, func(m *Mutant) string { return groupsOf(m)[0] })
	first, seen := 0, map[string]bool{}
	for first < len(tried) && !seen[groupsOf(&tried[first])[0]] {
		seen[groupsOf(&tried[first])[0]] = true
		first++
	}
	return slices.Concat(tried[:first], quota, tried[first:], known)
}

// groupsOf returns the changed function and the changed hunk that m speaks for; a mutant outside of both speaks for
// its file.
func groupsOf(m *Mutant) []string {
	var g []string
	if m.Func != "" {
		g = append(g, "function "+m.File+" "+m.Func)
	}
	if m.Hunk != "" {
		g = append(g, "hunk "+m.Hunk)
	}
	if len(g) == 0 {
		g = append(g, "file "+path.Clean(m.File))
	}
	return g
}
