package bincache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

// silence says that a cache did not answer: it is not asked again.
type silence struct{ err error }

func (s *silence) Error() string { return s.err.Error() }
func (s *silence) Unwrap() error { return s.err }

// folder is a cache in a folder of this machine.
type folder struct{ dir string }

func (f folder) read(_ context.Context, name string, limit int64) ([]byte, error) {
	file, err := os.Open(filepath.Join(f.dir, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readAll(file, limit)
}

func (f folder) stream(_ context.Context, name string, _ int64) (*stream, error) {
	file, err := os.Open(filepath.Join(f.dir, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	return &stream{body: file}, nil
}

func readAll(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("it is larger than %d bytes", limit)
	}
	return data, err
}

// web is a cache behind HTTP.
type web struct {
	base    *url.URL
	client  *http.Client
	options Options
	login   func(*http.Request)
}

func newWeb(base *url.URL, o Options) (*web, error) {
	dial := &net.Dialer{Timeout: o.Connect}
	w := &web{base: base, options: o, client: &http.Client{Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dial.DialContext, TLSHandshakeTimeout: o.Connect,
		MaxIdleConnsPerHost: 16, ForceAttemptHTTP2: true, DisableCompression: true,
	}}}
	user, password, known, err := credentials(base, o.Netrc)
	if err != nil {
		return nil, err
	}
	w.login = func(r *http.Request) {
		if known {
			r.SetBasicAuth(user, password)
		}
	}
	return w, nil
}

func (w *web) at(name string) (string, error) {
	ref, err := url.Parse(name)
	if err != nil {
		return "", err
	}
	u := *w.base
	u.User = nil
	u.Path += "/" + ref.Path
	u.RawQuery = ref.RawQuery
	return u.String(), nil
}

// request sends one request. The status is not looked at; the error is a *silence.
func (w *web) request(ctx context.Context, method, name string, body io.Reader, head map[string]string) (*http.Response, error) {
	at, err := w.at(name)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, method, at, body)
	if err != nil {
		return nil, err
	}
	for k, v := range head {
		r.Header.Set(k, v)
	}
	w.login(r)
	resp, err := w.client.Do(r)
	if err != nil {
		var asked *url.Error // it repeats the URL, which may hold what a reader of logs must not see
		if errors.As(err, &asked) {
			err = asked.Err
		}
		return nil, &silence{err}
	}
	return resp, nil
}

// get asks for a file from an offset on, and once more where the cache says that it cannot just now.
func (w *web) get(ctx context.Context, name string, from int64, tag string) (*http.Response, error) {
	for left := w.options.Attempts; ; left-- {
		resp, err := w.getOnce(ctx, name, from, tag)
		var fault *serverFault
		if !errors.As(err, &fault) || left <= 1 {
			return resp, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(pause):
		}
	}
}

// pause is how long a cache is left alone after a fault of its own.
const pause = 200 * time.Millisecond

// serverFault is an answer by which a server says that the fault is its own, or that it has too much to do.
type serverFault struct{ status string }

func (f *serverFault) Error() string { return "it answered " + f.status }

func (w *web) getOnce(ctx context.Context, name string, from int64, tag string) (*http.Response, error) {
	head := map[string]string{}
	if from > 0 {
		head["Range"] = fmt.Sprintf("bytes=%d-", from)
		if tag != "" {
			head["If-Range"] = tag
		}
	}
	resp, err := w.request(ctx, http.MethodGet, name, nil, head)
	if err != nil {
		return nil, err
	}
	switch resp.StatusCode {
	case http.StatusOK, http.StatusPartialContent:
		return resp, nil
	}
	resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusNotFound, http.StatusGone, http.StatusForbidden: // a bucket that may not be listed says 403 of what it has not got
		return nil, fs.ErrNotExist
	case http.StatusUnauthorized:
		return nil, &silence{errors.New("it wants a user name and password; name them in the file of LANE_NETRC")}
	}
	if resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests {
		return nil, &silence{&serverFault{resp.Status}}
	}
	return nil, errors.New("it answered " + resp.Status)
}

func (w *web) read(ctx context.Context, name string, limit int64) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, w.options.Stall, fmt.Errorf("it did not answer within %s", w.options.Stall))
	defer cancel()
	resp, err := w.get(ctx, name, 0, "")
	if err != nil {
		return nil, named(ctx, err)
	}
	defer resp.Body.Close()
	data, err := readAll(resp.Body, limit)
	if err != nil {
		return nil, &silence{named(ctx, err)}
	}
	return data, nil
}

// named says why a context ended, where that is what an error tells of.
func named(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, ctx.Err()) {
		return &silence{cause}
	}
	return err
}

func (w *web) stream(ctx context.Context, name string, size int64) (*stream, error) {
	s := &stream{size: size, left: w.options.Attempts, stall: w.options.Stall}
	s.open = func(from int64) (io.ReadCloser, error) { return w.body(ctx, s, name, from) }
	var err error
	s.body, err = s.open(0)
	return s, err
}

// body opens a file from an offset on. Where the cache cannot begin in the middle, what is known already is read again.
func (w *web) body(ctx context.Context, s *stream, name string, from int64) (io.ReadCloser, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	s.watch = time.AfterFunc(w.options.Stall, func() { cancel(fmt.Errorf("nothing came for %s", w.options.Stall)) })
	resp, err := w.get(ctx, name, from, s.tag)
	if err != nil {
		s.watch.Stop()
		cancel(nil)
		return nil, named(ctx, err)
	}
	s.tag = resp.Header.Get("ETag")
	body := &watched{ReadCloser: resp.Body, ctx: ctx, cancel: cancel}
	if from == 0 || resp.StatusCode == http.StatusPartialContent {
		return body, nil
	}
	if _, err := io.CopyN(io.Discard, body, from); err != nil {
		body.Close()
		return nil, err
	}
	return body, nil
}

type watched struct {
	io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = named(w.ctx, err)
	}
	return n, err
}

func (w *watched) Close() error {
	err := w.ReadCloser.Close()
	w.cancel(nil)
	return err
}
