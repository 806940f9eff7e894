package nodetest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"

	"github.com/vallane/lane/lane/observe"
)

// Where what tests reach is read and left in the box.
const (
	reachFile    = "/lane/node/reach.cjs"
	reachPlan    = "/lane/node/reach.json"
	reachFolder  = "/tmp/.lane-node-coverage"
	reachProfile = "/tmp/.lane-node-reach.json"
)

//go:embed reach.cjs
var reacher []byte

// Cover runs each test file as a program, with the coverage that V8 itself counts, in all of its processes. Tests of one file are not told
// apart: each reaches what any of them does. A process that is killed tells nothing of what it reached. The runner is left out: it would
// wait for whoever holds the output of a file, and no reporter tells here that its tests are over.
func (Reporter) Cover(r observe.Request) (observe.CoverPlan, error) {
	r.Canaries, r.Seed, r.FailFast = false, 0, false
	s, err := prepare(r)
	if err != nil {
		return observe.CoverPlan{}, err
	}
	if s.cmd == nil {
		return observe.CoverPlan{Notes: []string{"what tests reach is not known: the command is not node --test itself"}}, nil
	}
	units, _ := s.chosen(r.Select)
	data, err := json.Marshal(map[string]any{"tree": s.req.TreeBox, "folder": reachFolder, "units": units, "out": reachProfile})
	if err != nil {
		return observe.CoverPlan{}, fmt.Errorf("plan the coverage of node --test: %w", err)
	}
	p := observe.CoverPlan{Notes: s.notes, ParseEach: func(profile []byte) (map[string]observe.Reach, error) { return parseReach(profile, r.Select) }}
	flags := s.cmd.withoutRunner()
	for i, u := range units {
		p.Measure = append(p.Measure, observe.Step{
			Name: "measure " + u, Argv: slices.Concat([]string{s.cmd.program}, flags, []string{s.argument(u)}), Dir: r.Dir,
			Env: []string{"NODE_V8_COVERAGE=" + path.Join(reachFolder, strconv.Itoa(i))},
		})
	}
	p.Measure = append(p.Measure, observe.Step{
		Name: "read what tests reach", Argv: []string{s.cmd.program, reachFile}, Env: []string{"NODE_OPTIONS="}, Dir: r.Dir,
		Files: map[string][]byte{reachFile: reacher, reachPlan: data}, Collect: []string{reachProfile}, Tests: r.Select,
	})
	return p, nil
}

// parseReach reads what reach.cjs wrote, for each of the tests.
func parseReach(profile []byte, tests []string) (map[string]observe.Reach, error) {
	var p struct {
		Units map[string]map[string][][2]int `json:"units"`
	}
	if err := json.Unmarshal(profile, &p); err != nil {
		return nil, fmt.Errorf("read the lines that tests reach: %w", err)
	}
	out := make(map[string]observe.Reach, len(tests))
	for _, test := range tests {
		unit, _ := split(test)
		files, ok := p.Units[unit]
		if !ok {
			continue
		}
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

var _ observe.Coverer = Reporter{}
