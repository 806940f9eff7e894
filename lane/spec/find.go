package spec

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// NoSpecError says that a folder holds no spec.
type NoSpecError struct {
	Dir string
}

func (e *NoSpecError) Error() string {
	return fmt.Sprintf("find specs in %s: there is neither a lane.toml nor a specs/*.toml", quoteName(e.Dir))
}

// Hint says how to get a spec.
func (e *NoSpecError) Hint() string {
	return "`lane init` writes a spec and a flake for the project it finds; `lane check FILE` takes any file"
}

// Find returns the specs that a folder holds: lane.toml if it is there, else
// every specs/*.toml, sorted. The error is a *NoSpecError where there are none.
func Find(dir string) ([]string, error) {
	single := filepath.Join(dir, "lane.toml")
	if _, err := os.Lstat(single); err == nil {
		return []string{single}, nil
	}
	folder := filepath.Join(dir, "specs")
	entries, err := os.ReadDir(folder)
	if err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("find specs in %s: %w", quoteName(folder), bare(err))
	}
	var names []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".toml" && !e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, filepath.Join(folder, e.Name()))
		}
	}
	if len(names) == 0 {
		return nil, &NoSpecError{Dir: dir}
	}
	slices.Sort(names)
	return names, nil
}

// CheckUnique refuses specs of one invocation that share an id, whatever its
// case: their files would overwrite each other's. The error is an *Errors.
func CheckUnique(specs []*Spec) error {
	first := map[string]*Spec{}
	var found []Error
	for _, s := range specs {
		folded := strings.ToLower(s.ID)
		other, known := first[folded]
		if !known {
			first[folded] = s
			continue
		}
		msg := fmt.Sprintf("the id %s is already that of %s", quote(s.ID), quoteName(other.Name))
		if other.ID != s.ID {
			msg += fmt.Sprintf(" (%s): ids differ by more than case", quote(other.ID))
		}
		line, col := s.Where("id")
		found = append(found, Error{File: s.Name, Line: line, Col: col, Msg: msg, Hint: "give each spec an id of its own"})
	}
	if len(found) == 0 {
		return nil
	}
	return &Errors{List: found}
}
