package jsrunner

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vallane/lane/lane/observe"
)

const (
	reachedScript = folder + "reached.cjs"
	reachedPlan   = folder + "reached.json"
	reachedFile   = "/tmp/.lane-js-reached"
)

//go:embed reached.cjs
var reacher []byte

// Record plans runs of the selected tests on a tree whose code tells where it is reached: one run of all test files where the runner says
// in the code's process which of them is at hand, else one of each.
func (r Reporter) Record(q observe.Request) ([]observe.Recording, error) {
	s, err := r.prepare(q)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(map[string]any{"out": reachedFile})
	if err != nil {
		return nil, fmt.Errorf("plan %s: %w", s.name, err)
	}
	chosen := map[string][]string{"": q.Select}
	order := []string{""}
	if s.apart {
		chosen, order = map[string][]string{}, unitsOf(q.Select)
		for _, id := range q.Select {
			unit, _, _ := strings.Cut(id, separator)
			chosen[unit] = append(chosen[unit], id)
		}
	}
	var out []observe.Recording
	for _, unit := range order {
		p, err := s.vary(observe.Variation{Select: chosen[unit]})
		if err != nil {
			return nil, err
		}
		if s.isolate != "" { // what the command itself says would win
			p.Argv = append(slices.DeleteFunc(p.Argv, isolates), s.isolate)
		}
		p.Env = []string{"NODE_OPTIONS=" + strings.TrimSpace("--require="+reachedScript+" "+value(q.Env, "NODE_OPTIONS"))}
		p.Files[reachedScript], p.Files[reachedPlan] = reacher, data
		p.Collect = append(p.Collect, reachedFile)
		out = append(out, observe.Recording{Plan: p, At: reachedFile, Parse: func(data []byte) ([]observe.Mark, error) { return s.marks(data, unit) }})
	}
	return out, nil
}

// marks reads what reached.cjs wrote. What no test file is known for is the one's that ran alone.
func (s *setup) marks(data []byte, alone string) (out []observe.Mark, err error) {
	for line := range bytes.Lines(data) {
		var fields [3]any
		err := json.Unmarshal(line, &fields)
		test, ok1 := fields[0].(string)
		file, ok2 := fields[1].(string)
		place, ok3 := fields[2].(float64)
		if err != nil || !ok1 || !ok2 || !ok3 || place != float64(int(place)) {
			return nil, fmt.Errorf("read what tests reach: a line is not one that Lane's own code writes")
		}
		if alone != "" {
			test = path.Join(s.box, alone)
		}
		unit := ""
		if test != "" {
			rest, in := strings.CutPrefix(test, s.box+"/")
			if !in {
				return nil, fmt.Errorf("read what tests reach: %q does not lie in the tree", test)
			}
			unit = rest
		}
		out = append(out, observe.Mark{Unit: unit, File: file, Place: int(place)})
	}
	return out, nil
}

// isolates reports whether a word says if test files share modules.
func isolates(word string) bool {
	name, _, _ := strings.Cut(word, "=")
	return name == "--isolate" || name == "--no-isolate" || strings.HasSuffix(name, ".isolate") && strings.Contains(name, "poolOptions.")
}

func value(env []string, key string) string {
	for _, kv := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(kv, key+"="); ok {
			return v
		}
	}
	return ""
}

var _ observe.Recorder = Reporter{}
