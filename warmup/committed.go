package warmup

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vallane/lane/warmup/stage"
)

// LockName is the file beside flake.nix that says what the flake came to, for those who commit it.
const LockName = "closure.lock"

// Committed is the closure.lock beside a flake: the closure of each of its environments, by attribute and system. It says nothing of
// how the machine that wrote it made them.
type Committed struct {
	Version  int     `json:"version"`
	Closures []*Lock `json:"closures"`
}

// ParseCommitted reads the closure.lock beside a flake. The error is a *Refusal: who committed it is at fault.
func ParseCommitted(data []byte) (*Committed, error) {
	var c Committed
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err := dec.Decode(&c)
	if err == nil && dec.More() {
		err = errors.New("something follows its end")
	}
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return nil, lockRefused("%s: %v", LockName, err)
	}
	return &c, nil
}

func (c *Committed) check() error {
	if c.Version != LockVersion {
		return fmt.Errorf("version %d, this Lane reads %d", c.Version, LockVersion)
	}
	for n, l := range c.Closures {
		if l == nil {
			return errors.New("a closure that is null")
		}
		if n > 0 && byName(c.Closures[n-1], l) >= 0 {
			return errors.New("its closures are not sorted by attribute and system")
		}
		if err := l.check(); err != nil {
			return fmt.Errorf("the closure of %s for %s: %w", l.Attr, l.System, err)
		}
	}
	return nil
}

func byName(a, b *Lock) int {
	return cmp.Or(cmp.Compare(a.Attr, b.Attr), cmp.Compare(a.System, b.System))
}

// Put adds a closure, or replaces the one of the same attribute and system.
func (c *Committed) Put(l *Lock) {
	c.Version = LockVersion
	c.Closures = slices.DeleteFunc(c.Closures, func(old *Lock) bool { return byName(old, l) == 0 })
	c.Closures = append(c.Closures, l)
	slices.SortFunc(c.Closures, byName)
}

// Marshal writes the file.
func (c *Committed) Marshal() ([]byte, error) { return marshal(c) }

// closure is what the file says of an environment, or nil.
func (c *Committed) closure(src Source) *Lock {
	for _, l := range c.Closures {
		if l.Attr == src.Attr && l.System == src.System {
			return l
		}
	}
	return nil
}

// committed is what the closure.lock beside the flake says of it; nil where there is none or it says nothing. The error is a *Refusal.
func committed(src Source) (*Lock, error) {
	if src.Lock == nil {
		return nil, nil
	}
	c, err := ParseCommitted(src.Lock)
	if err != nil {
		return nil, err
	}
	return c.closure(src), nil
}

// commit is the lock as it is committed: without what only its machine knows, and with what it was made from.
func (l *Lock) commit(src Source) *Lock {
	out := *l
	out.Sandbox, out.Inputs, out.Files = "", nil, map[string]string{}
	out.Paths = slices.Clone(l.Paths)
	for i := range out.Paths {
		out.Paths[i].Built = ""
	}
	for name, f := range src.Files {
		sum := sha256.Sum256(f.Data)
		out.Files[name] = "sha256:" + hex.EncodeToString(sum[:])
	}
	if f, ok := src.Files["flake.lock"]; ok {
		out.Inputs = stage.Inputs(f.Data)
	}
	return &out
}

// Commit is what the closure.lock beside the flake has to say of a closure that was made from src.
func (c *Closure) Commit(src Source) *Lock { return c.lock.commit(src) }

// stale says in which files and inputs an environment is another than the one that the lock was made from; nil is none.
func (l *Lock) stale(src Source) []string {
	if l.Key == src.Key() {
		return nil
	}
	now := (&Lock{}).commit(src)
	var all []string
	for _, name := range names(l.Inputs, now.Inputs) {
		if was, is := l.Inputs[name], now.Inputs[name]; was != is {
			all = append(all, fmt.Sprintf("input %s: %s in flake.lock, and it was made with %s", name, orNone(is), orNone(was)))
		}
	}
	for _, name := range names(l.Files, now.Files) {
		switch was, is := l.Files[name], now.Files[name]; {
		case was == is || name == "flake.lock" && len(all) > 0:
		case was == "":
			all = append(all, name+" has come since")
		case is == "":
			all = append(all, name+" is gone")
		default:
			all = append(all, name+" is another than it was made from")
		}
	}
	if all == nil {
		all = []string{"the mode of a file, or the version of Lane's staging, is another"}
	}
	return all
}

func names(a, b map[string]string) []string {
	all := map[string]bool{}
	for name := range a {
		all[name] = true
	}
	for name := range b {
		all[name] = true
	}
	return slices.Sorted(maps.Keys(all))
}

func orNone(s string) string { return cmp.Or(s, "nothing") }

// differs names the paths in which two closures of one environment are not the same; nil is none.
func (l *Lock) differs(other *Lock) []string {
	var all []string
	if !slices.Equal(l.Outputs, other.Outputs) {
		all = append(all, fmt.Sprintf("its outputs are %s, and here %s", strings.Join(l.Outputs, " "), strings.Join(other.Outputs, " ")))
	}
	theirs := map[string]LockPath{}
	for _, p := range other.Paths {
		theirs[p.Path] = p
	}
	for _, was := range l.Paths {
		is, there := theirs[was.Path]
		delete(theirs, was.Path)
		switch {
		case !there:
			all = append(all, was.Path+" is not in the closure")
		case was.NarHash != is.NarHash:
			all = append(all, fmt.Sprintf("%s has NAR hash %s, locked is %s", was.Path, is.NarHash, was.NarHash))
		case was.NarSize != is.NarSize || was.Type != is.Type || was.CA != is.CA || !slices.Equal(was.References, is.References):
			all = append(all, was.Path+" has another size, type or references")
		}
	}
	for _, p := range slices.Sorted(maps.Keys(theirs)) {
		all = append(all, p+" is in the closure and not in the lock")
	}
	return all
}

// agree refuses a closure that is not the committed one. A lock of other files says nothing about it.
func agree(src Source, found *Lock) error {
	l, err := committed(src)
	if err != nil || l == nil || l.Key != found.Key {
		return err
	}
	if facts := l.differs(found); facts != nil {
		return lockRefused("%s is of another closure than the flake beside it: %s", LockName, few(facts))
	}
	return nil
}

// Agrees reports whether the closure.lock beside a flake, which is src's, speaks of this closure and of no other.
func (c *Closure) Agrees(src Source) bool {
	l, err := committed(src)
	return err == nil && l != nil && l.Key == c.Key && l.differs(c.lock) == nil
}

// few joins the first of many facts.
func few(all []string) string {
	const most = 5
	if len(all) <= most {
		return strings.Join(all, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(all[:most], "; "), len(all)-most)
}

func lockRefused(format string, args ...any) *Refusal {
	return &Refusal{Code: stage.ClosureLock, Msg: fmt.Sprintf(format, args...), Tip: "run lane lock where Nix is installed, look at what it changes, and commit closure.lock"}
}
