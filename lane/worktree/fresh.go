package worktree

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/index"

	"github.com/vallane/lane/lane/worktree/objects"
)

// A fresh repository is what `git init; git add -A; git commit` would give in a checked-out tree: one commit, no history, no
// remote, no hook and nothing of anybody's configuration. Everything in it follows from the tree and its time, so that
// it has the same bytes each time. It lies beside the tree, in a folder of its own, and is shown in it by the fence.
const (
	freshBranch = "refs/heads/main"
	freshAuthor = "Lane <lane@localhost>"
	freshText   = "The tree under test\n"
	// freshConfig has git compare files by size and time in seconds: neither inode nor ctime is that of the index, in a box.
	freshConfig = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n" +
		"\ttrustctime = false\n\tcheckStat = minimal\n"
)

// fresh makes the repository of a checkout that has been laid out, in the folder dir/.git,.
func (c *checkout) fresh(ctx context.Context, dir string) error {
	f := &freshRepository{c: c, dir: filepath.Join(dir, ".git")}
	for _, step := range []func(context.Context) error{f.folders, f.pack, f.commit, f.index, f.finish} {
		if err := step(ctx); err != nil {
			return translate(err, "make a repository of one commit")
		}
	}
	return nil
}

type freshRepository struct {
	c   *checkout
	dir string
	id  objects.ID // of the commit
}

func (f *freshRepository) folders(context.Context) error {
	for _, name := range []string{"objects/pack", "objects/info", "refs/heads", "refs/tags", "logs/refs/heads", "info"} {
		if err := os.MkdirAll(filepath.Join(f.dir, name), dirPerm); err != nil {
			return err
		}
	}
	return nil
}

func (f *freshRepository) write(name string, data []byte) error {
	return os.WriteFile(filepath.Join(f.dir, name), data, filePerm)
}

// pack holds all but the commit.
func (f *freshRepository) pack(ctx context.Context) error {
	out, err := os.OpenFile(filepath.Join(f.dir, "objects/pack/new"), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o444)
	if err != nil {
		return err
	}
	defer out.Close()
	pack := objects.CreatePack(out)
	for _, n := range f.c.nodes {
		kind := objects.Blob
		switch n.Mode {
		case objects.Submodule:
			continue
		case objects.Folder:
			kind = objects.Tree
		}
		if err := pack.Copy(ctx, f.c.r.store, n.ID, kind); err != nil {
			return err
		}
	}
	name, index, err := pack.Finish()
	if err != nil {
		return err
	}
	base := filepath.Join(f.dir, "objects/pack/pack-"+name.String())
	if err := os.WriteFile(base+".idx", index, 0o444); err != nil {
		return err
	}
	return os.Rename(out.Name(), base+".pack")
}

// commit writes the one commit as a loose object, and what leads to it.
func (f *freshRepository) commit(context.Context) error {
	who := fmt.Sprintf("%s %d +0000", freshAuthor, f.c.time.Unix())
	data := fmt.Appendf(nil, "tree %s\nauthor %s\ncommitter %s\n\n%s", f.c.tree, who, who, freshText)
	f.id = plumbing.ComputeHash(objects.Commit, data)
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	fmt.Fprintf(z, "commit %d\x00%s", len(data), data)
	if err := z.Close(); err != nil {
		return err
	}
	hash := f.id.String()
	folder := filepath.Join(f.dir, "objects", hash[:2])
	if err := os.Mkdir(folder, dirPerm); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, hash[2:]), b.Bytes(), 0o444); err != nil {
		return err
	}
	log := fmt.Appendf(nil, "%s %s %s\tcommit (initial): %s", plumbing.ZeroHash, hash, who, freshText)
	return errors.Join(
		f.write("HEAD", []byte("ref: "+freshBranch+"\n")), f.write("config", []byte(freshConfig)),
		f.write(freshBranch, []byte(hash+"\n")), f.write("logs/HEAD", log), f.write("logs/"+freshBranch, log),
		f.write("info/exclude", nil),
	)
}

// index lists every file as it lies in the tree, so that nothing seems changed.
func (f *freshRepository) index(context.Context) error {
	idx := &index.Index{Version: 2}
	for i, n := range f.c.nodes {
		if n.Mode == objects.Folder {
			continue
		}
		idx.Entries = append(idx.Entries, &index.Entry{
			Hash: n.ID, Name: n.path, Mode: filemode.FileMode(n.Mode), Size: uint32(f.c.facts[i].size),
			CreatedAt: f.c.time, ModifiedAt: f.c.time,
		})
	}
	var b bytes.Buffer
	if err := index.NewEncoder(&b).Encode(idx); err != nil {
		return err
	}
	return f.write("index", b.Bytes())
}

// finish gives everything its owner, mode and time, and notes the stamps. The index is a second younger than the files: git would
// read every file again that is as young as its index.
func (f *freshRepository) finish(context.Context) error {
	m := &freshManifest{}
	top := filepath.Dir(f.dir)
	var paths []string
	err := filepath.WalkDir(top, func(path string, _ os.DirEntry, err error) error {
		paths = append(paths, path)
		return err
	})
	if err != nil {
		return err
	}
	for _, path := range slices.Backward(paths) { // what is in a folder before the folder
		at := f.c.time
		if path == filepath.Join(f.dir, "index") {
			at = at.Add(time.Second)
		}
		if err := finishFresh(path, f.c.owner, at); err != nil {
			return err
		}
		rel, err := filepath.Rel(top, path)
		if err != nil {
			return err
		}
		fact, err := freshFact(top, rel)
		if err != nil {
			return err
		}
		m.files = append(m.files, fact)
	}
	return os.WriteFile(top+".manifest", m.encode(), filePerm)
}

func finishFresh(path string, owner int, at time.Time) error {
	if owner > 0 {
		if err := os.Lchown(path, owner, owner); err != nil {
			return err
		}
	}
	st, err := os.Lstat(path)
	if err != nil {
		return err
	}
	perm := os.FileMode(filePerm) // whatever the umask
	switch {
	case st.IsDir():
		perm = dirPerm
	case st.Mode()&0o200 == 0:
		perm = 0o444
	}
	if err := os.Chmod(path, perm); err != nil {
		return err
	}
	return os.Chtimes(path, at, at)
}
