package contract

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/assurance/attest"
	"github.com/vallane/lane/lane/spec"
)

// Skew is how far in the future a contract may have been issued.
const Skew = 5 * time.Minute

// Signed is a contract that an author's key vouches for and that holds now.
type Signed struct {
	Contract *attest.Contract
	// Named is how evidence names it.
	Named assurance.Contract
	// Spec is its text, read anew.
	Spec *spec.Spec
}

// Open verifies a contract, from the bytes of its envelope, before it reads what was signed. name stands for the spec's text in messages.
// Its error is a *Refused.
func Open(data []byte, trust *attest.Trust, name string, at time.Time) (*Signed, error) {
	e, err := attest.ParseEnvelope(data)
	if err != nil {
		return nil, Refuse(Unreadable, "", "the contract cannot be read: %v", err)
	}
	key, err := trust.Author(e)
	if err != nil {
		return nil, untrusted(err)
	}
	c, err := e.Contract()
	if err != nil {
		return nil, Refuse(Unreadable, "", "the contract cannot be read: %v", err)
	}
	if err := key.AllowsContract(c); err != nil {
		return nil, Refuse(Key, "", "the contract cannot be trusted: %v", err)
	}
	if err := c.Valid(at, Skew); err != nil {
		return nil, Refuse(Expired, "have its author sign it anew: lane contract sign", "the contract does not hold: %v", err)
	}
	s, err := Spec(c, name)
	if err != nil {
		return nil, err
	}
	return &Signed{Contract: c, Named: c.Named(e, key), Spec: s}, nil
}

// Spec reads the text of a contract's spec and holds it against what the contract says that it means. Its error is a *Refused.
func Spec(c *attest.Contract, name string) (*spec.Spec, error) {
	s, err := spec.Parse(name, []byte(c.Spec.Text))
	if err != nil {
		return nil, Refuse(Unreadable, "it was signed by "+c.Engine, "the spec in the contract cannot be read: %v", err)
	}
	own, errOwn := json.Marshal(Terms(s))
	stated, errStated := json.Marshal(c.Terms)
	if errOwn != nil || errStated != nil || !bytes.Equal(own, stated) || specOf(s, []byte(c.Spec.Text), c.Spec.Path) != c.Spec {
		return nil, Refuse(Unreadable, "it was signed by "+c.Engine+"; sign it anew with this version", "the terms of the contract are not what its spec means to this Lane: %s", firstDifference(c.Terms, Terms(s)))
	}
	return s, nil
}

func firstDifference(stated, own attest.Terms) string {
	for _, d := range diff("", stated, own) {
		return d.String()
	}
	return "the spec is named otherwise"
}
