package spec

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
)

// digestVersion is part of every digest; it changes when the same file comes
// to mean something else.
const digestVersion = 1

// digest is the SHA-256 of the spec's meaning as JSON: every field in the order
// of its declaration, maps sorted by key, durations in nanoseconds, sizes in
// bytes. A base that was left out means more than "main" does, so it is told
// apart.
func digest(s *Spec) [32]byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(struct {
		Version int   `json:"version"`
		Spec    *Spec `json:"spec"`
		AnyBase bool  `json:"any_base"`
	}{digestVersion, s, s.Defaults["source.base"]})
	if err != nil {
		return [32]byte{} // strings, numbers and booleans always encode
	}
	return sha256.Sum256(b.Bytes())
}
