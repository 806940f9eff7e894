package gate_test

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/assurance"
	at "github.com/vallane/lane/assurance/assurancetest"
	"github.com/vallane/lane/assurance/attest"
	"github.com/vallane/lane/assurance/gate"
)

func newKey(t testing.TB) attest.PrivateKey {
	t.Helper()
	key, err := attest.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// trust is a trust.toml whose one entry names the key and has the lines in it.
func trust(t *testing.T, key attest.PrivateKey, lines ...string) *attest.Trust {
	t.Helper()
	pem, err := key.Public().PEM()
	if err != nil {
		t.Fatal(err)
	}
	out, err := attest.ParseTrust([]byte("[[key]]\npublic = \"key.pub\"\n"+strings.Join(lines, "\n")), func(name string) ([]byte, error) {
		if name != "key.pub" {
			return nil, errors.New("there is none")
		}
		return pem, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func sign(t testing.TB, data []byte, key attest.PrivateKey) []byte {
	t.Helper()
	out, err := attest.Sign(data, key)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// stopsAt wants an exit code, the step that failed first, "" for none, and a part of its reason.
func stopsAt(t *testing.T, d gate.Decision, exit assurance.Exit, step gate.Step, says string) {
	t.Helper()
	var failed gate.Result
	for _, r := range d.Steps {
		if r.State == assurance.Failed {
			failed = r
			break
		}
	}
	if d.Exit != exit || failed.Step != step || !strings.Contains(failed.Reason, says) {
		t.Errorf("exit %d at %q: %s\nwant %d at %q: %s", d.Exit, failed.Step, failed.Reason, exit, step, says)
	}
}

// repacked changes what is in an envelope and leaves its signature; a key that is given signs it anew, as somebody would who has it.
func repacked(t *testing.T, data []byte, old, new string, key *attest.PrivateKey) []byte {
	t.Helper()
	var e map[string]any
	if err := json.Unmarshal(data, &e); err != nil {
		t.Fatal(err)
	}
	payload, err := base64.StdEncoding.DecodeString(e["payload"].(string))
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(string(payload), old, new, 1)
	if other == string(payload) {
		t.Fatalf("there is no %s in the payload", old)
	}
	e["payload"] = base64.StdEncoding.EncodeToString([]byte(other))
	if key != nil {
		file, err := key.PEM()
		if err != nil {
			t.Fatal(err)
		}
		block, _ := pem.Decode(file)
		private, err := x509.ParsePKCS8PrivateKey(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		sig := ed25519.Sign(private.(ed25519.PrivateKey), fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(attest.PayloadType), attest.PayloadType, len(other), other))
		e["signatures"] = []map[string]string{{"sig": base64.StdEncoding.EncodeToString(sig)}}
	}
	out, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// For each rule about signatures, an envelope that breaks it alone.
func TestSigned(t *testing.T) {
	key, other := newKey(t), newKey(t)
	v := at.Judged(nil)
	good := encoded(t, v)
	signed := sign(t, good, key)
	verifier := []string{`role = "verifier"`, `verifier = "ci"`}
	undated := sign(t, encoded(t, at.Judged(func(e *assurance.Evidence) { e.Record.Finished = time.Time{} })), key)
	trusts := func(lines ...string) *attest.Trust { return trust(t, key, append(lines, verifier...)...) }
	stamp := func(d time.Duration) string { return v.Finished.Add(d).UTC().Format(time.RFC3339) }
	for _, c := range []struct {
		name string
		o    gate.Options
		data []byte
		exit assurance.Exit
		step gate.Step
		says string
	}{
		{"good", gate.Options{MinVAL: 1, Trust: trusts()}, signed, 0, "", ""},
		{"good in time and place", gate.Options{MinVAL: 1, Trust: trusts(`venues = ["`+v.Venue+`"]`, "from = "+stamp(-time.Hour), "until = "+stamp(time.Hour))}, signed, 0, "", ""},
		{"retired after it signed", gate.Options{Trust: trusts(`revoked = "retired"`, "revoked_at = "+stamp(time.Hour))}, signed, 0, "", ""},
		{"nobody is trusted", gate.Options{}, signed, 3, gate.StepSignature, "nobody said whose"},
		{"nobody is trusted, and none need be", gate.Options{AllowUnsigned: true}, signed, 0, "", ""},
		{"unsigned where signatures count", gate.Options{Trust: trusts()}, good, 3, gate.StepSignature, "not signed"},
		{"a key that nobody knows", gate.Options{Trust: trusts()}, sign(t, good, other), 3, gate.StepSignature, "by a key that the reader trusts"},
		{"a key that nobody knows is worse than none", gate.Options{Trust: trusts(), AllowUnsigned: true}, sign(t, good, other), 3, gate.StepSignature, "by a key that the reader trusts"},
		{"changed after it was signed", gate.Options{Trust: trusts()}, repacked(t, signed, `"val":`, `"val" :`, nil), 3, gate.StepSignature, "by a key that the reader trusts"},
		{"a key for contracts", gate.Options{Trust: trust(t, key, `role = "author"`)}, signed, 3, gate.StepSignature, "contracts and no verdicts"},
		{"a compromised key", gate.Options{Trust: trusts(`revoked = "compromised"`)}, signed, 3, gate.StepSignature, "compromised"},
		{"retired before it signed", gate.Options{Trust: trusts(`revoked = "retired"`, "revoked_at = "+stamp(-time.Hour))}, signed, 3, gate.StepStatement, "retired"},
		{"before its time", gate.Options{Trust: trusts("from = " + stamp(time.Hour))}, signed, 3, gate.StepStatement, "good from"},
		{"after its time", gate.Options{Trust: trusts("until = " + stamp(-time.Hour))}, signed, 3, gate.StepStatement, "good until"},
		{"another venue", gate.Options{Trust: trusts(`venues = ["elsewhere"]`)}, signed, 3, gate.StepStatement, "venue"},
		{"made nobody knows when, by a key with a time", gate.Options{Trust: trusts("until = " + stamp(time.Hour))}, undated, 3, gate.StepStatement, "does not say when"},
		{"made nobody knows when, by a key without", gate.Options{Trust: trusts()}, undated, 0, "", ""},
		{"another type of statement", gate.Options{Trust: trusts()}, repacked(t, signed, attest.StatementType, "https://in-toto.io/Statement/v0.1", &key), 3, gate.StepStatement, "a statement of type"},
		{"another predicate", gate.Options{Trust: trusts()}, repacked(t, signed, attest.VerdictType, "https://slsa.dev/provenance/v1", &key), 3, gate.StepStatement, "predicate"},
		{"another subject than the verdict's", gate.Options{Trust: trusts()}, repacked(t, signed, `"sha256":"`, `"sha256":"0`, &key), 3, gate.StepStatement, "is about"},
		{"a subject more", gate.Options{Trust: trusts()}, repacked(t, signed, `"subject":[`, `"subject":[{"name":"x","digest":{}},`, &key), 3, gate.StepStatement, "is about"},
		{"a key twice", gate.Options{Trust: trusts()}, repacked(t, signed, `{"_type"`, `{"predicateType":"x","_type"`, &key), 3, gate.StepStatement, "twice"},
		{"a signed lie", gate.Options{Trust: trusts()}, repacked(t, signed, `"val":"VAL-1"`, `"val":"VAL-2"`, &key), 3, gate.StepEvidence, "VAL-2"},
		{"a key that may sign less", gate.Options{MinVAL: 1, Trust: trusts("max_val = 0")}, signed, 4, gate.StepLevel, "VAL-0"},
		{"a key that may sign less, which is enough", gate.Options{MinVAL: 0, Trust: trusts("max_val = 0")}, signed, 0, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := check(t, c.o, c.data)
			stopsAt(t, d, c.exit, c.step, c.says)
		})
	}
}

// What signs says that it may not: the level of a gate is the key's at most, whatever the verdict earned.
func TestKeyCapsTheLevel(t *testing.T) {
	key := newKey(t)
	d := check(t, gate.Options{Trust: trust(t, key, `role = "verifier"`, `verifier = "ci"`, "max_val = 0")}, sign(t, encoded(t, at.Judged(nil)), key))
	if d.Level != assurance.VAL0 {
		t.Error(fmt.Sprint(d.Level))
	}
}
