package contract

import (
	"crypto/rand"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/vallane/lane/assurance/attest"
	"github.com/vallane/lane/lane/spec"
)

// Draft says what a contract is made of.
type Draft struct {
	Spec *spec.Spec
	// Text is the bytes that Spec was parsed from.
	Text []byte
	// Path is where the spec lies in the repository, a slash path; "" for a spec from outside.
	Path  string
	Base  attest.BaseTree
	Files []attest.ContractFile // in any order
	// Hidden names an archive of hidden tests; nil is none.
	Hidden *attest.Hidden
	Engine string
	Issued time.Time
	// Lasts is how long the contract holds; 0 is DefaultLasts.
	Lasts time.Duration
}

// DefaultLasts is how long a contract holds where nobody says otherwise.
const DefaultLasts = 30 * 24 * time.Hour

// Make puts a contract together, with a new nonce.
func Make(d Draft) attest.Contract {
	if d.Lasts == 0 {
		d.Lasts = DefaultLasts
	}
	var nonce [32]byte
	rand.Read(nonce[:]) // never fails
	files := slices.Clone(d.Files)
	slices.SortFunc(files, func(a, b attest.ContractFile) int { return strings.Compare(a.Path, b.Path) })
	issued := d.Issued.UTC().Truncate(time.Second)
	return attest.Contract{
		SchemaVersion: attest.ContractVersion, Engine: d.Engine, Nonce: hex.EncodeToString(nonce[:]), Issued: issued,
		Expires: issued.Add(d.Lasts.Truncate(time.Second)), Spec: specOf(d.Spec, d.Text, d.Path), Terms: Terms(d.Spec), Files: files, Hidden: d.Hidden, Base: d.Base,
	}
}
