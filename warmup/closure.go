package warmup

import (
	"os"
	"path/filepath"

	"github.com/vallane/lane/internal/flock"
)

// Closure is a set of store paths that was found and checked. It is in use, and
// no gc removes it, until Close.
type Closure struct {
	Key      string   // names the environment that it was made from
	Digest   string   // names the paths and their contents: "sha256:" and hex
	Root     string   // the store path whose bin folder a task's PATH begins with
	Outputs  []string // the store paths that were asked for, Root first
	Paths    []Path   // all of them, sorted
	Verified Level    // how thoroughly the paths were checked
	Sandbox  Sandbox  // what is known of the builds that made them
	StoreDir string   // the folder of all store paths, as in "/nix/store"
	Lock     string   // the closure.lock that says so

	use  *flock.Lock
	lock *Lock
}

// Path is one store path of a closure.
type Path struct {
	StorePath  string   // as in /nix/store/<digest>-<name>
	Host       string   // where it really lies on this machine
	NarHash    string   // "sha256-" and base64
	NarSize    int64    // bytes of its archive
	References []string // store paths, sorted
}

// PathDirs are the folders for a task's PATH, as they are named in a box: the
// bin folder of each output that has one.
func (c *Closure) PathDirs() []string {
	var dirs []string
	for _, out := range c.Outputs {
		if host := c.Host(out); host != "" {
			if info, err := os.Stat(filepath.Join(host, "bin")); err == nil && info.IsDir() {
				dirs = append(dirs, out+"/bin")
			}
		}
	}
	return dirs
}

// Host is where a store path of the closure really lies, or "" where it is none
// of the closure's.
func (c *Closure) Host(storePath string) string {
	for _, p := range c.Paths {
		if p.StorePath == storePath {
			return p.Host
		}
	}
	return ""
}

// Size is the sum of the paths' archives, in bytes.
func (c *Closure) Size() int64 {
	var n int64
	for _, p := range c.Paths {
		n += p.NarSize
	}
	return n
}

// Close ends the use of the closure. A second call does nothing.
func (c *Closure) Close() error {
	if c.use == nil {
		return nil
	}
	c.use.Release()
	c.use = nil
	return nil
}

// Sandbox says whether Nix's sandbox was on for the builds that made a
// closure's paths.
type Sandbox string

// What can be known of the sandbox. It was measured, not read from settings.
const (
	SandboxOn       Sandbox = "on"        // for every path that was built
	SandboxOff      Sandbox = "off"       // for one at least it was not
	SandboxUnknown  Sandbox = "unknown"   // one at least was built when nobody measured, or the probe told nothing
	SandboxNotBuilt Sandbox = "not-built" // nothing was: every path is named by its content or came signed from a cache
)
