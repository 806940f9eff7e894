package lane

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/vallane/lane/lane/journal"
	"github.com/vallane/lane/lane/observe"
)

// flippedFile holds them, in the folder of the spec's state.
const flippedFile = "flipped.json"

// maxFlipped bounds how many tests of a task are remembered.
const maxFlipped = 1000

// flipped are the tests of a spec that once ended in two ways, by task, with the day on which that was seen last. Who flipped once may do
// so again: a kill by such a test is confirmed.
type flipped map[string]map[string]string

// rememberFlips adds what this run has shown to what earlier runs did, and keeps it for later ones, of lane check and lane mutate alike.
func (j *job) rememberFlips() error {
	if j.journal == nil {
		return nil
	}
	dir, err := j.o.specDir(j.spec)
	if err != nil {
		return err
	}
	name := filepath.Join(dir, flippedFile)
	all := flipped{}
	data, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case json.Unmarshal(data, &all) != nil:
		j.note("what was known of tests that flip could not be read, and begins anew: " + name)
		all = flipped{}
	}
	before := len(data)
	more := false
	for _, t := range j.tasks {
		for id := range t.flipping() {
			if all[t.spec.Name] == nil {
				all[t.spec.Name] = map[string]string{}
			}
			if _, known := all[t.spec.Name][id]; !known && len(all[t.spec.Name]) < maxFlipped {
				all[t.spec.Name][id], more = time.Now().UTC().Format(time.DateOnly), true
			}
		}
	}
	j.flipped = all
	if !more && before > 0 || len(all) == 0 {
		return nil
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return journal.Replace(name, append(text, '\n'), 0o644)
}

// flipping are the tests that ended in two ways on head.
func (t *task) flipping() map[string]bool {
	first, out := map[string]observe.Status{}, map[string]bool{}
	for i := range t.seen {
		if t.seen[i].seen.Session == nil {
			continue
		}
		for _, x := range t.seen[i].seen.Session.Tests {
			if st, seen := first[x.ID]; !seen {
				first[x.ID] = x.Status
			} else if st != x.Status {
				out[x.ID] = true
			}
		}
	}
	return out
}
