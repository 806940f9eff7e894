package lane

import (
	"context"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/worktree"
)

// SubjectOf says what a commit of a repository is, by every measure that a verdict names: its commit, git's name of its tree, and, where
// content asks for it, Lane's own digest over the files. Nothing of a verdict is believed for that.
func SubjectOf(ctx context.Context, o Options, repo, revision string, content bool) (assurance.Subject, error) {
	r, err := worktree.Open(ctx, worktree.Options{Dir: o.git(), Owner: owner()}, repo)
	if err != nil {
		return assurance.Subject{}, err
	}
	defer r.Close()
	if revision == "" {
		revision = "HEAD"
	}
	c, err := r.Resolve(ctx, worktree.Ask{Base: revision, Head: revision})
	if err != nil {
		return assurance.Subject{}, err
	}
	s := assurance.Subject{Commit: c.HeadCommit, GitTree: c.HeadTree}
	if content {
		s.TreeSHA256, err = r.SHA256(ctx, c.HeadTree)
	}
	return s, err
}
