package lane

import (
	"context"
	"fmt"
	"strings"

	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/javascript"
)

// record finds out what tests reach where the code itself has to tell. Without it every mutant is asked of every test.
func (j *job) record(ctx context.Context, t *task, tests []string, e *mutate.Engine) error {
	probes, err := j.foundJavaScript.Probe(ctx, randomSeed())
	if err != nil {
		return err
	}
	marks, known, err := t.head.Record(ctx, tests, probes.Files)
	if err != nil {
		return err
	}
	if !known {
		j.note(fmt.Sprintf("task %s: what its tests reach is not known: they do not all pass, and tell of it, where the code notes what is reached", t.spec.Name))
		return nil
	}
	reach, err := reachOf(ctx, probes, marks, tests)
	if err != nil {
		return err
	}
	e.Reach, e.Told = reach, true
	return nil
}

// reachOf makes the reach map of tests from the marks of their files. A mark of no file in particular is one of them all. Of a source in
// which a function was entered by a test file that did not load it, nothing is known: files shared what they loaded. A mark of a file by
// another name (its link's, say) than that of its tests may be one of any of them.
func reachOf(ctx context.Context, probes *javascript.Probes, marks []observe.Mark, tests []string) (*mutate.Reach, error) {
	reach := &mutate.Reach{Divided: true}
	of := map[string][]string{"": tests}
	for _, id := range tests {
		unit, _, _ := strings.Cut(id, " > ")
		of[unit] = append(of[unit], id)
		reach.Measured(id)
	}
	marks = distinct(probes, marks)
	shared, declared, byAll := sharedFiles(marks), map[string]bool{}, map[observe.Mark]bool{}
	for _, m := range marks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if shared[m.File] {
			continue
		}
		if !declared[m.File] {
			declared[m.File] = true
			probes.Declare(reach, m.File)
		}
		by, ok := of[m.Unit]
		if m.Unit = ""; !ok && !byAll[m] {
			by, byAll[m] = tests, true
		}
		probes.Add(reach, m.File, m.Place, by)
	}
	return reach, nil
}

// distinct leaves each mark in once, and only where Lane's code can have written it: the code under test can write marks too, millions
// of them.
func distinct(probes *javascript.Probes, marks []observe.Mark) (out []observe.Mark) {
	seen := map[observe.Mark]bool{}
	for _, m := range marks {
		if !seen[m] && probes.Holds(m.File, m.Place) {
			seen[m] = true
			out = append(out, m)
		}
	}
	return out
}

// sharedFiles are those in which a function was entered by a test file that did not load them.
func sharedFiles(marks []observe.Mark) map[string]bool {
	type visit struct{ file, unit string }
	loaded, shared := map[visit]bool{}, map[string]bool{}
	for _, m := range marks {
		loaded[visit{m.File, m.Unit}] = loaded[visit{m.File, m.Unit}] || m.Place == 0
	}
	for v, ok := range loaded {
		shared[v.file] = shared[v.file] || !ok && !loaded[visit{v.file, ""}]
	}
	return shared
}
