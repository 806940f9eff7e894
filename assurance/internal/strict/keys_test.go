package strict_test

import (
	"encoding/json"
	"testing"

	"github.com/vallane/lane/assurance/internal/strict"
)

// Of valid JSON the keys are what encoding/json finds; of the rest they are anything but a panic.
func FuzzKeys(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":1,"b":{"c":[1,"}",{"d":null}]},"e\"":"\\"}`, ` { "a" : [ ] , "b":true}`, `{"a":`, `{"a"`, `{"a":}`, `{,}`, `[]`, `{"a":1]`, `"`, `{"\`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		keys, err := strict.Keys(data)
		var want map[string]json.RawMessage
		if json.Unmarshal(data, &want) != nil || want == nil {
			return
		}
		if err != nil || len(keys) != len(want) {
			t.Fatalf("%q: %d keys (%v), want %d", data, len(keys), err, len(want))
		}
		for k, v := range want {
			if string(keys[k]) != string(v) {
				t.Fatalf("%q: %s is %q, want %q", data, k, keys[k], v)
			}
		}
	})
}
