package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/object"
)

// NotesRef is the ref of the notes that hold verdicts: `git notes --ref=lane show COMMIT` prints those of a commit, one envelope a line.
const NotesRef = "refs/notes/lane"

// gitNotes keeps verdicts as notes on the commits that they are about.
type gitNotes struct {
	repo     string
	patience time.Duration
}

func (g *gitNotes) String() string { return NotesRef + " of " + g.repo }

func (g *gitNotes) Put(_ context.Context, items []Item, dry bool) (added int, err error) {
	byCommit := map[string][]Item{}
	for _, it := range items {
		if it.Subject.Commit == "" {
			return 0, fmt.Errorf("publish to %s: the verdict on %s is about no commit, and a note is on one; use refs", g, it.Spec)
		}
		byCommit[it.Subject.Commit] = append(byCommit[it.Subject.Commit], it)
	}
	b, err := openBranch(g.repo, NotesRef, g.patience)
	if err != nil {
		return 0, fmt.Errorf("publish to %s: %w", g, err)
	}
	err = b.update("Notes added by lane", func(now *object.Tree) (map[string][]byte, error) {
		files := map[string][]byte{}
		added = 0
		for commit, items := range byCommit {
			name, text, err := note(now, commit)
			if err != nil {
				return nil, err
			}
			there, _ := parseLines(text)
			fresh := missing(items, there)
			if added += len(fresh); len(fresh) == 0 || dry {
				continue
			}
			files[name] = appended(text, fresh)
		}
		return files, nil
	})
	if err != nil {
		return 0, fmt.Errorf("publish to %s: %w", g, err)
	}
	return added, nil
}

// appended is a note with lines more. What others wrote in it stays.
func appended(text []byte, items []Item) []byte {
	out := bytes.Clone(text)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	for _, it := range items {
		out = append(append(out, it.Line...), '\n')
	}
	return out
}

// note finds the note on a commit, at whichever depth git keeps it: its name is the commit's, with slashes in it. Where there is none the
// name is a new one's, without any.
func note(tree *object.Tree, commit string) (name string, text []byte, err error) {
	name = commit
	if tree == nil {
		return name, nil, nil
	}
	for depth := 0; 2*depth < len(commit); depth++ {
		at := fanned(commit, depth)
		f, err := tree.File(at)
		if notThere(err) || errors.Is(err, object.ErrFileNotFound) {
			continue
		}
		if err != nil {
			return "", nil, err
		}
		text, err := read(f)
		return at, text, err
	}
	return name, nil, nil
}

// fanned is the name of a note below so many folders of two digits each.
func fanned(commit string, depth int) string {
	var b strings.Builder
	for range depth {
		b.WriteString(commit[:2] + "/")
		commit = commit[2:]
	}
	return b.String() + commit
}

func (g *gitNotes) Get(ctx context.Context, tree, commit string) (items []Item, foreign int, err error) {
	b, err := openBranch(g.repo, NotesRef, g.patience)
	if err != nil {
		return nil, 0, fmt.Errorf("read verdicts: %w", err)
	}
	_, top, err := b.tip()
	if err != nil || top == nil {
		return nil, 0, err
	}
	take := func(text []byte) {
		found, others := parseLines(text)
		foreign += others
		for _, it := range found {
			if it.about(tree, commit) {
				items = append(items, it)
			}
		}
	}
	if commit != "" {
		_, text, err := note(top, commit)
		take(text)
		return items, foreign, err
	}
	err = top.Files().ForEach(func(f *object.File) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		text, err := read(f)
		take(text)
		return err
	})
	if err != nil {
		err = fmt.Errorf("read verdicts of %s: %w", g, err)
	}
	return items, foreign, err
}
