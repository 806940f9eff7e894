package observe

import "slices"

// A Resolution says which tests a list of patterns names.
type Resolution struct {
	IDs       []string            // all that any pattern names, sorted
	Of        map[string][]string // per pattern
	Missing   []string            // patterns that name no test
	Ambiguous []string            // patterns that name several tests
}

// Resolve matches the patterns that a person wrote against the ids that a session showed.
func Resolve(r Reporter, patterns, ids []string) Resolution {
	res := Resolution{Of: make(map[string][]string)}
	for _, p := range patterns {
		if _, again := res.Of[p]; again {
			continue
		}
		var hits []string
		if slices.Contains(ids, p) {
			hits = []string{p}
		} else {
			for _, id := range ids {
				if r.Match(p, id) && !slices.Contains(hits, id) {
					hits = append(hits, id)
				}
			}
		}
		slices.Sort(hits)
		res.Of[p] = hits
		res.IDs = append(res.IDs, hits...)
		switch len(hits) {
		case 0:
			res.Missing = append(res.Missing, p)
		case 1:
		default:
			res.Ambiguous = append(res.Ambiguous, p)
		}
	}
	slices.Sort(res.IDs)
	res.IDs = slices.Compact(res.IDs)
	return res
}
