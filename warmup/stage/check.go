package stage

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vallane/lane/warmup/nar"
)

// Outline is what Nix says of the top of a flake.nix.
type Outline struct {
	Attrs  []string // its top-level attributes
	Inputs []string // the names below inputs
	Args   []string // the named arguments of outputs
}

// Check refuses what the bytes alone show: what Validate refuses, settings for
// Nix, inputs that flake.lock does not bind to a content, and inputs that lie
// on this machine. Its error is a *Refusal.
func Check(s Source) error {
	if err := s.Validate(); err != nil {
		return err
	}
	// Where the text is not what a flake.nix looks like, Nix is to say so.
	flake, ok := scanFlake(s.Files["flake.nix"].Data)
	if !ok {
		return s.checkLock(nil, false)
	}
	if line, ok := flake.attrs["nixConfig"]; ok {
		return refuseConfig(fmt.Sprintf("flake.nix:%d", line))
	}
	if err := s.checkLock(slices.Sorted(maps.Keys(flake.inputs)), true); err != nil {
		return err
	}
	return s.checkOriginals(flake)
}

// CheckOutline refuses the same of what Nix says of the flake: names can be
// computed, and then no scan sees them.
func CheckOutline(s Source, o Outline) error {
	if slices.Contains(o.Attrs, "nixConfig") {
		return refuseConfig("flake.nix")
	}
	inputs := map[string]bool{}
	for _, name := range slices.Concat(o.Inputs, o.Args) {
		if name != "self" {
			inputs[name] = true
		}
	}
	return s.checkLock(slices.Sorted(maps.Keys(inputs)), true)
}

func refuseConfig(where string) error {
	return refuse(FlakeConfig, "take nixConfig out of it; caches and keys are named in the spec or in Lane's configuration",
		"%s brings settings for Nix (nixConfig)", where)
}

// checkLock compares the inputs that the flake names with those that its lock
// does, and looks at every node of the lock. A flake without inputs needs no
// lock. Where the names are not known, the lock's nodes alone are looked at.
func (s Source) checkLock(inputs []string, known bool) error {
	file, ok := s.Files["flake.lock"]
	if !ok {
		if len(inputs) > 0 {
			return refuse(UnlockedFlake, relock, "no flake.lock, and flake.nix has %s", inputsNamed(inputs))
		}
		return nil
	}
	lock, err := parseFlakeLock(file.Data)
	if err != nil {
		return err
	}
	if err := lock.check(); err != nil {
		return err
	}
	if !known {
		return nil
	}
	locked := lock.rootInputs()
	if missing := less(inputs, locked); len(missing) > 0 {
		return refuse(UnlockedFlake, relock, "flake.lock has no entry for %s of flake.nix", inputsNamed(missing))
	}
	if stale := less(locked, inputs); len(stale) > 0 {
		return refuse(UnlockedFlake, relock, "Nix would write flake.lock anew: flake.nix has no more %s", inputsNamed(stale))
	}
	return nil
}

// checkOriginals finds inputs that were given another URL after they were
// locked, where the URL is of a notation that can be compared without Nix.
func (s Source) checkOriginals(flake *flakeFile) error {
	file, ok := s.Files["flake.lock"]
	if !ok {
		return nil
	}
	lock, err := parseFlakeLock(file.Data)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(flake.inputs)) {
		in := flake.inputs[name]
		node, err := lock.target(lock.Nodes[lock.Root].Inputs[name], name)
		if err != nil {
			return err
		}
		want, known := gitHost(in.url)
		if node == "" || !known {
			continue
		}
		original := lock.Nodes[node].Original
		for key, value := range want {
			got, _ := original[key].(string)
			// The third part of the notation is a branch or a commit.
			if key == "ref" && got == "" {
				got, _ = original["rev"].(string)
			}
			if got != value {
				return refuse(UnlockedFlake, relock, "Nix would write flake.lock anew: flake.nix:%d gives input %q as %s, the lock has %s %q",
					in.line, name, in.url, key, got)
			}
		}
	}
	return nil
}

// CheckInner compares the inputs that lie in the staged folder dir with the NAR
// hashes that the lock has for them. Nix would notice as well, and say something
// that helps nobody.
func CheckInner(ctx context.Context, dir string, s Source) error {
	file, ok := s.Files["flake.lock"]
	if !ok {
		return nil
	}
	lock, err := parseFlakeLock(file.Data)
	if err != nil {
		return err
	}
	for _, name := range lock.rootInputs() {
		target, err := lock.target(lock.Nodes[lock.Root].Inputs[name], name)
		if err != nil {
			return err
		}
		node := lock.Nodes[target]
		if target == "" || node.text("type") != "path" || node.text("narHash") == "" {
			continue
		}
		sum, err := nar.Hash(ctx, filepath.Join(dir, filepath.FromSlash(node.text("path"))))
		if err != nil {
			return refuse(UnlockedFlake, "declare the input's files as extras of the environment", "input %q: %v", name, err)
		}
		if want, err := nar.ParseHash(node.text("narHash")); err != nil || want != sum.SHA256 {
			return refuse(LockEdited, relock, "input %q has NAR hash %s, flake.lock says %s", name, sum.SRI(), node.text("narHash"))
		}
	}
	return nil
}

// Relocked is the refusal of a lock that Nix would write as the other. It names
// the inputs that differ.
func Relocked(s Source, other []byte) error {
	var names []string
	now, err := parseFlakeLock(s.Files["flake.lock"].Data)
	if err != nil {
		return err
	}
	if then, err := parseFlakeLock(other); err == nil {
		names = now.differing(then)
	}
	if len(names) == 0 {
		return refuse(UnlockedFlake, relock, "Nix would write flake.lock anew")
	}
	return refuse(UnlockedFlake, relock, "Nix would write flake.lock anew for %s", inputsNamed(names))
}

// less returns what is in a and not in b.
func less(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

func inputsNamed(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = fmt.Sprintf("%q", n)
	}
	if len(names) == 1 {
		return "input " + quoted[0]
	}
	return "inputs " + strings.Join(quoted, ", ")
}
