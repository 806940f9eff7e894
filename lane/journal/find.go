package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Find returns the fields of the newest line of a spec's ledger that is of a kind and for which ok holds; nil where there is none. A line
// that a crash cut short is passed over.
func Find(dir, kind string, ok func(fields map[string]any) bool) (map[string]any, error) {
	data, err := os.ReadFile(filepath.Join(dir, "ledger.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the ledger: %w", err)
	}
	for _, line := range slices.Backward(bytes.Split(data, []byte("\n"))) {
		var fields map[string]any
		if json.Unmarshal(line, &fields) == nil && fields["event"] == kind && ok(fields) {
			return fields, nil
		}
	}
	return nil, nil
}
