package worktree

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"github.com/vallane/lane/internal/flock"
)

// fetcher fetches a source that is not on this machine. go-git does it, in this process: no helper,
// no transport program and none of the user's url.*.insteadOf has a say.
type fetcher struct {
	url   string
	shown string // without a password
	name  string
}

// scpLike is user@host:path, git's short form of an ssh URL.
var scpLike = regexp.MustCompile(`^([A-Za-z0-9._-]+@)?[A-Za-z0-9._-]+:[^/\\:]`)

// splitSource tells a path from a URL. A folder that exists is a path, whatever its name looks like.
func splitSource(source string) (path string, remote *fetcher, err error) {
	if _, err := os.Stat(source); err == nil {
		return source, nil, nil
	}
	if !strings.Contains(source, "://") {
		if scpLike.MatchString(source) || strings.Contains(source, "@") && strings.Contains(source, ":/") {
			return "", &fetcher{url: source, shown: source, name: strings.TrimSuffix(filepath.Base(source), ".git")}, nil
		}
		if strings.Contains(source, "::") {
			return "", nil, refuse(UnsupportedSource, "", "open repository %s: a transport helper is never run", source)
		}
		return source, nil, nil
	}
	u, err := url.Parse(source)
	if err != nil {
		// The parser's message repeats the URL, and with it a password.
		return "", nil, refuse(UnsupportedSource, "", "open repository: its URL cannot be read")
	}
	switch u.Scheme {
	case "file":
		return u.Path, nil, nil
	case "https", "http", "ssh", "git":
		name := strings.TrimSuffix(filepath.Base(u.Path), ".git")
		return "", &fetcher{url: source, shown: u.Redacted(), name: name}, nil
	}
	return "", nil, refuse(UnsupportedSource, "use https, http, ssh, git or file", "open repository %s: the scheme %q is not fetched", u.Redacted(), u.Scheme)
}

func (r *Repo) openRemote(f *fetcher) error {
	r.bare = r.o.bareFor(f.name, "url "+f.shown)
	if err := makeBare(r.bare, f.shown, nil); err != nil {
		return err
	}
	r.at = layout{gitDir: r.bare, commonDir: r.bare}
	return nil
}

// update fetches every branch and tag, and what the remote's HEAD is. It holds a lock, so that two
// lanes do not write the same refs.
func (r *Repo) update(ctx context.Context) error {
	lock, err := flock.Take(ctx, r.bare+".lock", flock.Exclusive, nil)
	if err != nil {
		return fmt.Errorf("fetch %s: %w", r.source, err)
	}
	defer lock.Release()
	r.o.log().Info("fetch", "from", r.source)
	st := filesystem.NewStorage(osfs.New(r.bare), cache.NewObjectLRU(cache.DefaultMaxSize))
	defer st.Close()
	remote := git.NewRemote(st, &config.RemoteConfig{Name: "origin", URLs: []string{r.fetch.url}})
	refs, err := remote.ListContext(ctx, &git.ListOptions{})
	if err != nil {
		return r.fetchFailed(err)
	}
	err = remote.FetchContext(ctx, &git.FetchOptions{
		RefSpecs: []config.RefSpec{"+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"},
		Tags:     git.NoTags, Force: true, Prune: true,
	})
	if err != nil && !errors.Is(err, git.NoErrAlreadyUpToDate) {
		return r.fetchFailed(err)
	}
	for _, ref := range refs {
		if ref.Name() == plumbing.HEAD && ref.Type() == plumbing.SymbolicReference {
			if err := st.SetReference(ref); err != nil {
				return fmt.Errorf("fetch %s: %v", r.source, err)
			}
		}
	}
	return nil
}

func (r *Repo) fetchFailed(err error) error {
	tip := ""
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("fetch %s: %w", r.source, err)
	case errors.Is(err, transport.ErrAuthenticationRequired), errors.Is(err, transport.ErrAuthorizationFailed):
		tip = "clone the repository with git, which knows your credentials, and name the clone"
	case errors.Is(err, transport.ErrEmptyRemoteRepository):
		return refuse(MissingRef, "push a commit first", "fetch %s: it has no commit", r.source)
	}
	return refuse(UnreadableSource, tip, "fetch %s: %s", r.source, strings.ReplaceAll(err.Error(), r.fetch.url, r.source))
}
