package mutantcache

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/vallane/lane/lane/journal"
)

// Whole reads what a run of this key came to, into v.
func (c *Cache) Whole(key string, v any) bool {
	name := filepath.Join(c.dir, "whole", key)
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil || len(data) < sumLen || sum(data[sumLen:]) != string(data[:sumLen]) || json.Unmarshal(data[sumLen:], v) != nil {
		c.mu.Lock()
		c.damaged++
		c.mu.Unlock()
		os.Remove(name)
		return false
	}
	now := time.Now()
	os.Chtimes(name, now, now) // it was of use: those that were not go first
	return true
}

// SaveWhole keeps what a run came to as a whole, and drops the runs that were of no use for the longest time.
func (c *Cache) SaveWhole(key string, v any) error {
	body, err := json.Marshal(v)
	if err == nil {
		err = journal.Replace(filepath.Join(c.dir, "whole", key), append([]byte(sum(body)), body...), 0o600)
	}
	if err != nil {
		return fmt.Errorf("write the cache of mutants: %w", err)
	}
	names, err := os.ReadDir(filepath.Join(c.dir, "whole"))
	if err != nil {
		return err
	}
	type run struct {
		name string
		used time.Time
	}
	var all []run
	for _, n := range names {
		if info, err := n.Info(); err == nil {
			all = append(all, run{n.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b run) int { return cmp.Or(b.used.Compare(a.used), cmp.Compare(a.name, b.name)) })
	for _, old := range all[min(len(all), maxWhole):] {
		os.Remove(filepath.Join(c.dir, "whole", old.name))
	}
	return nil
}
