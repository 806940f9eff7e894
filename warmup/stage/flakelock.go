package stage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/vallane/lane/warmup/nar"
)

// flakeLock is a flake.lock as Nix writes it.
type flakeLock struct {
	Nodes   map[string]lockNode `json:"nodes"`
	Root    string              `json:"root"`
	Version int                 `json:"version"`
}

type lockNode struct {
	Inputs   map[string]json.RawMessage `json:"inputs"` // a node's name, or a path of inputs to follow
	Locked   map[string]any             `json:"locked"`
	Original map[string]any             `json:"original"`
}

// relock is what to do about most of what can be wrong with a lock.
const relock = "run nix flake lock and commit flake.lock"

// Inputs are the inputs of a flake.lock by their names, each with the hash that it is locked to. What cannot be read has none.
func Inputs(data []byte) map[string]string {
	l, err := parseFlakeLock(data)
	if err != nil {
		return nil
	}
	hashes := map[string]string{}
	for name, raw := range l.Nodes[l.Root].Inputs {
		if node, err := l.target(raw, name); err == nil && node != "" {
			hashes[name] = l.Nodes[node].text("narHash")
		}
	}
	return hashes
}

func parseFlakeLock(data []byte) (*flakeLock, error) {
	var l flakeLock
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&l); err != nil {
		return nil, refuse(LockEdited, relock, "flake.lock cannot be read: %v", err)
	}
	if dec.More() {
		return nil, refuse(LockEdited, relock, "flake.lock holds more than one value")
	}
	if l.Version < 5 || l.Version > 7 {
		return nil, refuse(UnlockedFlake, relock, "flake.lock is of version %d, which Nix would write anew", l.Version)
	}
	if _, ok := l.Nodes[l.Root]; !ok {
		return nil, refuse(LockEdited, relock, "flake.lock has no root node %q", l.Root)
	}
	return &l, nil
}

// rootInputs are the names that the lock has an entry for.
func (l *flakeLock) rootInputs() []string {
	return slices.Sorted(maps.Keys(l.Nodes[l.Root].Inputs))
}

// differing are the inputs of the root that the other lock leads elsewhere.
func (l *flakeLock) differing(other *flakeLock) []string {
	a, b := l.Nodes[l.Root].Inputs, other.Nodes[other.Root].Inputs
	var names []string
	for _, name := range slices.Sorted(maps.Keys(b)) {
		from, err := l.target(a[name], name)
		to, oerr := other.target(b[name], name)
		if err != nil || oerr != nil || !reflect.DeepEqual(l.Nodes[from], other.Nodes[to]) {
			names = append(names, name)
		}
	}
	return append(names, less(l.rootInputs(), other.rootInputs())...)
}

// check walks from the root to every node and refuses the first that is not
// bound to a content, by the name that it has from the root.
func (l *flakeLock) check() error {
	type visit struct{ node, name string }
	seen := map[string]bool{l.Root: true}
	queue := []visit{{l.Root, ""}}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		node := l.Nodes[at.node]
		if at.name != "" {
			if err := node.check(at.name); err != nil {
				return err
			}
		}
		for _, input := range slices.Sorted(maps.Keys(node.Inputs)) {
			name := strings.TrimPrefix(at.name+"/"+input, "/")
			next, err := l.target(node.Inputs[input], name)
			if err != nil {
				return err
			}
			if next != "" && !seen[next] {
				seen[next] = true
				queue = append(queue, visit{next, name})
			}
		}
	}
	return nil
}

// target is the node that an input leads to, or "" where it follows another
// input, which is looked at under its own name.
func (l *flakeLock) target(raw json.RawMessage, name string) (string, error) {
	var follows []string
	if json.Unmarshal(raw, &follows) == nil {
		return "", nil
	}
	var next string
	if json.Unmarshal(raw, &next) != nil {
		return "", refuse(LockEdited, relock, "flake.lock: input %q leads nowhere", name)
	}
	if _, ok := l.Nodes[next]; !ok {
		return "", refuse(LockEdited, relock, "flake.lock: input %q leads to %q, which is not there", name, next)
	}
	return next, nil
}

func (n lockNode) check(name string) error {
	if len(n.Locked) == 0 {
		return refuse(UnlockedFlake, relock, "flake.lock does not lock input %q", name)
	}
	kind := n.text("type")
	if kind == "indirect" {
		return refuse(UnlockedFlake, "name its URL in flake.nix, then "+relock, "input %q is looked up in a registry", name)
	}
	if why := n.escapes(kind); why != "" {
		return refuse(EscapingInput, "put what it needs beside flake.nix and declare it, or pin it by a URL", "input %q %s", name, why)
	}
	hash := n.text("narHash")
	if hash == "" {
		if kind == "path" && n.relative() {
			// Newer releases of Nix leave the hash out: the content is the flake's own.
			return nil
		}
		return refuse(UnlockedFlake, relock, "flake.lock has no narHash for input %q", name)
	}
	if _, err := nar.ParseHash(hash); err != nil {
		return refuse(LockEdited, relock, "input %q: %v", name, err)
	}
	return nil
}

func (n lockNode) text(name string) string {
	s, _ := n.Locked[name].(string)
	return s
}

func (n lockNode) relative() bool { return !path.IsAbs(n.text("path")) }

// escapes says where an input leads on this machine, or "".
func (n lockNode) escapes(kind string) string {
	switch kind {
	case "path":
		p := n.text("path")
		if path.IsAbs(p) || strings.HasPrefix(p, "~") {
			return fmt.Sprintf("is the folder %s of this machine", p)
		}
		if clean := path.Clean(p); p == "" || clean == ".." || strings.HasPrefix(clean, "../") {
			return fmt.Sprintf("is %q, outside the flake's folder", p)
		}
	case "git", "hg", "tarball", "file":
		url := n.text("url")
		scheme, _, ok := strings.Cut(url, "://")
		if !ok || strings.HasSuffix(strings.ToLower(scheme), "file") {
			return fmt.Sprintf("is %s on this machine", url)
		}
	}
	return ""
}
