package bincache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Options say how caches are asked.
type Options struct {
	StoreDir string        // the store that paths must be of; "" is "/nix/store"
	Connect  time.Duration // how long a connection and an answer's head may take; 0 is 5 s
	Stall    time.Duration // how long an answer may bring nothing; 0 is 15 s
	Attempts int           // how often an archive that broke off is taken up again; 0 is 3
	Netrc    []byte        // the content of a netrc file: user names and passwords by host
	Log      func(string)  // gets a line where a cache is passed over; nil drops them
}

func (o Options) withDefaults() Options {
	if o.StoreDir == "" {
		o.StoreDir = "/nix/store"
	}
	if o.Connect == 0 {
		o.Connect = 5 * time.Second
	}
	if o.Stall == 0 {
		o.Stall = 15 * time.Second
	}
	if o.Attempts == 0 {
		o.Attempts = 3
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	return o
}

// defaultPriority is that of a cache which names none, as in Nix. A lower number is asked earlier.
const defaultPriority = 50

// Cache is one binary cache.
type Cache struct {
	URL      string // without its query
	priority int
	forced   bool // the priority came with the URL
	options  Options
	transport

	mu   sync.Mutex
	down error // why it is no longer asked
}

// open reads a cache's URL: file:///folder, http:// or https://, with an optional ?priority=N.
func open(raw string, o Options) (*Cache, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("read the cache's URL %q: %w", raw, err)
	}
	c := &Cache{priority: defaultPriority, options: o}
	for name, values := range u.Query() {
		if name != "priority" {
			continue // Nix has more, which say nothing to a reader
		}
		if c.priority, err = strconv.Atoi(values[0]); err != nil {
			return nil, fmt.Errorf("read the cache's URL %q: the priority %q is no number", raw, values[0])
		}
		c.forced = true
	}
	u.RawQuery, u.Fragment = "", ""
	switch {
	case u.Scheme == "file" && u.Host == "" && path.IsAbs(u.Path):
		c.transport = folder{dir: u.Path}
	case (u.Scheme == "http" || u.Scheme == "https") && u.Host != "":
		u.Path = strings.TrimSuffix(u.Path, "/")
		if c.transport, err = newWeb(u, o); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("read the cache's URL %q: write it like https://cache.example.org or file:///var/cache/nix", raw)
	}
	u.User = nil
	c.URL = u.String()
	return c, nil
}

// transport fetches the files of a cache. A file that is not there is fs.ErrNotExist.
type transport interface {
	read(ctx context.Context, name string, limit int64) ([]byte, error)
	stream(ctx context.Context, name string, size int64) (*stream, error)
}

// greet reads what the cache says of itself, once, and puts aside one that does not answer or is of another store.
func (c *Cache) greet(ctx context.Context) {
	data, err := c.read(ctx, "nix-cache-info", maxInfo)
	if errors.Is(err, fs.ErrNotExist) {
		return // a folder of narinfo files is a cache too
	}
	if err == nil {
		err = c.introduce(data)
	}
	if err != nil && ctx.Err() == nil {
		c.putAside(err)
	}
}

func (c *Cache) introduce(data []byte) error {
	for line := range bytes.Lines(data) {
		name, value, _ := strings.Cut(strings.TrimSpace(string(line)), ": ")
		switch name {
		case "StoreDir":
			if value != c.options.StoreDir {
				return fmt.Errorf("it is a cache of %s", value)
			}
		case "Priority":
			if n, err := strconv.Atoi(value); err == nil && !c.forced {
				c.priority = n
			}
		}
	}
	return nil
}

// putAside has the cache not asked again.
func (c *Cache) putAside(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down == nil {
		c.down = why
		c.options.Log(fmt.Sprintf("passing over the cache %s: %v", c.URL, why))
	}
}

// aside is why the cache is not asked, or nil.
func (c *Cache) aside() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.down
}

// info asks for a path's narinfo. It is not verified yet.
func (c *Cache) info(ctx context.Context, storePath string) (*Info, error) {
	digest, _, _ := strings.Cut(path.Base(storePath), "-")
	data, err := c.read(ctx, digest+".narinfo", maxInfo)
	if err != nil {
		return nil, err
	}
	i, err := ParseInfo(data, c.options.StoreDir)
	if err != nil {
		return nil, err
	}
	if i.StorePath != storePath {
		return nil, fmt.Errorf("what it says is about %s", i.StorePath)
	}
	return i, nil
}
