package attest_test

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"os"
	"strings"
	"testing"

	spb "github.com/in-toto/attestation/go/v1"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	"google.golang.org/protobuf/encoding/protojson"

	at "github.com/vallane/lane/assurance/assurancetest"
	"github.com/vallane/lane/assurance/attest"
)

// reader is a verifier as somebody else's library wants one.
type reader struct{ key ed25519.PublicKey }

func (r reader) Verify(_ context.Context, data, sig []byte) error {
	if !ed25519.Verify(r.key, data, sig) {
		return dsse.ErrNoSignature
	}
	return nil
}
func (reader) KeyID() (string, error)     { return "", nil }
func (r reader) Public() crypto.PublicKey { return r.key }

// What Lane signs is what others read: DSSE by its authors' library, in-toto by theirs.
func TestIndependentReaders(t *testing.T) {
	key, err := attest.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	verdict, err := json.Marshal(at.Judged(nil))
	if err != nil {
		t.Fatal(err)
	}
	signed, err := attest.Sign(verdict, key)
	if err != nil {
		t.Fatal(err)
	}
	read(t, key, signed, attest.VerdictType, at.Judged(nil).Subject.TreeSHA256)
	contract := sampleContract(t)
	if signed, err = attest.SignContract(contract, key); err != nil {
		t.Fatal(err)
	}
	read(t, key, signed, attest.ContractType, contract.Base.SHA256)
}

// sampleContract is that of testdata/contract.json.
func sampleContract(t *testing.T) (c attest.Contract) {
	t.Helper()
	data, err := os.ReadFile("testdata/contract.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &struct{ Predicate *attest.Contract }{&c}); err != nil {
		t.Fatal(err)
	}
	c.Base = attest.BaseTree{SHA256: strings.Repeat("0d", 32), GitTree: strings.Repeat("9a", 20)}
	return c
}

// read has other libraries verify an envelope and read the statement in it.
func read(t *testing.T, key attest.PrivateKey, signed []byte, predicate, sha256 string) {
	t.Helper()
	file, err := key.Public().PEM()
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(file)
	public, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := dsse.NewEnvelopeVerifier(reader{public.(ed25519.PublicKey)})
	if err != nil {
		t.Fatal(err)
	}
	var e dsse.Envelope
	if err := json.Unmarshal(signed, &e); err != nil {
		t.Fatal(err)
	}
	if accepted, err := verifier.Verify(t.Context(), &e); err != nil || len(accepted) != 1 {
		t.Fatalf("%v, accepted %v", err, accepted)
	}
	payload, err := e.DecodeB64Payload()
	if err != nil {
		t.Fatal(err)
	}
	var s spb.Statement
	if err := protojson.Unmarshal(payload, &s); err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	if s.PredicateType != predicate || s.Subject[0].Digest["sha256"] != sha256 {
		t.Errorf("%v", &s)
	}
}
