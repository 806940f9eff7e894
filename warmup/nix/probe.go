package nix

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
)

// Sandboxed is what the probe found.
type Sandboxed int

// What the probe can find.
const (
	Unknown Sandboxed = iota // it told nothing
	On                       // builds are in Nix's sandbox
	Off                      // builds see this machine
)

// In its sandbox Nix names the machine so.
const sandboxHostname = "localhost"

// MeasureSandbox has Nix build a derivation that reads the machine's name, with
// the settings and the store that every other build of this client has, and
// compares what it read. The expected content is in the derivation (its output
// is fixed), so that success is the proof, in either case, and failure is none:
// a setting can be ignored by a daemon, and the sandbox can be given up
// silently where the kernel does not allow it. It leaves one or two paths of a
// few bytes in the store, which nothing keeps from being collected.
func (c *Client) MeasureSandbox(ctx context.Context) (Sandboxed, error) {
	own, err := os.ReadFile("/proc/sys/kernel/hostname")
	if err != nil || strings.TrimSpace(string(own)) == sandboxHostname {
		// Both builds would read the same. There is no second way to ask.
		return Unknown, nil
	}
	ctx, cancel := c.evalContext(ctx)
	defer cancel()
	if ok, err := c.reads(ctx, sandboxHostname+"\n"); ok || err != nil {
		return On, err
	}
	if ok, err := c.reads(ctx, string(own)); ok || err != nil {
		return Off, err
	}
	return Unknown, nil
}

// reads reports whether a build reads this content as the machine's name.
func (c *Client) reads(ctx context.Context, content string) (bool, error) {
	const probe = `derivation {
  name = "lane-sandbox-probe-%s";
  system = "builtin";
  builder = "builtin:fetchurl";
  url = "file:///proc/sys/kernel/hostname";
  outputHashMode = "flat";
  outputHashAlgo = "sha256";
  outputHash = builtins.hashString "sha256" %s;
  preferLocalBuild = true;
}`
	// The name is new each time, or an earlier answer would be found in the store.
	expr := fmt.Sprintf(probe, rand.Text(), quote(content))
	_, _, err := c.flake(ctx, "measure Nix's sandbox", "", "build", "--impure", "--no-link", "--expr", expr)
	var said *Error
	if errors.As(err, &said) {
		return false, nil
	}
	return err == nil, err
}

// quote writes a string of Nix's language.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "$", `\$`).Replace(s) + `"`
}
