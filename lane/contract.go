package lane

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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
	"github.com/vallane/lane/lane/hidden"
	"github.com/vallane/lane/lane/journal"
	"github.com/vallane/lane/lane/signing"
	"github.com/vallane/lane/lane/spec"
	"github.com/vallane/lane/lane/worktree"
)

// ContractOptions say what is added to a spec to make a contract of it.
type ContractOptions struct {
	// Base is the commit that the contract is for; "" is the tip of what the spec names as its base.
	Base string
	// Lasts is how long it holds; 0 is contract.DefaultLasts.
	Lasts time.Duration
	// Hidden is an archive of hidden tests, of which the contract gets the digest; "" is none.
	Hidden string
	// Key is the file of the author's key, and Out gets the envelope; "" is ContractFile.
	Key, Out string
}

// SignContract makes a contract of a spec and signs it. It returns the file that holds the envelope, and the contract.
func SignContract(ctx context.Context, o Options, path string, c ContractOptions) (string, *attest.Contract, error) {
	if c.Lasts < 0 {
		return "", nil, errors.New("sign contract: a time to hold cannot be negative")
	}
	key, err := signing.ReadPrivateKey(c.Key)
	if err != nil {
		return "", nil, err
	}
	draft, err := DraftContract(ctx, o, path, c)
	if err != nil {
		return "", nil, err
	}
	if draft.Terms.Hidden != nil && draft.Hidden == nil {
		return "", nil, &coded{errors.New("sign contract: the spec has hidden tests ([hidden]), and nobody named their archive; give it by --hidden"), assurance.ExitUsage}
	}
	signed, err := attest.SignContract(*draft, key)
	if err != nil {
		return "", nil, err
	}
	if c.Out == "" {
		c.Out = ContractFile(path)
	}
	if err := journal.Replace(c.Out, append(signed, '\n'), 0o644); err != nil {
		return "", nil, fmt.Errorf("write contract: %w", err)
	}
	return c.Out, draft, nil
}

// DraftContract makes the contract that SignContract signs.
func DraftContract(ctx context.Context, o Options, path string, c ContractOptions) (*attest.Contract, error) {
	s, err := spec.Load(path)
	if err != nil {
		return nil, err
	}
	if err := supported(s); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err == nil && sha256.Sum256(text) != s.FileDigest {
		err = errors.New("it changed while it was read")
	}
	if err != nil {
		return nil, fmt.Errorf("read spec %s: %w", path, err)
	}
	hidden, err := hiddenArchive(s, c.Hidden)
	if err != nil {
		return nil, err
	}
	file, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	repo, err := openRepo(ctx, o, s, file)
	if err != nil {
		return nil, withExit(err)
	}
	defer repo.Close()
	rel, inside := repo.Rel(file)
	if !inside {
		rel = ""
	}
	tree, err := baseOf(ctx, repo, s, c.Base)
	if err != nil {
		return nil, withExit(err)
	}
	defer tree.Close()
	files, err := steeringFiles(repo, tree.Hash, contract.NewRules(s, rel, nil))
	if err != nil {
		return nil, withExit(err)
	}
	out := contract.Make(contract.Draft{Spec: s, Text: text, Path: rel, Base: attest.BaseTree{SHA256: tree.SHA256, GitTree: tree.Hash},
		Files: files, Hidden: hidden, Engine: o.engine(), Issued: time.Now(), Lasts: c.Lasts})
	return &out, nil
}

// baseOf checks out the tip of what a spec names as its base, or the commit that is given.
func baseOf(ctx context.Context, repo *worktree.Repo, s *spec.Spec, commit string) (*worktree.Tree, error) {
	ask := worktree.Ask{Base: s.Source.Base, Head: s.Source.Base}
	switch {
	case commit != "":
		ask.Base, ask.Head = commit, commit
	case s.Defaults["source.base"]:
		found, err := repo.Resolve(ctx, worktree.Ask{Base: s.Source.Base, DefaultBase: true})
		if err != nil {
			return nil, err
		}
		ask.Base, ask.Head = found.Base, found.Base
	}
	change, err := repo.Resolve(ctx, ask)
	if err != nil {
		return nil, err
	}
	return repo.Tree(ctx, change.HeadTree, worktree.Use{})
}

// steeringFiles lists the files of a tree that steer a check.
func steeringFiles(repo *worktree.Repo, tree string, rules contract.Rules) ([]attest.ContractFile, error) {
	all, err := repo.List(tree)
	if err != nil {
		return nil, err
	}
	var out []attest.ContractFile
	for name, b := range all {
		role := rules.Role(name)
		if role == "" || b.Mode&fs.ModeIrregular != 0 { // a submodule has no content of its own
			continue
		}
		data, err := repo.ReadFile(tree, name)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(data)
		mode := "100644"
		switch {
		case b.Mode&fs.ModeSymlink != 0:
			mode = "120000"
		case b.Mode&0o111 != 0:
			mode = "100755"
		}
		out = append(out, attest.ContractFile{Path: name, Role: role, Mode: mode, SHA256: hex.EncodeToString(sum[:]), Blob: b.Hash})
	}
	return out, nil
}

// hiddenArchive names an archive that a check could run by what the spec says of it.
func hiddenArchive(s *spec.Spec, file string) (*attest.Hidden, error) {
	if file == "" {
		return nil, nil
	}
	if s.Hidden == nil {
		return nil, s.Problem("hidden", "the spec does not say how hidden tests run", "add [hidden]; an empty table runs them as the first task does, laid over the tree")
	}
	a, err := hidden.Open(file)
	if err != nil {
		return nil, err
	}
	return &attest.Hidden{SHA256: strings.TrimPrefix(a.Digest, "sha256:"), Size: a.Size}, nil
}

// ReadContract reads a contract and holds its spec's text against its terms. Nobody has looked at its signatures: see VerifyContract.
func ReadContract(file string) (*attest.Contract, string, error) {
	data, err := readContract(file)
	if err != nil {
		return nil, "", err
	}
	e, err := attest.ParseEnvelope(data)
	var c *attest.Contract
	if err == nil {
		c, err = e.Contract()
	}
	if err != nil {
		return nil, "", &coded{fmt.Errorf("read contract %s: %w", file, err), assurance.ExitDistrust}
	}
	if _, err := contract.Spec(c, file); err != nil {
		return nil, "", err
	}
	return c, e.Digest(), nil
}

// VerifyContract verifies that a contract is signed by an author of the trust.toml and holds now. Its error is a *contract.Refused where it is not
// or does not.
func VerifyContract(file, trust string, now time.Time) (*contract.Signed, error) {
	t, _, err := signing.ReadTrust(trust)
	if err != nil {
		return nil, err
	}
	data, err := readContract(file)
	if err != nil {
		return nil, err
	}
	return contract.Open(data, t, file, now)
}

// DiffContract says what the contract in other, or the spec that lies there, as it would be signed now, asks for differently than the contract in
// file.
func DiffContract(ctx context.Context, o Options, file, other string) ([]contract.Difference, error) {
	was, _, err := ReadContract(file)
	if err != nil {
		return nil, err
	}
	var is *attest.Contract
	if filepath.Ext(other) == ".toml" {
		if is, err = DraftContract(ctx, o, other, ContractOptions{}); err == nil {
			is.Hidden = was.Hidden
		}
	} else {
		is, _, err = ReadContract(other)
	}
	if err != nil {
		return nil, err
	}
	return contract.Diff(*was, *is), nil
}
