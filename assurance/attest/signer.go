package attest

import (
	"fmt"
	"slices"
	"time"
)

// Distrust says which way a signature does not count.
type Distrust string

// Ways in which a signature does not count.
const (
	// BadSignature is one that names a trusted key and is not by it: what was signed was changed, or the name is a lie.
	BadSignature Distrust = "bad-signature"
	UnknownKey   Distrust = "unknown-key"
	WrongRole    Distrust = "wrong-role"
	Revoked      Distrust = "revoked"
)

// Untrusted is the error of an envelope that no key vouches for.
type Untrusted struct {
	Why Distrust
	msg string
}

func (u *Untrusted) Error() string { return u.msg }

// Verifier finds the key by which an envelope is signed, of those that may sign verdicts. Its error is an *Untrusted.
func (t *Trust) Verifier(e *Envelope) (Key, error) {
	return t.signer(e, VerifierRole, "which may sign contracts and no verdicts")
}

// Author finds the key by which an envelope is signed, of those that may sign contracts. Its error is an *Untrusted.
func (t *Trust) Author(e *Envelope) (Key, error) {
	return t.signer(e, AuthorRole, "which may sign verdicts and no contracts")
}

func (t *Trust) signer(e *Envelope, role Role, otherwise string) (Key, error) {
	hinted := false
	var wrong *Key
	for i, k := range t.keys {
		hinted = hinted || slices.Contains(e.hints, k.Public.ID())
		switch {
		case !e.SignedBy(k.Public):
		case k.Role != role:
			wrong = &t.keys[i]
		case k.Revoked == Compromised:
			return Key{}, &Untrusted{Revoked, fmt.Sprintf("it is signed by the key %s, which was compromised", k.named())}
		default:
			return k, nil
		}
	}
	switch {
	case wrong != nil:
		return Key{}, &Untrusted{WrongRole, fmt.Sprintf("it is signed by the key %s, %s", wrong.Public.ID(), otherwise)}
	case hinted:
		return Key{}, &Untrusted{BadSignature, "none of its signatures is by a key that the reader trusts, although one names such a key: it was changed after it was signed"}
	}
	return Key{}, &Untrusted{UnknownKey, "none of its signatures is by a key that the reader trusts"}
}

// named is how a person knows the key.
func (k Key) named() string {
	if k.Verifier == "" {
		return k.Public.ID()
	}
	return k.Public.ID() + " of " + k.Verifier
}

// AllowsContract says why a contract may not have been signed by the key, for its time; nil where it may.
func (k Key) AllowsContract(c *Contract) error {
	at := c.Issued.Format(time.RFC3339)
	switch {
	case !k.From.IsZero() && c.Issued.Before(k.From):
		return fmt.Errorf("the key %s is good from %s on, and the contract is of %s", k.named(), k.From.Format(time.RFC3339), at)
	case !k.Until.IsZero() && !c.Issued.Before(k.Until):
		return fmt.Errorf("the key %s was good until %s, and the contract is of %s", k.named(), k.Until.Format(time.RFC3339), at)
	case k.Revoked == Retired && !c.Issued.Before(k.RevokedAt):
		return fmt.Errorf("the key %s was retired at %s, and the contract is of %s", k.named(), k.RevokedAt.Format(time.RFC3339), at)
	}
	return nil
}
