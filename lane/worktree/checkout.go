package worktree

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/vallane/lane/lane/worktree/objects"
)

// checkout writes a tree's files into folder, which must not exist, and says what it wrote.
type checkout struct {
	r      *Repo
	tree   objects.ID
	folder string
	time   time.Time
	owner  int

	nodes     []node
	facts     []fact // facts[i] is of nodes[i]
	converted map[string]bool
	bytes     atomic.Int64
}

const (
	filePerm = 0o644
	execPerm = 0o755
	dirPerm  = 0o755
)

// run lays the tree out: folders first, then files by as many workers as there are processors, then
// the files that git has to convert, then the times of the folders, from the innermost outwards.
func (c *checkout) run(ctx context.Context) (*manifest, error) {
	special, err := c.r.special(ctx, c.tree, c.nodes)
	if err != nil {
		return nil, err
	}
	c.converted = map[string]bool{}
	for _, path := range special.converted {
		c.converted[path] = true
	}
	c.nodes = append([]node{{Entry: objects.Entry{Name: ".", Mode: objects.Folder, ID: c.tree}, path: "."}}, c.nodes...)
	c.facts = make([]fact, len(c.nodes))
	if err := c.folders(); err != nil {
		return nil, err
	}
	if err := c.files(ctx, false); err != nil {
		return nil, err
	}
	if len(special.converted) > 0 {
		if err := c.r.convert(ctx, c.tree, c.folder, special.converted); err != nil {
			return nil, err
		}
		if err := c.files(ctx, true); err != nil {
			return nil, err
		}
	}
	for i := len(c.nodes) - 1; i >= 0; i-- {
		if c.facts[i].folder {
			if err := c.finishFolder(i); err != nil {
				return nil, fmt.Errorf("check out: %w", err)
			}
		}
	}
	m := &manifest{tree: c.tree, bytes: c.bytes.Load(), facts: c.facts}
	m.sha256 = contentDigest(m.facts, func(f *fact) string { return f.blobSum })
	return m, nil
}

func (c *checkout) path(n node) string { return filepath.Join(c.folder, filepath.FromSlash(n.path)) }

// folders makes every folder that holds something: git writes no others.
func (c *checkout) folders() error {
	holds := map[string]bool{".": true}
	for i := len(c.nodes) - 1; i > 0; i-- {
		if n := c.nodes[i]; n.Mode != objects.Folder || holds[n.path] {
			holds[parentOf(n.path)] = true
		}
	}
	for i, n := range c.nodes {
		f := &c.facts[i]
		*f = fact{node: n, blobSum: "-", diskSum: "-"}
		if n.Mode == objects.Submodule {
			f.blobSum = n.ID.String()
		}
		f.folder = n.Mode == objects.Folder && holds[n.path] || n.Mode == objects.Submodule
		if !f.folder {
			continue
		}
		if err := os.Mkdir(c.path(n), dirPerm); err != nil {
			return fmt.Errorf("check out: %w", err)
		}
	}
	return nil
}

// files writes the files; in the second pass it takes over those that git wrote.
func (c *checkout) files(ctx context.Context, second bool) error {
	// Neighbours in a tree are neighbours in a pack, and two workers in one folder wait for each other.
	workers := min(runtime.GOMAXPROCS(0), 8)
	chunk := max(16, min(512, len(c.nodes)/(8*workers)))
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range workers {
		g.Go(func() error {
			w := &writer{c: c, copy: make([]byte, 128<<10)}
			for {
				from := int(next.Add(int64(chunk))) - chunk
				if from >= len(c.nodes) {
					return nil
				}
				for i := from; i < min(from+chunk, len(c.nodes)); i++ {
					n := c.nodes[i]
					if n.Mode == objects.Folder || n.Mode == objects.Submodule || c.converted[n.path] != second {
						continue
					}
					if err := ctx.Err(); err != nil {
						return context.Cause(ctx)
					}
					if err := w.write(ctx, i, second); err != nil {
						return err
					}
				}
			}
		})
	}
	return g.Wait()
}

// writer is one worker, with buffers that it uses again.
type writer struct {
	c    *checkout
	copy []byte
	link bytes.Buffer
}

func (w *writer) write(ctx context.Context, i int, converted bool) error {
	n := w.c.nodes[i]
	path := w.c.path(n)
	var err error
	switch {
	case n.Mode == objects.Symlink:
		err = w.symlink(ctx, i, path)
	case converted:
		err = w.adopt(ctx, i, path)
	default:
		err = w.file(ctx, i, path)
	}
	if err != nil {
		return translate(err, fmt.Sprintf("check out %q", n.path))
	}
	return nil
}

func (w *writer) file(ctx context.Context, i int, path string) error {
	n, f := w.c.nodes[i], &w.c.facts[i]
	out, err := createFile(path, permOf(n.Mode))
	if err != nil {
		return err
	}
	defer out.close()
	hash := sha256.New()
	again := false
	err = w.c.r.store.Visit(ctx, n.ID, objects.Blob, func(size int64, content io.Reader) error {
		if again { // the first try broke off half way
			hash.Reset()
			if err := out.rewind(); err != nil {
				return err
			}
		} else if err := w.c.count(size); err != nil {
			return err
		}
		again = true
		f.size = size
		_, err := io.CopyBuffer(onlyWriter{io.MultiWriter(hash, out)}, onlyReader{content}, w.copy)
		return err
	})
	if err != nil {
		return err
	}
	f.blobSum = hex.EncodeToString(hash.Sum(nil))
	return w.c.finishFile(out.fd, i)
}

// onlyReader and onlyWriter keep io.CopyBuffer from looking for methods that would not use the buffer.
type onlyReader struct{ io.Reader }
type onlyWriter struct{ io.Writer }

func (w *writer) symlink(ctx context.Context, i int, path string) error {
	n, f := w.c.nodes[i], &w.c.facts[i]
	err := w.c.r.store.Visit(ctx, n.ID, objects.Blob, func(size int64, content io.Reader) error {
		w.link.Reset()
		f.size = size
		_, err := io.Copy(&w.link, io.LimitReader(content, 8192))
		return err
	})
	if err != nil {
		return err
	}
	if why := badTarget(w.link.Bytes()); why != "" {
		return refuse(UnsafeTree, "", "check out %q: it is a symbolic link %s", n.path, why)
	}
	if err := w.c.count(f.size); err != nil {
		return err
	}
	sum := sha256.Sum256(w.link.Bytes())
	f.blobSum = hex.EncodeToString(sum[:])
	if err := os.Symlink(w.link.String(), path); err != nil {
		return err
	}
	return w.c.finishLink(path, i)
}

// adopt takes over a file that git has written, and hashes both what git holds and what it wrote.
func (w *writer) adopt(ctx context.Context, i int, path string) error {
	n, f := w.c.nodes[i], &w.c.facts[i]
	hash := sha256.New()
	err := w.c.r.store.Visit(ctx, n.ID, objects.Blob, func(_ int64, content io.Reader) error {
		hash.Reset()
		_, err := io.CopyBuffer(hash, onlyReader{content}, w.copy)
		return err
	})
	if err != nil {
		return err
	}
	f.blobSum = hex.EncodeToString(hash.Sum(nil))
	in, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	hash.Reset()
	if f.size, err = io.CopyBuffer(hash, onlyReader{in}, w.copy); err != nil {
		return err
	}
	if sum := hex.EncodeToString(hash.Sum(nil)); sum != f.blobSum {
		f.diskSum = sum
	}
	if err := w.c.count(f.size); err != nil {
		return err
	}
	return w.c.finishFile(int(in.Fd()), i)
}

// count adds to the bytes written, up to Options' bound.
func (c *checkout) count(size int64) error {
	if c.bytes.Add(size) > c.r.o.maxBytes() {
		return refuse(TreeTooLarge, "", "check out tree %s: its files hold more than %d bytes", c.tree, c.r.o.maxBytes())
	}
	return nil
}

func permOf(m objects.Mode) os.FileMode {
	if m == objects.Executable {
		return execPerm
	}
	return filePerm
}
