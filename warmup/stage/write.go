package stage

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Write makes dir and lays the files out in it, read-only. A folder that is
// there already is replaced as a whole: a reader sees the old one or the new
// one, or for a moment none, and never a mixture.
func Write(dir string, files map[string]File) error {
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return fmt.Errorf("stage the flake: %w", err)
	}
	tmp, err := os.MkdirTemp(parent, ".stage-")
	if err != nil {
		return fmt.Errorf("stage the flake: %w", err)
	}
	defer os.RemoveAll(tmp)
	if err := os.Chmod(tmp, 0o755); err != nil {
		return fmt.Errorf("stage the flake: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := writeFile(filepath.Join(tmp, filepath.FromSlash(name)), files[name]); err != nil {
			return fmt.Errorf("stage %s: %w", name, err)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("stage the flake: %w", err)
	}
	if err := os.Rename(tmp, dir); err != nil {
		return fmt.Errorf("stage the flake: %w", err)
	}
	return nil
}

func writeFile(path string, f File) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	switch f.kind() {
	case "link":
		return os.Symlink(string(f.Data), path)
	case "executable":
		return writeMode(path, f.Data, 0o555)
	}
	return writeMode(path, f.Data, 0o444)
}

// writeMode does not leave the mode to the umask: the run bit is content.
func writeMode(path string, data []byte, mode fs.FileMode) error {
	if err := os.WriteFile(path, data, mode); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}
