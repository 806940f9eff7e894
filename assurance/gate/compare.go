package gate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/vallane/lane/assurance"
)

// copied compares what a verdict takes over from its evidence as it is. A difference was put there by hand.
func copied(stated, again *assurance.Verdict) string {
	for _, f := range []struct {
		name string
		a, b any
	}{
		{"evidence_digest", stated.EvidenceDigest, again.EvidenceDigest},
		{"subject", stated.Subject, again.Subject},
		{"spec", stated.Spec, again.Spec},
		{"contract", stated.Contract, again.Contract},
		{"change", stated.Change, again.Change},
		{"tasks", stated.Tasks, again.Tasks},
		{"closures", stated.Closures, again.Closures},
		{"authority", stated.Authority, again.Authority},
		{"venue", stated.Venue, again.Venue},
		{"require", stated.Require, again.Require},
		{"engine", stated.Engine, again.Engine},
		{"attempt", stated.Attempt, again.Attempt},
		{"previous", stated.Previous, again.Previous},
		{"started", stated.Started, again.Started},
		{"finished", stated.Finished, again.Finished},
	} {
		a, errA := json.Marshal(f.a)
		b, errB := json.Marshal(f.b)
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			return fmt.Sprintf("the verdict and its evidence differ in %s", f.name)
		}
	}
	return ""
}

// otherSubject returns in what a verdict is about something else than the reader has, "" where it is not.
func otherSubject(want, got assurance.Subject) string {
	var differs []string
	for _, f := range []struct{ name, want, got string }{
		{"tree (sha256)", want.TreeSHA256, got.TreeSHA256},
		{"git tree", want.GitTree, got.GitTree},
		{"commit", want.Commit, got.Commit},
		{"base tree", want.BaseTree, got.BaseTree},
		{"base commit", want.BaseCommit, got.BaseCommit},
		{"patch", want.Patch, got.Patch},
	} {
		if f.want != "" && !strings.EqualFold(f.want, f.got) {
			has := f.got
			if has == "" {
				has = "none"
			}
			differs = append(differs, fmt.Sprintf("%s is %s, want %s", f.name, has, f.want))
		}
	}
	return strings.Join(differs, "; ")
}
