package plugin

import "testing"

// Whatever a plugin writes is refused, or leaves a source that is another one and still UTF-8.
func FuzzReadEdits(f *testing.F) {
	for _, s := range []string{
		`{"lane_plugin":1,"edits":[{"start":0,"end":1,"text":"X","name":"x","reason":"why"}]}`, `{"lane_plugin":1}`, `{"lane_plugin":"1"}`, `{}`, `[]`, ``,
		`{"lane_plugin":1,"edits":[{"start":3,"end":4,"text":"","name":"x","reason":"why"}]}`, `{"lane_plugin":1,"edits":null} {}`,
		`{"lane_plugin":1,"lane_plugin":2,"edits":[]}`, `{"lane_plugin":1,"edits":[{"start":-1,"end":1e9,"text":"\ud800","name":"x","reason":"why"}]}`,
	} {
		f.Add([]byte(s))
	}
	src := []byte("ab é\n")
	f.Fuzz(func(t *testing.T, data []byte) {
		readHello(data)
		edits, err := readEdits(data, src)
		if err != nil && len(edits) > 0 {
			t.Errorf("an error and %d edits", len(edits))
		}
		for _, e := range edits {
			if why := e.wrong(src); why != "" {
				t.Errorf("%+v: %s", e, why)
			}
		}
	})
}
