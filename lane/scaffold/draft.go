package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"text/template"
)

// The sources of a project's tools.
const (
	Nixpkgs  = "nixpkgs"  // a flake that takes them from nixpkgs, at a locked revision
	Registry = "registry" // a flake that takes them from module, package and Debian archives, pinned by hash
)

// flakes are the flakes that projects get, by toolchain and language. Tests hold those of nixpkgs to be
// nix/templates, and those of registries to be what the examples use.
//
//go:embed flakes
var flakes embed.FS

//go:embed lane.toml.tmpl
var specText string

// pinsFile is what a registry flake reads besides itself; `lane warm --pin` writes it.
const pinsFile = "debian.json"

// File is one file to write.
type File struct {
	Name string // slash path below the folder
	Data []byte
}

// Options says what is drafted.
type Options struct {
	Language  string // one of Languages; "" finds out
	Toolchain string // Nixpkgs or Registry; "" is Nixpkgs
}

// Draft is what a project gets.
type Draft struct {
	Project
	Files []File
	// Pins says that the flake is open until `lane warm --pin` has written debian.json.
	Pins bool
	// Kept are files of the project's own that serve as they are.
	Kept []string
}

// Exists says that a file which is to be written is there already.
type Exists struct{ Names []string }

func (e *Exists) Error() string {
	return "write " + strings.Join(e.Names, " and ") + ": there already, and lane init replaces nothing"
}

// Hint says what to do next.
func (e *Exists) Hint() string {
	return "lane init --dry-run prints what it would write, for you to take what is missing"
}

// New drafts the spec and the flake for the project in dir.
func New(dir string, o Options) (*Draft, error) {
	if o.Toolchain == "" {
		o.Toolchain = Nixpkgs
	}
	if o.Toolchain != Nixpkgs && o.Toolchain != Registry {
		return nil, fmt.Errorf("read --toolchain: %q is no source of tools; use %s or %s", o.Toolchain, Nixpkgs, Registry)
	}
	at, err := place(dir)
	if err != nil {
		return nil, err
	}
	project, err := Detect(os.DirFS(dir), o.Language)
	if err != nil {
		return nil, err
	}
	d := &Draft{Project: project}
	own, err := os.ReadFile(filepath.Join(dir, "flake.nix"))
	if err == nil && bytes.Contains(own, []byte("lane-env")) {
		d.Kept = append(d.Kept, "flake.nix")
		d.Pins = bytes.Contains(own, []byte(pinsFile))
	} else if err := d.addFlake(o.Toolchain); err != nil {
		return nil, err
	}
	return d, d.addSpec(at)
}

func (d *Draft) addFlake(toolchain string) error {
	folder := path.Join("flakes", toolchain, d.Language)
	entries, err := flakes.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		data, err := flakes.ReadFile(path.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		d.Files = append(d.Files, File{Name: e.Name(), Data: data})
		d.Pins = d.Pins || bytes.Contains(data, []byte(pinsFile))
	}
	return nil
}

// addSpec writes lane.toml for a folder of a repository.
func (d *Draft) addSpec(at where) error {
	t, err := template.New("lane.toml").Funcs(template.FuncMap{"quote": quote, "list": list}).Parse(specText)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	err = t.Execute(&b, map[string]any{
		"ID": at.id, "Base": at.base, "Dir": at.below, "Flake": cmpDot(at.below) + "#lane-env",
		"Pins": d.Pins, "PinsFile": path.Join(at.below, pinsFile), "Run": d.Run, "Reporter": d.Reporter,
	})
	if err != nil {
		return err
	}
	d.Files = append(d.Files, File{Name: "lane.toml", Data: b.Bytes()})
	return nil
}

func cmpDot(below string) string {
	if below == "" {
		return "."
	}
	return below
}

// Write writes the files into dir. Where one is there already, it writes none and the error is an *Exists.
func (d *Draft) Write(dir string) error {
	var there Exists
	for _, f := range d.Files {
		if _, err := os.Lstat(filepath.Join(dir, f.Name)); err == nil {
			there.Names = append(there.Names, f.Name)
		}
	}
	if len(there.Names) > 0 {
		return &there
	}
	for _, f := range d.Files {
		// Whoever made the file since then keeps it.
		out, err := os.OpenFile(filepath.Join(dir, f.Name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			return &Exists{Names: []string{f.Name}}
		}
		if err == nil {
			_, err = out.Write(f.Data)
			err = errors.Join(err, out.Close())
		}
		if err != nil {
			return fmt.Errorf("write %s: %w", f.Name, err)
		}
	}
	return nil
}

// where is a folder's place in its repository.
type where struct {
	id    string // a name for the spec
	below string // the folder below the top of the repository, as a slash path; "" is the top
	base  string // the branch that is checked out, where it is not one that Lane would find by itself
}

// NoRepository says that a folder is in no git repository.
type NoRepository struct{ Dir string }

func (n *NoRepository) Error() string {
	return "find the repository: " + n.Dir + " is in no git repository"
}

// Hint says what to do next.
func (n *NoRepository) Hint() string { return "git init, and commit the project" }

func place(dir string) (where, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return where{}, fmt.Errorf("find the project: %w", err)
	}
	for top := dir; ; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			below, err := filepath.Rel(top, dir)
			if below == "." {
				below = ""
			}
			return where{id: specID(filepath.Base(dir)), below: filepath.ToSlash(below), base: branch(top)}, err
		}
		if top == filepath.Dir(top) {
			return where{}, &NoRepository{Dir: dir}
		}
	}
}

// branch is the branch that is checked out, or "" where Lane takes the right one as base unasked or there is none.
func branch(top string) string {
	data, err := os.ReadFile(filepath.Join(top, ".git", "HEAD"))
	if err != nil {
		return ""
	}
	name, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "ref: refs/heads/")
	if !ok || name == "main" || name == "master" {
		return ""
	}
	return name
}

var notInID = regexp.MustCompile(`[^a-z0-9]+`)

// specID makes an id of a folder's name.
func specID(name string) string {
	id := strings.Trim(notInID.ReplaceAllString(strings.ToLower(name), "-"), "-")
	if id == "" {
		return "project"
	}
	return id[:min(len(id), 40)]
}

// quote and list write TOML, whose basic strings are read as Go's are where they hold no control characters.
func quote(s string) string { return strconv.Quote(s) }

func list(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
