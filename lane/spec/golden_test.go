package spec

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files and docs/spec-reference.md afresh")

// golden compares got with a file, or writes the file with -update.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (go test ./lane/spec -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is not what the code says now (-file +now; go test ./lane/spec -update writes it):\n%s", file, diff)
	}
}

// read returns the files that match a pattern below testdata.
func read(t testing.TB, pattern string) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil || len(names) == 0 {
		t.Fatalf("no testdata/%s: %v", pattern, err)
	}
	files := map[string][]byte{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = data
	}
	return files
}

// The page and the schema are what the code says.
func TestReferenceIsFresh(t *testing.T) {
	golden(t, "../../docs/spec-reference.md", Reference())
}

func TestSchemaIsFresh(t *testing.T) {
	golden(t, "testdata/schema.json", Schema())
}

// Every problem of a bad file, as a person reads it.
func TestBadFiles(t *testing.T) {
	for name, data := range read(t, "bad/*.toml") {
		t.Run(filepath.Base(name), func(t *testing.T) {
			_, err := Parse("lane.toml", data)
			if err == nil {
				t.Fatal("it was accepted")
			}
			golden(t, name[:len(name)-len("toml")]+"txt", []byte(err.Error()+"\n"))
		})
	}
}
