package publish

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/assurance/attest"
)

// Item is one signed verdict, with what it says it is about. Nobody has verified its signature.
type Item struct {
	// Line is the envelope, as one line without its end.
	Line []byte
	// Digest is the verdict's, "sha256:" and hex.
	Digest  string
	Spec    string
	Subject assurance.Subject
	Outcome string // or the status, where there is no outcome
	Level   assurance.Level
	Attempt int
	// Finished is when it was made, as RFC 3339; "" where it does not say.
	Finished string
}

// Parse reads one envelope. What is not a signed verdict about a tree is an error.
func Parse(data []byte) (Item, error) {
	if !attest.IsEnvelope(data) {
		return Item{}, errors.New("it is not signed: only signed verdicts are published; use lane check --key, or lane sign")
	}
	sealed, err := attest.ParseEnvelope(data)
	if err != nil {
		return Item{}, err
	}
	v, verdict, err := sealed.Verdict()
	if err != nil {
		return Item{}, err
	}
	it := Item{Spec: v.Spec.ID, Subject: v.Subject, Outcome: string(v.Outcome), Level: v.Level, Attempt: v.Attempt}
	if it.Outcome == "" {
		it.Outcome = string(v.Status)
	}
	if !v.Finished.IsZero() {
		it.Finished = v.Finished.UTC().Format(time.RFC3339)
	}
	if it.Digest, err = attest.Digest(verdict); err != nil {
		return Item{}, err
	}
	if !isHex(it.Subject.GitTree) || it.Subject.Commit != "" && !isHex(it.Subject.Commit) {
		return Item{}, fmt.Errorf("its subject is not one of git: tree %q, commit %q", it.Subject.GitTree, it.Subject.Commit)
	}
	it.Line, err = oneLine(data)
	return it, err
}

// isHex reports whether s is the name of an object of git, and so of one folder and nothing above it.
func isHex(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// name is that of the item's file.
func (it Item) name() string { return strings.TrimPrefix(it.Digest, "sha256:") + ".intoto.json" }

// about reports whether an item is about a commit or the tree of one. Either may be "", which is any.
func (it Item) about(tree, commit string) bool {
	return (tree == "" || it.Subject.GitTree == tree) && (commit == "" || it.Subject.Commit == commit)
}
