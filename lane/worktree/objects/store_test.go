package objects_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/google/go-cmp/cmp"
	"github.com/vallane/lane/lane/worktree/internal/gittest"
	"github.com/vallane/lane/lane/worktree/objects"
)

func open(t *testing.T, borrowed ...string) *objects.Store {
	t.Helper()
	s := objects.Open(t.TempDir(), borrowed...)
	t.Cleanup(s.Close)
	return s
}

func TestReadsLooseAndPackedObjects(t *testing.T) {
	for _, packed := range []bool{false, true} {
		t.Run(fmt.Sprintf("packed=%v", packed), func(t *testing.T) {
			ctx := context.Background()
			repo := gittest.New(t)
			first := repo.Commit(map[string]string{"a": strings.Repeat("line\n", 2000), "d/b": "x"})
			second := repo.Commit(map[string]string{"a": strings.Repeat("line\n", 2000) + "more\n"})
			repo.Git("tag", "-a", "-m", "tag", "v1")
			if packed {
				repo.Git("gc", "-q")
			}
			s := open(t, repo.Path(".git/objects"))

			c, err := s.ReadCommit(ctx, plumbing.NewHash(second))
			if err != nil {
				t.Fatal(err)
			}
			if len(c.Parents) != 1 || c.Parents[0].String() != first || c.Tree.String() != repo.Git("rev-parse", "HEAD^{tree}") {
				t.Errorf("read %v", c)
			}
			if want := repo.Git("show", "-s", "--format=%ct"); fmt.Sprint(c.Time.Unix()) != want {
				t.Errorf("committed at %d, want %s", c.Time.Unix(), want)
			}
			entries, err := s.ReadTree(ctx, c.Tree)
			if err != nil {
				t.Fatal(err)
			}
			if len(entries) != 2 || entries[0].Name != "a" || entries[0].Mode != objects.Regular || entries[1].Mode != objects.Folder {
				t.Errorf("tree holds %v", entries)
			}
			for _, rev := range []string{first, second} {
				blob, err := s.Read(ctx, plumbing.NewHash(repo.Git("rev-parse", rev+":a")), objects.Blob)
				if err != nil || string(blob) != repo.Git("show", rev+":a")+"\n" {
					t.Errorf("blob of %s: %.20q..., %v", rev, blob, err)
				}
			}
			tag := plumbing.NewHash(repo.Git("rev-parse", "v1"))
			if target, err := s.ReadTag(ctx, tag); err != nil || target.String() != second {
				t.Errorf("tag points to %s, %v", target, err)
			}
			if kind, err := s.TypeOf(ctx, tag); err != nil || kind != objects.Tag {
				t.Errorf("tag is a %s, %v", kind, err)
			}
			if ids, err := s.WithPrefix([]byte(gittest.Raw(second))[:2]); err != nil || len(ids) != 1 || ids[0].String() != second {
				t.Errorf("by prefix: %v, %v", ids, err)
			}
		})
	}
}

// An object folder need not be called "objects", and one store has many.
func TestBorrowsFromFoldersOfAnyName(t *testing.T) {
	repo := gittest.New(t)
	commit := repo.Commit(map[string]string{"a": "x"})
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Rename(repo.Path(".git/objects"), elsewhere); err != nil {
		t.Fatal(err)
	}
	s := open(t, "/nonexistent/objects", elsewhere)
	if _, err := s.ReadCommit(context.Background(), plumbing.NewHash(commit)); err != nil {
		t.Error(err)
	}
}

func TestObjectsThatAreNotWhatTheyShouldBe(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t)
	repo.Commit(map[string]string{"a": "x"})
	blob := plumbing.NewHash(repo.Git("rev-parse", "HEAD:a"))
	other := plumbing.NewHash(repo.Object("blob", "another content"))
	loose := func(id objects.ID) string {
		return repo.Path(".git/objects/" + id.String()[:2] + "/" + id.String()[2:])
	}
	data, err := os.ReadFile(loose(blob))
	if err != nil {
		t.Fatal(err)
	}
	os.Remove(loose(other))
	if err := os.WriteFile(loose(other), data, 0o444); err != nil {
		t.Fatal(err)
	}
	s := open(t, repo.Path(".git/objects"))

	var corrupt *objects.Corrupt
	if _, err := s.Read(ctx, other, objects.Blob); !errors.As(err, &corrupt) {
		t.Errorf("content under another's name: %v", err)
	}
	var wrong *objects.WrongType
	if _, err := s.Read(ctx, blob, objects.Tree); !errors.As(err, &wrong) {
		t.Errorf("a blob read as a tree: %v", err)
	}
	var missing *objects.Missing
	if _, err := s.Read(ctx, plumbing.NewHash(strings.Repeat("1", 40)), objects.Blob); !errors.As(err, &missing) {
		t.Errorf("no such object: %v", err)
	}
	failure := errors.New("the visitor's own")
	err = s.Visit(ctx, blob, objects.Blob, func(int64, io.Reader) error { return failure })
	if err != failure {
		t.Errorf("got %v, want the visitor's error as it is", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.Read(cancelled, blob, objects.Blob); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancellation: %v", err)
	}
}

// What Lane writes is whole and sound for git, goes to Lane's own folder also where the borrowed one
// has it, and is written again where a crash left half of it.
func TestWrites(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t)
	repo.Commit(map[string]string{"a": "x"})
	borrowed := repo.Path(".git/objects")
	before := gittest.Fingerprint(t, borrowed)
	own := gittest.New(t, "--bare")
	s := objects.Open(own.Path("objects"), borrowed)
	defer s.Close()

	blob, err := s.Write(ctx, objects.Blob, []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	tree, err := s.WriteTree(ctx, []objects.Entry{
		{Name: "b.c", Mode: objects.Regular, ID: blob}, {Name: "b", Mode: objects.Regular, ID: blob}, {Name: "a", Mode: objects.Executable, ID: blob},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := own.Git("ls-tree", tree.String()), "100755 blob "+blob.String()+"\ta\n100644 blob "+blob.String()+"\tb\n100644 blob "+blob.String()+"\tb.c"; got != want {
		t.Error(cmp.Diff(want, got))
	}
	own.Git("fsck", "--strict")

	half := own.Path("objects/" + tree.String()[:2] + "/" + tree.String()[2:])
	os.Remove(half)
	if err := os.WriteFile(half, nil, 0o444); err != nil {
		t.Fatal(err)
	}
	if _, err := s.WriteTree(ctx, []objects.Entry{
		{Name: "a", Mode: objects.Executable, ID: blob}, {Name: "b", Mode: objects.Regular, ID: blob}, {Name: "b.c", Mode: objects.Regular, ID: blob},
	}); err != nil {
		t.Fatal(err)
	}
	own.Git("fsck", "--strict")
	if gittest.Fingerprint(t, borrowed) != before {
		t.Error("the borrowed folder changed")
	}
}

// A blob of 40 MiB goes through in pieces, loose or packed.
func TestLargeBlobsStream(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t)
	file, err := os.Create(repo.Path("large"))
	if err != nil {
		t.Fatal(err)
	}
	const size = 40 << 20
	r := rand.NewChaCha8([32]byte{1})
	block := make([]byte, 4096)
	r.Read(block)
	for i := 0; i < size; i += len(block) {
		block[0], block[1] = byte(i>>12), byte(i>>20)
		file.Write(block)
	}
	file.Close()
	id := plumbing.NewHash(repo.Git("hash-object", "-w", "large"))
	for _, packed := range []bool{false, true} {
		if packed {
			repo.Git("add", "large")
			repo.Git("commit", "-q", "-m", "large")
			repo.Git("repack", "-q", "-a", "-d")
		}
		s := open(t, repo.Path(".git/objects"))
		var read, most int64
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		start := m.TotalAlloc
		err := s.Visit(ctx, id, objects.Blob, func(_ int64, content io.Reader) (err error) {
			read, err = io.Copy(io.Discard, content)
			return err
		})
		runtime.ReadMemStats(&m)
		most = int64(m.TotalAlloc - start)
		if err != nil || read != size {
			t.Errorf("packed=%v: read %d bytes, %v", packed, read, err)
		}
		if most > 16<<20 {
			t.Errorf("packed=%v: %d MiB of memory for a stream", packed, most>>20)
		}
	}
}

func TestReadOnlyFilesystemRefusesEveryWrite(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "f"), []byte("x"), 0o644)
	before := gittest.Fingerprint(t, dir)
	ro := objects.ReadOnly(osfs.New(dir))
	sub, err := ro.Chroot(".")
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func() error{
		"create":   func() error { _, err := ro.Create("a"); return err },
		"open":     func() error { _, err := ro.OpenFile("f", os.O_RDWR, 0); return err },
		"remove":   func() error { return ro.Remove("f") },
		"rename":   func() error { return ro.Rename("f", "g") },
		"mkdir":    func() error { return ro.MkdirAll("d", 0o755) },
		"symlink":  func() error { return ro.Symlink("f", "l") },
		"tempfile": func() error { _, err := ro.TempFile(".", "x"); return err },
		"chroot":   func() error { return sub.Remove("f") },
	} {
		if err := write(); !errors.Is(err, os.ErrPermission) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if gittest.Fingerprint(t, dir) != before {
		t.Error("something was written")
	}
}

func TestTreesThatMustNotBeWritten(t *testing.T) {
	id := strings.Repeat("\x01", 20)
	entry := func(mode, name string) string { return mode + " " + name + "\x00" + id }
	for name, data := range map[string]string{
		"no end":                "100644 a",
		"cut id":                "100644 a\x00abc",
		"mode in words":         entry("rw", "a"),
		"a device":              entry("20644", "a"),
		"a named pipe":          entry("10644", "a"),
		"parent":                entry("40000", ".."),
		"git folder":            entry("40000", ".GIT"),
		"git by its short name": entry("40000", "git~1"),
		"a slash":               entry("100644", "a/b"),
		"twice":                 entry("100644", "a") + entry("100644", "a"),
		"a link and a folder":   entry("120000", "a") + entry("40000", "a"),
		"a link, others, and a folder of its name": entry("120000", "a") + entry("100644", "a.b") + entry("40000", "a"),
		"out of order": entry("100644", "b") + entry("100644", "a"),
	} {
		if _, why := objects.ParseTree([]byte(data)); why == "" {
			t.Errorf("%s: passed", name)
		}
	}
	old := entry("100664", "a") + entry("40000", "b")
	entries, why := objects.ParseTree([]byte(old))
	if why != "" || entries[0].Mode != objects.Regular || entries[0].Raw != "100664" {
		t.Errorf("a mode of an old tool: %v, %s", entries, why)
	}
	if !bytes.Equal(objects.EncodeTree(entries), []byte(old)) {
		t.Error("a mode of an old tool is not kept")
	}
}

func FuzzParseTree(f *testing.F) {
	f.Add([]byte("100644 a\x00" + strings.Repeat("\x01", 20)))
	f.Add([]byte("40000 d\x00" + strings.Repeat("\x02", 20) + "100755 e\x00" + strings.Repeat("\x01", 20)))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, why := objects.ParseTree(data)
		if why == "" && !bytes.Equal(objects.EncodeTree(entries), data) {
			t.Errorf("%q is read as %v and written as %q", data, entries, objects.EncodeTree(entries))
		}
	})
}

func TestTimesOutsideOfWhatFilesCarryAreClamped(t *testing.T) {
	ctx := context.Background()
	s := open(t)
	tree, _ := s.WriteTree(ctx, nil)
	for stamp, want := range map[string]int64{"0": 315532800, "-5": 315532800, "1700000000": 1700000000, "99999999999999": 1<<32 - 1} {
		id, err := s.Write(ctx, objects.Commit, []byte("tree "+tree.String()+"\nauthor A <a> 1 +0000\ncommitter C <c> "+stamp+" +0100\n\ntext\n"))
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.ReadCommit(ctx, id)
		if err != nil || c.Time.Unix() != want {
			t.Errorf("%s: %v, %v", stamp, c.Time, err)
		}
	}
}
