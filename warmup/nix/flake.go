package nix

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Outline is what a flake.nix says of itself before any input is looked at.
type Outline struct {
	Attrs  []string `json:"attrs"`  // its top-level attributes
	Inputs []string `json:"inputs"` // the names below inputs
	Args   []string `json:"args"`   // the named arguments of outputs
}

const outline = `let f = import <lane/flake.nix>; in {
  attrs = builtins.attrNames f;
  inputs = builtins.attrNames (f.inputs or { });
  args = if builtins.isFunction (f.outputs or null) then builtins.attrNames (builtins.functionArgs f.outputs) else [ ];
}`

// Outline evaluates the top of dir/flake.nix, in an evaluator that can read the
// folder dir and nothing else and fetches nothing.
func (c *Client) Outline(ctx context.Context, dir string) (Outline, error) {
	ctx, cancel := c.evalContext(ctx)
	defer cancel()
	var o Outline
	out, _, err := c.flake(ctx, "read flake.nix", dir, "eval", "--json", "--impure", "--option", "restrict-eval", "true",
		"-I", "lane="+dir, "--expr", outline)
	if err != nil {
		return o, err
	}
	return o, decode("the outline of flake.nix", out, &o)
}

// Relocked returns the flake.lock that Nix would write for the staged flake in
// dir, and writes none.
func (c *Client) Relocked(ctx context.Context, dir string) ([]byte, error) {
	ctx, cancel := c.evalContext(ctx)
	defer cancel()
	out, _, err := c.flake(ctx, "lock the flake", dir, "flake", "metadata", "--json", "--no-write-lock-file", "path:.")
	if err != nil {
		return nil, err
	}
	var metadata struct {
		Locks json.RawMessage `json:"locks"`
	}
	return metadata.Locks, decode("the flake's metadata", out, &metadata)
}

// ErrNoAttribute says that the flake has no such attribute.
var ErrNoAttribute = errors.New("the flake does not provide it")

// Eval evaluates an attribute of the staged flake in dir, pure and with the
// lock as it stands, into v. Where the flake has no such attribute the error is
// ErrNoAttribute.
func (c *Client) Eval(ctx context.Context, dir, attr string, v any) error {
	ctx, cancel := c.evalContext(ctx)
	defer cancel()
	out, _, err := c.flake(ctx, "evaluate "+attr, dir, "eval", "--json", "--no-update-lock-file", "path:.#"+attr)
	var said *Error
	if errors.As(err, &said) && said.Says("does not provide attribute") {
		return fmt.Errorf("evaluate %s: %w", attr, ErrNoAttribute)
	}
	if err != nil {
		return err
	}
	return decode(attr, out, v)
}

// Names returns the names of an attribute set of the staged flake in dir, in order, and evaluates none of what they stand for.
// Where the flake has no such set the error is ErrNoAttribute.
func (c *Client) Names(ctx context.Context, dir, attr string) (names []string, err error) {
	ctx, cancel := c.evalContext(ctx)
	defer cancel()
	out, _, err := c.flake(ctx, "evaluate "+attr, dir, "eval", "--json", "--no-update-lock-file", "--apply", "builtins.attrNames", "path:.#"+attr)
	var said *Error
	if errors.As(err, &said) && said.Says("does not provide attribute") {
		return nil, fmt.Errorf("evaluate %s: %w", attr, ErrNoAttribute)
	}
	if err != nil {
		return nil, err
	}
	return names, decode("the names of "+attr, out, &names)
}

// Built is the result of a build.
type Built struct {
	Outputs []string // store paths, in the order of the derivations and names
	Ran     []string // derivations whose builders this build started
}

// Build builds an attribute of the staged flake in dir, pure and with the lock
// as it stands, and registers the link (and "<link>-<output>" for further
// outputs) as a root of Nix's garbage collector. The link's folder must exist.
func (c *Client) Build(ctx context.Context, dir, attr, link string) (Built, error) {
	var b Built
	out, ev, err := c.flake(ctx, "build "+attr, dir, "build", "--json", "--no-update-lock-file", "--out-link", link, "path:.#"+attr)
	if err != nil {
		return b, err
	}
	b.Ran = ev.built
	b.Outputs, err = outputs(out)
	return b, err
}

// outputs reads what `nix build --json` prints. A path that needed no building
// has no outputs but a path.
func outputs(out []byte) ([]string, error) {
	var built []struct {
		Outputs map[string]string `json:"outputs"`
		Path    string            `json:"path"`
	}
	if err := decode("the result of the build", out, &built); err != nil {
		return nil, err
	}
	var paths []string
	for _, b := range built {
		if b.Path != "" {
			paths = append(paths, b.Path)
		}
		// "out" is the one whose bin folder a task's PATH begins with.
		if p := b.Outputs["out"]; p != "" {
			paths = append(paths, p)
		}
		for _, name := range sortedKeys(b.Outputs) {
			if p := b.Outputs[name]; name != "out" && p != "" {
				paths = append(paths, p)
			}
		}
	}
	if len(paths) == 0 {
		return nil, errors.New("read the result of the build: it names no path")
	}
	return paths, nil
}

func decode(what string, out []byte, v any) error {
	if err := json.Unmarshal(out, v); err != nil {
		return fmt.Errorf("read %s from Nix: %w", what, err)
	}
	return nil
}
