package objects

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// CommitInfo is what Lane needs to know of a commit.
type CommitInfo struct {
	Tree    ID
	Parents []ID
	Time    time.Time // when it was committed, in UTC
}

// Malformed is the error for a commit or tag that cannot be read.
type Malformed struct {
	ID  ID
	Why string
}

func (e *Malformed) Error() string { return fmt.Sprintf("read object %s: %s", e.ID, e.Why) }

// ReadCommit reads the header of a commit.
func (s *Store) ReadCommit(ctx context.Context, id ID) (CommitInfo, error) {
	var c CommitInfo
	data, err := s.Read(ctx, id, Commit)
	if err != nil {
		return c, err
	}
	ok := false
	for key, value := range header(data) {
		switch key {
		case "tree":
			c.Tree, ok = parseID(value)
		case "parent":
			var parent ID
			parent, ok = parseID(value)
			c.Parents = append(c.Parents, parent)
		case "committer":
			c.Time, ok = parseTime(value)
		default:
			continue
		}
		if !ok {
			return c, &Malformed{ID: id, Why: "has a malformed " + key}
		}
	}
	if c.Tree.IsZero() || c.Time.IsZero() {
		return c, &Malformed{ID: id, Why: "is a commit without a tree or a time"}
	}
	return c, nil
}

// ReadTag returns what an annotated tag points to.
func (s *Store) ReadTag(ctx context.Context, id ID) (ID, error) {
	data, err := s.Read(ctx, id, Tag)
	if err != nil {
		return ID{}, err
	}
	for key, value := range header(data) {
		if key == "object" {
			if target, ok := parseID(value); ok {
				return target, nil
			}
		}
	}
	return ID{}, &Malformed{ID: id, Why: "is a tag of nothing"}
}

// header yields the key and value of each header line up to the empty line that ends them.
// A value that goes on over several lines, as a signature does, is given by its first line.
func header(data []byte) func(yield func(key, value string) bool) {
	return func(yield func(key, value string) bool) {
		for len(data) > 0 {
			line, rest, _ := bytes.Cut(data, []byte("\n"))
			data = rest
			if len(line) == 0 {
				return
			}
			key, value, _ := strings.Cut(string(line), " ")
			if key != "" && !yield(key, value) {
				return
			}
		}
	}
}

func parseID(s string) (ID, bool) {
	var id ID
	if len(s) != hex.EncodedLen(len(id)) {
		return id, false
	}
	_, err := hex.Decode(id[:], []byte(s))
	return id, err == nil
}

// parseTime reads the seconds in "Name <mail> 1700000000 +0100". They are clamped to what file
// systems and archives carry: some histories hold commits from before 1980 or the year 10,000.
func parseTime(s string) (time.Time, bool) {
	fields := strings.Fields(s[strings.LastIndexByte(s, '>')+1:])
	if len(fields) == 0 {
		return time.Time{}, false
	}
	seconds, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		return time.Time{}, false
	}
	return ClampTime(time.Unix(seconds, 0)), true
}

// ClampTime moves a time into the years 1980 to 2106, which file systems and archives carry.
func ClampTime(t time.Time) time.Time {
	const first, last = 315532800, 1<<32 - 1
	return time.Unix(max(first, min(last, t.Unix())), 0).UTC()
}
