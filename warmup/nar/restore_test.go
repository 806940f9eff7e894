package nar_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/vallane/lane/warmup/nar"
)

// words writes strings as an archive holds them.
func words(all ...string) []byte {
	var b bytes.Buffer
	for _, s := range all {
		_ = binary.Write(&b, binary.LittleEndian, uint64(len(s)))
		b.WriteString(s)
		b.Write(make([]byte, -len(s)&7))
	}
	return b.Bytes()
}

func openUp(t testing.TB, dir string) {
	t.Cleanup(func() {
		_ = filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
			if err == nil && e.IsDir() {
				_ = os.Chmod(p, 0o755)
			}
			return nil
		})
	})
}

func TestRestoreGivesBackWhatWasDumped(t *testing.T) {
	for _, name := range []string{"", "run", "link", "hollow", "empty"} {
		root := filepath.Join(tree(t), name)
		var b bytes.Buffer
		if err := nar.Dump(&b, root); err != nil {
			t.Fatal(err)
		}
		want, err := nar.Hash(t.Context(), root)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		openUp(t, dir)
		to := filepath.Join(dir, "restored")
		got, err := nar.Restore(t.Context(), iotest.HalfReader(bytes.NewReader(b.Bytes())), to, int64(b.Len()))
		if err != nil || got != want {
			t.Fatalf("%q: %v, %v, dumped was %v", name, got, err, want)
		}
		if again, err := nar.Hash(t.Context(), to); err != nil || again != want {
			t.Errorf("%q: what was unpacked has %v, %v", name, again, err)
		}
		asInAStore(t, to)
	}
}

// asInAStore wants what Nix's own store has: nobody may write, and the time is one second after 1970.
func asInAStore(t *testing.T, root string) {
	t.Helper()
	err := filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if !info.ModTime().Equal(time.Unix(1, 0)) {
			t.Errorf("%s is of %v", p, info.ModTime())
		}
		if m := info.Mode(); m&fs.ModeSymlink == 0 && (m.Perm()&0o222 != 0 || m.Perm()&0o444 != 0o444) {
			t.Errorf("%s has mode %v", p, m)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// An archive comes from a cache that anybody may have written to.
func TestRestoreRefusesWhatNixNeverWrites(t *testing.T) {
	file := func(body string) []byte { return words("(", "type", "regular", "contents", body, ")") }
	entry := func(name string, node []byte) []byte {
		return bytes.Join([][]byte{words("entry", "(", "name", name, "node"), node, words(")")}, nil)
	}
	folder := func(entries ...[]byte) []byte {
		return bytes.Join([][]byte{words("nix-archive-1", "(", "type", "directory"), bytes.Join(entries, nil), words(")")}, nil)
	}
	whole := bytes.Join([][]byte{words("nix-archive-1"), file("abc")}, nil)
	padded := bytes.Clone(whole)
	padded[bytes.Index(padded, []byte("abc"))+3] = 1
	huge := append(words("nix-archive-1", "(", "type", "regular", "contents"), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f)
	deep := words("nix-archive-1")
	for range 2000 {
		deep = append(deep, words("(", "type", "directory", "entry", "(", "name", "d", "node")...)
	}
	for name, c := range map[string]struct {
		archive []byte
		words   string
	}{
		"nothing":                   {nil, "unexpected EOF"},
		"another magic":             {words("nix-archive-2"), "where"},
		"a name that climbs":        {folder(entry("..", file("x"))), "cannot be a file's name"},
		"a name that is a path":     {folder(entry("a/b", file("x"))), "cannot be a file's name"},
		"a name of this folder":     {folder(entry(".", file("x"))), "cannot be a file's name"},
		"no name":                   {folder(entry("", file("x"))), "cannot be a file's name"},
		"a name with a zero":        {folder(entry("a\x00b", file("x"))), "cannot be a file's name"},
		"a name of 300 bytes":       {folder(entry(strings.Repeat("n", 300), file("x"))), "a string of 300 bytes"},
		"the same name twice":       {folder(entry("a", file("x")), entry("a", file("y"))), "not sorted"},
		"a link, then a file in it": {folder(entry("a", words("(", "type", "symlink", "target", "/etc", ")")), entry("a", file("y"))), "not sorted"},
		"names out of order":        {folder(entry("b", file("x")), entry("a", file("y"))), "not sorted"},
		"a device":                  {words("nix-archive-1", "(", "type", "device", ")"), "no type of entry"},
		"a link to nowhere":         {words("nix-archive-1", "(", "type", "symlink", "target", "", ")"), "leads to"},
		"padding that is not zero":  {padded, "padding"},
		"something after its end":   {append(bytes.Clone(whole), 'x'), "follows its end"},
		"cut short":                 {whole[:len(whole)-9], "unexpected EOF"},
		"a file without an end":     {huge, "a length of"},
		"folders without end":       {deep, "folders within each other"},
		"a file without contents":   {words("nix-archive-1", "(", "type", "regular", ")"), "in a file"},
		"contents twice":            {words("nix-archive-1", "(", "type", "regular", "contents", "a", "contents", "b", ")"), "in a file"},
	} {
		dir := t.TempDir()
		openUp(t, dir)
		_, err := nar.Restore(t.Context(), bytes.NewReader(c.archive), filepath.Join(dir, "x"), 1<<20)
		if err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s gave %v", name, err)
		}
		if all, _ := os.ReadDir(dir); len(all) > 1 {
			t.Errorf("%s left %v", name, all)
		}
	}
}

func TestRestoreKeepsToItsLimit(t *testing.T) {
	var b bytes.Buffer
	if err := nar.Dump(&b, filepath.Join(tree(t), "big")); err != nil {
		t.Fatal(err)
	}
	_, err := nar.Restore(t.Context(), &b, filepath.Join(t.TempDir(), "x"), 1000)
	if err == nil || !strings.Contains(err.Error(), "larger than 1000 bytes") {
		t.Errorf("got %v", err)
	}
	// An archive that never ends costs no more than the limit.
	endless := io.MultiReader(bytes.NewReader(words("nix-archive-1", "(", "type", "regular", "contents")), bytes.NewReader([]byte{0, 0, 0, 0, 0, 1, 0, 0}), zeros{})
	if _, err := nar.Restore(t.Context(), endless, filepath.Join(t.TempDir(), "x"), 1<<20); err == nil {
		t.Error("it was unpacked")
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestRestoreWritesOverNothing(t *testing.T) {
	dir := t.TempDir()
	at := filepath.Join(dir, "x")
	if err := os.WriteFile(at, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := nar.Restore(t.Context(), bytes.NewReader(words("nix-archive-1", "(", "type", "regular", "contents", "theirs", ")")), at, 1<<10)
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
	if data, _ := os.ReadFile(at); string(data) != "mine" {
		t.Errorf("it holds %q", data)
	}
}

// What unpacks has one form: packed again it is the same bytes.
func FuzzRestore(f *testing.F) {
	f.Add(words("nix-archive-1", "(", "type", "regular", "executable", "", "contents", "abc", ")"))
	f.Add(words("nix-archive-1", "(", "type", "directory", "entry", "(", "name", "a", "node", "(", "type", "symlink", "target", "/etc", ")", ")", ")"))
	f.Fuzz(func(t *testing.T, archive []byte) {
		dir := t.TempDir()
		openUp(t, dir)
		to := filepath.Join(dir, "x")
		if _, err := nar.Restore(t.Context(), bytes.NewReader(archive), to, 1<<20); err != nil {
			return
		}
		var again bytes.Buffer
		if err := nar.Dump(&again, to); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again.Bytes(), archive) {
			t.Errorf("%q became %q", archive, again.Bytes())
		}
		if all, err := os.ReadDir(dir); err != nil || len(all) != 1 {
			t.Errorf("beside it lie %v, %v", all, err)
		}
	})
}
