package publish

import (
	"bytes"
	"encoding/json"
)

// oneLine writes an envelope as one line, whatever its form.
func oneLine(data []byte) ([]byte, error) {
	var b bytes.Buffer
	err := json.Compact(&b, data)
	return b.Bytes(), err
}

// parseLines reads the items of a log. Lines that are none are counted, and nothing more: what others write beside Lane's is theirs.
func parseLines(data []byte) (items []Item, foreign int) {
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if it, err := Parse(line); err == nil {
			items = append(items, it)
		} else {
			foreign++
		}
	}
	return items, foreign
}

// missing are the items that a log does not hold yet, each once.
func missing(items, there []Item) (out []Item) {
	has := map[string]bool{}
	for _, it := range there {
		has[it.Digest] = true
	}
	for _, it := range items {
		if !has[it.Digest] {
			has[it.Digest] = true
			out = append(out, it)
		}
	}
	return out
}
