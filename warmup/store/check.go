package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/vallane/lane/warmup/nar"
)

// The types that a store path can be of, as a lock names them.
const (
	TypeFile    = "file"
	TypeFolder  = "folder"
	TypeSymlink = "symlink"
)

// Path is one store path to check.
type Path struct {
	StorePath string   // as in /nix/store/<digest>-<name>
	Host      string   // where it really lies
	Type      string   // TypeFile, TypeFolder or TypeSymlink
	SHA256    [32]byte // of its archive
	NarSize   int64    // of its archive, in bytes
}

// Changed says that a store path is not what the lock says.
type Changed struct {
	StorePath string
	Msg       string
	Absent    bool // it is not there at all
}

func (c *Changed) Error() string { return c.StorePath + ": " + c.Msg }

// Checker checks store paths. The zero value offers None, Lstat and Full.
type Checker struct {
	// Seals is the folder that remembers what was hashed; it belongs to this
	// user. Level Sealed needs it.
	Seals string
	// Workers is how many paths are hashed at once; 0 is one per processor.
	Workers int
}

// Check checks every path at the level. The first path that is not as it should
// be ends it, as a *Changed.
func (c Checker) Check(ctx context.Context, level Level, paths []Path) error {
	switch level {
	case None:
		return nil
	case Lstat, Sealed, Full:
	default:
		return fmt.Errorf("check the store at level %s: this Lane does not offer it", level)
	}
	if level == Sealed && c.Seals == "" {
		return errors.New("check the store at level sealed: there is no folder for the seals")
	}
	for _, p := range paths {
		if err := c.lstat(p); err != nil {
			return err
		}
	}
	if level == Lstat {
		return nil
	}
	// The largest first, so that no worker is left with it at the end.
	paths = slices.SortedFunc(slices.Values(paths), func(a, b Path) int { return cmp.Compare(b.NarSize, a.NarSize) })
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(cmp.Or(c.Workers, runtime.GOMAXPROCS(0)))
	for _, p := range paths {
		g.Go(func() error {
			if level == Full {
				return hash(ctx, p)
			}
			return c.sealed(ctx, p)
		})
	}
	return g.Wait()
}

// TypeOf names the type of what lies at host.
func TypeOf(host string) (string, error) {
	info, err := os.Lstat(host)
	if err != nil {
		return "", err
	}
	switch info.Mode().Type() {
	case 0:
		return TypeFile, nil
	case fs.ModeDir:
		return TypeFolder, nil
	case fs.ModeSymlink:
		return TypeSymlink, nil
	}
	return "", fmt.Errorf("%s is neither a file nor a folder nor a symlink", host)
}

func (c Checker) lstat(p Path) error {
	t, err := TypeOf(p.Host)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Changed{StorePath: p.StorePath, Msg: "it is not in the store", Absent: true}
	case err != nil:
		return &Changed{StorePath: p.StorePath, Msg: err.Error()}
	case t != p.Type:
		return &Changed{StorePath: p.StorePath, Msg: fmt.Sprintf("it is a %s, locked as a %s", t, p.Type)}
	}
	return nil
}

// hash compares the path's archive with the lock.
func hash(ctx context.Context, p Path) error {
	sum, err := nar.Hash(ctx, p.Host)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return &Changed{StorePath: p.StorePath, Msg: err.Error()}
	case sum.SHA256 != p.SHA256 || sum.Size != p.NarSize:
		return &Changed{StorePath: p.StorePath, Msg: fmt.Sprintf("its content has NAR hash %s, locked is %s", sum.SRI(), nar.SRI(p.SHA256))}
	}
	return nil
}
