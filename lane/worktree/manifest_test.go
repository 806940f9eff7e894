package worktree

import (
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/google/go-cmp/cmp"

	"github.com/vallane/lane/lane/worktree/objects"
)

func sampleManifest() *manifest {
	blob := plumbing.NewHash("587be6b4c3f93f93c489c0111bba5596147a26cb") // "x\n"
	at := func(n int64) stamp { return stamp{mtime: 1_700_000_000_000_000_000, ctime: n, inode: uint64(n)} }
	entry := func(name string, mode objects.Mode, raw string) objects.Entry {
		return objects.Entry{Name: name, Mode: mode, ID: blob, Raw: raw}
	}
	return &manifest{sha256: strings.Repeat("5", 64), bytes: 6, facts: []fact{
		{node: node{entry(".", objects.Folder, ""), "."}, folder: true, blobSum: "-", diskSum: "-", stamp: at(1)},
		{node: node{entry("a b\nc", objects.Regular, "100664"), "a b\nc"}, blobSum: strings.Repeat("a", 64), diskSum: strings.Repeat("b", 64), size: 2, stamp: at(2)},
		{node: node{entry("d", objects.Folder, ""), "d"}, folder: true, blobSum: "-", diskSum: "-", stamp: at(3)},
		{node: node{entry("run", objects.Executable, ""), "d/run"}, blobSum: strings.Repeat("a", 64), diskSum: "-", size: 2, stamp: at(4)},
		{node: node{entry("void", objects.Folder, ""), "void"}, blobSum: "-", diskSum: "-"},
	}}
}

func TestManifestFormat(t *testing.T) {
	m := sampleManifest()
	m.tree = m.treeID(func(f *fact) objects.ID { return f.ID })
	data := m.encode()
	const blob = "587be6b4c3f93f93c489c0111bba5596147a26cb"
	a, b := strings.Repeat("a", 64), strings.Repeat("b", 64)
	want := "lane-tree-manifest 1\ntree " + m.tree.String() + "\nsha256 " + strings.Repeat("5", 64) + "\nbytes 6\n" +
		"40000 " + blob + " - - 0 1700000000000000000.1 1 .\x00" +
		"100664 " + blob + " " + a + " " + b + " 2 1700000000000000000.2 2 a b\nc\x00" +
		"40000 " + blob + " - - 0 1700000000000000000.3 3 d\x00" +
		"100755 " + blob + " " + a + " - 2 1700000000000000000.4 4 d/run\x00" +
		"40000 " + blob + " - - 0 0.0 0 void\x00"
	if diff := cmp.Diff(want, string(data[:len(data)-65])); diff != "" {
		t.Error(diff)
	}
	back, err := decodeManifest(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, back, cmp.AllowUnexported(manifest{}, fact{}, node{}, stamp{})); diff != "" {
		t.Error(diff)
	}
	for i := range data {
		broken := append([]byte(nil), data...)
		broken[i] ^= 1
		if _, err := decodeManifest(broken); err == nil {
			t.Errorf("byte %d changed, and it was read", i)
		}
		if _, err := decodeManifest(data[:i]); err == nil {
			t.Errorf("cut off after %d bytes, and it was read", i)
		}
	}
}

// Whatever the bytes, and also where their checksum is right, reading them ends with a manifest or an error.
func FuzzManifest(f *testing.F) {
	f.Add("", "40000 587be6b4c3f93f93c489c0111bba5596147a26cb - - 0 1.1 1 .\x00")
	f.Add("tree 1\nsha256 2\nbytes 3\n", "")
	f.Fuzz(func(t *testing.T, head, facts string) {
		m := &manifest{}
		body := m.encode()
		text := strings.TrimSuffix(string(body[:len(body)-65]), "tree "+m.tree.String()+"\nsha256 \nbytes 0\n") + head + facts
		if got, err := decodeManifest(sealed(text)); err == nil {
			got.treeID(func(f *fact) objects.ID { return f.ID })
			if again, err := decodeManifest(got.encode()); err != nil || len(again.facts) != len(got.facts) {
				t.Errorf("written again: %v", err)
			}
		}
	})
}

func FuzzQuotePath(f *testing.F) {
	for _, path := range []string{"/plain", "/with space", "/quo\"te", "/back\\slash", "/new\nline", "/co:lon", "#hash", "/\xff\x01"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		quoted := quotePath(path)
		if strings.Contains(quoted, "\n") {
			t.Errorf("%q is written on two lines", path)
		}
		if strings.HasPrefix(quoted, `"`) {
			quoted = unquotePath(quoted)
		}
		if quoted != path {
			t.Errorf("%q became %q", path, quoted)
		}
	})
}
