package bincache

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vallane/lane/warmup/nar"
)

// quick are options of a reader that waits for nothing long.
func quick() Options {
	return Options{Connect: 300 * time.Millisecond, Stall: 300 * time.Millisecond}
}

// filled is a folder that holds a cache of one path, and that path.
func filled(t testing.TB, key SecretKey) (dir, storePath string) {
	t.Helper()
	host := filepath.Join(t.TempDir(), "content")
	// Some of it cannot be compressed, so that it comes in many pieces.
	if err := os.WriteFile(host, bytes.Repeat([]byte("0123456789abcdef"), 1<<10), 0o444); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(host, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		noise := make([]byte, 1<<20)
		for i, x := 0, uint32(1); i < len(noise); i++ {
			x = x*1664525 + 1013904223
			noise[i] = byte(x >> 24)
		}
		_, err = f.Write(noise)
		f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	sum, err := nar.Hash(t.Context(), host)
	if err != nil {
		t.Fatal(err)
	}
	dir, storePath = t.TempDir(), "/nix/store/ly6iy7viz9v57khgmh2mfxjphf5paz6l-content"
	target, err := OpenTarget(t.Context(), "file://"+dir, key, t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if fresh, err := target.Put(t.Context(), Upload{Host: host, Info: Info{StorePath: storePath, NarHash: sum.SHA256, NarSize: sum.Size}}); !fresh || err != nil {
		t.Fatal(fresh, err)
	}
	return dir, storePath
}

// fetch asks for the path and reads its archive to the end.
func fetch(t testing.TB, s *Set, storePath string) (nar.Sum, error) {
	t.Helper()
	for found, err := range s.Find(t.Context(), storePath) {
		if err != nil {
			return nar.Sum{}, err
		}
		r, err := found.Archive(t.Context())
		if err == nil {
			var sum nar.Sum
			sum, err = nar.Restore(t.Context(), r, filepath.Join(t.TempDir(), "x"), found.NarSize)
			r.Close()
			if err == nil && sum.SHA256 != found.NarHash {
				err = errors.New("another hash")
			}
			if err == nil {
				return sum, nil
			}
		}
		found.Reject(err)
	}
	return nar.Sum{}, nil
}

func serve(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// deaf accepts connections and never says a word.
func deaf(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return "http://" + l.Addr().String()
}

// N6: each of these caches is passed over for the next one, and where there is none the error says what each did.
func TestACacheThatIsWrongIsPassedOver(t *testing.T) {
	key := testKey(t)
	dir, p := filled(t, key)
	good := http.FileServer(http.Dir(dir))
	digest := filepath.Base(p)[:32]
	infoOf := func(edit func(string) string) string {
		data, err := os.ReadFile(filepath.Join(dir, digest+".narinfo"))
		if err != nil {
			t.Fatal(err)
		}
		return edit(string(data))
	}
	serving := func(suffix string, h http.HandlerFunc) string {
		return serve(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, suffix) {
				h(w, r)
				return
			}
			good.ServeHTTP(w, r)
		})
	}
	for name, c := range map[string]struct{ url, words string }{
		"a wrong key": {serving(".narinfo", func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, infoOf(func(s string) string { return strings.Replace(s, "lane-test-1:", "evil-1:", 1) }))
		}), "no trusted key has signed it, only evil-1"},
		"no signature": {serving(".narinfo", func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, infoOf(func(s string) string { return s[:strings.Index(s, "Sig:")] }))
		}), "nobody has signed it"},
		"another path's answer": {serving(".narinfo", func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, infoOf(func(s string) string { return strings.Replace(s, "-content", "-contents", 1) }))
		}), "what it says is about /nix/store/ly6iy7viz9v57khgmh2mfxjphf5paz6l-contents"},
		"an archive of another":  {serving(".zst", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "no archive") }), "unpack an archive"},
		"no archive":             {serving(".zst", http.NotFound), "file does not exist"},
		"a cache of other paths": {serving(".narinfo", http.NotFound), "it has not got it"},
		"a fault of its own":     {serving(".narinfo", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }), "503"},
		"a page":                 {serving(".narinfo", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>please log in</html>") }), "is no field"},
		"a log-in":               {serving("", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }), "LANE_NETRC"},
		"another store":          {serving("nix-cache-info", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "StoreDir: /gnu/store\n") }), "it is a cache of /gnu/store"},
		"silence":                {deaf(t), "it did not answer within"},
		"nobody":                 {"http://127.0.0.1:1", "refused"},
		"a never-ending answer":  {serving(".narinfo", endless), "it did not answer within"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			alone, err := Open(t.Context(), []string{c.url}, []string{key.Public().String()}, quick())
			if err != nil {
				t.Fatal(err)
			}
			var missing *Missing
			_, err = fetch(t, alone, p)
			if !errors.As(err, &missing) || !strings.Contains(fmt.Sprint(missing.Reasons), c.words) {
				t.Errorf("alone it gave %v", err)
			}
			both, err := Open(t.Context(), []string{c.url + "?priority=1", "file://" + dir}, []string{key.Public().String()}, quick())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := fetch(t, both, p); err != nil {
				t.Errorf("before another it gave %v", err)
			}
		})
	}
}

// endless trickles for longer than a reader waits for a narinfo.
func endless(w http.ResponseWriter, r *http.Request) {
	for r.Context().Err() == nil {
		io.WriteString(w, "Novelty: 1\n")
		w.(http.Flusher).Flush()
		time.Sleep(20 * time.Millisecond)
	}
}

// A cache that cannot just now is asked again before it is passed over.
func TestAFaultOnceIsNoEnd(t *testing.T) {
	key := testKey(t)
	dir, p := filled(t, key)
	var faults atomic.Int64
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "nix-cache-info") && faults.Add(1)%2 == 1 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		http.FileServer(http.Dir(dir)).ServeHTTP(w, r)
	})
	s, err := Open(t.Context(), []string{url}, []string{key.Public().String()}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fetch(t, s, p); err != nil || faults.Load() != 4 {
		t.Errorf("%v, %d requests", err, faults.Load())
	}
}

// A broken connection costs what had not come yet, with caches that can begin in the middle and with those that cannot.
func TestAnArchiveIsTakenUpAgain(t *testing.T) {
	key := testKey(t)
	dir, p := filled(t, key)
	for name, ranges := range map[string]bool{"from the middle": true, "from the start": false} {
		t.Run(name, func(t *testing.T) {
			var asked, sent atomic.Int64
			url := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasSuffix(r.URL.Path, ".zst") {
					http.FileServer(http.Dir(dir)).ServeHTTP(w, r)
					return
				}
				data, err := os.ReadFile(filepath.Join(dir, r.URL.Path))
				if err != nil {
					t.Error(err)
				}
				from := 0
				if rest, ok := strings.CutPrefix(r.Header.Get("Range"), "bytes="); ok && ranges {
					from, _ = strconv.Atoi(strings.TrimSuffix(rest, "-"))
					w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(data)-1, len(data)))
					w.Header().Set("Content-Length", strconv.Itoa(len(data)-from))
					w.WriteHeader(http.StatusPartialContent)
				} else {
					w.Header().Set("Content-Length", strconv.Itoa(len(data)))
				}
				end := len(data)
				if asked.Add(1) < 3 {
					end = from + (len(data)-from)/2
				}
				n, _ := w.Write(data[from:end])
				sent.Add(int64(n))
				if end < len(data) {
					panic(http.ErrAbortHandler)
				}
			})
			s, err := Open(t.Context(), []string{url}, []string{key.Public().String()}, quick())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := fetch(t, s, p); err != nil {
				t.Fatal(err)
			}
			if asked.Load() != 3 {
				t.Errorf("it was asked for %d times", asked.Load())
			}
			if size := sent.Load(); ranges && size > 2<<20 {
				t.Errorf("%d bytes were sent of a file of one MiB", size)
			}
		})
	}
}

func TestNamesAndPasswordsGoToTheirHostAlone(t *testing.T) {
	key := testKey(t)
	dir, p := filled(t, key)
	var others atomic.Int64
	other := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			others.Add(1)
		}
		http.FileServer(http.Dir(dir)).ServeHTTP(w, r)
	})
	other = strings.Replace(other, "127.0.0.1", "localhost", 1)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "ann" || password != "s3cret" {
			w.WriteHeader(401)
			return
		}
		if strings.HasSuffix(r.URL.Path, ".zst") {
			http.Redirect(w, r, other+r.URL.Path, http.StatusFound)
			return
		}
		http.FileServer(http.Dir(dir)).ServeHTTP(w, r)
	})
	o := quick()
	o.Netrc = []byte("# caches\nmachine 127.0.0.1\n  login ann\n  password s3cret\nmacdef init\n  machine localhost login x password y\n\n")
	var said []string
	o.Log = func(s string) { said = append(said, s) }
	s, err := Open(t.Context(), []string{url}, []string{key.Public().String()}, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fetch(t, s, p); err != nil {
		t.Error(err)
	}
	if others.Load() != 0 {
		t.Error("another host was given them")
	}
	in := strings.Replace(url, "http://", "http://ann:s3cret@", 1)
	s, err = Open(t.Context(), []string{in, in + "/none"}, []string{key.Public().String()}, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fetch(t, s, p); err != nil {
		t.Errorf("in the URL: %v", err)
	}
	_, err = fetch(t, s, strings.Replace(p, "ly6i", "ly6j", 1))
	if text := fmt.Sprint(err, said); strings.Contains(text, "s3cret") {
		t.Errorf("the password is told: %s", text)
	}
}

func TestNetrcIsReadAsOthersReadIt(t *testing.T) {
	for text, want := range map[string]string{
		"machine a login b password c":                     "[{a b c}]",
		"machine a\nlogin b\npassword c\ndefault login d":  "[{a b c} { d }]",
		"machine a login b account x password c # remark":  "[{a b c}]",
		"macdef m\nmachine z login z\n\nmachine a login b": "[{a b }]",
		"":              "[]",
		"machine":       "error",
		"login b":       "error",
		"machine a foo": "error",
	} {
		all, err := parseNetrc(text)
		got := fmt.Sprint(all)
		if err != nil {
			got = "error"
		}
		if len(all) == 0 && err == nil {
			got = "[]"
		}
		if got != want {
			t.Errorf("%q gave %s", text, got)
		}
	}
}

func TestURLsOfCaches(t *testing.T) {
	for _, url := range []string{"", "cache.example.org", "ftp://x/y", "file://host/x", "file:relative", "http://", "http://x?priority=high", "s3://bucket"} {
		if _, err := Open(t.Context(), []string{url}, nil, quick()); err == nil {
			t.Errorf("%q is a cache", url)
		}
	}
}

// A cache that somebody writes to over HTTP.
func TestPutOverHTTP(t *testing.T) {
	key := testKey(t)
	dir, p := filled(t, key)
	into := t.TempDir()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPut {
			http.FileServer(http.Dir(into)).ServeHTTP(w, r)
			return
		}
		if err := (folder{into}).put(strings.TrimPrefix(r.URL.Path, "/"), r.Body); err != nil {
			w.WriteHeader(500)
			return
		}
		w.WriteHeader(201)
	})
	s, err := Open(t.Context(), []string{"file://" + dir}, []string{key.Public().String()}, quick())
	if err != nil {
		t.Fatal(err)
	}
	host := filepath.Join(t.TempDir(), "x")
	var up Upload
	for found, err := range s.Find(t.Context(), p) {
		if err != nil {
			t.Fatal(err)
		}
		r, err := found.Archive(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := nar.Restore(t.Context(), r, host, found.NarSize); err != nil {
			t.Fatal(err)
		}
		r.Close()
		up = Upload{Host: host, Info: *found.Info}
		break
	}
	target, err := OpenTarget(t.Context(), url, key, t.TempDir(), quick())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		if fresh, err := target.Put(t.Context(), up); err != nil || fresh != want {
			t.Errorf("it was written: %v, %v", fresh, err)
		}
	}
	s, err = Open(t.Context(), []string{url}, []string{key.Public().String()}, quick())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fetch(t, s, p); err != nil {
		t.Error(err)
	}
	up.NarHash[0]++
	if _, err := target.Put(t.Context(), up); err == nil || !strings.Contains(err.Error(), "the cache has it with the NAR hash") {
		t.Errorf("another content under the same name gave %v", err)
	}
}
