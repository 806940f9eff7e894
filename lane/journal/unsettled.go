package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/vallane/lane/internal/flock"
)

// Unsettled returns the ledger's lines of the kind made, oldest first, that no later line of the kind gone answers: one whose field by
// has the same text. A line that a crash cut short is passed over.
func Unsettled(dir, made, gone, by string) ([]map[string]any, error) {
	data, err := os.ReadFile(filepath.Join(dir, "ledger.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the ledger: %w", err)
	}
	var open []map[string]any
	for line := range bytes.Lines(data) {
		var fields map[string]any
		if json.Unmarshal(line, &fields) != nil {
			continue
		}
		switch fields["event"] {
		case made:
			open = append(open, fields)
		case gone:
			var left []map[string]any
			for _, o := range open {
				if o[by] != fields[by] {
					left = append(left, o)
				}
			}
			open = left
		}
	}
	return open, nil
}

// Amend lets f add lines to the ledger of the spec whose folder is dir while it holds the spec's lock. A spec that is running is left alone.
func Amend(dir string, f func(note func(kind string, fields map[string]any)) error) error {
	l, err := flock.Try(filepath.Join(dir, "lock"), flock.Exclusive)
	if errors.Is(err, flock.ErrHeld) {
		return nil
	}
	if err != nil {
		return err
	}
	defer l.Release()
	s, err := Read(dir)
	if err != nil {
		return err
	}
	ledger, err := openLedger(dir)
	if err != nil {
		return err
	}
	err = f(func(kind string, fields map[string]any) { appendLine(ledger, s.Attempt, kind, fields) })
	return errors.Join(err, ledger.Close())
}
