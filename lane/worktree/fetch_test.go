package worktree_test

import (
	"context"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/vallane/lane/lane/worktree"
	"github.com/vallane/lane/lane/worktree/internal/gittest"
)

// serve gives a repository over HTTP, from this machine to itself. Requests are counted, and need the
// password where one is given.
func serve(t *testing.T, repo *gittest.Repo, password string) (url string, requests *atomic.Int64) {
	t.Helper()
	where, err := exec.Command("git", "--exec-path").Output()
	must(t, err)
	handler := &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(where)), "git-http-backend"), Root: "/git",
		Env: []string{"GIT_PROJECT_ROOT=" + repo.Dir, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
			"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*", "PATH=" + os.Getenv("PATH")},
	}
	requests = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if _, given, _ := r.BasicAuth(); password != "" && given != password {
			w.Header().Set("WWW-Authenticate", "Basic")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/git/.git", requests
}

func TestFetch(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	repo, id := history(t)
	url, requests := serve(t, repo, "")
	dir := t.TempDir()
	r := open(t, url, in(dir))
	if requests.Load() != 0 {
		t.Error("opening fetches nothing yet")
	}
	c := resolve(t, r, worktree.Ask{Base: "main", Head: "topic"})
	if c.BaseCommit != id["fork"] || c.HeadCommit != id["two"] {
		t.Errorf("got %+v", c)
	}
	must(t, verify(ctx, tree(t, r, c.HeadTree, worktree.Use{})))
	if c := resolve(t, r, worktree.Ask{Base: "v1~1"}); c.HeadCommit != id["tip"] || c.BaseCommit != id["fork"] {
		t.Errorf("HEAD and a tag: %+v", c)
	}
	_, err := r.Resolve(ctx, worktree.Ask{Base: "main", Head: worktree.Worktree})
	wantRefusal(t, err, worktree.NoWorktree)
	_, err = r.Resolve(ctx, worktree.Ask{Base: "main", Head: "origin/dev"})
	wantRefusal(t, err, worktree.MissingRef)

	// What is here by its full id needs no fetch; what has moved is fetched; what is gone is gone.
	before := requests.Load()
	resolve(t, r, worktree.Ask{Base: id["tip"], Head: id["two"]})
	if requests.Load() != before {
		t.Error("fetched commits that were there")
	}
	repo.Git("checkout", "-q", "topic")
	moved := repo.Commit(map[string]string{"a": "4"})
	repo.Git("checkout", "-q", "-b", "next")
	repo.Git("branch", "-q", "-D", "main")
	later := open(t, url, in(dir))
	if c := resolve(t, later, worktree.Ask{Base: id["root"], Head: "topic"}); c.HeadCommit != moved {
		t.Errorf("head is %s, want %s", c.HeadCommit, moved)
	}
	_, err = later.Resolve(ctx, worktree.Ask{Base: "main"})
	wantRefusal(t, err, worktree.MissingRef, `"next"`)
	if c := resolve(t, later, worktree.Ask{Base: "main", DefaultBase: true}); c.Base != "HEAD" || c.HeadCommit != moved {
		t.Errorf("the remote's main branch: %+v", c)
	}
	if later.Root() != "" {
		t.Error("a fetched repository has no working tree")
	}
	bare, _ := filepath.Glob(filepath.Join(dir, "repos", "*.git"))
	gittest.At(t, bare[0]).Git("fsck", "--full", "--strict")
	if _, err := worktree.Collect(ctx, worktree.Options{Dir: dir}, worktree.Keep{}); err != nil {
		t.Error(err)
	}
	resolve(t, open(t, url, in(dir)), worktree.Ask{Base: id["root"], Head: "topic"})
}

func TestFetchTwiceAtOnce(t *testing.T) {
	t.Parallel()
	repo, id := history(t)
	url, _ := serve(t, repo, "")
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			r, err := worktree.Open(context.Background(), worktree.Options{Dir: dir}, url)
			if err != nil {
				t.Error(err)
				return
			}
			defer r.Close()
			c, err := r.Resolve(context.Background(), worktree.Ask{Base: "main", Head: "topic"})
			if err != nil || c.HeadCommit != id["two"] {
				t.Errorf("%+v, %v", c, err)
			}
		})
	}
	wg.Wait()
}

func TestFetchThatFails(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	repo, id := history(t)
	url, _ := serve(t, repo, "secret")
	for name, c := range map[string]struct{ url, says string }{
		"no password":    {url, "knows your credentials"},
		"wrong password": {strings.Replace(url, "http://", "http://user:hunter2@", 1), "xxxxx"},
		"nobody there":   {"http://127.0.0.1:1/x", "refused"},
		"not git":        {strings.Replace(url, "/git/", "/other/", 1), ""},
	} {
		_, err := open(t, c.url).Resolve(ctx, worktree.Ask{Base: "main"})
		t.Run(name, func(t *testing.T) {
			wantRefusal(t, err, worktree.UnreadableSource, c.says)
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the password is in %v", err)
			}
		})
	}
	right := strings.Replace(url, "http://", "http://user:secret@", 1)
	if c := resolve(t, open(t, right), worktree.Ask{Base: "main", Head: "topic"}); c.HeadCommit != id["two"] {
		t.Errorf("got %+v", c)
	}
	empty := gittest.New(t)
	emptyURL, _ := serve(t, empty, "")
	_, err := open(t, emptyURL).Resolve(ctx, worktree.Ask{Base: "main"})
	wantRefusal(t, err, worktree.MissingRef, "no commit")
}
