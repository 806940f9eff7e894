package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/vallane/lane/assurance/attest"
)

// webhook is sent each envelope by a POST of its own. Its answer's status is all that counts. Nothing can be read back from it.
type webhook struct {
	url    *url.URL
	token  string
	client http.Client
}

const (
	webhookTimeout = 30 * time.Second
	webhookTries   = 3 // where the server answers with a fault of its own, or not at all
)

// String leaves out the path, which is often a secret.
func (w *webhook) String() string { return w.url.Scheme + "://" + w.url.Host + "/..." }

func (w *webhook) Put(ctx context.Context, items []Item, dry bool) (added int, err error) {
	w.client.Timeout = webhookTimeout
	w.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for _, it := range items {
		if !dry {
			if err := w.send(ctx, it); err != nil {
				return added, fmt.Errorf("publish to %s: %w", w, err)
			}
		}
		added++
	}
	return added, nil
}

func (w *webhook) send(ctx context.Context, it Item) error {
	var last error
	for try := range webhookTries {
		if try > 0 {
			select {
			case <-time.After(time.Duration(try) * 500 * time.Millisecond):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		again, err := w.post(ctx, it)
		if err == nil || !again {
			return err
		}
		last = err
	}
	return last
}

// post sends one envelope. Its digest is the key by which a receiver knows one that comes twice.
func (w *webhook) post(ctx context.Context, it Item) (again bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url.String(), bytes.NewReader(it.Line))
	if err != nil {
		return false, err
	}
	req.Header.Set("Content-Type", "application/vnd.dsse+json")
	req.Header.Set("X-Lane-Predicate", attest.VerdictType)
	req.Header.Set("Idempotency-Key", it.Digest)
	if w.token != "" {
		req.Header.Set("Authorization", "Bearer "+w.token)
	}
	res, err := w.client.Do(req)
	if err != nil {
		if u := (*url.Error)(nil); errors.As(err, &u) {
			err = u.Err // without the URL
		}
		return true, err
	}
	defer res.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(res.Body, 200))
	switch {
	case res.StatusCode >= 200 && res.StatusCode < 300:
		return false, nil
	case res.StatusCode >= 300 && res.StatusCode < 400:
		return false, fmt.Errorf("it answered %s; a redirect is not followed, since the token would go with it: use the URL that it leads to", res.Status)
	}
	return res.StatusCode >= 500, fmt.Errorf("it answered %s: %q", res.Status, said)
}

func (w *webhook) Get(context.Context, string, string) ([]Item, int, error) {
	return nil, 0, errors.New("read verdicts: nothing can be read back from a webhook; ask what receives it")
}
