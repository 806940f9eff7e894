package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/vallane/lane/internal/flock"
	"github.com/vallane/lane/lane/worktree/objects"
)

// Use says what a tree is wanted for.
type Use struct {
	// Time is what every file and folder gets as its time, to the second; zero means 1980.
	Time time.Time

	// Spec names the link below worktrees/ that leads people and reruns to the tree; "" makes none.
	Spec string

	// EmptySubmodules takes an empty folder for each submodule, as git does before they are
	// initialised. Otherwise a tree with submodules is refused.
	EmptySubmodules bool

	// Git makes a fresh repository of one commit beside the tree: see Tree.Git.
	Git bool
}

// Tree is a folder with the files of one tree and nothing else. It stays as it is until Close:
// nothing in it may be written, and Collect passes it by.
type Tree struct {
	Path string // the folder; every path below it is a path of the tree
	Hash string // git's id of the tree

	// SHA256 is Lane's own digest of the content that git holds, see contentDigest.
	SHA256 string

	// Git is a folder whose entry .git is a repository of one commit of this tree, for Use.Git; else "". It holds nothing
	// but what follows from the tree and its time.
	Git string

	Bytes int64 // what the files hold together

	// Converted are files whose form on disk is not the one git holds, because .gitattributes say so.
	Converted []string

	// Reused says that the tree was found as an earlier run left it.
	Reused bool

	held *heldTree
	once sync.Once
}

// heldTree is a tree that this process uses, as often as it was asked for.
type heldTree struct {
	r     *Repo
	key   string
	users int // guarded by r.mu

	mu       sync.Mutex // held while the tree is looked for or made
	folder   string
	manifest *manifest // nil until the tree is there
	lock     *flock.Lock
}

// Tree checks a tree out, or finds it as it was checked out before: by a look at the times and inode
// of each file, and not again in this process as long as it is in use. A tree that was tampered with is
// made anew; if somebody is still using it, beside the old one.
func (r *Repo) Tree(ctx context.Context, treeHash string, use Use) (*Tree, error) {
	id, err := treeID(treeHash)
	if err != nil {
		return nil, err
	}
	w := wanted{id: id, at: objects.ClampTime(use.Time), submodules: use.EmptySubmodules, git: use.Git}
	held := r.share(r.key(w))
	reused, err := held.hold(ctx, w)
	if err != nil {
		held.release()
		return nil, err
	}
	m := held.manifest
	t := &Tree{
		Path: filepath.Join(held.folder, "tree"), Hash: id.String(), SHA256: m.sha256, Bytes: m.bytes,
		Reused: reused, held: held,
	}
	if use.Git {
		t.Git = gitFolder(held.folder)
	}
	var submodules []string
	for i := range m.facts {
		f := &m.facts[i]
		if f.diskSum != "-" {
			t.Converted = append(t.Converted, f.path)
		}
		if f.Mode == objects.Submodule {
			submodules = append(submodules, f.path)
		}
	}
	if !use.EmptySubmodules { // it may have been made for somebody else
		err = refuseSubmodules(submodules)
	}
	if err == nil && use.Spec != "" {
		err = r.record(use.Spec, held.folder)
	}
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// wanted is a tree as it is asked for.
type wanted struct {
	id         objects.ID
	at         time.Time
	submodules bool // empty folders for them will do
	git        bool // with a repository beside it
}

// gitFolder is where the repository beside a tree lies.
func gitFolder(folder string) string { return filepath.Join(folder, "git") }

// key names a tree by all that decides what its files are.
func (r *Repo) key(w wanted) string {
	key := fmt.Sprintf("%s-%d-%d", w.id, w.at.Unix(), max(r.o.Owner, 0))
	if w.git {
		key += "-g"
	}
	if len(r.settings.smudges) > 0 {
		key += "-f" // such a repository has files refused that another one takes
	}
	return key
}

func (r *Repo) share(key string) *heldTree {
	r.mu.Lock()
	defer r.mu.Unlock()
	held := r.held[key]
	if held == nil {
		held = &heldTree{r: r, key: key}
		r.held[key] = held
	}
	held.users++
	return held
}

// Close gives the tree back.
func (t *Tree) Close() error {
	t.once.Do(t.held.release)
	return nil
}

func (h *heldTree) release() {
	h.r.mu.Lock()
	defer h.r.mu.Unlock()
	if h.users--; h.users > 0 {
		return
	}
	delete(h.r.held, h.key)
	if h.lock != nil {
		h.lock.Touch()
		h.lock.Release()
	}
}

func refuseSubmodules(names []string) error {
	if len(names) == 0 {
		return nil
	}
	return refuse(SubmoduleInTree, "vendor what the tests need of it", "check out: %s is the commit of another repository, which lane does not fetch", few(names))
}

// hold finds or makes the tree on disk and takes a shared lock on it.
func (h *heldTree) hold(ctx context.Context, w wanted) (reused bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.manifest != nil {
		return true, nil
	}
	const most = 8 // trees that somebody broke and somebody still uses
	for n := range most {
		folder := filepath.Join(h.r.o.trees(), h.key)
		if n > 0 {
			folder += fmt.Sprintf("-%d", n)
		}
		m, lock, made, err := h.r.holdAt(ctx, w, folder)
		if errors.Is(err, flock.ErrHeld) {
			h.r.o.log().Warn("a tree was changed and is in use; another is made", "tree", folder)
			continue
		}
		if err != nil {
			return false, err
		}
		lock.Touch()
		h.folder, h.manifest, h.lock = folder, m, lock
		return !made, nil
	}
	return false, fmt.Errorf("check out tree %s: %d broken copies of it are in use", w.id, most)
}

// holdAt returns the manifest of the tree in folder and a shared lock on it. flock.ErrHeld means that what
// lies there is broken and in use.
func (r *Repo) holdAt(ctx context.Context, w wanted, folder string) (m *manifest, lock *flock.Lock, made bool, err error) {
	path := folder + ".lock"
	for {
		if lock, err = flock.Take(ctx, path, flock.Shared, nil); err != nil {
			return nil, nil, false, fmt.Errorf("check out tree %s: %w", w.id, err)
		}
		m, why := r.reusable(ctx, w, folder)
		if why == nil {
			return m, lock, made, nil
		}
		lock.Release()
		if ctx.Err() != nil {
			return nil, nil, false, context.Cause(ctx)
		}
		there := exists(folder)
		lock, err = flock.Try(path, flock.Exclusive)
		if errors.Is(err, flock.ErrHeld) {
			if there && r.stillBroken(ctx, w, folder) {
				return nil, nil, false, flock.ErrHeld
			}
			// Somebody is making it, or only looking like us.
			select {
			case <-ctx.Done():
				return nil, nil, false, context.Cause(ctx)
			case <-time.After(time.Millisecond):
			}
			continue
		}
		if err != nil {
			return nil, nil, false, fmt.Errorf("check out tree %s: %w", w.id, err)
		}
		// Before we had the lock somebody else may have made it.
		if _, err := r.reusable(ctx, w, folder); err != nil {
			if there {
				r.o.log().Warn("a tree is not what it was; it is made anew", "tree", folder, "why", why)
			}
			if err := r.make(ctx, w, folder); err != nil {
				lock.Release()
				return nil, nil, false, err
			}
			made = true
		}
		lock.Release()
	}
}

// stillBroken looks again at a tree whose lock somebody else holds, once they are not making it.
func (r *Repo) stillBroken(ctx context.Context, w wanted, folder string) bool {
	lock, err := flock.Take(ctx, folder+".lock", flock.Shared, nil)
	if err != nil {
		return false
	}
	defer lock.Release()
	_, err = r.reusable(ctx, w, folder)
	return err != nil
}

// make checks a tree out into a temporary folder and renames it into place. The caller holds the
// exclusive lock, so whatever temporary folder of this name is there was left by a crash.
func (r *Repo) make(ctx context.Context, w wanted, folder string) (err error) {
	start := time.Now()
	temporary := filepath.Join(filepath.Dir(folder), ".making-"+filepath.Base(folder))
	for _, old := range []string{temporary, folder} {
		if err := removeAll(old); err != nil {
			return fmt.Errorf("check out tree %s: %v", w.id, err)
		}
	}
	nodes, err := r.flatten(ctx, w.id)
	if err != nil {
		return err
	}
	if !w.submodules {
		var names []string
		for _, n := range nodes {
			if n.Mode == objects.Submodule {
				names = append(names, n.path)
			}
		}
		if err := refuseSubmodules(names); err != nil {
			return err
		}
	}
	if err := os.Mkdir(temporary, 0o711); err != nil {
		return fmt.Errorf("check out tree %s: %v", w.id, err)
	}
	os.Chmod(temporary, 0o711) // whatever the umask: a box's user has to pass
	defer func() {
		if err != nil {
			removeAll(temporary)
		}
	}()
	c := &checkout{r: r, tree: w.id, folder: filepath.Join(temporary, "tree"), nodes: nodes, time: w.at, owner: r.o.Owner}
	m, err := c.run(ctx)
	if err != nil {
		return err
	}
	if w.git {
		if err := c.fresh(ctx, gitFolder(temporary)); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(temporary, "manifest"), m.encode(), 0o644); err != nil {
		return fmt.Errorf("check out tree %s: %v", w.id, err)
	}
	if err := os.Rename(temporary, folder); err != nil {
		return fmt.Errorf("check out tree %s: %v", w.id, err)
	}
	r.o.log().Info("check out", "tree", w.id, "files", len(m.facts), "took", time.Since(start))
	return nil
}

// removeAll removes a tree, also one whose folders somebody made unwritable.
func removeAll(path string) error {
	err := os.RemoveAll(path)
	if err == nil || !errors.Is(err, os.ErrPermission) {
		return err
	}
	filepath.WalkDir(path, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(path)
}

// record points worktrees/<spec> to a tree.
func (r *Repo) record(spec, folder string) error {
	if !validRecord(spec) {
		return fmt.Errorf("record worktree %q: is no name", spec)
	}
	link := filepath.Join(r.o.worktrees(), spec)
	target := filepath.Join("..", "trees", filepath.Base(folder), "tree")
	if old, err := os.Readlink(link); err == nil && old == target {
		return nil
	}
	temporary, err := os.MkdirTemp(r.o.tmp(), "link-*")
	if err != nil {
		return fmt.Errorf("record worktree %q: %v", spec, err)
	}
	defer os.RemoveAll(temporary)
	if err := os.Symlink(target, filepath.Join(temporary, "link")); err != nil {
		return fmt.Errorf("record worktree %q: %v", spec, err)
	}
	if err := os.Rename(filepath.Join(temporary, "link"), link); err != nil {
		return fmt.Errorf("record worktree %q: %v", spec, err)
	}
	return nil
}

// validRecord takes the letters of spec ids and roles, and nothing that could leave the folder.
func validRecord(name string) bool {
	if name == "" || len(name) > 200 || name[0] == '.' || name[0] == '-' {
		return false
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		if !(c == '-' || c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
			return false
		}
	}
	return true
}
