package attest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files and the schemas of docs afresh")

// sample is the contract of testdata/contract.json.
func sample(t testing.TB) Contract {
	t.Helper()
	data, err := os.ReadFile("testdata/contract.json")
	if err != nil {
		t.Fatal(err)
	}
	var s statement
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	var c Contract
	if err := json.Unmarshal(s.Predicate, &c); err != nil {
		t.Fatal(err)
	}
	c.Base = BaseTree{SHA256: s.Subject[0].Digest["sha256"], GitTree: s.Subject[0].Digest["gitTree"]}
	return c
}

// payload is what was signed, indented.
func payload(t testing.TB, signed []byte) []byte {
	t.Helper()
	e, err := ParseEnvelope(signed)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, e.payload, "", "  "); err != nil {
		t.Fatal(err)
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// What is signed today is what was signed yesterday, byte for byte, and comes back as it went in.
func TestContractForm(t *testing.T) {
	c := sample(t)
	signed, err := SignContract(c, newKey(t))
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/contract.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(payload(t, signed))); diff != "" {
		t.Errorf("the form of contracts has changed (-was +is):\n%s", diff)
	}
	e, err := ParseEnvelope(signed)
	if err != nil {
		t.Fatal(err)
	}
	again, err := e.Contract()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c, *again); diff != "" {
		t.Errorf("it is read otherwise than it was signed (-signed +read):\n%s", diff)
	}
	if _, _, err := e.Verdict(); err == nil || !strings.Contains(err.Error(), "predicate") {
		t.Errorf("a contract is taken for a verdict: %v", err)
	}
}

// Each thing that a contract may not say is refused by name, when it is signed and when it is read.
func TestContractsThatAreRefused(t *testing.T) {
	key := newKey(t)
	for _, c := range []struct {
		says string
		edit func(*Contract)
	}{
		{"schema 2", func(c *Contract) { c.SchemaVersion = 2 }},
		{"nonce", func(c *Contract) { c.Nonce = "0a" }},
		{"nonce", func(c *Contract) { c.Nonce = strings.Repeat("0A", 32) }},
		{"expire", func(c *Contract) { c.Expires = c.Issued }},
		{"expire", func(c *Contract) { c.Issued = time.Time{} }},
		{"base tree", func(c *Contract) { c.Base.SHA256 = "" }},
		{"base tree", func(c *Contract) { c.Base.GitTree = "main" }},
		{"name its spec", func(c *Contract) { c.Spec.ID = "" }},
		{"digest of its spec", func(c *Contract) { c.Spec.Text += "\n" }},
		{"leaves the repository", func(c *Contract) { c.Spec.Path = "../lane.toml" }},
		{"no task", func(c *Contract) { c.Terms.Tasks = nil }},
		{"requires", func(c *Contract) { c.Terms.Require = -1 }},
		{"requires", func(c *Contract) { c.Terms.Require = 4 }},
		{"threshold", func(c *Contract) { c.Terms.Mutation.Threshold = 0.5 }},
		{"hidden archive", func(c *Contract) { c.Hidden.SHA256 = "x" }},
		{"leaves the tree", func(c *Contract) { c.Files[0].Path = "/etc/passwd" }},
		{"not in order", func(c *Contract) { c.Files[0], c.Files[1] = c.Files[1], c.Files[0] }},
		{"not in order", func(c *Contract) { c.Files[1] = c.Files[0] }},
		{"role", func(c *Contract) { c.Files[0].Role = "guest" }},
		{"content of", func(c *Contract) { c.Files[0].SHA256 = "" }},
		{"content of", func(c *Contract) { c.Files[0].Blob = "" }},
	} {
		k := sample(t)
		c.edit(&k)
		if _, err := SignContract(k, key); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("signed: %v, want %s", err, c.says)
		}
		predicate, err := json.Marshal(k)
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(statement{StatementType, k.Base.subject(), ContractType, predicate})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := (&Envelope{payload: data}).Contract(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("read: %v, want %s", err, c.says)
		}
	}
}

// A key does what its role says, and nothing else.
func TestRoles(t *testing.T) {
	author, verifier, other := newKey(t), newKey(t), newKey(t)
	read := func(name string) ([]byte, error) {
		return map[string]PrivateKey{"author": author, "verifier": verifier}[name].Public().PEM()
	}
	trust, err := ParseTrust([]byte("[[key]]\npublic = \"author\"\nrole = \"author\"\n[[key]]\npublic = \"verifier\"\nrole = \"verifier\"\nverifier = \"ci\"\n"), read)
	if err != nil {
		t.Fatal(err)
	}
	open := func(key PrivateKey, edit func(*Envelope)) *Envelope {
		signed, err := SignContract(sample(t), key)
		if err != nil {
			t.Fatal(err)
		}
		e, err := ParseEnvelope(signed)
		if err != nil {
			t.Fatal(err)
		}
		if edit != nil {
			edit(e)
		}
		return e
	}
	for _, c := range []struct {
		name string
		e    *Envelope
		why  Distrust // as a contract
	}{
		{"by the author", open(author, nil), ""},
		{"by a verifier", open(verifier, nil), WrongRole},
		{"by nobody known", open(other, nil), UnknownKey},
		{"changed", open(author, func(e *Envelope) { e.payload = append(e.payload, ' ') }), BadSignature},
		{"changed, and no key named", open(author, func(e *Envelope) { e.payload = append(e.payload, ' '); e.hints[0] = "" }), UnknownKey},
		{"by another key in the author's name", open(other, func(e *Envelope) { e.hints[0] = author.Public().ID() }), BadSignature},
	} {
		_, err := trust.Author(c.e)
		var u *Untrusted
		switch {
		case c.why == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.why != "":
			if u, _ = err.(*Untrusted); u == nil || u.Why != c.why {
				t.Errorf("%s: %v, want %s", c.name, err, c.why)
			}
		}
	}
	if _, err := trust.Verifier(open(author, nil)); err == nil || err.(*Untrusted).Why != WrongRole {
		t.Errorf("an author's key signs verdicts: %v", err)
	}
}

// FuzzContract holds that what is read as a contract could have been signed as one, and is read as the same again.
func FuzzContract(f *testing.F) {
	key := newKey(f)
	signed, err := SignContract(sample(f), key)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(payload(f, signed))
	f.Add([]byte(`{"_type":"` + StatementType + `","subject":[{"name":"base","digest":{}}],"predicateType":"` + ContractType + `","predicate":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := (&Envelope{payload: data}).Contract()
		if err != nil {
			return
		}
		signed, err := SignContract(*c, key)
		if err != nil {
			t.Fatalf("it is read and cannot be signed: %v", err)
		}
		e, err := ParseEnvelope(signed)
		if err != nil {
			t.Fatal(err)
		}
		again, err := e.Contract()
		if err != nil {
			t.Fatal(err)
		}
		a, errA := json.Marshal(c)
		b, errB := json.Marshal(again)
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Fatalf("it is read as %s and again as %s", a, b)
		}
	})
}
