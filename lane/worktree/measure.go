package worktree

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sync/errgroup"

	"github.com/vallane/lane/lane/worktree/objects"
)

// maxDiffers bounds how many paths are named that are not as they should be.
const maxDiffers = 20

// reusable reads the manifest of a tree and looks whether each file is still the one that was written:
// same inode, size, mtime and ctime. A folder's times change when a name in it does, so files that were
// added show too.
func (r *Repo) reusable(ctx context.Context, w wanted, folder string) (*manifest, error) {
	m, err := readManifest(filepath.Join(folder, "manifest"))
	if err != nil {
		return nil, err
	}
	if m.tree != w.id || m.treeID(func(f *fact) objects.ID { return f.ID }) != w.id {
		return nil, fmt.Errorf("its manifest is of another tree")
	}
	if w.git {
		repository, err := readFresh(gitFolder(folder))
		if err == nil {
			err = repository.whole(gitFolder(folder))
		}
		if err != nil {
			return nil, err
		}
	}
	root := filepath.Join(folder, "tree")
	err = parallel(ctx, len(m.facts), func(i int) error {
		f := &m.facts[i]
		if f.Mode == objects.Folder && !f.folder {
			return nil
		}
		if _, _, _, size, at, err := lstat(filepath.Join(root, f.path)); err != nil {
			return err
		} else if at != f.stamp || !f.folder && size != f.size {
			return fmt.Errorf("%q is not the file that was written", f.path)
		}
		return nil
	})
	return m, err
}

// parallel calls do for 0 to n-1 from as many goroutines as there are processors.
func parallel(ctx context.Context, n int, do func(i int) error) error {
	const chunk = 64
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range runtime.GOMAXPROCS(0) {
		g.Go(func() error {
			for {
				from := int(next.Add(chunk)) - chunk
				if from >= n {
					return nil
				}
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				for i := from; i < min(from+chunk, n); i++ {
					if err := do(i); err != nil {
						return err
					}
				}
			}
		})
	}
	return g.Wait()
}

// Measure reads every file of the tree again. It returns the digest that the tree now has, which is
// SHA256 as long as nothing differs, and the first paths that differ, each with what is wrong with it. It
// compares content, names, kinds, permissions and owner with git's tree; times do not count.
func (t *Tree) Measure(ctx context.Context) (sha string, differs []string, err error) {
	x := &measurement{root: t.Path, owner: t.held.r.o.Owner, m: t.held.manifest}
	if t.Git != "" {
		repository, err := readFresh(t.Git)
		if err == nil {
			x.differs, err = repository.differs(t.Git)
		}
		if err != nil {
			return "", nil, fmt.Errorf("measure the tree's repository: %w", err)
		}
	}
	return x.run(ctx)
}

type measurement struct {
	root  string
	owner int
	m     *manifest

	mu      sync.Mutex
	differs []string
}

func (x *measurement) run(ctx context.Context) (string, []string, error) {
	facts := x.m.facts
	sums := make([]string, len(facts)) // of the content as git holds it, or "" where it differs
	ids := make([]objects.ID, len(facts))
	expected := map[string]map[string]bool{}
	for i := range facts {
		if f := &facts[i]; f.folder && f.Mode == objects.Folder {
			expected[f.path] = map[string]bool{}
		}
	}
	for i := range facts {
		if f := &facts[i]; f.path != "." && (f.folder || f.Mode != objects.Folder) {
			expected[parentOf(f.path)][f.Name] = true
		}
	}
	err := parallel(ctx, len(facts), func(i int) error {
		f := &facts[i]
		ids[i], sums[i] = f.ID, f.blobSum
		if f.Mode == objects.Folder && !f.folder {
			return nil
		}
		if f.folder {
			return x.folder(f, expected[f.path])
		}
		var err error
		ids[i], sums[i], err = x.file(ctx, f)
		return err
	})
	if err != nil {
		return "", nil, fmt.Errorf("measure tree: %w", err)
	}
	at := make(map[*fact]int, len(facts))
	for i := range facts {
		at[&facts[i]] = i
	}
	if got := x.m.treeID(func(f *fact) objects.ID { return ids[at[f]] }); got != x.m.tree && len(x.differs) == 0 {
		x.differ("%s: its git tree id is now %s", ".", got)
	}
	slices.Sort(x.differs)
	digest := contentDigest(facts, func(f *fact) string { return sums[at[f]] })
	if len(x.differs) > 0 && digest == x.m.sha256 {
		// A file too many, or another mode: no content differs, and the digest has to.
		sum := sha256.Sum256([]byte(digest + "\n" + strings.Join(x.differs, "\n")))
		digest = hex.EncodeToString(sum[:])
	}
	return digest, x.differs, nil
}

func (x *measurement) differ(format string, args ...any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.differs) < maxDiffers {
		x.differs = append(x.differs, fmt.Sprintf(format, args...))
	}
}

// folder looks for names that are there and should not be. What is missing shows by itself.
func (x *measurement) folder(f *fact, expected map[string]bool) error {
	kind, perm, owner, _, _, err := lstat(filepath.Join(x.root, f.path))
	if errors.Is(err, fs.ErrNotExist) || err == nil && kind != objects.Folder {
		x.differ("%q: is no folder any more", f.path)
		return nil
	}
	if err != nil {
		return err
	}
	if perm != dirPerm {
		x.differ("%q: has the permissions %04o", f.path, perm)
	}
	x.checkOwner(f, owner)
	entries, err := os.ReadDir(filepath.Join(x.root, f.path))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !expected[e.Name()] {
			x.differ("%q: was not there", filepath.Join(f.path, e.Name()))
		}
	}
	return nil
}

func (x *measurement) checkOwner(f *fact, owner int) {
	if x.owner > 0 && owner != x.owner {
		x.differ("%q: belongs to %d", f.path, owner)
	}
}

// file returns the git id and the SHA-256 of what git would hold for the file as it is now.
func (x *measurement) file(ctx context.Context, f *fact) (id objects.ID, sum string, err error) {
	path := filepath.Join(x.root, f.path)
	kind, perm, owner, size, _, err := lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		x.differ("%q: is gone", f.path)
		return id, "", nil
	case err != nil:
		return id, "", err
	case kind != f.Mode:
		x.differ("%q: is %s, not %s", f.path, kindName(kind), kindName(f.Mode))
		return id, "", nil
	case kind != objects.Symlink && perm != uint32(permOf(f.Mode)):
		x.differ("%q: has the permissions %04o", f.path, perm)
	}
	x.checkOwner(f, owner)
	git, plain := sha1.New(), sha256.New()
	fmt.Fprintf(git, "blob %d\x00", size)
	if kind == objects.Symlink {
		target, err := os.Readlink(path)
		if err != nil {
			return id, "", err
		}
		io.WriteString(io.MultiWriter(git, plain), target)
	} else {
		in, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
		if err != nil {
			return id, "", err
		}
		defer in.Close()
		buffer := make([]byte, min(max(size, 512), 128<<10))
		if _, err := io.CopyBuffer(onlyWriter{io.MultiWriter(git, plain)}, onlyReader{&stopping{ctx, in}}, buffer); err != nil {
			return id, "", err
		}
	}
	id, sum = objects.ID(git.Sum(nil)), hex.EncodeToString(plain.Sum(nil))
	if f.diskSum != "-" && sum == f.diskSum {
		return f.ID, f.blobSum, nil // converted on the way out, and unchanged since
	}
	if id != f.ID || sum != f.blobSum {
		x.differ("%q: has another content", f.path)
	}
	return id, sum, nil
}

func kindName(m objects.Mode) string {
	switch m {
	case objects.Regular:
		return "a file"
	case objects.Executable:
		return "an executable file"
	case objects.Symlink:
		return "a symbolic link"
	case objects.Folder:
		return "a folder"
	}
	return "something else"
}

// stopping ends a read when its context does.
type stopping struct {
	ctx context.Context
	r   io.Reader
}

func (s *stopping) Read(p []byte) (int, error) {
	if s.ctx.Err() != nil {
		return 0, context.Cause(s.ctx)
	}
	return s.r.Read(p)
}

// SHA256 computes the digest that a checked-out tree of this hash has, from the objects alone.
func (r *Repo) SHA256(ctx context.Context, treeHash string) (string, error) {
	id, err := treeID(treeHash)
	if err != nil {
		return "", err
	}
	nodes, err := r.flatten(ctx, id)
	if err != nil {
		return "", err
	}
	facts := make([]fact, len(nodes))
	err = parallel(ctx, len(nodes), func(i int) error {
		facts[i].node = nodes[i]
		switch nodes[i].Mode {
		case objects.Folder:
			return nil
		case objects.Submodule:
			facts[i].blobSum = nodes[i].ID.String()
			return nil
		}
		hash := sha256.New()
		err := r.store.Visit(ctx, nodes[i].ID, objects.Blob, func(_ int64, content io.Reader) error {
			hash.Reset()
			_, err := io.Copy(hash, content)
			return err
		})
		facts[i].blobSum = hex.EncodeToString(hash.Sum(nil))
		return translate(err, fmt.Sprintf("read %q", nodes[i].path))
	})
	return contentDigest(facts, func(f *fact) string { return f.blobSum }), err
}
