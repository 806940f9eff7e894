package spec

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	tests := []struct {
		name  string
		files []string
		want  []string
	}{
		{"one file", []string{"lane.toml"}, []string{"lane.toml"}},
		{"a folder of specs, sorted", []string{"specs/b.toml", "specs/a.toml", "specs/c.md", "specs/.d.toml", "specs/e/f.toml"}, []string{"specs/a.toml", "specs/b.toml"}},
		{"lane.toml goes first", []string{"lane.toml", "specs/a.toml"}, []string{"lane.toml"}},
		{"none", []string{"specs/readme.md"}, nil},
		{"empty folder", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, f := range tt.files {
				f = filepath.Join(dir, f)
				if err := errors.Join(os.MkdirAll(filepath.Dir(f), 0o700), os.WriteFile(f, nil, 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			got, err := Find(dir)
			for i := range got {
				got[i], _ = filepath.Rel(dir, got[i])
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("found %q, want %q", got, tt.want)
			}
			var none *NoSpecError
			if (tt.want == nil) != errors.As(err, &none) {
				t.Errorf("error %v", err)
			}
			if none != nil && (!strings.Contains(none.Error(), dir) || !strings.Contains(none.Hint(), "lane init")) {
				t.Errorf("error %q with hint %q", none.Error(), none.Hint())
			}
		})
	}
}

func TestCheckUnique(t *testing.T) {
	spec := func(file, id string) *Spec {
		s, err := Parse(file, []byte("# x\nid = \""+id+"\"\n[[task]]\nname = \"unit\"\nrun = [\"true\"]\n"))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if err := CheckUnique([]*Spec{spec("a.toml", "a"), spec("b.toml", "b")}); err != nil {
		t.Error(err)
	}
	err := CheckUnique([]*Spec{spec("a.toml", "x"), spec("b.toml", "X"), spec("c.toml", "x")})
	const want = `b.toml:2:6: the id "X" is already that of a.toml ("x"): ids differ by more than case; give each spec an id of its own
c.toml:2:6: the id "x" is already that of a.toml; give each spec an id of its own`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
