// Package publish puts signed verdicts where their readers are, and finds them there again: a ref or the notes of a git repository, a
// folder, a registry, a webhook.
//
// It moves envelopes and neither judges nor verifies them: what is found is for `lane gate` to decide on, whoever put it there. It writes
// to the one destination that its caller names, adds and never replaces, and follows no redirect. It may not start a program: git's hooks
// and filters never run.
package publish
