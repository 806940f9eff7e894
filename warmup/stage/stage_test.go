package stage_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/vallane/lane/warmup/stage"
)

// Two environments have one key only where they are the same in every part.
func TestKeyTellsEnvironmentsApart(t *testing.T) {
	base := func() stage.Source {
		return stage.Source{
			Files:  map[string]stage.File{"flake.nix": {Data: []byte("nix")}, "d/x": {Data: []byte("1")}},
			Attr:   "lane-env",
			System: "x86_64-linux",
		}
	}
	changes := map[string]func(*stage.Source){
		"nothing":      func(*stage.Source) {},
		"attr":         func(s *stage.Source) { s.Attr = "lane-en" },
		"system":       func(s *stage.Source) { s.System = "aarch64-linux" },
		"bytes":        func(s *stage.Source) { s.Files["d/x"] = stage.File{Data: []byte("2")} },
		"more bytes":   func(s *stage.Source) { s.Files["d/x"] = stage.File{Data: []byte("11")} },
		"name":         func(s *stage.Source) { delete(s.Files, "d/x"); s.Files["d/y"] = stage.File{Data: []byte("1")} },
		"run bit":      func(s *stage.Source) { s.Files["d/x"] = stage.File{Data: []byte("1"), Mode: 0o755} },
		"symlink":      func(s *stage.Source) { s.Files["d/x"] = stage.File{Data: []byte("1"), Mode: fs.ModeSymlink | 0o777} },
		"one file":     func(s *stage.Source) { delete(s.Files, "d/x") },
		"empty file":   func(s *stage.Source) { s.Files["d/x"] = stage.File{} },
		"moved border": func(s *stage.Source) { s.Attr, s.System = "lane", "-envx86_64-linux" },
		"file in file": func(s *stage.Source) {
			delete(s.Files, "d/x")
			s.Files["flake.nix"] = stage.File{Data: []byte("nix,3:d/x,4:file,1:1")}
		},
	}
	seen := map[string]string{}
	for name, change := range changes {
		s := base()
		change(&s)
		key := s.Key()
		if len(key) != 64 {
			t.Errorf("%s: key %q is no SHA-256", name, key)
		}
		if other, ok := seen[key]; ok {
			t.Errorf("%q and %q have one key", name, other)
		}
		seen[key] = name
	}
}

// The key is part of what users have on disk: a change of it makes every
// environment cold, and has to be meant.
func TestKeyIsStable(t *testing.T) {
	s := stage.Source{Files: map[string]stage.File{"flake.nix": {Data: []byte("{ }")}}, Attr: "lane-env", System: "x86_64-linux"}
	const want = "3727bb0a690b16567b276a2145ffd56f6f97d8870d6873a1bf388678a0808474"
	if got := s.Key(); got != want {
		t.Errorf("key %s, was %s", got, want)
	}
	// Modes beyond the run bit are no part of an environment.
	s.Files["flake.nix"] = stage.File{Data: []byte("{ }"), Mode: 0o600}
	if got := s.Key(); got != want {
		t.Errorf("a mode of 0600 changes the key to %s", got)
	}
}

func TestWriteLaysOutExactlyTheFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "envs", "k", "flake")
	files := map[string]stage.File{
		"flake.nix": {Data: []byte("nix")},
		"a/b/run":   {Data: []byte("#!"), Mode: 0o700},
		"a/link":    {Data: []byte("b/run"), Mode: fs.ModeSymlink},
	}
	if err := stage.Write(dir, map[string]stage.File{"old": {Data: []byte("old")}}); err != nil {
		t.Fatal(err)
	}
	if err := stage.Write(dir, files); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		got = append(got, info.Mode().String()+" "+rel)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"-r-xr-xr-x a/b/run", "Lrwxrwxrwx a/link", "-r--r--r-- flake.nix"}
	if !slices.Equal(got, want) {
		t.Errorf("staged %q", got)
	}
	left, err := os.ReadDir(filepath.Dir(dir))
	if err != nil || len(left) != 1 {
		t.Errorf("beside the folder: %v, %v", left, err)
	}
}

// N2: of a repository, only what was named is opened.
func TestReadOpensOnlyWhatIsNamed(t *testing.T) {
	tree := opened{FS: fstest.MapFS{
		"sub/flake.nix":       {Data: []byte("nix")},
		"sub/flake.lock":      {Data: []byte("lock")},
		"sub/nix/a.nix":       {Data: []byte("a"), Mode: 0o755},
		"sub/nix/deep/b.nix":  {Data: []byte("b")},
		"sub/one.txt":         {Data: []byte("1")},
		"sub/build/huge":      {Data: make([]byte, 1<<20)},
		"sub/nixpkgs.secrets": {Data: []byte("no")},
		"flake.nix":           {Data: []byte("another")},
	}, names: map[string]bool{}}
	files, err := stage.Read(tree, "sub", "nix", "one.txt")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for n := range files {
		names = append(names, n)
	}
	slices.Sort(names)
	if want := []string{"flake.lock", "flake.nix", "nix/a.nix", "nix/deep/b.nix", "one.txt"}; !slices.Equal(names, want) {
		t.Errorf("read %q", names)
	}
	if string(files["flake.nix"].Data) != "nix" || files["nix/a.nix"].Mode&0o111 == 0 {
		t.Errorf("read %v", files)
	}
	for name := range tree.names {
		if name == "sub/build/huge" || name == "sub/nixpkgs.secrets" || name == "flake.nix" {
			t.Errorf("%s was opened", name)
		}
	}
	if _, err := stage.Read(tree, "sub", "absent"); err == nil {
		t.Error("an extra that is not there was passed over")
	}
	if _, err := stage.Read(tree, "sub", "../flake.nix"); err == nil {
		t.Error("an extra above the flake was read")
	}
	if files, err := stage.Read(tree, "."); err != nil || string(files["flake.nix"].Data) != "another" || len(files) != 1 {
		t.Errorf("at the top: %v, %v", files, err)
	}
}

func TestReadTakesSymlinksAsTheyAre(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "flake.nix"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "extra")); err != nil {
		t.Fatal(err)
	}
	files, err := stage.Read(os.DirFS(dir), ".", "extra")
	if err != nil {
		t.Fatal(err)
	}
	if f := files["extra"]; f.Mode&fs.ModeSymlink == 0 || string(f.Data) != "/etc/passwd" {
		t.Errorf("a symlink was read as %v %q", f.Mode, f.Data)
	}
}

type opened struct {
	fs.FS
	names map[string]bool
}

func (o opened) Open(name string) (fs.File, error) {
	f, err := o.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && !info.IsDir() {
		o.names[name] = true
	}
	return f, nil
}
