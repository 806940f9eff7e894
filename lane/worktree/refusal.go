package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/vallane/lane/lane/worktree/objects"
)

// Code names a reason to refuse. It stands in verdicts and does not change.
type Code string

// The codes of this package. Those of patches are in package patch.
const (
	NotARepository     Code = "not-a-repository"
	UnsupportedSource  Code = "unsupported-source"  // a URL of a kind that is not fetched, or a repository format that cannot be read
	UnreadableSource   Code = "unreadable-source"   // no permission, or no connection
	MissingRef         Code = "missing-ref"         // base or head does not exist
	AmbiguousRef       Code = "ambiguous-ref"       // base or head may mean two commits
	NotACommit         Code = "not-a-commit"        // base or head names something else
	UnrelatedHistories Code = "unrelated-histories" // base and head have no commit in common
	ShallowHistory     Code = "shallow-history"     // what they have in common was not cloned
	MissingObjects     Code = "missing-objects"     // a partial clone, or objects pruned away
	CorruptObjects     Code = "corrupt-objects"     // objects that are not what their names say
	UnmergedWorktree   Code = "unmerged-worktree"   // WORKTREE in the middle of a merge
	NoWorktree         Code = "no-worktree"         // WORKTREE in a repository that has none
	UnsafeTree         Code = "unsafe-tree"         // names that must not be written to a disk
	TreeTooLarge       Code = "tree-too-large"      // more files or bytes than Options allow
	SubmoduleInTree    Code = "submodule"           // another repository's commit in the tree
	LFSContent         Code = "lfs-content"         // a Git LFS pointer where its author sees a file
	FilterContent      Code = "filter-content"      // a file that is nothing without its filter
	GitNeeded          Code = "git-needed"          // something only git itself can do, and there is no git
	ComposeConflict    Code = "compose-conflict"    // a file where another tree has a folder
)

// Refusal is an answer that Lane cannot give, and why. It is the fault of what Lane was asked to
// look at, not of Lane.
type Refusal struct {
	Code Code
	Msg  string
	Tip  string // what to do next, "" where nobody knows
}

func (r *Refusal) Error() string { return r.Msg }

// Hint says what to do next.
func (r *Refusal) Hint() string { return r.Tip }

func refuse(code Code, tip, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Msg: fmt.Sprintf(format, args...), Tip: tip}
}

// IsNotExist tells whether err says that a tree has no such path.
func IsNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// translate turns what package objects says into a refusal, with what was being done.
func translate(err error, doing string) error {
	var refusal *Refusal
	if err == nil || errors.As(err, &refusal) {
		return err
	}
	var missing *objects.Missing
	var corrupt *objects.Corrupt
	var malformed *objects.Malformed
	var unsafe *objects.Unsafe
	var wrong *objects.WrongType
	switch {
	case errors.As(err, &missing) && errors.Is(missing.Cause, fs.ErrPermission):
		return refuse(UnreadableSource, "", "%s: %v", doing, missing.Cause)
	case errors.As(err, &missing) && missing.Cause != nil && !errors.Is(missing.Cause, plumbing.ErrObjectNotFound):
		return refuse(CorruptObjects, "git fsck says what is broken, and git gc writes packs of old formats anew", "%s: %v", doing, err)
	case errors.As(err, &missing):
		return refuse(MissingObjects, "fetch what is missing: git fetch --refetch in a partial clone, git fetch --unshallow in a shallow one", "%s: %v", doing, err)
	case errors.As(err, &corrupt), errors.As(err, &malformed), errors.As(err, &wrong):
		return refuse(CorruptObjects, "git fsck says what else is broken", "%s: %v", doing, err)
	case errors.As(err, &unsafe):
		return refuse(UnsafeTree, "git fsck --strict says the same; the commit has to be made anew without it", "%s: %v", doing, err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// few lists the first of some names, for a message.
func few(names []string) string {
	const most = 5
	quoted := make([]string, 0, most)
	for i, name := range names {
		if i == most {
			return strings.Join(quoted, ", ") + fmt.Sprintf(" and %d more", len(names)-most)
		}
		quoted = append(quoted, fmt.Sprintf("%q", name))
	}
	return strings.Join(quoted, ", ")
}
