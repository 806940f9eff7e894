package runner

import (
	"context"
	"slices"

	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/observe"
)

// Record runs tests on a tree with files that tell where they are reached. known is false where the reporter cannot have them told, where a
// run did not build or did not pass, and where what it left cannot be read: then nobody knows what any test reaches.
func (s *Stage) Record(ctx context.Context, tests []string, files map[string][]byte) (marks []observe.Mark, known bool, err error) {
	recorder, ok := s.task.Reporter.(observe.Recorder)
	if !ok || len(tests) == 0 {
		return nil, false, nil
	}
	runs, err := recorder.Record(s.request(Order{Select: tests}))
	if err != nil {
		return nil, false, err
	}
	overlay := map[string]fence.Change{}
	for name, data := range files {
		overlay[name] = fence.Change{Data: data}
	}
	passed := map[string]bool{}
	for _, run := range runs {
		seen, err := s.run(ctx, run.Plan, Order{Overlay: overlay, Wall: warming})
		if err != nil {
			return nil, false, err
		}
		some, err := run.Parse(seen.Box.Collected[run.At])
		if err != nil || seen.Box.End != fence.Exited || seen.Box.Exit != 0 || len(seen.Box.NotCollected) > 0 {
			return nil, false, nil
		}
		marks = append(marks, some...)
		for _, t := range seen.Session.Tests {
			passed[t.ID] = t.Status == observe.Passed
		}
	}
	return marks, !slices.ContainsFunc(tests, func(id string) bool { return !passed[id] }), nil
}
