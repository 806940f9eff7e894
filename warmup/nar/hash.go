package nar

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Sum is what Nix records of an archive: its SHA-256 and its length in bytes.
type Sum struct {
	SHA256 [32]byte
	Size   int64
}

// SRI is the form that flakes and lock files hold: "sha256-" and base64.
func (s Sum) SRI() string { return SRI(s.SHA256) }

// Base32 is the form that narinfo files and Nix's database hold: "sha256:" and
// Nix's own base 32.
func (s Sum) Base32() string { return "sha256:" + EncodeBase32(s.SHA256[:]) }

// String is the SRI form.
func (s Sum) String() string { return s.SRI() }

// Hash archives path as Dump does and returns the sum of the archive, which is
// written nowhere.
func Hash(ctx context.Context, path string) (Sum, error) {
	h := sha256.New()
	n := &counter{w: h}
	if err := DumpContext(ctx, n, path); err != nil {
		return Sum{}, err
	}
	s := Sum{Size: n.n}
	h.Sum(s.SHA256[:0])
	return s, nil
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// SRI writes a SHA-256 as "sha256-" and base64.
func SRI(sum [32]byte) string {
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// ParseHash reads a SHA-256 in any form that Nix writes: "sha256-<base64>",
// or "sha256:" with base 32, base 16 or base64. Another algorithm is an error:
// Lane binds nothing to one.
func ParseHash(s string) ([32]byte, error) {
	var sum [32]byte
	raw, err := decode(s)
	if err == nil && len(raw) != len(sum) {
		err = fmt.Errorf("%d bytes where a SHA-256 has %d", len(raw), len(sum))
	}
	if err != nil {
		return sum, fmt.Errorf("read hash %q: %w", s, err)
	}
	copy(sum[:], raw)
	return sum, nil
}

func decode(s string) ([]byte, error) {
	if rest, ok := strings.CutPrefix(s, "sha256-"); ok {
		return decode64(rest)
	}
	rest, ok := strings.CutPrefix(s, "sha256:")
	if !ok {
		return nil, errors.New(`only "sha256-..." and "sha256:..." are known`)
	}
	switch len(rest) {
	case 2 * sha256.Size:
		return hex.DecodeString(rest)
	case encodedLen(sha256.Size):
		return DecodeBase32(rest)
	}
	return decode64(rest)
}

// decode64 refuses the line ends that encoding/base64 passes over: a hash has
// one spelling.
func decode64(s string) ([]byte, error) {
	if strings.ContainsAny(s, "\r\n") {
		return nil, errors.New("a line end within base64")
	}
	return base64.StdEncoding.Strict().DecodeString(s)
}
