package sources

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"golang.org/x/mod/module"

	"github.com/vallane/lane/warmup/nar"
	"github.com/vallane/lane/warmup/stage"
	"github.com/vallane/lane/warmup/store"
)

// Source is one entry of laneSources: either one archive as it is, or a folder
// that is laid together from Parts, Links and Files.
type Source struct {
	Name    string `json:"name"`    // of the store path
	NarHash string `json:"narHash"` // of the folder, "sha256-" and base64
	Archive
	// Executable are patterns (as of path.Match, by slash path) of the files that
	// get the run bit; module archives do not carry it. For golang.org/toolchain
	// the default is what the go command itself sets: bin/* and pkg/tool/*/*.
	Executable []string `json:"executable,omitempty"`

	// Parts are laid over each other; no two may bring the same file.
	Parts []Part `json:"parts,omitempty"`
	// Links are symlinks to add: a slash path of the folder, and a relative target.
	Links map[string]string `json:"links,omitempty"`
	// Files are small texts to add, by slash path. One that begins with "#!" is executable.
	Files map[string]string `json:"files,omitempty"`

	// Pins names the file beside the flake from which it takes NarHash and the
	// versions of Debian packages (see Pinned). Only then may they be open.
	Pins string `json:"pins,omitempty"`

	sum [32]byte
}

// Archive is something that one client fetches. Exactly one field is set.
type Archive struct {
	// GoModule is "<module>@<version>": the module's archive, unpacked.
	GoModule string `json:"goModule,omitempty"`
	// Npm is "<package>@<version>": the package's archive, without the folder
	// that all of it lies in.
	Npm string `json:"npm,omitempty"`
	// Deb is "<package>=<version>" or "<package>:<architecture>=<version>": the
	// archive's files, unpacked. Without a version it is open.
	Deb string `json:"deb,omitempty"`
}

// Sum is the NAR hash that the flake asks for.
func (s Source) Sum() [32]byte { return s.sum }

// Fetched says what the source is, for messages.
func (s Source) Fetched() string {
	if len(s.Parts) > 0 {
		return fmt.Sprintf("the parts of %q", s.Name)
	}
	return s.Archive.String()
}

// String says what the archive is, for messages.
func (a Archive) String() string {
	switch {
	case a.GoModule != "":
		return "Go module " + a.GoModule
	case a.Npm != "":
		return "npm package " + a.Npm
	}
	return "Debian package " + a.Deb
}

// What may stand in a client's arguments. Each begins with a letter or digit
// (or npm's scope), so that none can be taken for an option, and none is a
// path, a URL or a version that moves.
var (
	npmRule = regexp.MustCompile(`^(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*@[0-9]+\.[0-9]+\.[0-9]+([-+][0-9A-Za-z.+-]+)?$`)
	debRule = regexp.MustCompile(`^[a-z0-9][a-z0-9+.-]+(:[a-z0-9-]+)?=[0-9][A-Za-z0-9.+~:-]*$`)
	openDeb = regexp.MustCompile(`^[a-z0-9][a-z0-9+.-]+(:[a-z0-9-]+)?$`)
)

// Parse reads the value of laneSources.<system>. Its error is a
// *stage.Refusal: the list is the flake's. A source that is open, because its
// file of pins is missing or old, is refused too.
func Parse(data []byte) ([]Source, error) {
	list, err := ParseOpen(data)
	if err != nil {
		return nil, err
	}
	for _, s := range list {
		if what := s.open(); what != "" {
			return nil, &stage.Refusal{
				Code: stage.BadSource,
				Msg:  fmt.Sprintf("laneSources %q: %s is not pinned in %s", s.Name, what, s.Pins),
				Tip:  "`lane warm --pin` writes " + s.Pins + " with what this machine's clients serve now; the spec names it under extras",
			}
		}
	}
	return list, nil
}

// ParseOpen is Parse for one who is about to pin what is open.
func ParseOpen(data []byte) ([]Source, error) {
	var list []Source
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&list); err != nil {
		return nil, bad("laneSources: %v", err)
	}
	names := map[string]bool{}
	for i := range list {
		if err := list[i].check(); err != nil {
			return nil, err
		}
		if names[list[i].Name] {
			return nil, bad("laneSources has two entries named %q", list[i].Name)
		}
		names[list[i].Name] = true
	}
	return list, nil
}

// open names the first thing that a file of pins has to give; "" is none.
func (s *Source) open() string {
	for _, a := range s.archives() {
		if a.openDeb() {
			return a.String()
		}
	}
	if s.NarHash == "" {
		return "the NAR hash"
	}
	return ""
}

func (a Archive) openDeb() bool { return a.Deb != "" && !strings.Contains(a.Deb, "=") }

func (s *Source) archives() []Archive {
	if len(s.Parts) == 0 {
		return []Archive{s.Archive}
	}
	var all []Archive
	for _, p := range s.Parts {
		all = append(all, p.Archive)
	}
	return all
}

func (s *Source) check() error {
	if !store.ValidName(s.Name) {
		return bad("laneSources: %q is no name for a store path", s.Name)
	}
	where := fmt.Sprintf("laneSources %q", s.Name)
	if s.Pins != "" && (!fs.ValidPath(s.Pins) || path.Ext(s.Pins) != ".json") {
		return bad("%s: pins %q is no path of a .json file beside the flake", where, s.Pins)
	}
	if s.NarHash != "" || s.Pins == "" {
		var err error
		if s.sum, err = nar.ParseHash(s.NarHash); err != nil {
			return bad("%s: %v", where, err)
		}
	}
	if len(s.Parts) == 0 {
		if s.GoModule != "" && strings.HasPrefix(s.GoModule, toolchain+"@") && s.Executable == nil {
			s.Executable = []string{"bin/*", "pkg/tool/*/*"}
		}
		if len(s.Links)+len(s.Files) > 0 {
			return bad("%s: links and files are added to parts", where)
		}
		return checkArchive(where, s.Archive, s.Executable, s.Pins != "")
	}
	return s.checkParts(where)
}

func checkArchive(where string, a Archive, executable []string, open bool) error {
	var kinds int
	for _, k := range []string{a.GoModule, a.Npm, a.Deb} {
		if k != "" {
			kinds++
		}
	}
	if kinds != 1 {
		return bad("%s: exactly one of goModule, npm and deb says where it comes from", where)
	}
	for _, p := range executable {
		if _, err := path.Match(p, ""); err != nil || path.IsAbs(p) {
			return bad("%s: executable %q is no pattern of slash paths", where, p)
		}
	}
	switch {
	case a.GoModule != "":
		mod, version, _ := strings.Cut(a.GoModule, "@")
		if err := module.Check(mod, cmp.Or(version, "none")); err != nil {
			return bad("%s: goModule %q: %v", where, a.GoModule, err)
		}
	case a.Npm != "" && !npmRule.MatchString(a.Npm):
		return bad("%s: npm %q is not like left-pad@1.3.0", where, a.Npm)
	case a.Deb != "" && !debRule.MatchString(a.Deb) && !(open && openDeb.MatchString(a.Deb)):
		return bad("%s: deb %q is not like busybox-static=1:1.36.1-9", where, a.Deb)
	}
	return nil
}

// toolchain is the module in which Go's own distributions are served.
const toolchain = "golang.org/toolchain"

func bad(format string, args ...any) error {
	return &stage.Refusal{Code: stage.BadSource, Msg: fmt.Sprintf(format, args...), Tip: "docs/closures.md describes laneSources"}
}
