package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// maxOmissions bounds how many sockets and the like are named.
const maxOmissions = 20

// special finds what git passes over in silence: named pipes, sockets and devices that are not
// ignored. A tree cannot carry them, so the one who reads the verdict is told.
func (s *snapshotter) special(ctx context.Context) ([]Omission, error) {
	out, err := s.r.git(ctx, s.call, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
	if err != nil {
		return nil, fmt.Errorf("read working tree: %w", err)
	}
	ignored := map[string]bool{}
	for _, path := range splitNUL(out) {
		ignored[strings.TrimSuffix(path, "/")] = true
	}
	found := map[string]string{}
	root := s.r.at.workTree
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir // git says what it cannot read
		}
		rel, _ := filepath.Rel(root, path)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case d.Name() == ".git" || ignored[filepath.ToSlash(rel)]:
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.Type()&fs.ModeNamedPipe != 0:
			found[rel] = "a named pipe"
		case d.Type()&fs.ModeSocket != 0:
			found[rel] = "a socket"
		case d.Type()&fs.ModeDevice != 0:
			found[rel] = "a device"
		}
		if len(found) >= maxOmissions {
			return fs.SkipAll
		}
		return nil
	})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return s.notIgnored(ctx, found)
}

// notIgnored keeps those that no pattern matches: git does not list pipes among the ignored files.
func (s *snapshotter) notIgnored(ctx context.Context, found map[string]string) ([]Omission, error) {
	var names []string
	for name := range found {
		names = append(names, name)
	}
	slices.Sort(names)
	call := s.call
	call.stdin = strings.NewReader(strings.Join(names, "\x00") + "\x00")
	out, err := s.r.git(ctx, call, "check-ignore", "-z", "--stdin")
	var failed *gitError
	if err != nil && !(errors.As(err, &failed) && failed.exit == 1) { // 1 is: none of them
		return nil, fmt.Errorf("read working tree: %w", err)
	}
	ignored := splitNUL(out)
	var omitted []Omission
	for _, name := range names {
		if !slices.Contains(ignored, name) {
			omitted = append(omitted, Omission{Path: name, Why: found[name]})
		}
	}
	return omitted, nil
}
