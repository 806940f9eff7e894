package mutantcache

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/vallane/lane/lane/journal"
	"github.com/vallane/lane/mutate"
)

const (
	maxLine  = 1 << 20  // bytes of one verdict
	maxFile  = 64 << 20 // bytes from which the oldest verdicts are dropped
	maxWhole = 8        // runs that are kept as a whole
	sumLen   = 16       // hex digits of a line's digest
)

// Cache is an open cache. Its methods may be called from several goroutines at once.
type Cache struct {
	dir string

	mu      sync.Mutex
	most    int64    // bytes from which the oldest verdicts are dropped
	file    *os.File // nil until a verdict is asked for: where nothing has changed, none is
	size    int64
	at      map[string]place // by key
	damaged int
	err     error // the first that kept something from being written
}

// place is where a line's JSON lies.
type place struct {
	off int64
	len int
}

// line is one verdict, as it is written.
type line struct {
	Key string `json:"key"`
	mutate.Remembered
}

// Open opens the cache in a folder, which is made where it is missing. A cache that has grown too large drops its oldest verdicts.
func Open(dir string) (*Cache, error) { return open(dir, maxFile) }

func open(dir string, most int64) (*Cache, error) {
	if err := os.MkdirAll(filepath.Join(dir, "whole"), 0o700); err != nil {
		return nil, fmt.Errorf("open the cache of mutants: %w", err)
	}
	return &Cache{dir: dir, most: most}, nil
}

// ready reads where the verdicts lie, once. Where that cannot be, there are none, and Close says why.
func (c *Cache) ready() bool {
	if c.file != nil || c.err != nil {
		return c.file != nil
	}
	if err := c.load(); err != nil {
		c.err = fmt.Errorf("open the cache of mutants: %w", err)
		return false
	}
	if c.size > c.most {
		if err := c.shrink(c.most / 2); err != nil {
			c.err = fmt.Errorf("shrink the cache of mutants: %w", err)
		}
	}
	return c.file != nil
}

func (c *Cache) name() string { return filepath.Join(c.dir, "verdicts.jsonl") }

// load reads where everything lies.
func (c *Cache) load() (err error) {
	if c.file, err = os.OpenFile(c.name(), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600); err != nil {
		return err
	}
	c.at, c.size = map[string]place{}, 0
	in := bufio.NewReaderSize(c.file, maxLine)
	for {
		text, err := in.ReadSlice('\n')
		switch {
		case err == nil:
			c.take(text)
		case errors.Is(err, bufio.ErrBufferFull):
			c.damaged++
			for errors.Is(err, bufio.ErrBufferFull) {
				c.size += int64(len(text))
				text, err = in.ReadSlice('\n')
			}
		case errors.Is(err, io.EOF):
			if len(text) == 0 {
				return nil
			}
			c.take(text)
			// What is appended next must not be a part of this line.
			if _, err := c.file.WriteString("\n"); err != nil {
				return err
			}
			c.size += int64(len(text)) + 1
			return nil
		default:
			return err
		}
		c.size += int64(len(text))
	}
}

// take notes a line that begins at c.size.
func (c *Cache) take(text []byte) {
	body := bytes.TrimSuffix(text, []byte("\n"))
	if len(body) == 0 {
		return
	}
	key, ok := keyOf(body)
	if !ok {
		c.damaged++
		return
	}
	c.at[key] = place{c.size, len(body)}
}

// keyOf reads the key of a line, and no more: a file has many.
func keyOf(text []byte) (string, bool) {
	if len(text) < sumLen+1 || text[sumLen] != ' ' || sum(text[sumLen+1:]) != string(text[:sumLen]) {
		return "", false
	}
	rest, ok := bytes.CutPrefix(text[sumLen+1:], []byte(`{"key":"`))
	end := bytes.IndexByte(rest, '"')
	if !ok || end < 1 {
		return "", false
	}
	return string(rest[:end]), true
}

func parse(text []byte) (l line, ok bool) {
	if _, ok := keyOf(text); !ok {
		return l, false
	}
	err := json.Unmarshal(text[sumLen+1:], &l)
	return l, err == nil && l.Key != ""
}

func sum(text []byte) string {
	h := sha256.Sum256(text)
	return hex.EncodeToString(h[:])[:sumLen]
}

// Load returns what was saved last by a key.
func (c *Cache) Load(key string) (mutate.Remembered, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ready() {
		return mutate.Remembered{}, false
	}
	at, ok := c.at[key]
	if !ok {
		return mutate.Remembered{}, false
	}
	text := make([]byte, at.len)
	if _, err := c.file.ReadAt(text, at.off); err != nil {
		return mutate.Remembered{}, false
	}
	l, ok := parse(text)
	return l.Remembered, ok && l.Key == key
}

// Save appends a verdict. One that cannot be written is not there; Close says so.
func (c *Cache) Save(key string, r mutate.Remembered) {
	body, err := json.Marshal(line{key, r})
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ready() {
		return
	}
	if err == nil && len(body)+sumLen+2 > maxLine {
		return // a suite of that size is asked again
	}
	if err == nil {
		text := []byte(sum(body) + " " + string(body) + "\n")
		var n int
		if n, err = c.file.Write(text); err == nil { // one write per line: O_APPEND keeps lines whole
			c.at[key] = place{c.size, n - 1}
		}
		c.size += int64(n)
	}
	if err != nil && c.err == nil {
		c.err = fmt.Errorf("write the cache of mutants: %w", err)
	}
}

// Damaged counts what was found and could not be believed.
func (c *Cache) Damaged() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.damaged
}

// Close ends the use of the cache. The error is the first that kept something from being written.
func (c *Cache) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file == nil {
		return c.err
	}
	return errors.Join(c.err, c.file.Close())
}

// shrink keeps the newest verdict of each key, newest first, up to a size.
func (c *Cache) shrink(most int64) error {
	all, err := os.ReadFile(c.name())
	if err != nil {
		return err
	}
	var kept []place
	left := most
	lines := bytes.SplitAfter(all, []byte("\n"))
	off := int64(len(all))
	for i := len(lines) - 1; i >= 0 && left > 0; i-- {
		off -= int64(len(lines[i]))
		key, ok := keyOf(bytes.TrimSuffix(lines[i], []byte("\n")))
		if ok && c.at[key].off == off {
			kept = append(kept, place{off, len(lines[i])})
			left -= int64(len(lines[i]))
		}
	}
	var out []byte
	for i := len(kept) - 1; i >= 0; i-- {
		out = append(out, all[kept[i].off:kept[i].off+int64(kept[i].len)]...)
	}
	if err := journal.Replace(c.name(), out, 0o600); err != nil {
		return err
	}
	if err := c.file.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		return err
	}
	return c.load()
}
