package objects_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/vallane/lane/lane/worktree/internal/gittest"
	"github.com/vallane/lane/lane/worktree/objects"
)

// TestEveryObjectOfAPack packs a history in the ways that git has, and reads each of its objects: what
// comes out has the name that was asked for, or Visit would say so.
func TestEveryObjectOfAPack(t *testing.T) {
	repo := gittest.New(t)
	r := rand.New(rand.NewPCG(3, 3))
	lines := make([]string, 400)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d %d\n", i, r.Uint64())
	}
	large := strings.Repeat(strings.Join(lines, ""), 520) // above what is put together in memory
	for i := range 8 {
		lines[r.IntN(len(lines))] = fmt.Sprintf("changed %d\n", i)
		repo.Commit(map[string]string{"a": strings.Join(lines, ""), fmt.Sprintf("d%d/b", i): lines[i], "large": large + fmt.Sprint(i/6)})
	}
	all := strings.Fields(repo.Git("rev-list", "--objects", "--no-object-names", "--all"))
	for name, args := range map[string][]string{
		"deltas by offset": {"-c", "repack.useDeltaBaseOffset=true", "repack", "-q", "-a", "-d", "-f", "--depth=50", "--window=50"},
		"deltas by name":   {"-c", "repack.useDeltaBaseOffset=false", "repack", "-q", "-a", "-d", "-f", "--depth=50", "--window=50"},
		"no deltas":        {"repack", "-q", "-a", "-d", "-f", "--window=0"},
		"old index":        {"-c", "pack.indexVersion=1", "repack", "-q", "-a", "-d", "-f", "--window=10"},
	} {
		t.Run(name, func(t *testing.T) {
			repo.Git(args...)
			s := open(t, repo.Path(".git/objects"))
			ctx := context.Background()
			if name == "old index" {
				// go-git cannot read it. That is said, and not that the object is missing from the repository.
				if _, err := s.TypeOf(ctx, plumbing.NewHash(all[0])); err == nil || !strings.Contains(err.Error(), "IDX") {
					t.Errorf("got %v", err)
				}
				return
			}
			for _, name := range all {
				id := plumbing.NewHash(name)
				kind, err := s.TypeOf(ctx, id)
				if err != nil {
					t.Fatal(err)
				}
				if data, err := s.Read(ctx, id, kind); err != nil || len(data) == 0 && kind != objects.Blob {
					t.Fatalf("%s %s: %d bytes, %v", kind, name, len(data), err)
				}
			}
		})
	}
}

// A pack that git has removed in the meantime is read on, and what is in a new one is found.
func TestPacksThatComeAndGo(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t)
	first := plumbing.NewHash(repo.Commit(map[string]string{"a": "x"}))
	repo.Git("gc", "-q")
	s := open(t, repo.Path(".git/objects"))
	if _, err := s.ReadCommit(ctx, first); err != nil {
		t.Fatal(err)
	}
	second := plumbing.NewHash(repo.Commit(map[string]string{"a": "y"}))
	repo.Git("gc", "-q", "--prune=now")
	for _, id := range []objects.ID{second, first} {
		if _, err := s.ReadCommit(ctx, id); err != nil {
			t.Error(err)
		}
	}
}

// FuzzPack reads from a pack and an index of any bytes: it ends with an object of the right name or an
// error, and never in a panic.
func FuzzPack(f *testing.F) {
	repo := gittest.New(f)
	repo.Commit(map[string]string{"a": strings.Repeat("line\n", 50)})
	repo.Commit(map[string]string{"a": strings.Repeat("line\n", 50) + "more\n"})
	repo.Git("repack", "-q", "-a", "-d", "-f")
	found, err := filepath.Glob(repo.Path(".git/objects/pack/*.idx"))
	if err != nil || len(found) != 1 {
		f.Fatal(found, err)
	}
	index, _ := os.ReadFile(found[0])
	packed, _ := os.ReadFile(strings.TrimSuffix(found[0], ".idx") + ".pack")
	id := plumbing.NewHash(repo.Git("rev-parse", "HEAD~1:a"))
	f.Add(index, packed, id[:])
	dir := f.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "pack"), 0o755); err != nil {
		f.Fatal(err)
	}
	name := filepath.Join(dir, "pack", "pack-"+strings.Repeat("1", 40))
	f.Fuzz(func(t *testing.T, index, packed, name20 []byte) {
		if len(name20) != 20 {
			return
		}
		if os.WriteFile(name+".idx", index, 0o644) != nil || os.WriteFile(name+".pack", packed, 0o644) != nil {
			return
		}
		if kind, _, err := objects.ReadFromPack(name, objects.ID(name20)); err == nil && !kind.Valid() {
			t.Errorf("read an object of kind %d", kind)
		}
	})
}
