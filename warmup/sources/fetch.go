package sources

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"

	"github.com/vallane/lane/warmup/nar"
	"github.com/vallane/lane/warmup/process"
	"github.com/vallane/lane/warmup/stage"
)

// Fetcher fetches sources.
type Fetcher struct {
	// Environ is the environment that the clients see, less the variables that
	// would change what a module is. nil is an empty one, with which most
	// clients find nothing.
	Environ []string
	// Log gets a line per fetch; nil drops them.
	Log func(string)

	pinned func(deb, version string) // told which version an open package has
}

// NoClient says that the program which fetches a kind of source is missing.
type NoClient struct{ Program, Source string }

func (n *NoClient) Error() string {
	return fmt.Sprintf("fetch %s: %s is not installed", n.Source, n.Program)
}

// Hint says what to do next.
func (n *NoClient) Hint() string {
	return "install " + n.Program + ", or add the path to the store by hand (docs/closures.md)"
}

// Fetch fetches the source into a new folder below dir, sets the run bits,
// compares the NAR hash, and returns the folder, whose last name is the
// source's. Another hash is a *stage.Refusal that gives both.
func (f Fetcher) Fetch(ctx context.Context, dir string, s Source) (string, error) {
	out, err := f.unpack(ctx, dir, s)
	if err != nil {
		return "", err
	}
	return out, compare(ctx, out, s.Fetched(), strconv.Quote(s.Name), s.sum)
}

func (f Fetcher) say(text string) {
	if f.Log != nil {
		f.Log(text)
	}
}

// unpack is Fetch without the comparison.
func (f Fetcher) unpack(ctx context.Context, dir string, s Source) (string, error) {
	if len(s.Parts) == 0 {
		f.say("fetching " + s.Fetched())
	}
	out := filepath.Join(dir, s.Name)
	work, err := os.MkdirTemp(dir, ".fetch-")
	if err != nil {
		return "", fmt.Errorf("fetch %s: %w", s.Fetched(), err)
	}
	defer os.RemoveAll(work)
	if len(s.Parts) > 0 {
		err = f.assemble(ctx, work, out, s)
	} else {
		err = f.archive(ctx, work, out, s.Archive)
	}
	var missing *process.Missing
	if errors.As(err, &missing) {
		return "", &NoClient{Program: missing.Name, Source: s.Fetched()}
	}
	var refused *stage.Refusal
	if errors.As(err, &refused) {
		return "", err
	}
	if err != nil {
		return "", fmt.Errorf("fetch %s: %w", s.Fetched(), err)
	}
	if err := setExecutable(out, s.Executable); err != nil {
		return "", fmt.Errorf("fetch %s: %w", s.Fetched(), err)
	}
	return out, nil
}

func (f Fetcher) archive(ctx context.Context, work, out string, a Archive) error {
	switch {
	case a.GoModule != "":
		return f.goModule(ctx, work, out, a)
	case a.Npm != "":
		return f.npm(ctx, work, out, a)
	}
	if err := f.download(ctx, work, []string{a.Deb}); err != nil {
		return err
	}
	return f.deb(ctx, work, out, a)
}

// compare refuses a fetched folder that has another hash than the flake says.
func compare(ctx context.Context, out, fetched, name string, want [32]byte) error {
	got, err := nar.Hash(ctx, out)
	if err != nil {
		return fmt.Errorf("fetch %s: %w", fetched, err)
	}
	if got.SHA256 == want {
		return nil
	}
	return &stage.Refusal{
		Code: stage.SourceMismatch,
		Msg:  fmt.Sprintf("%s was fetched for laneSources %s with NAR hash %s, the flake says %s", fetched, name, got.SRI(), nar.SRI(want)),
		Tip:  "if the flake's hash is the wrong one, put the first in its place; it also depends on `executable`",
	}
}

// setExecutable gives the run bit to the regular files that match, and takes it
// from none.
func setExecutable(root string, patterns []string) error {
	if len(patterns) == 0 {
		return nil
	}
	return filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		for _, pattern := range patterns {
			// The patterns were tried when the list was read.
			if ok, _ := path.Match(pattern, filepath.ToSlash(rel)); ok {
				return os.Chmod(p, 0o755)
			}
		}
		return nil
	})
}
