package lane

import (
	"github.com/vallane/lane/assurance/attest"
	"github.com/vallane/lane/lane/journal"
)

// verdictEvent is the ledger's line for a verdict that was written: the tree that it is about, and the verdict's digest.
const verdictEvent = "verdict"

// previous is the digest of the last verdict of this spec about the same tree, "" where there is none: a verdict names it, so that a log
// shows where one is withheld.
func (j *job) previous() (string, error) {
	tree := j.evidence.Plan.Subject.TreeSHA256
	if tree == "" {
		return "", nil
	}
	found, err := journal.Find(j.journal.Dir, verdictEvent, func(fields map[string]any) bool { return fields["tree"] == tree })
	if err != nil {
		return "", err
	}
	digest, _ := found["digest"].(string)
	return digest, nil
}

// remembered notes a verdict, as the bytes of its file, for the one after it.
func (j *job) remembered(verdict []byte) error {
	digest, err := attest.Digest(verdict)
	if err == nil && j.evidence.Plan.Subject.TreeSHA256 != "" {
		j.journal.Event(verdictEvent, map[string]any{"tree": j.evidence.Plan.Subject.TreeSHA256, "digest": digest})
	}
	return err
}
