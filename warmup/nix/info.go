package nix

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/vallane/lane/warmup/nar"
)

// Info is what Nix's database holds of a store path.
type Info struct {
	Path       string
	SHA256     [32]byte // of its archive
	NarSize    int64    // of its archive, in bytes
	References []string // whole store paths, sorted, itself among them where it refers to itself
	Signatures []string // sorted
	CA         string   // how its name follows from its content; "" where it does not
	Deriver    string   // the derivation that it came from, or ""
	Ultimate   bool     // it was built on this machine
}

type rawInfo struct {
	Path       string          `json:"path"`
	NarHash    string          `json:"narHash"`
	NarSize    int64           `json:"narSize"`
	References []string        `json:"references"`
	Signatures []string        `json:"signatures"`
	CA         json.RawMessage `json:"ca"`
	Deriver    string          `json:"deriver"`
	Ultimate   bool            `json:"ultimate"`
	Valid      *bool           `json:"valid"`
}

// PathInfo asks for the paths and, where recursive is set, for all that they
// refer to. The result is sorted by path.
func (c *Client) PathInfo(ctx context.Context, recursive bool, paths ...string) ([]Info, error) {
	args := []string{"path-info", "--json"}
	if recursive {
		args = append(args, "--recursive")
	}
	out, _, err := c.flake(ctx, "look up store paths", "", append(args, paths...)...)
	if err != nil {
		return nil, err
	}
	return parsePathInfo(out, path.Dir(paths[0]))
}

// parsePathInfo reads `nix path-info --json`: an array of objects before Nix
// 2.19, an object by path after, and newer still one whose paths have no
// folder before them.
func parsePathInfo(out []byte, storeDir string) ([]Info, error) {
	var raw []rawInfo
	switch trimmed := bytes.TrimSpace(out); {
	case len(trimmed) > 0 && trimmed[0] == '[':
		if err := decode("path-info", trimmed, &raw); err != nil {
			return nil, err
		}
	default:
		byPath, err := objectForm(trimmed)
		if err != nil {
			return nil, err
		}
		for _, p := range slices.Sorted(maps.Keys(byPath)) {
			r := byPath[p]
			if r == nil {
				return nil, fmt.Errorf("look up store paths: %s is not in the store", p)
			}
			r.Path = p
			raw = append(raw, *r)
		}
	}
	infos := make([]Info, 0, len(raw))
	for _, r := range raw {
		info, err := r.info(storeDir)
		if err != nil {
			return nil, err
		}
		infos = append(infos, info)
	}
	slices.SortFunc(infos, func(a, b Info) int { return cmp.Compare(a.Path, b.Path) })
	return infos, nil
}

func objectForm(out []byte) (map[string]*rawInfo, error) {
	var wrapped struct {
		Info map[string]*rawInfo `json:"info"`
	}
	if json.Unmarshal(out, &wrapped) == nil && wrapped.Info != nil {
		return wrapped.Info, nil
	}
	var plain map[string]*rawInfo
	return plain, decode("path-info", out, &plain)
}

func (r rawInfo) info(storeDir string) (Info, error) {
	i := Info{
		Path: inStore(storeDir, r.Path), NarSize: r.NarSize, Deriver: r.Deriver, Ultimate: r.Ultimate,
		Signatures: slices.Sorted(slices.Values(r.Signatures)),
	}
	if r.Valid != nil && !*r.Valid {
		return i, fmt.Errorf("look up store paths: %s is not in the store", r.Path)
	}
	var err error
	if i.SHA256, err = nar.ParseHash(r.NarHash); err != nil {
		return i, fmt.Errorf("look up %s: %w", r.Path, err)
	}
	for _, ref := range r.References {
		i.References = append(i.References, inStore(storeDir, ref))
	}
	slices.Sort(i.References)
	if i.Deriver != "" {
		i.Deriver = inStore(storeDir, i.Deriver)
	}
	// A string up to 2.30, an object after; whether there is one is what counts.
	if ca := string(bytes.TrimSpace(r.CA)); ca != "null" {
		i.CA = strings.Trim(ca, `"`)
	}
	return i, nil
}

func inStore(storeDir, p string) string {
	if strings.HasPrefix(p, "/") {
		return p
	}
	return storeDir + "/" + p
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
