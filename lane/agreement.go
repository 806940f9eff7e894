package lane

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/assurance/attest"
	"github.com/vallane/lane/lane/contract"
	"github.com/vallane/lane/lane/signing"
	"github.com/vallane/lane/lane/spec"
	"github.com/vallane/lane/lane/worktree"
)

// agreement is the contract that a check runs under, or why it does not.
type agreement struct {
	signed  *contract.Signed
	refused *contract.Refused
	trust   map[string][]byte // the files that say whose signatures count, as they were read
}

// ContractFile is where the contract of a spec lies unless somebody says otherwise: lane.contract.intoto.json beside lane.toml.
func ContractFile(spec string) string {
	return strings.TrimSuffix(spec, ".toml") + ".contract.intoto.json"
}

// load reads the spec that a check runs, from its contract where it has one. What lies at path is not looked at then.
func (o Options) load(path string) (*spec.Spec, *agreement, error) {
	s, under, err := o.loadSpec(path)
	if err == nil {
		err = o.findHidden(under)
	}
	return s, under, err
}

func (o Options) loadSpec(path string) (*spec.Spec, *agreement, error) {
	file := o.Contract
	if file == "" {
		file = ContractFile(path)
		switch _, err := os.Stat(file); {
		case errors.Is(err, fs.ErrNotExist):
			file = ""
		case err == nil && o.Trust == "":
			o.emit(Event{Spec: path, Phase: "plan", Important: true, Text: file + " is not looked at: nobody said whose contracts count (--trust)"})
			file = ""
		}
	}
	if file == "" {
		s, err := spec.Load(path)
		return s, nil, err
	}
	if o.Trust == "" {
		return nil, nil, &coded{fmt.Errorf("check under %s: nobody said whose contracts count; name a trust.toml by --trust or LANE_TRUST", file), assurance.ExitUsage}
	}
	trust, read, err := signing.ReadTrust(o.Trust)
	if err != nil {
		return nil, nil, err
	}
	data, err := readContract(file)
	if err != nil {
		return nil, nil, err
	}
	signed, err := contract.Open(data, trust, path, time.Now())
	var refused *contract.Refused
	if errors.As(err, &refused) {
		s, err := spec.Load(path)
		return s, &agreement{refused: refused, trust: read}, err
	}
	if err != nil {
		return nil, nil, err
	}
	if o.Change != "" && o.Change != signed.Spec.Change {
		return nil, nil, &coded{fmt.Errorf("read --change: the contract says that the change is a %s, and nobody else can say otherwise", signed.Spec.Change), assurance.ExitUsage}
	}
	return signed.Spec, &agreement{signed: signed, trust: read}, nil
}

// largestContract bounds the file of a contract, in bytes.
const largestContract = 16 << 20

// readContract reads a file, and waits for none that is no file.
func readContract(file string) ([]byte, error) {
	st, err := os.Stat(file)
	if err == nil && (!st.Mode().IsRegular() || st.Size() > largestContract) {
		err = fmt.Errorf("%s is no regular file of at most %d bytes", file, largestContract)
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(file)
	}
	if err != nil {
		return nil, &coded{fmt.Errorf("read contract: %w", err), assurance.ExitUsage}
	}
	return data, nil
}

// steering finds what the change does to files that steer its own check, and holds base and spec against the contract, where there is one.
func (j *job) steering() error {
	rel, inside := j.repo.Rel(j.file)
	if !inside {
		rel = ""
	}
	var listed []attest.ContractFile
	if j.under != nil {
		if err := j.agrees(rel); err != nil {
			return err
		}
		listed = j.under.signed.Contract.Files
	}
	p := &j.evidence.Plan
	rules := contract.NewRules(j.spec, rel, listed)
	for _, f := range j.change.Files {
		switch role := rules.Role(f.Path); {
		case role == attest.RoleProtected && p.Spec.Authority.Outside() && (j.under != nil || !j.whole()), role == attest.RoleRunner && j.under != nil:
			p.Change.Protected = append(p.Change.Protected, f.Path)
		case role == attest.RoleShared && j.under != nil:
			j.note("the change edits " + f.Path + ", which may steer the test runner and which the contract does not protect: read what it changes there")
		case role == attest.RoleSpec && j.under != nil:
			p.Change.Ignored = append(p.Change.Ignored, f.Path+" as the change has it: the contract's spec was used")
		}
	}
	return nil
}

// agrees holds what a check found against its contract. rel is the spec's path in the repository, "" outside.
func (j *job) agrees(rel string) error {
	c := j.under.signed.Contract
	named := j.under.signed.Named
	j.evidence.Plan.Contract = &named
	switch base := j.change.BaseTree; {
	case rel != c.Spec.Path:
		return contract.Refuse(contract.OtherSpec, "check the spec that it is for", "the contract is for the spec %s at %q, and this one lies at %q", c.Spec.ID, c.Spec.Path, rel)
	case base != c.Base.GitTree:
		if base == "" {
			base = "none"
		}
		return contract.Refuse(contract.Base, "rebase the change onto what the contract is for, or have its author sign for this base: lane contract sign --base COMMIT",
			"the contract is for the base tree %s, and the change begins at %s", c.Base.GitTree, base)
	}
	if err := j.trustIsBases(); err != nil {
		return err
	}
	base, err := j.repo.List(j.change.BaseTree)
	if err != nil {
		return err
	}
	for _, f := range c.Files {
		if base[f.Path].Hash != f.Blob {
			return contract.Refuse(contract.Base, "", "the contract names %s as %s, and its own base tree holds another", f.Path, f.Blob)
		}
	}
	if data, err := os.ReadFile(j.file); err != nil || string(data) != c.Spec.Text {
		j.note(j.file + " is not the spec that was signed; the contract's was used")
	}
	return nil
}

// trustIsBases refuses a trust.toml, or a key of it, that lies in the repository and is not as base has it: whose signatures count would be
// the change's word.
func (j *job) trustIsBases() error {
	for file, read := range j.under.trust {
		rel, inside := j.repo.Rel(file)
		if !inside {
			continue
		}
		data, err := j.repo.ReadFile(j.change.BaseTree, rel)
		if err != nil && !worktree.IsNotExist(err) {
			return err
		}
		if err != nil || !bytes.Equal(data, read) {
			return contract.Refuse(contract.Trust, "keep it outside of the repository, or have base hold it", "%s lies in the repository, and base does not hold it as it is: the change would say whose signatures count", filepath.ToSlash(rel))
		}
	}
	return nil
}

// agreesOnBase compares Lane's own measure of the base tree with the contract's, where there is one.
func (j *job) agreesOnBase(ctx context.Context) error {
	if j.under == nil {
		return nil
	}
	base := j.base
	if base == nil { // nothing runs on it
		var err error
		if base, err = j.repo.Tree(ctx, j.change.BaseTree, worktree.Use{}); err != nil {
			return err
		}
		defer base.Close()
	}
	if want := j.under.signed.Contract.Base.SHA256; base.SHA256 != want {
		return contract.Refuse(contract.Base, "", "the contract is for a base tree whose content is %s, and this one's is %s", want, base.SHA256)
	}
	return nil
}
