package attest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/assurance/internal/schema"
	"github.com/vallane/lane/assurance/internal/strict"
)

// ContractType is the predicate type of a signed contract.
const ContractType = "https://github.com/vallane/lane/contract/v1"

// ContractVersion is the version of the form of Contract.
const ContractVersion = 1

// Contract is the signed form of a spec: what a change on one base tree has to meet, until when. The statement around it is about that
// tree.
type Contract struct {
	SchemaVersion int    `json:"schema_version"` // ContractVersion
	Engine        string `json:"engine"`         // the Lane that made it
	// Nonce is 32 random bytes in hex. Verdicts under this contract repeat it.
	Nonce   string       `json:"nonce"`
	Issued  time.Time    `json:"issued"`
	Expires time.Time    `json:"expires"`
	Spec    ContractSpec `json:"spec"`
	// Terms are what the spec's text means, spelled out with every default. Whoever uses the contract reads the text again and compares.
	Terms Terms `json:"terms"`
	// Files are those of the base tree that the change must not steer the check by, sorted by path.
	Files []ContractFile `json:"files,omitempty"`
	// Hidden is an archive of acceptance tests that the change never sees; nil is none.
	Hidden *Hidden `json:"hidden,omitempty"`

	// Base is the tree that the contract is for: the subject of the statement.
	Base BaseTree `json:"-"`
}

// BaseTree names one tree by all of its digests, in lower-case hex.
type BaseTree struct {
	SHA256  string // by Lane's own measure
	GitTree string
}

// ContractSpec is the spec that was signed.
type ContractSpec struct {
	ID    string `json:"id"`
	Title string `json:"title,omitempty"`
	// Path is a slash path below the root of the repository, "" for a spec from outside.
	Path string `json:"path,omitempty"`
	// Digest is "sha256:" and hex over Text, Meaning the same over what it means to the Lane that signed it.
	Digest  string `json:"digest"`
	Meaning string `json:"meaning"`
	// Text is the file itself, in TOML.
	Text string `json:"text"`
}

// Hidden names an archive by its bytes.
type Hidden struct {
	SHA256 string `json:"sha256"` // hex
	Size   int64  `json:"size"`   // bytes
}

// Role of a file of the base tree in a contract.
type FileRole string

// Roles. A change may not touch what is protected or configures a runner and nothing else. It may edit an environment, which is then
// base's all the same, and what configures other things too, which is then named.
const (
	RoleSpec        FileRole = "spec"
	RoleEnvironment FileRole = "environment" // flake.nix, flake.lock, closure.lock, extras
	RoleRunner      FileRole = "runner"      // pytest.ini and its like
	RoleShared      FileRole = "shared"      // package.json and its like
	RoleProtected   FileRole = "protected"   // by the spec's own list
)

// ContractFile is one file of the base tree, by reference: the tree holds its content.
type ContractFile struct {
	Path   string   `json:"path"`
	Role   FileRole `json:"role"`
	Mode   string   `json:"mode"` // as git writes it: 100644, 100755, 120000
	SHA256 string   `json:"sha256"`
	Blob   string   `json:"git_blob"`
}

// Digest is "sha256:" and hex over what an envelope holds. It stays the same where somebody adds a signature.
func (e *Envelope) Digest() string {
	sum := sha256.Sum256(e.payload)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// SignContract puts a contract into a signed envelope.
func SignContract(c Contract, key PrivateKey) ([]byte, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("sign contract: %w", err)
	}
	predicate, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("sign contract: %w", err)
	}
	payload, err := json.Marshal(statement{StatementType, c.Base.subject(), ContractType, predicate})
	if err != nil {
		return nil, fmt.Errorf("sign contract: %w", err)
	}
	return seal(payload, key)
}

const baseName = "base"

func (b BaseTree) subject() []resource {
	return []resource{{Name: baseName, Digest: map[string]string{"sha256": b.SHA256, "gitTree": b.GitTree}}}
}

// Contract takes the contract out of an envelope. Nobody has looked at its signatures: see Trust.Author.
func (e *Envelope) Contract() (*Contract, error) {
	var s statement
	if err := strict.Read(e.payload, "the statement", &s); err != nil {
		return nil, err
	}
	switch {
	case s.Type != StatementType:
		return nil, fmt.Errorf("it is a statement of type %q, want %q", s.Type, StatementType)
	case s.PredicateType != ContractType:
		return nil, fmt.Errorf("its predicate is %q, want %q", s.PredicateType, ContractType)
	case len(s.Subject) != 1 || s.Subject[0].Name != baseName || len(s.Subject[0].Digest) != 2:
		return nil, errors.New("it is about something else than one base tree, by sha256 and gitTree")
	}
	var c Contract
	if err := strict.Read(s.Predicate, "the contract", &c); err != nil {
		return nil, err
	}
	c.Base = BaseTree{SHA256: s.Subject[0].Digest["sha256"], GitTree: s.Subject[0].Digest["gitTree"]}
	if err := c.check(); err != nil {
		return nil, err
	}
	return &c, nil
}

// Valid says why a contract does not hold at a time, nil where it does. skew is how far in the future it may have been issued.
func (c *Contract) Valid(at time.Time, skew time.Duration) error {
	switch {
	case !at.Before(c.Expires):
		return fmt.Errorf("it expired at %s", c.Expires.Format(time.RFC3339))
	case at.Add(skew).Before(c.Issued):
		return fmt.Errorf("it is of %s, which is still to come", c.Issued.Format(time.RFC3339))
	}
	return nil
}

// Named is how the evidence of a verdict names a contract that is in the envelope e, signed by key.
func (c *Contract) Named(e *Envelope, key Key) assurance.Contract {
	out := assurance.Contract{Digest: e.Digest(), Nonce: c.Nonce, Key: key.Public.ID(), Expires: c.Expires}
	if c.Hidden != nil {
		out.Hidden = "sha256:" + c.Hidden.SHA256
	}
	return out
}

// ContractSchema is a JSON Schema of what a contract's statement says of its subject.
func ContractSchema() []byte {
	return schema.Of[Contract]("Lane contract", "The predicate of "+ContractType+": what a change on one base tree has to meet, until when.")
}
