package bincache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/vallane/lane/warmup/nar"
)

// Target is a cache that is written to: a folder, or what takes PUT requests.
type Target struct {
	cache *Cache
	key   SecretKey
	tmp   string // a folder of the caller's for what is compressed
}

// Upload is a path that a cache is to have.
type Upload struct {
	Info        // StorePath, NarHash, NarSize, References, CA and Deriver; the rest is filled in
	Host string // where it lies
}

// OpenTarget opens a cache for writing, and makes it where it is empty. tmp is an existing folder; what is written there is removed.
func OpenTarget(ctx context.Context, rawURL string, key SecretKey, tmp string, o Options) (*Target, error) {
	o = o.withDefaults()
	c, err := open(rawURL, o)
	if err != nil {
		return nil, err
	}
	t := &Target{cache: c, key: key, tmp: tmp}
	data, err := c.read(ctx, "nix-cache-info", maxInfo)
	if errors.Is(err, fs.ErrNotExist) {
		text := fmt.Sprintf("StoreDir: %s\nWantMassQuery: 1\nPriority: 40\n", o.StoreDir)
		err = t.put(ctx, "nix-cache-info", bytes.NewReader([]byte(text)), int64(len(text)))
	} else if err == nil {
		err = c.introduce(data)
	}
	if err != nil {
		return nil, fmt.Errorf("write to the cache %s: %w", c.URL, err)
	}
	return t, nil
}

// Put compresses and signs a path and writes it, the narinfo last, so that no reader finds half of it. It reports false for one
// that the cache has already, with the same content and a signature of this key's.
func (t *Target) Put(ctx context.Context, up Upload) (bool, error) {
	if err := t.has(ctx, up); err == nil {
		return false, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("write %s to the cache %s: %w", up.StorePath, t.cache.URL, err)
	}
	if err := t.putNew(ctx, up); err != nil {
		return false, fmt.Errorf("write %s to the cache %s: %w", up.StorePath, t.cache.URL, err)
	}
	return true, nil
}

// has returns fs.ErrNotExist for what has to be written.
func (t *Target) has(ctx context.Context, up Upload) error {
	i, err := t.cache.info(ctx, up.StorePath)
	switch {
	case err != nil:
		return err
	case i.NarHash != up.NarHash:
		return fmt.Errorf("the cache has it with the NAR hash %s, and here it has %s", nar.SRI(i.NarHash), nar.SRI(up.NarHash))
	case i.Verify([]PublicKey{t.key.Public()}) != nil:
		return fs.ErrNotExist
	}
	return nil
}

func (t *Target) putNew(ctx context.Context, up Upload) error {
	f, err := os.CreateTemp(t.tmp, "nar-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	fileHash, sum := sha256.New(), sha256.New()
	z, err := zstd.NewWriter(io.MultiWriter(f, fileHash), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	if err := nar.DumpContext(ctx, io.MultiWriter(z, sum), up.Host); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	if !bytes.Equal(sum.Sum(nil), up.NarHash[:]) {
		return fmt.Errorf("%s has changed: its NAR hash is no longer %s", up.Host, nar.SRI(up.NarHash))
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	digest := nar.EncodeBase32(fileHash.Sum(nil))
	i := up.Info
	i.URL, i.Compression, i.FileHash, i.FileSize = "nar/"+digest+".nar.zst", "zstd", "sha256:"+digest, size
	i.Signatures = nil
	i.Sign(t.key)
	if err := t.put(ctx, i.URL, f, size); err != nil {
		return err
	}
	text := i.Marshal()
	name, _, _ := strings.Cut(path.Base(up.StorePath), "-")
	return t.put(ctx, name+".narinfo", bytes.NewReader(text), int64(len(text)))
}

func (t *Target) put(ctx context.Context, name string, r io.Reader, size int64) error {
	switch to := t.cache.transport.(type) {
	case folder:
		return to.put(name, r)
	case *web:
		return to.put(ctx, name, r, size)
	}
	return errors.ErrUnsupported
}

// put writes a file that is never seen half.
func (f folder) put(name string, r io.Reader) error {
	at := filepath.Join(f.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(at), ".new-")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = io.Copy(tmp, r)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), at)
	}
	return err
}

func (w *web) put(ctx context.Context, name string, r io.Reader, size int64) error {
	at, err := w.at(name)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, at, io.NopCloser(r))
	if err != nil {
		return err
	}
	req.ContentLength = size
	w.login(req)
	resp, err := w.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return errors.New("it answered " + resp.Status)
	}
	return nil
}
