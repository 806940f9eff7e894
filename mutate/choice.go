package mutate

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
)

// Choice narrows a plan to a part of it that says something about the whole. The zero value leaves it as it is.
type Choice struct {
	// PerLine keeps one viable mutant of each line: where that one is noticed, most of the others are.
	PerLine bool
	// Sample draws so many of the viable mutants, Share that part of them (0..1); 0 = all.
	Sample int
	Share  float64
	// Shard takes the part Shard (from 1) of Shards; 0 = all. The parts of one plan are disjoint and together complete, and a mutant
	// stays in its part when others come and go.
	Shard, Shards int
	Seed          uint64
}

// Narrow leaves out what a choice does not take, and counts it. Mutants whose verdict is known without a run stay.
func (p *Plan) Narrow(c Choice) {
	if c.PerLine {
		p.perLine(c.Seed)
	}
	viable := 0
	for i := range p.Mutants {
		if p.Mutants[i].Known == "" {
			viable++
		}
	}
	n := c.Sample
	if c.Share > 0 {
		n = int(math.Ceil(c.Share * float64(viable)))
	}
	if n > 0 && n < viable {
		p.Seed, p.Sampled, p.Population, p.Unsampled = c.Seed, true, viable, p.Unsampled+viable-n
		p.keep(n, c.Seed)
	}
	if c.Shards > 1 {
		other := func(m Mutant) bool { return shardOf(m.ID, c.Shards) != c.Shard }
		before := len(p.Mutants)
		p.Mutants = slices.DeleteFunc(slices.Clone(p.Mutants), other)
		p.Arid = slices.DeleteFunc(slices.Clone(p.Arid), other)
		p.OtherShards = before - len(p.Mutants)
	}
}

func (p *Plan) perLine(seed uint64) {
	type line struct {
		file string
		line int
	}
	first := map[line]string{}
	for _, m := range shuffled(p.Mutants, seed) {
		at := line{m.File, m.Line}
		if m.Known == "" && m.Origin != Revert && first[at] == "" {
			first[at] = m.ID
		}
	}
	before := len(p.Mutants)
	p.Mutants = slices.DeleteFunc(slices.Clone(p.Mutants), func(m Mutant) bool {
		return m.Known == "" && m.Origin != Revert && first[line{m.File, m.Line}] != m.ID
	})
	p.SameLine = before - len(p.Mutants)
}

// keep draws n of the viable mutants, each with the same chance.
func (p *Plan) keep(n int, seed uint64) {
	drawn := map[string]bool{}
	for _, m := range shuffled(p.Mutants, seed) {
		if m.Known == "" && len(drawn) < n {
			drawn[m.ID] = true
		}
	}
	p.Mutants = slices.DeleteFunc(slices.Clone(p.Mutants), func(m Mutant) bool { return m.Known == "" && !drawn[m.ID] })
}

// shardOf is the part, from 1, that a mutant belongs to.
func shardOf(id string, parts int) int {
	h := fnv.New64a()
	fmt.Fprint(h, "shard/", id)
	return int(mixed(h.Sum64())%uint64(parts)) + 1
}

// interval holds, for most samples (19 of 20), the share of which k of n were drawn, by Wilson's formula.
func interval(k, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.96
	share, size := float64(k)/float64(n), float64(n)
	mid := share + z*z/(2*size)
	off := z * math.Sqrt(share*(1-share)/size+z*z/(4*size*size))
	return max(0, (mid-off)/(1+z*z/size)), min(1, (mid+off)/(1+z*z/size))
}
