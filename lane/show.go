package lane

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/vallane/lane/lane/journal"
	"github.com/vallane/lane/lane/spec"
)

// VerdictFile finds the newest verdict of a spec.
func VerdictFile(o Options, path string) (string, error) {
	s, err := spec.Load(path)
	if err != nil {
		return "", err
	}
	dir, err := o.specDir(s)
	if err != nil {
		return "", err
	}
	st, err := journal.Read(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", &NoVerdict{Spec: path, Why: "it was never checked by this user"}
	case err != nil:
		return "", err
	case !st.State.Terminal():
		return "", &NoVerdict{Spec: path, Why: "attempt " + itoa(st.Attempt) + " is under way, in phase " + st.Phase}
	case st.Verdict == "":
		return "", &NoVerdict{Spec: path, Why: st.Reason}
	}
	return filepath.Join(dir, filepath.FromSlash(st.Verdict)), nil
}

// NoVerdict says that a spec has none to show.
type NoVerdict struct{ Spec, Why string }

func (n *NoVerdict) Error() string { return fmt.Sprintf("find the verdict of %s: %s", n.Spec, n.Why) }

// Hint says what to do next.
func (n *NoVerdict) Hint() string { return "run lane check " + n.Spec }

// Statuses returns where every spec of this user stands.
func Statuses(o Options) (out []journal.Status, err error) {
	dirs, err := journal.Specs(o.specs())
	if err != nil {
		return nil, err
	}
	for _, d := range dirs {
		s, err := journal.Read(d)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// specDir is the folder of a spec's state.
func (o Options) specDir(s *spec.Spec) (string, error) {
	file, err := filepath.Abs(s.Name)
	if err != nil {
		return "", err
	}
	return filepath.Join(o.specs(), folderName(filepath.Dir(file)), s.ID), nil
}
