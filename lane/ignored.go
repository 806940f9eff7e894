package lane

import (
	"io/fs"

	"github.com/vallane/lane/mutate"
)

// ignore marks the mutants that comments in the source ignore. For a person at work all of them count. In a check those count that base
// holds, of lines that base holds: what came with the change is printed, and has no effect.
func (j *job) ignore(head fs.FS, ms []mutate.Mutant) error {
	seen := map[string]bool{}
	var all []mutate.Ignore
	for i := range ms {
		name := ms[i].File
		if seen[name] {
			continue
		}
		seen[name] = true
		src, err := fs.ReadFile(head, name)
		if err != nil {
			return err
		}
		for _, ig := range mutate.Ignores(name, src) {
			switch {
			case ig.Reason == "":
				j.note(ig.String())
			case j.byHand || j.onBase(ig):
				all = append(all, ig)
			default:
				c := &j.evidence.Plan.Change
				c.Ignored = append(c.Ignored, ig.String())
			}
		}
	}
	for _, ig := range mutate.SetIgnored(ms, all) {
		if j.byHand {
			j.note(ig.String() + " ignores no mutant")
		}
	}
	return nil
}

// onBase reports whether base holds a comment, and the line that it is about.
func (j *job) onBase(ig mutate.Ignore) bool {
	if j.base == nil || j.whole() {
		return false
	}
	for _, r := range j.changedLines[ig.File] {
		if r.Overlaps(ig.At, ig.At) || ig.Line > 0 && r.Overlaps(ig.Line, ig.Line) {
			return false
		}
	}
	return true
}
