package publish_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vallane/lane/assurance"
	at "github.com/vallane/lane/assurance/assurancetest"
	"github.com/vallane/lane/assurance/attest"
	"github.com/vallane/lane/lane/publish"
)

// signed is a signed verdict on a commit and its tree, the n-th of them.
func signed(t testing.TB, commit, tree string, n int) publish.Item {
	t.Helper()
	e := at.Good()
	e.Plan.Subject.Commit, e.Plan.Subject.GitTree, e.Record.Attempt = commit, tree, n
	for i := range e.Plan.Trees {
		if e.Plan.Trees[i].Role == assurance.Head {
			e.Plan.Trees[i].GitTree = tree
		}
	}
	data, err := json.Marshal(assurance.Judge(e))
	if err != nil {
		t.Fatal(err)
	}
	key, err := attest.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	line, err := attest.Sign(data, key)
	if err != nil {
		t.Fatal(err)
	}
	it, err := publish.Parse(line)
	if err != nil {
		t.Fatal(err)
	}
	return it
}

func hex(s string) string { return strings.Repeat(s, 40)[:40] }

func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// repository is one of git's own making, with so many commits.
func repository(t testing.TB, commits int) (dir string, all []string) {
	t.Helper()
	dir = t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	for i := range commits {
		git(t, dir, "commit", "-q", "--allow-empty", "-m", fmt.Sprint(i))
		all = append(all, git(t, dir, "rev-parse", "HEAD"))
	}
	return dir, all
}

func digests(items []publish.Item) (out []string) {
	for _, it := range items {
		out = append(out, it.Digest)
	}
	slices.Sort(out)
	return out
}

// registry starts a real one on loopback, and says where it listens.
func registry(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	l.Close()
	dir := t.TempDir()
	config := filepath.Join(dir, "config.yml")
	text := fmt.Sprintf("version: 0.1\nlog: {level: error}\nstorage: {filesystem: {rootdirectory: %q}}\nhttp: {addr: %q}\n", dir, at)
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("docker-registry", "serve", config)
	if err := cmd.Start(); err != nil {
		t.Fatalf("start a registry (Debian's package docker-registry): %v", err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for range 600 {
		if res, err := http.Get("http://" + at + "/v2/"); err == nil {
			res.Body.Close()
			return at
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the registry does not answer")
	return ""
}

// What is put is found again, once, by commit and by tree; what is not about them is not; and a dry run writes nothing.
func TestPlaces(t *testing.T) {
	dir, commits := repository(t, 2)
	for _, name := range []string{"refs", "notes", filepath.Join(t.TempDir(), "a[b]*", "verdicts"), "oci://" + registry(t) + "/team/verdicts"} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			p, err := publish.Open(name, publish.Options{Repo: dir})
			if err != nil {
				t.Fatal(err)
			}
			one, two, other := signed(t, commits[0], hex("a"), 1), signed(t, commits[0], hex("a"), 2), signed(t, commits[1], hex("b"), 1)
			all := []publish.Item{one, two, other}
			if n, err := p.Put(t.Context(), all, true); n != 3 || err != nil {
				t.Fatalf("dry: %d, %v", n, err)
			}
			if items, _, err := p.Get(t.Context(), "", ""); err == nil && len(items) > 0 {
				t.Fatalf("a dry run wrote %v", digests(items))
			}
			for i, want := range []int{1, 2, 0} {
				if n, err := p.Put(t.Context(), all[:max(1, 3*min(i, 1))], false); n != want || err != nil {
					t.Fatalf("%d: added %d, want %d (%v)", i, n, want, err)
				}
			}
			for _, c := range []struct {
				tree, commit string
				want         []publish.Item
			}{
				{"", "", all}, {"", commits[0], all[:2]}, {hex("b"), "", all[2:]}, {hex("a"), commits[1], nil}, {hex("c"), "", nil}, {"", hex("c"), nil},
			} {
				items, foreign, err := p.Get(t.Context(), c.tree, c.commit)
				if err != nil || foreign != 0 || !slices.Equal(digests(items), digests(c.want)) {
					t.Errorf("tree %q, commit %q: %v, %d others (%v), want %v", c.tree, c.commit, digests(items), foreign, err, digests(c.want))
				}
				for _, it := range items {
					if !slices.ContainsFunc(all, func(x publish.Item) bool { return string(x.Line) == string(it.Line) }) {
						t.Error("an envelope came back otherwise than it was put")
					}
				}
			}
		})
	}
	git(t, dir, "fsck", "--strict")
	if got := git(t, dir, "status", "--porcelain"); got != "" {
		t.Errorf("the checked-out tree has changed: %s", got)
	}
}

// Notes are git's: it shows them, finds them after it has spread them over folders, and keeps what others wrote.
func TestNotesAreGits(t *testing.T) {
	dir, commits := repository(t, 3)
	git(t, dir, "notes", "--ref=lane", "add", "-m", "by hand", commits[0])
	// Git spreads notes over folders once there are many; this is the form that it gives them then.
	blob := git(t, dir, "notes", "--ref=lane", "list", commits[0])
	index := "GIT_INDEX_FILE=" + filepath.Join(t.TempDir(), "index")
	for _, args := range [][]string{
		{"update-index", "--add", "--cacheinfo", "100644," + blob + "," + commits[0][:2] + "/" + commits[0][2:4] + "/" + commits[0][4:]},
		// A file that git orders between a folder of that name and what is in it.
		{"update-index", "--add", "--cacheinfo", "100644," + blob + "," + commits[0][:2] + "-by-hand"},
		{"write-tree"},
	} {
		cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
		cmd.Env = append(os.Environ(), index)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		if args[0] == "write-tree" {
			git(t, dir, "update-ref", "refs/notes/lane", git(t, dir, "commit-tree", "-m", "spread", strings.TrimSpace(string(out))))
		}
	}
	p, err := publish.Open("notes", publish.Options{Repo: dir})
	if err != nil {
		t.Fatal(err)
	}
	it := signed(t, commits[0], hex("a"), 1)
	if _, err := p.Put(t.Context(), []publish.Item{it}, false); err != nil {
		t.Fatal(err)
	}
	if got := git(t, dir, "notes", "--ref=lane", "show", commits[0]); got != "by hand\n"+string(it.Line) {
		t.Errorf("git shows %.80s", got)
	}
	items, foreign, err := p.Get(t.Context(), "", commits[0])
	if err != nil || len(items) != 1 || foreign != 1 {
		t.Errorf("%d items, %d others: %v", len(items), foreign, err)
	}
	git(t, dir, "fsck", "--strict")
	no := signed(t, "", hex("a"), 1)
	if _, err := p.Put(t.Context(), []publish.Item{no}, false); err == nil || !strings.Contains(err.Error(), "use refs") {
		t.Errorf("a verdict on no commit: %v", err)
	}
}

// Many who publish at once lose nothing of each other, also while git packs the refs.
func TestPublishingAtOnce(t *testing.T) {
	dir, commits := repository(t, 1)
	for _, name := range []string{"refs", "notes"} {
		var wg sync.WaitGroup
		var want []publish.Item
		for i := range 8 {
			it := signed(t, commits[0], hex("a"), i+1)
			want = append(want, it)
			wg.Go(func() {
				p, err := publish.Open(name, publish.Options{Repo: dir})
				if err == nil {
					_, err = p.Put(t.Context(), []publish.Item{it}, false)
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Go(func() {
			for range 5 {
				_ = exec.Command("git", "-C", dir, "pack-refs", "--all").Run() // it may find a ref locked
			}
		})
		wg.Wait()
		p, _ := publish.Open(name, publish.Options{Repo: dir})
		if items, _, err := p.Get(t.Context(), "", ""); err != nil || !slices.Equal(digests(items), digests(want)) {
			t.Errorf("%s: %d of %d are there: %v", name, len(items), len(want), err)
		}
	}
	git(t, dir, "fsck", "--strict")
}

func TestALockThatStays(t *testing.T) {
	dir, commits := repository(t, 1)
	lock := filepath.Join(dir, ".git/refs/lane/verdicts.lock")
	if err := os.MkdirAll(filepath.Dir(lock), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(lock, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	p, _ := publish.Open("refs", publish.Options{Repo: dir, Patience: 50 * time.Millisecond})
	if _, err := p.Put(t.Context(), []publish.Item{signed(t, commits[0], hex("a"), 1)}, false); err == nil || !strings.Contains(err.Error(), "remove the file") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(lock); err != nil {
		t.Errorf("somebody else's lock is gone: %v", err)
	}
}

// What lies in a folder under a verdict's name and is something else is not replaced.
func TestFoldersReplaceNothing(t *testing.T) {
	dir := t.TempDir()
	it := signed(t, hex("c"), hex("a"), 1)
	file := filepath.Join(dir, hex("a"), strings.TrimPrefix(it.Digest, "sha256:")+".intoto.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	p, _ := publish.Open(dir, publish.Options{})
	if _, err := p.Put(t.Context(), []publish.Item{it}, false); err == nil || !strings.Contains(err.Error(), "is something else") {
		t.Errorf("%v", err)
	}
	if data, _ := os.ReadFile(file); string(data) != "mine" {
		t.Errorf("%q", data)
	}
}

func TestWebhook(t *testing.T) {
	var mu sync.Mutex
	var got []string
	faults := 1
	mux := http.NewServeMux()
	mux.HandleFunc("POST /secret", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if faults--; faults >= 0 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		body, _ := io.ReadAll(r.Body)
		got = append(got, r.Header.Get("Authorization")+" "+r.Header.Get("Idempotency-Key")+" "+string(body))
	})
	mux.HandleFunc("POST /no", func(w http.ResponseWriter, r *http.Request) { http.Error(w, "not you", http.StatusForbidden) })
	mux.HandleFunc("POST /away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/secret", http.StatusTemporaryRedirect)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	it := signed(t, hex("c"), hex("a"), 1)
	put := func(path string, dry bool) error {
		p, err := publish.Open(server.URL+path, publish.Options{Token: "t0ken"})
		if err == nil {
			_, err = p.Put(t.Context(), []publish.Item{it}, dry)
		}
		return err
	}
	if err := put("/secret", true); err != nil || len(got) != 0 {
		t.Errorf("a dry run: %v, %q", err, got)
	}
	if err := put("/secret", false); err != nil || !slices.Equal(got, []string{"Bearer t0ken " + it.Digest + " " + string(it.Line)}) {
		t.Errorf("%v, %.200q", err, got)
	}
	for path, says := range map[string]string{"/no": "403", "/away": "redirect"} {
		if err := put(path, false); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "t0ken") || strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
	server.Close()
	if err := put("/secret", false); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("nobody answers: %v", err)
	}
}

func TestOpenAndParseRefuse(t *testing.T) {
	for _, name := range []string{"", "ftp://h/x", "https://", "https://u:p@h/x"} {
		if _, err := publish.Open(name, publish.Options{}); err == nil || strings.Contains(err.Error(), "u:p") {
			t.Errorf("%q: %v", name, err)
		}
	}
	data, err := json.Marshal(at.Judged(nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := publish.Parse(data); err == nil || !strings.Contains(err.Error(), "not signed") {
		t.Errorf("%v", err)
	}
	// A tree that is a path would lie anywhere.
	e := at.Good()
	e.Plan.Subject.GitTree, e.Record.Finished = "../../x", time.Time{}
	v := assurance.Judge(e)
	v.Subject.GitTree = "../../x"
	if data, err = json.Marshal(v); err != nil {
		t.Fatal(err)
	}
	key, _ := attest.NewKey()
	if line, err := attest.Sign(data, key); err == nil {
		if _, err := publish.Parse(line); err == nil {
			t.Error("a subject that is a path is taken")
		}
	}
}
