package worktree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"

	"github.com/vallane/lane/lane/worktree/objects"
)

// Repo is one source of changes: a repository of the user's, or one that was fetched from a URL.
// Its methods may be called from many goroutines.
type Repo struct {
	o        Options
	source   string // as it was given, without a password
	at       layout
	settings settings
	bare     string // Lane's own repository for this source
	borrowed []string
	store    *objects.Store
	refs     storer.ReferenceStorer
	fetch    *fetcher // nil for a repository on this machine

	mu   sync.Mutex
	held map[string]*heldTree // trees in use by this process, by key
}

// Open finds the repository that source names: any path in it, or a URL (https, http, ssh, git, file,
// or user@host:path). A path is only read. A URL is fetched by Resolve, when it needs to be.
// What cannot be used is a *Refusal.
func Open(ctx context.Context, o Options, source string) (*Repo, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if o.Dir == "" {
		return nil, fmt.Errorf("open repository %s: Options.Dir is not set", source)
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("open repository %s: %v", source, err)
	}
	o.Dir = dir
	for _, dir := range []string{o.repos(), o.trees(), o.worktrees(), o.tmp()} {
		// Others may pass, as a box's user must, and not look around.
		if err := os.MkdirAll(dir, 0o711); err != nil {
			return nil, fmt.Errorf("open repository %s: %v", source, err)
		}
	}
	r := &Repo{o: o, source: source, held: map[string]*heldTree{}}
	path, remote, err := splitSource(source)
	if err != nil {
		return nil, err
	}
	if remote != nil {
		r.source, r.fetch = remote.shown, remote
		err = r.openRemote(remote)
	} else {
		err = r.openLocal(path)
	}
	if err != nil {
		return nil, err
	}
	r.store = objects.Open(filepath.Join(r.bare, "objects"), r.borrowed...)
	r.refs = openRefs(r.at)
	return r, nil
}

// Close releases what the repository has open. Trees that were handed out stay usable.
func (r *Repo) Close() { r.store.Close() }

// Root is the top of the user's working tree, "" where there is none.
func (r *Repo) Root() string { return r.at.workTree }

// Rel returns the slash-separated path of a file below Root. inside is false for a file elsewhere.
func (r *Repo) Rel(file string) (path string, inside bool) {
	if r.at.workTree == "" {
		return "", false
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return "", false
	}
	// The last element may be a symbolic link that the tree holds, or not there any more.
	if dir, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		abs = filepath.Join(dir, filepath.Base(abs))
	}
	rel, err := filepath.Rel(r.at.workTree, abs)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

func (r *Repo) openLocal(path string) (err error) {
	if r.at, err = discover(path); err != nil {
		return err
	}
	if r.settings, err = r.at.readSettings(); err != nil {
		return err
	}
	if err := r.settings.supported(r.source); err != nil {
		return err
	}
	r.borrowed = r.at.objectFolders()
	if len(r.borrowed) == 0 {
		return refuse(UnreadableSource, "", "open repository %s: its object folder cannot be read", r.source)
	}
	r.bare = r.o.bareFor(r.at.name(), r.at.commonDir)
	return makeBare(r.bare, r.source, r.borrowed)
}

// name is what people call the repository.
func (l layout) name() string {
	if l.workTree != "" {
		return filepath.Base(l.workTree)
	}
	return strings.TrimSuffix(filepath.Base(l.commonDir), ".git")
}

// bareFor is the place of Lane's own repository for a source: readable, and unique by its digest.
func (o Options) bareFor(name, identity string) string {
	sum := sha256.Sum256([]byte(identity))
	name = strings.Map(func(c rune) rune {
		if c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return c
		}
		return '_'
	}, name)
	return filepath.Join(o.repos(), name[:min(len(name), 40)]+"-"+hex.EncodeToString(sum[:6])+".git")
}

// openRefs opens HEAD and the refs of a repository for reading.
func openRefs(l layout) storer.ReferenceStorer {
	fs := dotgit.NewRepositoryFilesystem(objects.ReadOnly(osfs.New(l.gitDir)), objects.ReadOnly(osfs.New(l.commonDir)))
	return &filesystem.NewStorage(fs, nil).ReferenceStorage
}
