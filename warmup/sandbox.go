package warmup

import (
	"slices"

	"github.com/vallane/lane/warmup/nix"
)

// worst is what can be said of a closure of which the paths say these things.
func worst(paths []LockPath) Sandbox {
	rank := []Sandbox{SandboxNotBuilt, SandboxOn, SandboxUnknown, SandboxOff}
	all := SandboxNotBuilt
	for _, p := range paths {
		if p.Built != "" && slices.Index(rank, p.Built) > slices.Index(rank, all) {
			all = p.Built
		}
	}
	return all
}

// provenance says of each path how far it can be relied on to have been built
// in a sandbox.
type provenance struct {
	ran      []string           // the derivations that this warm-up built
	measured Sandbox            // what the probe beside it showed
	earlier  map[string]Sandbox // what earlier locks of this state say, by path and hash
}

func (pr provenance) of(i nix.Info, narHash string) Sandbox {
	switch {
	case i.CA != "":
		// The name follows from the content: how that came about does not matter.
		return ""
	case !i.Ultimate && len(i.Signatures) > 0:
		return ""
	case slices.Contains(pr.ran, i.Deriver):
		return pr.measured
	}
	if known, ok := pr.earlier[i.Path+" "+narHash]; ok {
		return known
	}
	return SandboxUnknown
}
