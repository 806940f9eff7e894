package locks

import (
	"strings"

	"github.com/BurntSushi/toml"
)

// cargo reads a Cargo.lock. The oldest form keeps its hashes in a table of their own.
func cargo(data []byte) (unhashed []string, err error) {
	var lock struct {
		Package []struct {
			Name, Version, Source, Checksum string
		}
		Metadata map[string]string
	}
	if err := toml.Unmarshal(data, &lock); err != nil {
		return nil, err
	}
	for _, p := range lock.Package {
		old := lock.Metadata["checksum "+p.Name+" "+p.Version+" ("+p.Source+")"]
		switch {
		case p.Source == "", p.Checksum != "", len(old) == 64: // "<none>" for a repository
		case strings.HasPrefix(p.Source, "git+") && isCommit(p.Source):
		default:
			unhashed = append(unhashed, p.Name)
		}
	}
	return unhashed, nil
}
