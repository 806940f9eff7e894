package locks

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// npmPackage is an entry of a package-lock.json, of any version.
type npmPackage struct {
	Version   string
	Resolved  string
	Integrity string
	Link      bool
	InBundle  bool // it came inside of another package, whose hash stands for both
	Bundled   bool // the same, in version 1

	Dependencies map[string]json.RawMessage
}

func (p npmPackage) hashed() bool {
	return p.Integrity != "" || p.Link || p.InBundle || p.Bundled || isCommit(p.Resolved) || isCommit(p.Version) || strings.HasPrefix(p.Version, "file:")
}

// npm reads a package-lock.json of version 1, 2 or 3.
func npm(data []byte) (unhashed []string, err error) {
	var lock struct {
		Packages     map[string]npmPackage
		Dependencies map[string]json.RawMessage
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		return nil, err
	}
	if lock.Packages == nil {
		return npmNested("", lock.Dependencies)
	}
	for _, at := range slices.Sorted(maps.Keys(lock.Packages)) {
		// What lies outside of node_modules are packages of the tree itself.
		if p := lock.Packages[at]; strings.Contains(at, "node_modules/") && !p.hashed() {
			unhashed = append(unhashed, at[strings.LastIndex(at, "node_modules/")+len("node_modules/"):])
		}
	}
	return unhashed, nil
}

func npmNested(above string, list map[string]json.RawMessage) (unhashed []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(list)) {
		var p npmPackage
		if err := json.Unmarshal(list[name], &p); err != nil {
			return nil, err
		}
		if !p.hashed() {
			unhashed = append(unhashed, above+name)
		}
		more, err := npmNested(above+name+"/", p.Dependencies)
		if err != nil {
			return nil, err
		}
		unhashed = append(unhashed, more...)
	}
	return unhashed, nil
}

// pnpm reads a pnpm-lock.yaml: in its section "packages", each entry has a line of its own that says what it resolves to.
func pnpm(data []byte) (unhashed []string, err error) {
	in, name := false, ""
	settle := func() {
		if name != "" {
			unhashed = append(unhashed, name)
		}
		name = ""
	}
	for _, line := range lines(data) {
		text := strings.TrimSpace(line)
		indent := len(line) - len(strings.TrimLeft(line, " "))
		switch {
		case text == "" || text[0] == '#':
		case indent == 0:
			settle()
			in = text == "packages:"
		case in && indent == 2:
			settle()
			name = strings.Trim(strings.TrimSuffix(text, ":"), "'\"")
		case in && (strings.HasPrefix(text, "resolution:") || indent > 4): // on one line, or on lines of its own
			if strings.Contains(text, "integrity: sha") || strings.Contains(text, "type: directory") || commitIn(text) {
				name = ""
			}
		}
	}
	settle()
	return unhashed, nil
}

// commitIn reports whether a resolution names a commit.
func commitIn(text string) bool {
	_, after, ok := strings.Cut(text, "commit: ")
	after, _, _ = strings.Cut(after, ",")
	return ok && isCommit(strings.Trim(after, "}'\" "))
}

// yarn reads a yarn.lock of Yarn 1, or of one of its successors.
func yarn(data []byte) (unhashed []string, err error) {
	name := ""
	settle := func() {
		if name != "" {
			unhashed = append(unhashed, name)
		}
		name = ""
	}
	for _, line := range lines(data) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		value = strings.Trim(value, `"`)
		switch {
		case line == "" || line[0] == '#':
		case line[0] != ' ':
			settle()
			if name = strings.Trim(strings.TrimSuffix(line, ":"), `"`); name == "__metadata" {
				name = ""
			}
		case key == "integrity", key == "checksum:", key == "resolved" && isCommit(value), key == "linkType:" && value == "soft":
			name = ""
		}
	}
	settle()
	return unhashed, nil
}

// bun reads a bun.lock: in its section "packages", each entry is a line.
func bun(data []byte) (unhashed []string, err error) {
	in := false
	for _, line := range lines(data) {
		text := strings.TrimSpace(line)
		indent := len(line) - len(strings.TrimLeft(line, " "))
		switch {
		case text == "":
		case indent <= 2:
			in = strings.HasPrefix(text, `"packages":`)
		case in && strings.Contains(text, ": ["):
			if name, _, _ := strings.Cut(strings.TrimPrefix(text, `"`), `"`); !strings.Contains(text, `"sha512-`) && !strings.Contains(text, "@workspace:") {
				unhashed = append(unhashed, name)
			}
		}
	}
	return unhashed, nil
}
