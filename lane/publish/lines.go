package publish

import (
	"bytes"
	"encoding/json"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
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

// onlyLayer is the layer of a manifest that has one.
func onlyLayer(manifest []byte) (ocispec.Descriptor, bool) {
	var m ocispec.Manifest
	if json.Unmarshal(manifest, &m) != nil || len(m.Layers) != 1 {
		return ocispec.Descriptor{}, false
	}
	return m.Layers[0], true
}
