package attest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/vallane/lane/assurance"
)

// check says what is wrong with a contract whatever its spec means; nil where nothing is.
func (c *Contract) check() error {
	sum := sha256.Sum256([]byte(c.Spec.Text))
	switch {
	case c.SchemaVersion != ContractVersion:
		return fmt.Errorf("it is of schema %d, and this Lane knows %d", c.SchemaVersion, ContractVersion)
	case !isHex(c.Nonce, 32):
		return errors.New("its nonce is not 32 bytes in hex")
	case c.Issued.IsZero() || !c.Issued.Before(c.Expires):
		return errors.New("it does not expire after it was issued")
	case !isHex(c.Base.SHA256, 32) || !isHex(c.Base.GitTree, 20) && !isHex(c.Base.GitTree, 32):
		return errors.New("it does not name its base tree by sha256 and gitTree")
	case c.Spec.ID == "":
		return errors.New("it does not name its spec")
	case c.Spec.Digest != "sha256:"+hex.EncodeToString(sum[:]):
		return errors.New("the digest of its spec is not that of the spec's text")
	case c.Spec.Path != "" && !fs.ValidPath(c.Spec.Path):
		return fmt.Errorf("the path of its spec, %q, leaves the repository", c.Spec.Path)
	case len(c.Terms.Tasks) == 0:
		return errors.New("it has no task")
	case c.Terms.Require < assurance.VAL0 || c.Terms.Require > assurance.VAL3:
		return fmt.Errorf("it requires %s, which Lane never gives", c.Terms.Require)
	case c.Terms.Mutation.Threshold != 1:
		return fmt.Errorf("its threshold of mutation is %g, and this Lane knows 1", c.Terms.Mutation.Threshold)
	case c.Hidden != nil && (!isHex(c.Hidden.SHA256, 32) || c.Hidden.Size < 0):
		return errors.New("its hidden archive has no SHA-256 in hex")
	}
	return c.checkFiles()
}

func (c *Contract) checkFiles() error {
	for i, f := range c.Files {
		switch {
		case !fs.ValidPath(f.Path):
			return fmt.Errorf("the path %q of a file leaves the tree", f.Path)
		case i > 0 && c.Files[i-1].Path >= f.Path:
			return fmt.Errorf("its files are not in order at %q", f.Path)
		case !slices.Contains([]FileRole{RoleSpec, RoleEnvironment, RoleRunner, RoleShared, RoleProtected}, f.Role):
			return fmt.Errorf("the role of %q is %q, which this Lane does not know", f.Path, f.Role)
		case !isHex(f.SHA256, 32) || !isHex(f.Blob, 20) && !isHex(f.Blob, 32):
			return fmt.Errorf("it does not name the content of %q by sha256 and git_blob", f.Path)
		}
	}
	return nil
}

// isHex reports whether s is n bytes in lower-case hex.
func isHex(s string, n int) bool {
	_, err := hex.DecodeString(s)
	return err == nil && len(s) == 2*n && s == strings.ToLower(s)
}
