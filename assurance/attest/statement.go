package attest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/assurance/internal/schema"
	"github.com/vallane/lane/assurance/internal/strict"
)

// The types of a signed verdict, see https://in-toto.io/Statement/v1.
const (
	StatementType = "https://in-toto.io/Statement/v1"
	VerdictType   = "https://github.com/vallane/lane/verdict/v1"
)

// VerdictSchema is a JSON Schema of verdict.json, which is also the predicate of a signed verdict.
func VerdictSchema() []byte {
	return schema.Of[assurance.Verdict]("Lane verdict", "A verdict.json of schema version "+strconv.Itoa(assurance.SchemaVersion)+", and the predicate of "+VerdictType+".")
}

// statement is an in-toto Statement about the tree that was verified.
type statement struct {
	Type          string          `json:"_type"`
	Subject       []resource      `json:"subject"`
	PredicateType string          `json:"predicateType"`
	Predicate     json.RawMessage `json:"predicate"`
}

// resource is the tree: all of its digests are of the same thing.
type resource struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

// subject names the digests as in-toto does: of the tree by Lane's own measure, and by git's.
func subject(s assurance.Subject) []resource {
	digest := map[string]string{}
	for name, value := range map[string]string{"sha256": s.TreeSHA256, "gitTree": s.GitTree, "gitCommit": s.Commit} {
		if value != "" {
			digest[name] = value
		}
	}
	return []resource{{Name: "tree", Digest: digest}}
}

// Sign puts a verdict, as the bytes of its JSON, into a signed envelope. Whoever signs has judged the evidence again before.
func Sign(verdict []byte, key PrivateKey) ([]byte, error) {
	var v assurance.Verdict
	if err := strict.Read(verdict, "the verdict", &v); err != nil {
		return nil, fmt.Errorf("sign verdict: %w", err)
	}
	if v.Subject.TreeSHA256 == "" {
		return nil, errors.New("sign verdict: it is about no tree: its check ended before there was one")
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, verdict); err != nil {
		return nil, fmt.Errorf("sign verdict: %w", err)
	}
	payload, err := json.Marshal(statement{StatementType, subject(v.Subject), VerdictType, compact.Bytes()})
	if err != nil {
		return nil, fmt.Errorf("sign verdict: %w", err)
	}
	return seal(payload, key)
}

// ClaimsVerdict reports whether an envelope says that it holds a verdict, of whichever version. Nobody has looked at its signatures.
func (e *Envelope) ClaimsVerdict() bool {
	keys, err := strict.Keys(e.payload)
	return err == nil && string(keys["predicateType"]) == strconv.Quote(VerdictType)
}

// Verdict takes the verdict out of an envelope whose signature has been verified. It refuses a statement of another type, and one
// whose subject is not the verdict's. data are the verdict's bytes as they were signed.
func (e *Envelope) Verdict() (v assurance.Verdict, data []byte, err error) {
	var s statement
	if err := strict.Read(e.payload, "the statement", &s); err != nil {
		return v, nil, err
	}
	switch {
	case s.Type != StatementType:
		return v, nil, fmt.Errorf("it is a statement of type %q, want %q", s.Type, StatementType)
	case s.PredicateType != VerdictType:
		return v, nil, fmt.Errorf("its predicate is %q, want %q", s.PredicateType, VerdictType)
	}
	if err := strict.Read(s.Predicate, "the verdict", &v); err != nil {
		return v, nil, err
	}
	stated, err := json.Marshal(s.Subject)
	if err != nil {
		return v, nil, err
	}
	own, err := json.Marshal(subject(v.Subject))
	if err != nil {
		return v, nil, err
	}
	if !bytes.Equal(stated, own) {
		return v, nil, fmt.Errorf("the statement is about %s, and the verdict in it about %s", stated, own)
	}
	return v, s.Predicate, nil
}
