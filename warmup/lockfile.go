package warmup

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vallane/lane/warmup/nar"
	"github.com/vallane/lane/warmup/store"
)

// LockVersion is the version of closure.lock that this Lane writes and reads.
const LockVersion = 1

// Lock is closure.lock: what an environment came to. It is written sorted and
// indented, one fact a line, so that two of them can be compared by eye.
type Lock struct {
	Version  int        `json:"version"`
	Key      string     `json:"key"`
	Digest   string     `json:"digest"`
	System   string     `json:"system"`
	Attr     string     `json:"attr"`
	StoreDir string     `json:"storeDir"`
	Sandbox  Sandbox    `json:"sandbox,omitempty"`
	Outputs  []string   `json:"outputs"`
	Paths    []LockPath `json:"paths"`
	// Files and Inputs say what it was made from, in a lock that is committed: the staged files and the inputs of flake.lock, each by
	// its hash.
	Files  map[string]string `json:"files,omitempty"`
	Inputs map[string]string `json:"inputs,omitempty"`
}

// LockPath is one path of a closure.lock.
type LockPath struct {
	Path       string   `json:"path"`
	Type       string   `json:"type"` // file, folder, symlink
	NarHash    string   `json:"narHash"`
	NarSize    int64    `json:"narSize"`
	References []string `json:"references"`
	Signatures []string `json:"signatures"`
	CA         string   `json:"ca,omitempty"`
	// Built is empty for a path that is named by its content or came signed from
	// a cache, and else says whether Nix's sandbox was on when it was built.
	Built Sandbox `json:"built,omitempty"`
}

// digest is the closure digest: the SHA-256 over one line "<path> <NAR hash>"
// for each path, sorted. A path holds neither a space nor a line end.
func (l *Lock) digest() string {
	h := sha256.New()
	for _, p := range l.Paths {
		// A hash never fails to write.
		_, _ = io.WriteString(h, p.Path+" "+p.NarHash+"\n")
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// seal sorts the lock and puts its digest in.
func (l *Lock) seal() {
	slices.SortFunc(l.Paths, func(a, b LockPath) int { return strings.Compare(a.Path, b.Path) })
	l.Version, l.Digest = LockVersion, l.digest()
}

// Marshal writes the lock.
func (l *Lock) Marshal() ([]byte, error) { return marshal(l) }

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

// ParseLock reads a closure.lock and refuses one that is not whole, not closed
// under references, not sorted, or not what its own digest says.
func ParseLock(data []byte) (*Lock, error) {
	var l Lock
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&l); err != nil {
		return nil, fmt.Errorf("read closure.lock: %w", err)
	}
	if err := l.check(); err != nil {
		return nil, fmt.Errorf("read closure.lock: %w", err)
	}
	return &l, nil
}

func (l *Lock) check() error {
	if l.Version != LockVersion {
		return fmt.Errorf("version %d, this Lane reads %d", l.Version, LockVersion)
	}
	if len(l.Paths) == 0 || len(l.Outputs) == 0 {
		return errors.New("it names no path")
	}
	known := make(map[string]bool, len(l.Paths))
	for i, p := range l.Paths {
		if i > 0 && l.Paths[i-1].Path >= p.Path {
			return errors.New("its paths are not sorted")
		}
		if err := p.check(l.StoreDir); err != nil {
			return err
		}
		known[p.Path] = true
	}
	for _, p := range l.Paths {
		for _, ref := range p.References {
			if !known[ref] {
				return fmt.Errorf("%s refers to %s, which is not in it", p.Path, ref)
			}
		}
	}
	for _, out := range l.Outputs {
		if !known[out] {
			return fmt.Errorf("its output %s is not among its paths", out)
		}
	}
	if got := l.digest(); got != l.Digest {
		return fmt.Errorf("its digest is %s, its paths have %s", l.Digest, got)
	}
	return nil
}

func (p LockPath) check(storeDir string) error {
	if err := store.CheckPath(storeDir, p.Path); err != nil {
		return err
	}
	sum, err := nar.ParseHash(p.NarHash)
	if err != nil {
		return err
	}
	if nar.SRI(sum) != p.NarHash || p.NarSize <= 0 {
		return fmt.Errorf("%s: hash %q of %d bytes", p.Path, p.NarHash, p.NarSize)
	}
	switch p.Type {
	case store.TypeFile, store.TypeFolder, store.TypeSymlink:
		return nil
	}
	return fmt.Errorf("%s: unknown type %q", p.Path, p.Type)
}
