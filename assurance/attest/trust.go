package attest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/assurance/internal/strict"
)

// Role says what a key may sign.
type Role string

// VerifierRole is that of keys that sign verdicts, AuthorRole of those that sign contracts. No key has both.
const (
	VerifierRole Role = "verifier"
	AuthorRole   Role = "author"
)

// Trust says whose signatures count. It is the form of a trust.toml:
//
//	[[key]]
//	public = "ci.pub"                       # a file beside trust.toml, as lane keygen writes it
//	role = "verifier"                       # or "author"
//	verifier = "https://ci.example.org/lane"
//	max_val = 2                             # default 3
//	venues = ["hosted"]                     # default: any
//	from = 2026-01-01T00:00:00Z             # default: always
//	until = 2027-01-01T00:00:00Z
//	revoked = "retired"                     # or "compromised"; default: not
//	revoked_at = 2026-06-01T00:00:00Z       # of a retired key
//
// Before the first key, `contract = "required"` says that only verdicts under a contract count.
type Trust struct {
	keys             []Key
	contractRequired bool
}

// ContractRequired reports whether a verdict counts only where it was made under a contract.
func (t *Trust) ContractRequired() bool { return t.contractRequired }

// Key is one entry.
type Key struct {
	Public   PublicKey
	Role     Role
	Verifier string
	MaxVAL   assurance.Level
	Venues   []string
	From     time.Time
	Until    time.Time
	// Revoked is "", Retired or Compromised.
	Revoked   string
	RevokedAt time.Time
}

// How a key can be revoked: what a retired one signed before still counts, what a compromised one signed never does.
const (
	Retired     = "retired"
	Compromised = "compromised"
)

const required = "required"

type trustFile struct {
	Contract string `toml:"contract"`
	Key      []struct {
		Public    string    `toml:"public"`
		Role      string    `toml:"role"`
		Verifier  string    `toml:"verifier"`
		MaxVAL    *int      `toml:"max_val"`
		Venues    []string  `toml:"venues"`
		From      time.Time `toml:"from"`
		Until     time.Time `toml:"until"`
		Revoked   string    `toml:"revoked"`
		RevokedAt time.Time `toml:"revoked_at"`
	} `toml:"key"`
}

// ParseTrust reads a trust.toml. read gives the bytes of a file that it names, relative to where it lies.
func ParseTrust(data []byte, read func(name string) ([]byte, error)) (*Trust, error) {
	var f trustFile
	if err := strict.TOML(data, &f); err != nil {
		return nil, err
	}
	if len(f.Key) == 0 {
		return nil, errors.New("it trusts nobody: it has no [[key]]")
	}
	if f.Contract != "" && f.Contract != required {
		return nil, fmt.Errorf("contract is %q; use %q, or leave it out", f.Contract, required)
	}
	t := Trust{contractRequired: f.Contract == required}
	for i, k := range f.Key {
		fault := func(format string, args ...any) error {
			return fmt.Errorf("key %d: %s", i+1, fmt.Sprintf(format, args...))
		}
		pem, err := read(k.Public)
		if err != nil {
			return nil, fault("read the public key: %v", err)
		}
		public, err := ParsePublicKey(pem)
		if err != nil {
			return nil, fault("read the public key %s: %v", k.Public, err)
		}
		entry := Key{Public: public, Role: Role(k.Role), Verifier: k.Verifier, MaxVAL: assurance.VAL3, Venues: k.Venues,
			From: k.From, Until: k.Until, Revoked: k.Revoked, RevokedAt: k.RevokedAt}
		if k.MaxVAL != nil {
			entry.MaxVAL = assurance.Level(*k.MaxVAL)
		}
		if err := entry.check(); err != nil {
			return nil, fault("%v", err)
		}
		for _, other := range t.keys {
			if other.Public.ID() != public.ID() {
				continue
			}
			if other.Role != entry.Role {
				return nil, fault("%s stands there already as %q: no key may have both roles, or who signs verdicts could write what they are judged by", k.Public, other.Role)
			}
			return nil, fault("%s stands there already: a key has one entry, and one role", k.Public)
		}
		t.keys = append(t.keys, entry)
	}
	return &t, nil
}

func (k Key) check() error {
	switch {
	case k.Role != VerifierRole && k.Role != AuthorRole:
		return fmt.Errorf("role is %q; use %q or %q", k.Role, VerifierRole, AuthorRole)
	case k.Role == VerifierRole && k.Verifier == "":
		return errors.New("verifier is missing: the name by which readers know who signs")
	case k.MaxVAL < assurance.VAL0 || k.MaxVAL > assurance.VAL3:
		return fmt.Errorf("max_val is %d; use 0 to 3", int(k.MaxVAL))
	case k.Revoked != "" && k.Revoked != Retired && k.Revoked != Compromised:
		return fmt.Errorf("revoked is %q; use %q or %q", k.Revoked, Retired, Compromised)
	case k.Revoked == Retired && k.RevokedAt.IsZero():
		return errors.New("revoked_at is missing: what a retired key signed before it still counts")
	case !k.From.IsZero() && !k.Until.IsZero() && !k.From.Before(k.Until):
		return errors.New("until is not after from")
	}
	return nil
}

// Allows says why a verdict may not have been signed by the key, for its venue or its time; nil where it may.
func (k Key) Allows(v *assurance.Verdict) error {
	made := v.Finished
	switch {
	case len(k.Venues) > 0 && !slices.Contains(k.Venues, v.Venue):
		return fmt.Errorf("%s may not sign for the venue %q, but for %s", k.Verifier, v.Venue, strings.Join(k.Venues, ", "))
	case made.IsZero() && (!k.From.IsZero() || !k.Until.IsZero() || k.Revoked == Retired):
		return fmt.Errorf("the verdict does not say when it was made, and the key of %s is not good for ever", k.Verifier)
	case !k.From.IsZero() && made.Before(k.From):
		return fmt.Errorf("the key of %s is good from %s on, and the verdict of %s", k.Verifier, k.From.Format(time.RFC3339), made.Format(time.RFC3339))
	case !k.Until.IsZero() && !made.Before(k.Until):
		return fmt.Errorf("the key of %s was good until %s, and the verdict is of %s", k.Verifier, k.Until.Format(time.RFC3339), made.Format(time.RFC3339))
	case k.Revoked == Retired && !made.Before(k.RevokedAt):
		return fmt.Errorf("the key of %s was retired at %s, and the verdict is of %s", k.Verifier, k.RevokedAt.Format(time.RFC3339), made.Format(time.RFC3339))
	}
	return nil
}
