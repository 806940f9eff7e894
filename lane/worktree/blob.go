package worktree

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/vallane/lane/lane/worktree/objects"
)

// Blob is what a tree holds under one path. The zero Blob means that there is nothing.
type Blob struct {
	// Hash is the git blob id of the content; of a submodule, its commit.
	Hash string
	// Mode is 0644, 0755, fs.ModeSymlink|0777, or fs.ModeIrregular for a submodule.
	Mode fs.FileMode
}

// BlobID is the git blob id that a content has in a repository.
func BlobID(content []byte) string {
	return plumbing.ComputeHash(plumbing.BlobObject, content).String()
}

func blobOf(e objects.Entry) Blob {
	b := Blob{Hash: e.ID.String()}
	switch e.Mode {
	case objects.Executable:
		b.Mode = 0o755
	case objects.Symlink:
		b.Mode = fs.ModeSymlink | 0o777
	case objects.Submodule:
		b.Mode = fs.ModeIrregular
	default:
		b.Mode = 0o644
	}
	return b
}

// gitMode is the mode that a tree object gives the blob.
func (b Blob) gitMode() (objects.Mode, error) {
	switch {
	case b.Mode&fs.ModeType == fs.ModeSymlink:
		return objects.Symlink, nil
	case b.Mode&fs.ModeType == fs.ModeIrregular:
		return objects.Submodule, nil
	case b.Mode&fs.ModeType != 0:
		return 0, fmt.Errorf("a tree holds no file of mode %v", b.Mode)
	case b.Mode&0o111 != 0:
		return objects.Executable, nil
	}
	return objects.Regular, nil
}

// List returns the files of a tree by their paths.
func (r *Repo) List(treeHash string) (map[string]Blob, error) {
	id, err := treeID(treeHash)
	if err != nil {
		return nil, err
	}
	nodes, err := r.flatten(context.Background(), id)
	if err != nil {
		return nil, err
	}
	files := make(map[string]Blob, len(nodes))
	for _, n := range nodes {
		if n.Mode != objects.Folder {
			files[n.path] = blobOf(n.Entry)
		}
	}
	return files, nil
}

// ReadFile returns the content that git holds for a file of a tree, or the target of a symbolic link.
// Where there is none, IsNotExist holds for the error.
func (r *Repo) ReadFile(treeHash, path string) ([]byte, error) {
	ctx := context.Background()
	e, err := r.entry(ctx, treeHash, path)
	if err != nil {
		return nil, err
	}
	if e.Mode == objects.Folder || e.Mode == objects.Submodule {
		return nil, fmt.Errorf("read %s: is no file", path)
	}
	data, err := r.store.Read(ctx, e.ID, objects.Blob)
	return data, translate(err, "read "+path)
}

// CopyBlob writes the content of a blob to w as it is read. Where reading fails half way, w has seen
// the first half.
func (r *Repo) CopyBlob(ctx context.Context, w io.Writer, hash string) error {
	if !isFullID(hash) {
		return fmt.Errorf("read blob %q: is no object id", hash)
	}
	started := false
	err := r.store.Visit(ctx, plumbing.NewHash(hash), objects.Blob, func(_ int64, content io.Reader) error {
		if started {
			return fmt.Errorf("read blob %s: it went away in the middle", hash)
		}
		started = true
		_, err := io.Copy(w, content)
		return err
	})
	return translate(err, "read blob "+hash)
}

// WriteBlob stores content in Lane's own repository, for Compose.
func (r *Repo) WriteBlob(ctx context.Context, data []byte, mode fs.FileMode) (Blob, error) {
	id, err := r.store.Write(ctx, objects.Blob, data)
	return Blob{Hash: id.String(), Mode: mode}, err
}

// entry finds a path in a tree. A symbolic link on the way is not followed.
func (r *Repo) entry(ctx context.Context, treeHash, path string) (objects.Entry, error) {
	id, err := treeID(treeHash)
	if err != nil {
		return objects.Entry{}, err
	}
	at := objects.Entry{Mode: objects.Folder, ID: id}
	for name := range strings.SplitSeq(path, "/") {
		entries, err := r.readTree(ctx, at)
		if err != nil {
			return at, translate(err, "read "+path)
		}
		found := false
		for _, e := range entries {
			if e.Name == name {
				at, found = e, true
				break
			}
		}
		if !found {
			return at, &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
		}
	}
	return at, nil
}

// readTree returns the entries of a folder, none of what is no folder.
func (r *Repo) readTree(ctx context.Context, e objects.Entry) ([]objects.Entry, error) {
	if e.Mode != objects.Folder || e.ID == emptyTree {
		return nil, nil
	}
	return r.store.ReadTree(ctx, e.ID)
}

// emptyTree is the tree without entries, which git knows without having it.
var emptyTree = plumbing.NewHash("4b825dc642cb6eb9a060e54bf8d69288fbee4904")

func treeID(hash string) (objects.ID, error) {
	if !isFullID(hash) {
		return objects.ID{}, fmt.Errorf("read tree %q: is no object id", hash)
	}
	return plumbing.NewHash(hash), nil
}

// node is an entry of a tree with its path below the root.
type node struct {
	objects.Entry
	path string
}

// flatten lists a tree: every folder before what it holds. It stops at Options' bounds, so that a tree of
// few objects that unfolds to billions of files costs nothing.
func (r *Repo) flatten(ctx context.Context, root objects.ID) ([]node, error) {
	var nodes []node
	var walk func(prefix string, id objects.ID) error
	walk = func(prefix string, id objects.ID) error {
		entries, err := r.readTree(ctx, objects.Entry{Mode: objects.Folder, ID: id})
		if err != nil {
			return translate(err, "read tree "+strings.TrimSuffix(prefix, "/"))
		}
		for _, e := range entries {
			n := node{Entry: e, path: prefix + e.Name}
			if err := checkPath(n.path); err != nil {
				return err
			}
			if len(nodes) >= r.o.maxEntries() {
				return refuse(TreeTooLarge, "", "read tree %s: it holds more than %d files and folders", root, r.o.maxEntries())
			}
			nodes = append(nodes, n)
			if e.Mode == objects.Folder {
				if err := walk(n.path+"/", e.ID); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return nodes, walk("", root)
}
