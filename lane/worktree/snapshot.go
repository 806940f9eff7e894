package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/vallane/lane/lane/worktree/objects"
)

// snapshot makes a tree of the user's working tree as it is: what `git add -A` would stage. It works on
// a copy of the index in a git directory of its own, so the user's index is neither refreshed nor
// locked, and the user's configuration names no program that could run.
//
//  1. Copy the index, with its time: git trusts what it says of a file only if the file is older.
//  2. Ask for tracked files that differ, and for new ones that are not ignored.
//  3. Stage those in the copy. Objects go to a folder that borrows from nobody: git gives an object
//     that it finds already there a new time, and the user's objects are not to be touched.
//  4. Write the tree and move the new objects to Lane's own repository.
func (r *Repo) snapshot(ctx context.Context) (objects.ID, []Omission, error) {
	if r.at.workTree == "" {
		return objects.ID{}, nil, refuse(NoWorktree, "name a branch or a commit as head", "read working tree: %s has none", r.source)
	}
	dir, err := os.MkdirTemp(r.o.tmp(), "snapshot-*")
	if err != nil {
		return objects.ID{}, nil, fmt.Errorf("read working tree: %v", err)
	}
	defer os.RemoveAll(dir)
	s := &snapshotter{r: r, dir: dir}
	if err := s.prepare(ctx); err != nil {
		return objects.ID{}, nil, err
	}
	changed, err := s.changed(ctx)
	if err != nil {
		return objects.ID{}, nil, err
	}
	added, omitted, err := s.added(ctx)
	if err != nil {
		return objects.ID{}, nil, err
	}
	special, err := s.special(ctx)
	if err != nil {
		return objects.ID{}, nil, err
	}
	tree, err := s.stage(ctx, append(changed, added...))
	return tree, append(omitted, special...), err
}

type snapshotter struct {
	r    *Repo
	dir  string // a git directory of its own
	call gitCall
}

// prepare makes the git directory: the index and what it leans on, and the patterns of ignored files.
func (s *snapshotter) prepare(ctx context.Context) error {
	at := s.r.at
	fail := func(err error) error { return refuse(UnreadableSource, "", "read working tree: %v", err) }
	for _, sub := range []string{"objects/pack", "refs", "info"} {
		if err := os.MkdirAll(filepath.Join(s.dir, sub), 0o755); err != nil {
			return fmt.Errorf("read working tree: %v", err)
		}
	}
	for name, data := range map[string]string{"HEAD": "ref: refs/heads/none\n", "config": "[core]\n\trepositoryformatversion = 0\n"} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(data), 0o644); err != nil {
			return fmt.Errorf("read working tree: %v", err)
		}
	}
	for from, to := range map[string]string{
		filepath.Join(at.gitDir, "index"):                   "index",
		filepath.Join(at.commonDir, "info", "exclude"):      "info/exclude",
		filepath.Join(at.commonDir, "info", "attributes"):   "info/attributes",
		filepath.Join(at.gitDir, "info", "sparse-checkout"): "info/sparse-checkout",
	} {
		if err := copyWithTime(from, filepath.Join(s.dir, to)); err != nil {
			return fail(err)
		}
	}
	shared, _ := filepath.Glob(filepath.Join(at.gitDir, "sharedindex.*"))
	for _, from := range shared {
		if err := copyWithTime(from, filepath.Join(s.dir, filepath.Base(from))); err != nil {
			return fail(err)
		}
	}
	if err := s.ignorePatterns(); err != nil {
		return fail(err)
	}
	s.call = gitCall{
		gitDir: s.dir, workTree: at.workTree, index: filepath.Join(s.dir, "index"),
		config: []string{"core.excludesFile=" + filepath.Join(s.dir, "ignore")},
	}
	for key, value := range map[string]string{
		"core.fileMode": s.r.settings.fileMode, "core.symlinks": s.r.settings.symlinks,
		"core.autocrlf": s.r.settings.autoCRLF, "core.eol": s.r.settings.eol,
		// With these git looks at files that are there although a sparse checkout left them out.
		"core.sparseCheckout": s.r.settings.sparse, "core.sparseCheckoutCone": s.r.settings.sparseCone,
	} {
		if value != "" {
			s.call.config = append(s.call.config, key+"="+value)
		}
	}
	return s.unsplit(ctx)
}

// unsplit rewrites an index that leans on other files or on tree objects, so that it stands alone. It does
// so without the user's objects, as git would touch those that it finds: the few that a sparse index
// names are copied first.
func (s *snapshotter) unsplit(ctx context.Context) error {
	data, err := os.ReadFile(s.call.index)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read working tree: %v", err)
	}
	sparse := bytes.Contains(data, []byte("sdir"))
	if !sparse && !bytes.Contains(data, []byte("link")) {
		return nil
	}
	if sparse {
		if err := s.copyFolders(ctx); err != nil {
			return translate(err, "read working tree")
		}
	}
	if _, err := s.r.git(ctx, s.call, "update-index", "--no-split-index", "--force-write-index"); err != nil {
		return fmt.Errorf("read working tree: %w", err)
	}
	return nil
}

// copyFolders copies the tree objects of HEAD, which a sparse index has in place of their files.
func (s *snapshotter) copyFolders(ctx context.Context) error {
	head, err := s.r.commit(ctx, "HEAD")
	if err != nil {
		return err
	}
	info, err := s.r.store.ReadCommit(ctx, head)
	if err != nil {
		return err
	}
	nodes, err := s.r.flatten(ctx, info.Tree)
	if err != nil {
		return err
	}
	own := objects.Open(filepath.Join(s.dir, "objects"), s.r.borrowed...)
	defer own.Close()
	for _, n := range nodes {
		if n.Mode == objects.Folder {
			if err := own.Keep(ctx, n.ID, objects.Tree); err != nil {
				return err
			}
		}
	}
	return nil
}

// ignorePatterns puts the files of patterns that lie outside of the working tree into one.
func (s *snapshotter) ignorePatterns() error {
	files := slices.Clone(s.r.o.IgnoreFiles)
	if own := s.r.settings.excludesFile; filepath.IsAbs(own) {
		files = append(files, own)
	}
	var all bytes.Buffer
	for _, name := range files {
		data, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		all.Write(append(data, '\n'))
	}
	// Lane's own area is no part of the change, wherever somebody put it.
	if rel, err := filepath.Rel(s.r.at.workTree, s.r.o.Dir); err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
		all.WriteString("/" + escapePattern(rel) + "/\n")
	}
	return os.WriteFile(filepath.Join(s.dir, "ignore"), all.Bytes(), 0o644)
}

// escapePattern writes a path so that an ignore file takes it for itself.
func escapePattern(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if strings.IndexByte(`\*?[ `, path[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(path[i])
	}
	return b.String()
}

// changed lists the tracked files that differ from the index, and are worth staging again.
func (s *snapshotter) changed(ctx context.Context) ([]string, error) {
	call := s.call
	call.borrow = s.r.borrowed // to compare with what a file held; this writes nothing
	out, err := s.r.git(ctx, call, "diff-files", "--raw", "-z", "--no-renames", "--ignore-submodules=all", "--no-ext-diff")
	if err != nil {
		return nil, fmt.Errorf("read working tree: %w", err)
	}
	var paths, unmerged []string
	own := objects.Open(filepath.Join(s.dir, "objects"), s.r.borrowed...)
	defer own.Close()
	fields := splitNUL(out)
	for i := 0; i+1 < len(fields); i += 2 {
		// ":100644 100644 <old id> <new id> M" and the path
		meta, path := strings.Fields(fields[i]), fields[i+1]
		if len(meta) != 5 {
			return nil, fmt.Errorf("read working tree: git says %q", fields[i])
		}
		if meta[4] == "U" {
			unmerged = append(unmerged, path)
			continue
		}
		paths = append(paths, path)
		// Whether CR LF is converted depends on what the file holds in the index, so git must find that.
		if id := plumbing.NewHash(meta[2]); !id.IsZero() && strings.HasPrefix(meta[0], ":100") {
			if err := own.Keep(ctx, id, objects.Blob); err != nil {
				return nil, translate(err, "read working tree")
			}
		}
	}
	if len(unmerged) > 0 {
		return nil, refuse(UnmergedWorktree, "finish the merge or abort it", "read working tree: a merge is under way in %s", few(unmerged))
	}
	return paths, nil
}

// added lists new files that are not ignored. A repository inside of the working tree is left out.
func (s *snapshotter) added(ctx context.Context) (paths []string, omitted []Omission, err error) {
	out, err := s.r.git(ctx, s.call, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return nil, nil, fmt.Errorf("read working tree: %w", err)
	}
	for _, path := range splitNUL(out) {
		if strings.HasSuffix(path, "/") {
			omitted = append(omitted, Omission{Path: strings.TrimSuffix(path, "/"), Why: "a repository of its own"})
			continue
		}
		paths = append(paths, path)
	}
	return paths, omitted, nil
}

// stage puts paths into the copied index, writes its tree, and keeps the objects.
func (s *snapshotter) stage(ctx context.Context, paths []string) (objects.ID, error) {
	if len(paths) > 0 {
		call := s.call
		call.stdin = strings.NewReader(strings.Join(paths, "\x00") + "\x00")
		if _, err := s.r.git(ctx, call, "update-index", "--add", "--remove", "--replace", "-z", "--stdin"); err != nil {
			if isCode(err, GitNeeded) || ctx.Err() != nil {
				return objects.ID{}, err
			}
			return objects.ID{}, refuse(UnreadableSource, "make the file readable, or ignore it", "read working tree: %v", err)
		}
	}
	out, err := s.r.git(ctx, s.call, "write-tree", "--missing-ok")
	if err != nil {
		return objects.ID{}, fmt.Errorf("read working tree: %w", err)
	}
	hash := strings.TrimSpace(string(out))
	if !isFullID(hash) {
		return objects.ID{}, fmt.Errorf("read working tree: git write-tree says %q", hash)
	}
	if err := adoptObjects(filepath.Join(s.dir, "objects"), filepath.Join(s.r.bare, "objects")); err != nil {
		return objects.ID{}, fmt.Errorf("read working tree: %v", err)
	}
	return plumbing.NewHash(hash), nil
}

// adoptObjects moves objects and packs from one folder to another on the same disk. An object becomes
// visible whole: a pack's index is moved last.
func adoptObjects(from, to string) error {
	var files []string
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !strings.HasPrefix(d.Name(), "tmp_") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(files, func(a, b string) int {
		return strings.Compare(filepath.Ext(b), filepath.Ext(a)) // .rev, .pack, .idx, loose objects
	})
	for _, file := range files {
		rel, err := filepath.Rel(from, file)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := os.Rename(file, target); err != nil {
			return err
		}
	}
	return nil
}

// copyWithTime copies a file with its time of change. One that is not there is not copied.
func copyWithTime(from, to string) error {
	f, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	data, err := io.ReadAll(f) // the very file that was opened, should it be replaced now
	if err != nil {
		return err
	}
	if err := os.WriteFile(to, data, 0o644); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}
