package attest

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	at "github.com/vallane/lane/assurance/assurancetest"
)

func newKey(t testing.TB) PrivateKey {
	t.Helper()
	key, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// A key survives its file, and shows itself in nothing that prints it.
func TestKeyFiles(t *testing.T) {
	key := newKey(t)
	private, err := key.PEM()
	if err != nil {
		t.Fatal(err)
	}
	public, err := key.Public().PEM()
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParsePrivateKey(private)
	if err != nil || !again.key.Equal(key.key) {
		t.Error(err)
	}
	if p, err := ParsePublicKey(public); err != nil || p.ID() != key.Public().ID() || !strings.HasPrefix(p.ID(), "SHA256:") {
		t.Error(p.ID(), err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if out := fmt.Sprintf(verb, key); strings.ContainsAny(out, "0123456789[") {
			t.Errorf("%s prints %s", verb, out)
		}
	}
	for name, data := range map[string][]byte{
		"empty": nil, "public": public, "two": append(append([]byte(nil), private...), private...), "cut": private[:40],
		"other": []byte("-----BEGIN PRIVATE KEY-----\nMAo=\n-----END PRIVATE KEY-----\n"),
	} {
		if _, err := ParsePrivateKey(data); err == nil {
			t.Errorf("%s is taken for a private key", name)
		} else if name != "other" && strings.Contains(err.Error(), string(private[30:50])) {
			t.Errorf("%s: the error shows the key", name)
		}
	}
	if _, err := ParsePublicKey(private); err == nil || !strings.Contains(err.Error(), "private key") {
		t.Error(err)
	}
}

// DSSE's own example of what is signed.
func TestEncoding(t *testing.T) {
	if got := string(encoding("http://example.com/HelloWorld", []byte("hello world"))); got != "DSSEv1 29 http://example.com/HelloWorld 11 hello world" {
		t.Error(got)
	}
}

func TestParseEnvelope(t *testing.T) {
	good := `{"payloadType":"application/vnd.in-toto+json","payload":"e30=","signatures":[{"sig":"AA=="}]}`
	if _, err := ParseEnvelope([]byte(good)); err != nil {
		t.Fatal(err)
	}
	if e, err := ParseEnvelope([]byte(strings.Replace(good, "e30=", "_-8=", 1))); err != nil || len(e.payload) != 2 {
		t.Errorf("the other alphabet of base64: %v", err)
	}
	for _, c := range [][2]string{
		{`"payload":"e30="`, `"payload":"e30"`},
		{`"payload":"e30="`, `"payload":"e30=","payload":"e30="`},
		{`"payload":"e30="`, `"payload":"e30=","Payload":"e30="`},
		{`"payload":"e30="`, `"payload":null`},
		{`vnd.in-toto+json`, `json`},
		{`[{"sig":"AA=="}]`, `[]`},
		{`"AA=="`, `"!"`},
		{`{"sig":"AA=="}`, `{"sig":"AA==","x":1}`},
		{`{"sig":"AA=="}`, strings.Repeat(`{"sig":"AA=="},`, mostSignatures) + `{"sig":"AA=="}`},
		{`]}`, `]}{}`},
	} {
		if _, err := ParseEnvelope([]byte(strings.Replace(good, c[0], c[1], 1))); err == nil {
			t.Errorf("%s is taken", c[1])
		}
	}
}

func TestSignRefuses(t *testing.T) {
	v := at.Judged(nil)
	v.Subject.TreeSHA256 = ""
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"no tree": data, "no verdict": []byte(`{"val":"VAL-1","x":1}`), "nothing": nil} {
		if _, err := Sign(data, newKey(t)); err == nil {
			t.Errorf("%s is signed", name)
		}
	}
}

// Mistakes in a trust.toml are errors, never a key that counts for more than was meant.
func TestParseTrust(t *testing.T) {
	one, two := newKey(t), newKey(t)
	read := func(name string) ([]byte, error) {
		switch name {
		case "one.pub":
			return one.Public().PEM()
		case "two.pub":
			return two.Public().PEM()
		case "one.key":
			return one.PEM()
		}
		return nil, errors.New("no such file")
	}
	entry := func(lines ...string) string { return "[[key]]\n" + strings.Join(lines, "\n") + "\n" }
	first := entry(`public = "one.pub"`, `role = "verifier"`, `verifier = "ci"`)
	if _, err := ParseTrust([]byte(first+entry(`public = "two.pub"`, `role = "author"`)), read); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, says string }{
		{"", "trusts nobody"},
		{"[[key]\n", "line 2, column"},
		{first + "max-val = 1\n", "unknown key key.max-val"},
		{first + entry(`public = "one.pub"`, `role = "author"`), "both roles"},
		{entry(`public = "one.pub"`, `role = "author"`) + first, "both roles"},
		{first + first, "one entry"},
		{"contract = \"maybe\"\n" + first, `contract is "maybe"`},
		{entry(`public = "one.pub"`, `role = "admin"`), `role is "admin"`},
		{entry(`public = "one.pub"`, `role = "verifier"`), "verifier is missing"},
		{entry(`public = "three.pub"`, `role = "author"`), "no such file"},
		{entry(`public = "one.key"`, `role = "author"`), "private key"},
		{first + "max_val = 4\n", "max_val is 4"},
		{first + "max_val = -1\n", "max_val is -1"},
		{first + `revoked = "yes"`, `revoked is "yes"`},
		{first + `revoked = "retired"`, "revoked_at is missing"},
		{first + "from = 2026-01-02T00:00:00Z\nuntil = 2026-01-01T00:00:00Z", "until is not after from"},
	} {
		if _, err := ParseTrust([]byte(c.text), read); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s\n%v, want %s", c.text, err, c.says)
		}
	}
}

func FuzzEnvelope(f *testing.F) {
	data, err := json.Marshal(at.Judged(nil))
	if err != nil {
		f.Fatal(err)
	}
	key := newKey(f)
	signed, err := Sign(data, key)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(signed)
	f.Add([]byte(`{"payloadType":"application/vnd.in-toto+json","payload":"e30=","signatures":[{"sig":"AA=="}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := ParseEnvelope(data)
		if err != nil {
			return
		}
		if e.SignedBy(key.Public()) && base64.StdEncoding.EncodeToString(e.payload) == "" {
			t.Error("an empty payload is signed")
		}
		_, _, _ = e.Verdict()
	})
}

func FuzzTrust(f *testing.F) {
	key := newKey(f)
	f.Add([]byte("[[key]]\npublic = \"a\"\nrole = \"verifier\"\nverifier = \"ci\"\nmax_val = 1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		trust, err := ParseTrust(data, func(string) ([]byte, error) { return key.Public().PEM() })
		if err == nil && len(trust.keys) != 1 { // more would be one key twice
			t.Errorf("%d keys", len(trust.keys))
		}
	})
}
