package fetch

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Cargo refuses a manifest whose targets are missing ("no targets specified", "can't find `tool` bin"): empty files stand for them.
func TestStandIns(t *testing.T) {
	p := &Phase{Scratch: t.TempDir(), Manifests: map[string][]byte{
		"Cargo.toml":          []byte("[workspace]\nmembers = [\"crates/*\"]\n"),
		"crates/a/Cargo.toml": []byte("[package]\nname = \"a\"\nbuild = \"make.rs\"\n\n[[bin]]\nname = \"tool\"\n\n[[bin]]\nname = \"other\"\npath = \"cmd/other.rs\"\n\n[[bench]]\nname = \"speed\"\n\n[[test]]\nname = \"x\"\npath = \"../../../../outside.rs\"\n"),
		"crates/b/Cargo.toml": []byte("[package]\nname = \"b\"\nbuild = false\nlinks = \"z\"\n\n[lib]\npath = \"b.rs\"\n"),
		"crates/c/Cargo.toml": []byte("[package\n"),
		"web/package.json":    []byte("{}"),
	}}
	got := p.standIns()
	slices.Sort(got)
	want := []string{"crates/a/benches/speed.rs", "crates/a/cmd/other.rs", "crates/a/make.rs", "crates/a/src/bin/tool.rs", "crates/a/src/lib.rs", "crates/b/b.rs", "crates/b/build.rs"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	dir, err := p.lay()
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for _, name := range want {
		if st, err := os.Stat(filepath.Join(dir, name)); err != nil || st.Size() != 0 {
			t.Errorf("%s: %v, %v", name, st, err)
		}
	}
}
