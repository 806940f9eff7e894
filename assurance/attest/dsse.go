package attest

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/vallane/lane/assurance/internal/strict"
)

// PayloadType is that of an in-toto Statement.
const PayloadType = "application/vnd.in-toto+json"

// mostSignatures bounds the signatures of one envelope.
const mostSignatures = 16

// envelope is a DSSE envelope in its JSON form.
type envelope struct {
	PayloadType string      `json:"payloadType"`
	Payload     string      `json:"payload"` // base64
	Signatures  []signature `json:"signatures"`
}

type signature struct {
	KeyID string `json:"keyid,omitempty"` // a hint, which nothing is decided by
	Sig   string `json:"sig"`             // base64
}

// encoding is what a payload type and its payload are signed as (PAE of DSSE).
func encoding(payloadType string, payload []byte) []byte {
	out := []byte("DSSEv1 " + strconv.Itoa(len(payloadType)) + " " + payloadType + " " + strconv.Itoa(len(payload)) + " ")
	return append(out, payload...)
}

// seal signs a payload.
func seal(payload []byte, key PrivateKey) ([]byte, error) {
	sig := ed25519.Sign(key.key, encoding(PayloadType, payload))
	return json.Marshal(envelope{PayloadType, base64.StdEncoding.EncodeToString(payload),
		[]signature{{key.Public().ID(), base64.StdEncoding.EncodeToString(sig)}}})
}

// IsEnvelope reports whether data looks like a DSSE envelope, signed by whomever.
func IsEnvelope(data []byte) bool {
	keys, err := strict.Keys(data)
	return err == nil && keys["payloadType"] != nil
}

// Envelope is one whose form is right; nobody has looked at its signatures yet.
type Envelope struct {
	payload    []byte
	signatures [][]byte
	hints      []string // the names that signatures give of their keys; nothing is decided by them
}

// ParseEnvelope reads a DSSE envelope of an in-toto Statement. Its error says what is wrong with the form.
func ParseEnvelope(data []byte) (*Envelope, error) {
	var e envelope
	if err := strict.Read(data, "the envelope", &e); err != nil {
		return nil, err
	}
	switch {
	case e.PayloadType != PayloadType:
		return nil, fmt.Errorf("its payload is %q, and not an in-toto statement", e.PayloadType)
	case len(e.Signatures) == 0:
		return nil, errors.New("it has no signature")
	case len(e.Signatures) > mostSignatures:
		return nil, fmt.Errorf("it has %d signatures, and %d are the most", len(e.Signatures), mostSignatures)
	}
	var out Envelope
	var err error
	if out.payload, err = decode(e.Payload); err != nil {
		return nil, fmt.Errorf("its payload is no base64: %v", err)
	}
	for _, s := range e.Signatures {
		sig, err := decode(s.Sig)
		if err != nil {
			return nil, fmt.Errorf("a signature is no base64: %v", err)
		}
		out.signatures = append(out.signatures, sig)
		out.hints = append(out.hints, s.KeyID)
	}
	return &out, nil
}

// decode reads either alphabet of base64, as DSSE asks for.
func decode(s string) ([]byte, error) {
	out, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil {
		if other, oerr := base64.URLEncoding.Strict().DecodeString(s); oerr == nil {
			return other, nil
		}
	}
	return out, err
}

// SignedBy reports whether one of the signatures is by the key.
func (e *Envelope) SignedBy(key PublicKey) bool {
	if len(key.key) != ed25519.PublicKeySize {
		return false
	}
	signed := encoding(PayloadType, e.payload)
	for _, sig := range e.signatures {
		if ed25519.Verify(key.key, signed, sig) {
			return true
		}
	}
	return false
}
