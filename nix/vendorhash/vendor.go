package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/vallane/lane/warmup/nar"
)

// vendorHash returns the SRI hash of the vendor folder of the module in root,
// vendored for the files that root's nix/source.json names. Which files those
// are matters: `go mod vendor` keeps only packages that some file imports.
func vendorHash(ctx context.Context, root string) (string, error) {
	names, err := sourceNames(root)
	if err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp("", "vendorhash-")
	if err != nil {
		return "", fmt.Errorf("make a folder to vendor in: %v", err)
	}
	defer os.RemoveAll(tmp)

	source := filepath.Join(tmp, "source")
	for _, name := range names {
		if err := copyTree(filepath.Join(root, name), filepath.Join(source, name)); err != nil {
			return "", err
		}
	}
	vendor := filepath.Join(tmp, "vendor")
	cmd := exec.CommandContext(ctx, "go", "mod", "vendor", "-o", vendor)
	cmd.Dir = source
	cmd.Env = cleanEnv(os.Environ())
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go mod vendor: %v\n%s", err, bytes.TrimSpace(out))
	}
	// buildGoModule makes the folder itself where there is nothing to vendor.
	if err := os.MkdirAll(vendor, 0o755); err != nil {
		return "", fmt.Errorf("make vendor folder: %v", err)
	}
	sum, err := nar.Hash(ctx, vendor)
	if err != nil {
		return "", fmt.Errorf("hash vendor folder: %v", err)
	}
	return sum.SRI(), nil
}

// sourceNames returns the files and folders that the package is built from.
func sourceNames(root string) ([]string, error) {
	file := filepath.Join(root, "nix", "source.json")
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read list of sources: %v", err)
	}
	var names []string
	if err := json.Unmarshal(data, &names); err != nil {
		return nil, fmt.Errorf("read %s: %v", file, err)
	}
	for _, name := range names {
		if !filepath.IsLocal(name) {
			return nil, fmt.Errorf("read %s: %q leaves the repository", file, name)
		}
	}
	return names, nil
}

// copyTree copies a file or folder. One that is not there is left out, as
// nix/package.nix leaves it out.
func copyTree(from, to string) error {
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			if path == from && os.IsNotExist(err) {
				return nil
			}
			return err
		}
		below, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, below)
		if entry.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		if !entry.Type().IsRegular() {
			return nil // no package is made of links, pipes or sockets
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o644)
	})
	if err != nil {
		return fmt.Errorf("copy %s: %v", from, err)
	}
	return nil
}

// cleanEnv drops what would make the Go command vendor something else than
// buildGoModule does, and keeps how this machine reaches modules.
func cleanEnv(env []string) []string {
	kept := make([]string, 0, len(env)+2)
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		switch name {
		case "GOFLAGS", "GOWORK", "GOOS", "GOARCH":
		default:
			kept = append(kept, entry)
		}
	}
	return append(kept, "GOFLAGS=", "GOWORK=off")
}

// hashes is the form of nix/hashes.json. The hash is a pointer because Nix
// takes null to mean that there is nothing to vendor.
type hashes struct {
	VendorHash *string `json:"vendorHash"`
}

func readHash(file string) (string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read recorded hash: %v", err)
	}
	var recorded hashes
	if err := json.Unmarshal(data, &recorded); err != nil {
		return "", fmt.Errorf("read %s: %v", file, err)
	}
	if recorded.VendorHash == nil {
		return "", nil
	}
	return *recorded.VendorHash, nil
}

func writeHash(file, hash string) error {
	data, err := json.MarshalIndent(hashes{VendorHash: &hash}, "", "  ")
	if err != nil {
		return fmt.Errorf("write recorded hash: %v", err)
	}
	if err := os.WriteFile(file, append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("write recorded hash: %v", err)
	}
	return nil
}
