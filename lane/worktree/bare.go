package worktree

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// bareConfig is the whole configuration of Lane's own repositories: git must never collect there on
// its own account, and nothing else is left to a default that a user could have set.
const bareConfig = `[core]
	repositoryformatversion = 0
	bare = true
	logAllRefUpdates = false
[gc]
	auto = 0
[maintenance]
	auto = false
`

// makeBare makes Lane's own repository for a source, or brings the list of folders it borrows from
// up to date. Any number of processes may do so at once.
func makeBare(dir, source string, borrowed []string) error {
	files := map[string]string{
		"HEAD":        "ref: refs/heads/none\n",
		"config":      bareConfig,
		"description": "lane's own objects for " + strings.ReplaceAll(source, "\n", " ") + "; everything here can be made again\n",
	}
	if len(borrowed) > 0 {
		var b strings.Builder
		for _, folder := range borrowed {
			b.WriteString(quotePath(folder) + "\n")
		}
		files["objects/info/alternates"] = b.String()
	}
	for _, sub := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return fmt.Errorf("make lane's repository: %v", err)
		}
	}
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, []byte(data)) {
			continue
		}
		// A fetched HEAD is the remote's, and stays.
		if name == "HEAD" && exists(path) {
			continue
		}
		if err := replaceFile(path, []byte(data)); err != nil {
			return fmt.Errorf("make lane's repository: %v", err)
		}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// replaceFile writes a file that others may read at the same time: they see the old or the new one.
func replaceFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
