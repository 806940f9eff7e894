package publish

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// largestEntry bounds a blob that is read from a repository, in bytes: others write there too.
const largestEntry = 256 << 20

// branch is a ref of a repository whose commits only ever add files.
type branch struct {
	repo     *git.Repository
	name     plumbing.ReferenceName
	patience time.Duration // bounds how long an update waits for the ref's lock
}

func openBranch(repo string, name plumbing.ReferenceName, patience time.Duration) (*branch, error) {
	r, err := git.PlainOpenWithOptions(repo, &git.PlainOpenOptions{DetectDotGit: true, EnableDotGitCommonDir: true})
	if err != nil {
		return nil, fmt.Errorf("open the repository %s: %w", repo, err)
	}
	return &branch{r, name, patience}, nil
}

// tip is the commit that the ref is at and its tree; both are nil where there is no ref.
func (b *branch) tip() (*plumbing.Reference, *object.Tree, error) {
	ref, err := b.repo.Storer.Reference(b.name)
	if errors.Is(err, plumbing.ErrReferenceNotFound) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	commit, err := b.repo.CommitObject(ref.Hash())
	if err != nil {
		return nil, nil, err
	}
	tree, err := commit.Tree()
	return ref, tree, err
}

// tries bounds how often an update is made anew because somebody else moved the ref meanwhile.
const tries = 50

// update adds one commit with the files that change returns for the tree as it is, nil for none. It starts again where somebody else has
// moved the ref meanwhile, and so loses nothing of theirs.
func (b *branch) update(message string, change func(now *object.Tree) (map[string][]byte, error)) error {
	for range tries {
		ref, tree, err := b.tip()
		if err != nil {
			return err
		}
		files, err := change(tree)
		if err != nil || len(files) == 0 {
			return err
		}
		commit, err := b.commit(message, ref, tree, files)
		if err != nil {
			return err
		}
		if moved, err := b.move(ref, commit); err != nil || !moved {
			if err != nil {
				return err
			}
			continue
		}
		return nil
	}
	return fmt.Errorf("%s moved each of %d times; try again", b.name, tries)
}

// move sets the ref where it still is what it was, under the lock that git itself takes for that (a file of the ref's name and .lock).
// moved is false where it is something else by now.
func (b *branch) move(was *plumbing.Reference, to plumbing.Hash) (moved bool, err error) {
	at, ok := b.repo.Storer.(*filesystem.Storage)
	if !ok {
		return false, errors.New("the repository is not on disk")
	}
	dir := at.Filesystem()
	name := string(b.name)
	lock, err := acquire(dir, name+".lock", b.patience)
	if err != nil {
		return false, err
	}
	defer func() {
		if !moved {
			_ = dir.Remove(name + ".lock")
		}
	}()
	now, err := b.repo.Storer.Reference(b.name)
	if err != nil && !errors.Is(err, plumbing.ErrReferenceNotFound) {
		return false, errors.Join(err, lock.Close())
	}
	same := now == nil && was == nil || now != nil && was != nil && now.Hash() == was.Hash()
	if !same {
		return false, lock.Close()
	}
	_, err = lock.Write([]byte(to.String() + "\n"))
	if err := errors.Join(err, lock.Close()); err != nil {
		return false, err
	}
	if err := dir.Rename(name+".lock", name); err != nil {
		return false, err
	}
	return true, nil
}

// acquire makes a lock file, and waits while somebody else has it.
func acquire(dir billy.Filesystem, name string, patience time.Duration) (billy.File, error) {
	if err := dir.MkdirAll(path.Dir(name), 0o755); err != nil {
		return nil, err
	}
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err == nil || !errors.Is(err, fs.ErrExist) {
			return f, err
		}
		if time.Now().After(end) {
			return nil, fmt.Errorf("%s is there for %s: another process writes, or died while it did; if none runs, remove the file", dir.Join(dir.Root(), name), patience)
		}
	}
}

func (b *branch) commit(message string, ref *plumbing.Reference, tree *object.Tree, files map[string][]byte) (plumbing.Hash, error) {
	root := load(tree)
	for name, data := range files {
		blob, err := b.blob(data)
		if err != nil {
			return plumbing.ZeroHash, err
		}
		if err := b.put(root, strings.Split(name, "/"), blob); err != nil {
			return plumbing.ZeroHash, err
		}
	}
	top, err := b.write(root)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	who := object.Signature{Name: "lane", Email: "lane@localhost", When: time.Now().UTC()}
	c := object.Commit{Author: who, Committer: who, Message: message, TreeHash: top}
	if ref != nil {
		c.ParentHashes = []plumbing.Hash{ref.Hash()}
	}
	return store(b.repo.Storer, &c)
}

func (b *branch) blob(data []byte) (plumbing.Hash, error) {
	o := b.repo.Storer.NewEncodedObject()
	o.SetType(plumbing.BlobObject)
	w, err := o.Writer()
	if err != nil {
		return plumbing.ZeroHash, err
	}
	if _, err := w.Write(data); err != nil {
		return plumbing.ZeroHash, err
	}
	if err := w.Close(); err != nil {
		return plumbing.ZeroHash, err
	}
	return b.repo.Storer.SetEncodedObject(o)
}

// dir is a folder under change: the entries that it has, and folders below it that were looked into.
type dir struct {
	entries []object.TreeEntry
	below   map[string]*dir
}

func load(tree *object.Tree) *dir {
	d := &dir{below: map[string]*dir{}}
	if tree != nil {
		d.entries = slices.Clone(tree.Entries)
	}
	return d
}

func (b *branch) put(d *dir, names []string, blob plumbing.Hash) error {
	at := slices.IndexFunc(d.entries, func(e object.TreeEntry) bool { return e.Name == names[0] })
	if len(names) == 1 {
		e := object.TreeEntry{Name: names[0], Mode: filemode.Regular, Hash: blob}
		if at >= 0 {
			d.entries[at] = e
		} else {
			d.entries = append(d.entries, e)
		}
		return nil
	}
	sub := d.below[names[0]]
	if sub == nil {
		var tree *object.Tree
		if at >= 0 {
			var err error
			if tree, err = b.repo.TreeObject(d.entries[at].Hash); err != nil {
				return fmt.Errorf("read the folder %s: %w", names[0], err)
			}
		} else {
			d.entries = append(d.entries, object.TreeEntry{Name: names[0], Mode: filemode.Dir})
		}
		sub = load(tree)
		d.below[names[0]] = sub
	}
	return b.put(sub, names[1:], blob)
}

func (b *branch) write(d *dir) (plumbing.Hash, error) {
	for i := range d.entries {
		if sub := d.below[d.entries[i].Name]; sub != nil {
			hash, err := b.write(sub)
			if err != nil {
				return hash, err
			}
			d.entries[i].Hash = hash
		}
	}
	slices.SortFunc(d.entries, func(x, y object.TreeEntry) int { return strings.Compare(sortName(x), sortName(y)) })
	return store(b.repo.Storer, &object.Tree{Entries: d.entries})
}

// sortName orders entries as git does: a folder as if its name ended in a slash.
func sortName(e object.TreeEntry) string {
	if e.Mode == filemode.Dir {
		return e.Name + "/"
	}
	return e.Name
}

func store(s storer.EncodedObjectStorer, o object.Object) (plumbing.Hash, error) {
	e := s.NewEncodedObject()
	if err := o.Encode(e); err != nil {
		return plumbing.ZeroHash, err
	}
	return s.SetEncodedObject(e)
}

// read returns a file's bytes.
func read(f *object.File) ([]byte, error) {
	if f.Size > largestEntry {
		return nil, fmt.Errorf("%s has more than %d bytes", path.Base(f.Name), largestEntry)
	}
	r, err := f.Reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}
