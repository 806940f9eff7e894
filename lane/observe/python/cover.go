package python

import (
	"encoding/json"
	"fmt"

	"github.com/vallane/lane/lane/observe"
)

const profileFile = "/tmp/.lane-python-reach.json"

func cover(kind string, r observe.Request) (observe.CoverPlan, error) {
	r.Canaries, r.Seed, r.FailFast = false, 0, false
	s, err := prepare(kind, r)
	if err != nil {
		return observe.CoverPlan{}, err
	}
	files, err := s.files(observe.Variation{Select: r.Select}, nil, func(p *boxPlan) {
		p.Cover = &boxCover{Dirs: nonNil(r.Cover), Out: profileFile}
	})
	if err != nil {
		return observe.CoverPlan{}, err
	}
	return observe.CoverPlan{
		Measure: []observe.Step{{
			Name: "measure all tests", Argv: s.argv(), Env: s.env(), Dir: r.Dir, Files: files, Collect: []string{profileFile}, Tests: r.Select,
		}},
		Notes: s.notes, ParseEach: parseReach,
	}, nil
}

// parseReach reads what lane_reach.py wrote: for each top-level test the lines of each file.
func parseReach(profile []byte) (map[string]observe.Reach, error) {
	var p struct {
		Tests map[string]map[string][][2]int `json:"tests"`
	}
	if err := json.Unmarshal(profile, &p); err != nil {
		return nil, fmt.Errorf("read the lines that tests reach: %w", err)
	}
	out := make(map[string]observe.Reach, len(p.Tests))
	for test, files := range p.Tests {
		reach := observe.Reach{}
		for file, runs := range files {
			for _, run := range runs {
				if run[0] < 1 || run[1] < run[0] {
					return nil, fmt.Errorf("read the lines that %s reaches: impossible lines of %s", test, file)
				}
				reach[file] = append(reach[file], observe.Lines{First: run[0], Last: run[1]})
			}
		}
		out[test] = reach
	}
	return out, nil
}
