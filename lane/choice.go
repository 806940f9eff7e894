package lane

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/mutate"
)

// ParseShard reads a part of a plan, such as 2/5, into a choice; "" = all.
func ParseShard(text string, c *mutate.Choice) error {
	if text == "" {
		return nil
	}
	k, n, ok := strings.Cut(text, "/")
	part, err1 := strconv.Atoi(k)
	of, err2 := strconv.Atoi(n)
	if !ok || err1 != nil || err2 != nil || part < 1 || of < part {
		return fmt.Errorf("read --shard: %q is no part; write 2/5 for the second of five", text)
	}
	c.Shard, c.Shards = part, of
	return nil
}

// ParseSample reads the size of a sample, such as 200 or 10%, into a choice; "" = all.
func ParseSample(text string, c *mutate.Choice) error {
	if text == "" {
		return nil
	}
	if percent, ok := strings.CutSuffix(text, "%"); ok {
		p, err := strconv.ParseFloat(strings.TrimSpace(percent), 64)
		if err != nil || !(p > 0 && p <= 100) {
			return fmt.Errorf("read --sample: %q is no share; write 10%% for a tenth of the mutants", text)
		}
		c.Share = p / 100
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return fmt.Errorf("read --sample: %q is no size; write 200, or 10%%", text)
	}
	c.Sample = n
	return nil
}

// ParseTier reads the only tier that may be used; "" = the quickest for each mutant.
func ParseTier(text string) (mutate.Tier, error) {
	t := mutate.Tier(strings.ToUpper(text))
	if text != "" && !slices.Contains([]mutate.Tier{mutate.T0, mutate.T1, mutate.T2, mutate.T3}, t) {
		return "", fmt.Errorf("read --tier: %q is none; write T0, T1, T2 or T3", text)
	}
	return t, nil
}

// Merge puts the results of the parts of one plan together, as `lane mutate --shard` left them: each part once, all of one plan.
func Merge(parts []*Mutation) (*Mutation, error) {
	wrong := func(format string, args ...any) error {
		return &coded{fmt.Errorf("merge results: "+format, args...), assurance.ExitUsage}
	}
	if len(parts) == 0 || parts[0].Shards < 2 {
		return nil, wrong("there are no parts; lane mutate --shard 1/2 --format json makes one")
	}
	out := &Mutation{Plan: parts[0].Plan, Diffs: map[string]string{}, Shards: parts[0].Shards}
	out.Plan.Mutants, out.Plan.Arid, out.Plan.OtherShards = nil, nil, 0
	seen := map[int]bool{}
	for _, p := range parts {
		switch {
		case p.Shards != out.Shards || p.Tree != parts[0].Tree || p.Plan.Seed != out.Plan.Seed:
			return nil, wrong("they are not parts of one plan: %d parts of tree %s and %d of %s", out.Shards, parts[0].Tree, p.Shards, p.Tree)
		case seen[p.Shard]:
			return nil, wrong("part %d of %d is there twice", p.Shard, p.Shards)
		}
		seen[p.Shard] = true
		out.Plan.Mutants = append(out.Plan.Mutants, p.Plan.Mutants...)
		out.Plan.Arid = append(out.Plan.Arid, p.Plan.Arid...)
		out.Results = append(out.Results, p.Results...)
		for id, d := range p.Diffs {
			out.Diffs[id] = d
		}
		for _, f := range p.Facts {
			if !slices.Contains(out.Facts, f) {
				out.Facts = append(out.Facts, f)
			}
		}
	}
	for k := 1; k <= out.Shards; k++ {
		if !seen[k] {
			return nil, wrong("part %d of %d is missing", k, out.Shards)
		}
	}
	out.Tree = parts[0].Tree
	out.Score = mutate.NewScore(&out.Plan, out.Results)
	return out, nil
}
