package warmup

import (
	"context"
	"errors"
	"strings"

	"github.com/vallane/lane/warmup/nix"
	"github.com/vallane/lane/warmup/stage"
)

// reasons are the messages of Nix's that say that the flake is at fault, and
// what Lane calls it. The first that fits counts.
var reasons = []struct {
	says string
	code stage.Code
	tip  string
}{
	{"allow-import-from-derivation", stage.ImportFromDerivation,
		"what the flake imports must be a file of its own, not the result of a build"},
	{"is an indirect flake reference", stage.UnlockedFlake, "name the input's URL in flake.nix, run nix flake lock and commit flake.lock"},
	{"unlocked", stage.UnlockedFlake, "run nix flake lock and commit flake.lock"},
	{"mutable lock", stage.UnlockedFlake, "run nix flake lock and commit flake.lock"},
	{"NAR hash mismatch in input", stage.LockEdited, "run nix flake lock and commit flake.lock as Nix writes it"},
	{"hash mismatch in fixed-output derivation", stage.BrokenFlake, ""},
	{"does not provide attribute", stage.BrokenFlake, "the attribute is what follows # in the spec's flake"},
	{"No such file or directory", stage.BrokenFlake,
		"Nix sees flake.nix, flake.lock and the extras that the spec declares, and nothing else of the repository"},
}

// refusalOf turns what Nix said into a refusal. An error that is none of Nix's
// own words stays what it is: this machine's fault, not the flake's.
func refusalOf(err error) error {
	var said *nix.Error
	if !errors.As(err, &said) {
		return err
	}
	msg := said.Error()
	for _, r := range reasons {
		if said.Says(r.says) {
			return &stage.Refusal{Code: r.code, Msg: msg, Tip: r.tip}
		}
	}
	if machineFault(said) {
		return err
	}
	return &stage.Refusal{Code: stage.BrokenFlake, Msg: msg}
}

// refusalOf is refusalOf that also finds out which input a lock is wrong about.
func (r *realisation) refusalOf(ctx context.Context, err error) error {
	var said *nix.Error
	if !errors.As(err, &said) || !said.Says("requires lock file changes") {
		return refusalOf(err)
	}
	other, rerr := r.nix.Relocked(ctx, r.flake)
	if rerr != nil {
		r.Log("asking Nix which input is meant: " + rerr.Error())
	}
	return stage.Relocked(r.src, other)
}

// machineFault tells the messages apart that say nothing about the flake.
func machineFault(said *nix.Error) bool {
	for _, s := range []string{
		"No space left on device", "Permission denied", "cannot connect to", "database is busy", "cannot open connection to remote store",
		"unable to download", "interrupted by the user", "Cannot allocate memory", "Disk quota exceeded",
		"creating directory", "cannot lock", "Read-only file system",
	} {
		if said.Says(s) {
			return true
		}
	}
	return strings.TrimSpace(strings.Join(said.Messages, "")) == ""
}
