package worktree

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vallane/lane/lane/worktree/objects"
)

// maxAttributes is the largest .gitattributes that is looked into, in bytes. Git's bound is 100 MiB.
const maxAttributes = 100 << 20

// specialFiles are the files of a tree that are more than their blob.
type specialFiles struct {
	converted []string // git writes them in another form
}

// special asks git which files .gitattributes makes special, and refuses those that need a filter.
// Most trees have no attribute that could, and cost no git at all.
func (r *Repo) special(ctx context.Context, tree objects.ID, nodes []node) (specialFiles, error) {
	var s specialFiles
	concerns, err := r.attributesMatter(ctx, nodes)
	if err != nil || !concerns {
		return s, err
	}
	c, done, err := r.indexOf(ctx, tree)
	if err != nil {
		return s, err
	}
	defer done()
	byPath := map[string]node{}
	var stdin strings.Builder
	for _, n := range nodes {
		if n.Mode.IsFile() {
			byPath[n.path] = n
			stdin.WriteString(n.path + "\x00")
		}
	}
	c.stdin = strings.NewReader(stdin.String())
	out, err := r.git(ctx, c, "check-attr", "--cached", "-z", "--stdin", "filter", "eol", "text", "ident", "working-tree-encoding")
	if err != nil {
		return s, fmt.Errorf("read attributes: %w", err)
	}
	fields := splitNUL(out)
	attributes := map[string]map[string]string{}
	for i := 0; i+2 < len(fields); i += 3 {
		if value := fields[i+2]; value != "unspecified" && value != "unset" || fields[i+1] == "text" {
			if attributes[fields[i]] == nil {
				attributes[fields[i]] = map[string]string{}
			}
			attributes[fields[i]][fields[i+1]] = value
		}
	}
	for _, n := range nodes {
		a := attributes[n.path]
		if driver := a["filter"]; driver != "" {
			if err := r.checkFilter(ctx, n, driver); err != nil {
				return s, err
			}
		}
		if a["ident"] != "" || a["working-tree-encoding"] != "" || a["eol"] == "crlf" && a["text"] != "unset" {
			s.converted = append(s.converted, n.path)
		}
	}
	return s, nil
}

// attributesMatter looks in every .gitattributes for words that could change what is written. With
// eol=lf, which is what Lane's git calls have, text and text=auto change nothing on the way out.
func (r *Repo) attributesMatter(ctx context.Context, nodes []node) (bool, error) {
	for _, n := range nodes {
		if filepath.Base(n.path) != ".gitattributes" || !n.Mode.IsFile() {
			continue
		}
		data, err := r.readLimited(ctx, n, maxAttributes)
		if err != nil {
			return false, err
		}
		for line := range bytes.Lines(data) {
			for i, word := range strings.Fields(string(line)) {
				if i > 0 && (word == "ident" || word == "eol=crlf" || strings.HasPrefix(word, "filter=") || strings.HasPrefix(word, "working-tree-encoding=")) {
					return true, nil
				}
			}
		}
	}
	return false, nil
}

// indexOf has git read a tree of Lane's own repository into an index. done removes it.
func (r *Repo) indexOf(ctx context.Context, tree objects.ID) (c gitCall, done func(), err error) {
	dir, err := os.MkdirTemp(r.o.tmp(), "index-*")
	if err != nil {
		return c, nil, fmt.Errorf("read attributes: %v", err)
	}
	done = func() { os.RemoveAll(dir) }
	work := filepath.Join(dir, "tree")
	if err := os.Mkdir(work, 0o755); err != nil {
		done()
		return c, nil, fmt.Errorf("read attributes: %v", err)
	}
	c = gitCall{gitDir: r.bare, workTree: work, index: filepath.Join(dir, "index"), config: []string{"core.bare=false"}}
	if _, err := r.git(ctx, c, "read-tree", tree.String()); err != nil {
		done()
		return c, nil, fmt.Errorf("read tree: %w", err)
	}
	return c, done, nil
}

// checkFilter refuses a file that is not what its author sees unless a filter has run over it.
func (r *Repo) checkFilter(ctx context.Context, n node, driver string) error {
	const tip = "lane runs no filter; commit the content itself, or keep such files out of what the tests need"
	head, err := r.readLimited(ctx, n, 1024)
	if err != nil {
		return err
	}
	switch {
	case bytes.HasPrefix(head, []byte("version https://git-lfs.github.com/spec/")):
		return refuse(LFSContent, tip, "check out %q: it is a Git LFS pointer, and its content is elsewhere", n.path)
	case bytes.HasPrefix(head, []byte("\x00GITCRYPT\x00")):
		return refuse(FilterContent, tip, "check out %q: it is encrypted by git-crypt", n.path)
	case r.settings.smudges[driver] != "" && driver != "lfs":
		return refuse(FilterContent, tip, "check out %q: the repository's configuration has the filter %q write it in another form", n.path, driver)
	}
	return nil
}

// readLimited returns the first bytes of a file.
func (r *Repo) readLimited(ctx context.Context, n node, most int64) (data []byte, err error) {
	err = r.store.Visit(ctx, n.ID, objects.Blob, func(_ int64, content io.Reader) (err error) {
		data, err = io.ReadAll(io.LimitReader(content, most))
		return err
	})
	return data, translate(err, fmt.Sprintf("read %q", n.path))
}

// convert has git write the converted files of a tree into folder, where their folders are already.
func (r *Repo) convert(ctx context.Context, tree objects.ID, folder string, paths []string) error {
	c, done, err := r.indexOf(ctx, tree)
	if err != nil {
		return err
	}
	defer done()
	c.workTree = folder
	c.stdin = strings.NewReader(strings.Join(paths, "\x00") + "\x00")
	if _, err := r.git(ctx, c, "checkout-index", "-q", "-z", "--stdin"); err != nil {
		return fmt.Errorf("check out: %w", err)
	}
	missing := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return exists(filepath.Join(folder, p)) })
	if len(missing) > 0 {
		return fmt.Errorf("check out: git did not write %s", few(missing))
	}
	return nil
}
