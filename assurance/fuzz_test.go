package assurance_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/vallane/lane/assurance"
	at "github.com/vallane/lane/assurance/assurancetest"
)

// FuzzJudge feeds Judge whatever can be read as evidence: it may not panic, it has to say the same twice and
// after a way through JSON, and no observation taken away may raise the level.
func FuzzJudge(f *testing.F) {
	good := at.Good()
	data, err := json.Marshal(good)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	for _, c := range alone {
		e := at.Good()
		if c.edit != nil {
			c.edit(&e)
		}
		data, _ := json.Marshal(e)
		f.Add(data)
	}
	for _, kind := range []string{assurance.HiddenInProcess, assurance.HiddenBlackBox} {
		e := at.Good()
		at.WithHidden(&e, kind)
		data, _ := json.Marshal(e)
		f.Add(data)
	}
	f.Add([]byte(`{"version":1}`))
	f.Add([]byte(`{"version":1,"plan":{"require":"VAL-3","change":{"kind":"tree","said_by":"caller"},"spec":{"authority":"base"}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var e assurance.Evidence
		if json.Unmarshal(data, &e) != nil {
			return
		}
		v := assurance.Judge(e)
		first := encode(t, v)
		if !bytes.Equal(first, encode(t, assurance.Judge(e))) {
			t.Fatal("the same evidence gives two verdicts")
		}
		var back assurance.Verdict
		if err := json.Unmarshal(first, &back); err != nil {
			t.Fatalf("read own verdict: %v", err)
		}
		if back.Evidence == nil || !bytes.Equal(first, encode(t, assurance.Judge(*back.Evidence))) {
			t.Fatal("the evidence in a verdict gives another verdict")
		}
		if v.Level != assurance.LevelNone && (v.Outcome != assurance.OutcomePassed || v.Status != assurance.StatusDone) {
			t.Fatalf("%s beside outcome %q, status %q", v.Level, v.Outcome, v.Status)
		}
		if v.ExitCode() == 0 && v.Level < v.Require {
			t.Fatalf("exit code 0 at %s, below %s", v.Level, v.Require)
		}
		if ids := idsOf(e); len(ids) > 0 {
			id := ids[len(data)%len(ids)]
			delete(e.Observations, id)
			if less := assurance.Judge(e); less.Level > v.Level {
				t.Fatalf("without %s the level rises from %s to %s", id, v.Level, less.Level)
			}
		}
	})
}

func encode(t *testing.T, v assurance.Verdict) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("write verdict: %v", err)
	}
	return data
}

// What cannot be written as JSON, or not as it is, is judged as a reader would see it.
func TestJudgeWhatJSONCannotSay(t *testing.T) {
	e := at.Good()
	at.Set(e.Observations[at.HeadPlain], at.Once, assurance.TestFailed, "\xff\xfe broken \x00 bytes")
	e.Plan.Tests[0].Why = append(e.Plan.Tests[0].Why, "\xff")
	v := assurance.Judge(e)
	var back assurance.Verdict
	if err := json.Unmarshal(encode(t, v), &back); err != nil {
		t.Fatal(err)
	}
	if again := assurance.Judge(*back.Evidence); again.EvidenceDigest != v.EvidenceDigest {
		t.Errorf("digest %s after a way through JSON, %s before", again.EvidenceDigest, v.EvidenceDigest)
	}

	e = at.Good()
	e.Record.Started = e.Record.Started.AddDate(20_000, 0, 0)
	if v := assurance.Judge(e); v.Status != assurance.StatusRefused || v.Refusal.Code != assurance.BadEvidence {
		t.Errorf("got %s %s for a time that JSON cannot hold", v.Status, v.Reason)
	}
	if v := assurance.Judge(assurance.Evidence{}); v.ExitCode() != 3 || v.Level != assurance.LevelNone {
		t.Errorf("no evidence: exit code %d at %s", v.ExitCode(), v.Level)
	}
}
