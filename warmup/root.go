package warmup

import (
	"crypto/sha1"
	"fmt"
	"os"
	"path/filepath"

	"github.com/vallane/lane/warmup/nar"
)

// rootHolds reports "" where the link keeps the closure from Nix's garbage
// collector, and else what is wrong with it. A store without Nix has no
// collector and needs no link.
func (o Options) rootHolds(link string, l *Lock) string {
	// The collector is that of the store in which the paths really lie.
	physical := filepath.Dir(o.host(l.Outputs[0]))
	auto := filepath.Join(filepath.Dir(physical), "var", "nix", "gcroots", "auto")
	if !exists(auto) {
		return ""
	}
	target, err := os.Readlink(link)
	if err != nil {
		return fmt.Sprintf("its root %s is gone", link)
	}
	if target != l.Outputs[0] {
		return fmt.Sprintf("its root %s leads to %s, locked is %s", link, target, l.Outputs[0])
	}
	if !registered(auto, link) {
		return fmt.Sprintf("its root %s is not registered with Nix's garbage collector", link)
	}
	return ""
}

// registered looks for Nix's own pointer to the link: named by the SHA-1 of the
// link's path, or, should a release do that otherwise, any that leads there.
func registered(auto, link string) bool {
	sum := sha1.Sum([]byte(link))
	if t, err := os.Readlink(filepath.Join(auto, nar.EncodeBase32(sum[:]))); err == nil && t == link {
		return true
	}
	entries, err := os.ReadDir(auto)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if t, err := os.Readlink(filepath.Join(auto, e.Name())); err == nil && t == link {
			return true
		}
	}
	return false
}
