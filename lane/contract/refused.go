package contract

import (
	"errors"
	"fmt"

	"github.com/vallane/lane/assurance/attest"
)

// Codes by which a contract is refused.
const (
	Unreadable = "contract-unreadable"
	Signature  = "contract-signature"
	Key        = "contract-key"
	WrongRole  = "contract-role"
	Expired    = "contract-expired"
	Base       = "contract-base"
	OtherSpec  = "contract-spec"
	Trust      = "contract-trust"
	Archive    = "hidden-archive" // of hidden tests
)

// Refused says why a contract is not taken.
type Refused struct {
	Code string // one of the codes of this package
	Msg  string
	Tip  string // what to do about it
}

func (r *Refused) Error() string { return r.Msg }

// Hint is what to do about it.
func (r *Refused) Hint() string { return r.Tip }

// ExitCode is that of a refusal.
func (*Refused) ExitCode() int { return 3 }

// Refuse makes a refusal of this kind.
func Refuse(code, tip, format string, args ...any) *Refused {
	return &Refused{Code: code, Msg: fmt.Sprintf(format, args...), Tip: tip}
}

// untrusted gives the reason why no key vouches for a contract its code.
func untrusted(err error) *Refused {
	const signAnew = "have its author sign it anew: lane contract sign"
	var u *attest.Untrusted
	if !errors.As(err, &u) {
		return Refuse(Key, "", "the contract cannot be trusted: %v", err)
	}
	switch u.Why {
	case attest.BadSignature:
		return Refuse(Signature, signAnew, "the contract cannot be trusted: %v", err)
	case attest.WrongRole:
		return Refuse(WrongRole, "contracts are signed by keys with role = \"author\" in trust.toml, and no key has both roles", "the contract cannot be trusted: %v", err)
	}
	return Refuse(Key, "the trust.toml names the keys that count, with role = \"author\"", "the contract cannot be trusted: %v", err)
}
