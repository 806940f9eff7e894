package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/vallane/lane/internal/flock"
)

// settle gives a stranded run its terminal status. The caller holds the spec's lock, so no run of
// it can be alive.
func settle(dir string) (Status, error) {
	s, err := Read(dir)
	if err != nil || s.State.Terminal() {
		return s, err
	}
	s.State, s.Outcome, s.Exit = Failed, "lane-fault", 5
	s.Reason = "the run ended without a verdict in phase " + s.Phase + ": lane was killed or the machine went down"
	s.Phase = "reaped"
	s.Finished = time.Now().UTC()
	s.Updated = s.Finished
	if f, err := openLedger(dir); err == nil {
		appendLine(f, s.Attempt, "reaped", nil)
		f.Close()
	}
	return s, write(dir, s)
}

// Reap looks through every spec folder below root and gives stranded runs their terminal status. It
// returns those it changed. A folder whose lock is held is left alone.
func Reap(root string) ([]Status, error) {
	var out []Status
	var errs error
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "runs" {
			return filepath.SkipDir
		}
		if d.IsDir() || d.Name() != "status.json" {
			return nil
		}
		s, changed, err := reapOne(filepath.Dir(path))
		errs = errors.Join(errs, err)
		if changed {
			out = append(out, s)
		}
		return nil
	})
	return out, errors.Join(errs, err)
}

func reapOne(dir string) (Status, bool, error) {
	before, err := Read(dir)
	if err != nil || before.State.Terminal() {
		return before, false, err
	}
	l, err := flock.Try(filepath.Join(dir, "lock"), flock.Exclusive)
	if errors.Is(err, flock.ErrHeld) {
		return before, false, nil
	}
	if err != nil {
		return before, false, err
	}
	defer l.Release()
	s, err := settle(dir)
	return s, err == nil && !before.State.Terminal() && s.Phase == "reaped", err
}

// Specs lists the spec folders below root, those with a status, in path order.
func Specs(root string) ([]string, error) {
	found, err := filepath.Glob(filepath.Join(root, "*", "*", "status.json"))
	for i := range found {
		found[i] = filepath.Dir(found[i])
	}
	if _, serr := os.Stat(root); errors.Is(serr, fs.ErrNotExist) {
		return nil, nil
	}
	return found, err
}

// Stranded returns what Reap would settle, and changes nothing.
func Stranded(root string) (out []Status, err error) {
	dirs, err := Specs(root)
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		s, err := Read(dir)
		if err != nil || s.State.Terminal() {
			continue // a status that is being replaced is nobody's loss
		}
		l, err := flock.Try(filepath.Join(dir, "lock"), flock.Exclusive)
		if err != nil {
			continue
		}
		l.Release()
		out = append(out, s)
	}
	return out, nil
}
