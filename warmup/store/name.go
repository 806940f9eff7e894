package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/vallane/lane/warmup/nar"
)

// hashLen is the length of the digest in a store path's name: 160 bits in
// Nix's base 32.
const hashLen = 32

// nameRule is Nix's for what follows the digest.
var nameRule = regexp.MustCompile(`^[A-Za-z0-9+_?=-][A-Za-z0-9+._?=-]{0,210}$`)

// ValidName reports whether Nix would take the name for a store path. Names
// that begin with a dot are refused here also where newer releases take some.
func ValidName(name string) bool { return nameRule.MatchString(name) }

// CheckPath refuses what is not the whole path of something directly in the
// store folder storeDir.
func CheckPath(storeDir, p string) error {
	base, ok := strings.CutPrefix(p, storeDir+"/")
	if !ok || path.Clean(p) != p || len(base) < hashLen+2 || base[hashLen] != '-' || !ValidName(base[hashLen+1:]) {
		return fmt.Errorf("%q is no path in %s", p, storeDir)
	}
	if _, err := nar.DecodeBase32(base[:hashLen]); err != nil {
		return fmt.Errorf("%q is no path in %s: %w", p, storeDir, err)
	}
	return nil
}

// FixedPath is the store path of a content with the given NAR hash and name and
// without references, as `nix-store --add-fixed --recursive sha256` and a
// fixed-output derivation of mode "recursive" have it.
func FixedPath(storeDir, name string, narHash [32]byte) string {
	long := sha256.Sum256([]byte("source:sha256:" + hex.EncodeToString(narHash[:]) + ":" + storeDir + ":" + name))
	var short [20]byte
	for i, b := range long {
		short[i%len(short)] ^= b
	}
	return storeDir + "/" + nar.EncodeBase32(short[:]) + "-" + name
}
