package sources

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vallane/lane/warmup/process"
)

// run runs a client in work. Variables that change what is fetched, rather than
// how, are taken from it or set.
func (f Fetcher) run(ctx context.Context, work string, argv ...string) ([]byte, error) {
	env := process.Without(f.Environ, "GOFLAGS", "GOWORK", "GO111MODULE", "GOTOOLCHAIN", "GOOS", "GOARCH", "NODE_OPTIONS", "PWD")
	env = append(env, "GOFLAGS=-mod=mod", "GOWORK=off", "GO111MODULE=on", "GOTOOLCHAIN=local", "LC_ALL=C.UTF-8")
	return process.Run(ctx, process.Command{Argv: argv, Env: env, Dir: work})
}

// goModule has the go command download the module, which also checks it against
// the checksum database where the machine has that on, and copies it out of the
// module cache.
func (f Fetcher) goModule(ctx context.Context, work, out string, a Archive) error {
	printed, err := f.run(ctx, work, "go", "mod", "download", "-json", a.GoModule)
	// The go command prints why it failed where it prints its result.
	var failed *process.Failed
	if errors.As(err, &failed) && len(failed.Output) > 0 {
		printed = failed.Output
	} else if err != nil {
		return err
	}
	var got struct{ Dir, Error string }
	if err := json.Unmarshal(printed, &got); err != nil {
		return fmt.Errorf("read what go printed: %w", err)
	}
	if got.Error != "" {
		return errors.New(strings.Join(strings.Fields(got.Error), " "))
	}
	if got.Dir == "" {
		return errors.New("go names no folder")
	}
	return copyTree(ctx, got.Dir, out)
}

// npm has npm fetch the package's archive, without running any script of it.
func (f Fetcher) npm(ctx context.Context, work, out string, a Archive) error {
	if _, err := f.run(ctx, work, "npm", "pack", "--silent", "--ignore-scripts", a.Npm); err != nil {
		return err
	}
	archive, err := only(work, "", ".tgz")
	if err != nil {
		return err
	}
	return unpackTgz(ctx, archive, out)
}

// download has apt fetch archives into dir, all at once, which checks them against the signed index.
func (f Fetcher) download(ctx context.Context, dir string, debs []string) error {
	// apt fetches as an unprivileged user where it is run by root.
	if err := os.Chmod(dir, 0o777); err != nil {
		return err
	}
	_, err := f.run(ctx, dir, append([]string{"apt-get", "-qq", "download"}, debs...)...)
	return aptError(err, debs)
}

// deb unpacks the files of an archive that was downloaded to dir. No maintainer script is unpacked, let alone run.
func (f Fetcher) deb(ctx context.Context, dir, out string, a Archive) error {
	name, _, _ := strings.Cut(a.Deb, "=")
	name, _, _ = strings.Cut(name, ":")
	archive, err := only(dir, name+"_", ".deb")
	if err != nil {
		return err
	}
	if f.pinned != nil && a.openDeb() {
		version, err := f.version(ctx, dir, archive)
		if err != nil {
			return err
		}
		f.pinned(a.Deb, version)
	}
	_, err = f.run(ctx, dir, "dpkg-deb", "--extract", archive, out)
	return err
}

// Gone says that apt does not serve a package, or not in the version that a
// flake or its pins name: Debian keeps no version that an update has replaced.
type Gone struct {
	Deb  string
	Said string // apt's own words
}

func (g *Gone) Error() string { return g.Deb + " is not served: " + g.Said }

// Hint says what to do next.
func (g *Gone) Hint() string {
	return "apt-get update, if the package lists are old; if an update has replaced the version, `lane warm --pin` takes the new one"
}

func aptError(err error, debs []string) error {
	var failed *process.Failed
	if !errors.As(err, &failed) {
		return err
	}
	for _, says := range []string{"was not found", "Unable to locate package", "404", "Can't find a source"} {
		if !strings.Contains(failed.Tail, says) {
			continue
		}
		which := slices.DeleteFunc(slices.Clone(debs), func(d string) bool {
			name, _, _ := strings.Cut(d, "=")
			return !strings.Contains(failed.Tail, name)
		})
		return &Gone{Deb: strings.Join(which, " "), Said: strings.Join(strings.Fields(failed.Tail), " ")}
	}
	return err
}

// only returns the one file of dir whose name begins and ends so.
func only(dir, prefix, suffix string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool {
		return !strings.HasPrefix(e.Name(), prefix) || !strings.HasSuffix(e.Name(), suffix)
	})
	if len(entries) != 1 {
		return "", fmt.Errorf("the client left %d files named %s*%s, not one", len(entries), prefix, suffix)
	}
	return filepath.Join(dir, entries[0].Name()), nil
}
