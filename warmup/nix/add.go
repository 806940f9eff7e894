package nix

import (
	"context"
	"errors"
	"strings"
)

// AddFixed copies the folder or file at path into the store under its own last
// name, as a path whose name follows from its content, and returns it.
func (c *Client) AddFixed(ctx context.Context, path string) (string, error) {
	out, _, err := c.run(ctx, "add to the store", "", "nix-store", "--add-fixed", "--recursive", "sha256", path)
	return strings.TrimSpace(string(out)), err
}

// Root makes link point to a store path and registers it with the garbage
// collector. It fails where the path is not in the store.
func (c *Client) Root(ctx context.Context, link, storePath string) error {
	_, _, err := c.run(ctx, "root "+storePath, "", "nix-store", "--realise", "--add-root", link, "--indirect", storePath)
	return err
}

// Valid reports whether the store's database knows the path.
func (c *Client) Valid(ctx context.Context, storePath string) (bool, error) {
	_, _, err := c.run(ctx, "look up "+storePath, "", "nix-store", "--check-validity", storePath)
	var said *Error
	if errors.As(err, &said) && said.Says("is not valid") {
		return false, nil
	}
	return err == nil, err
}

// Dead are the paths that nothing keeps alive.
func (c *Client) Dead(ctx context.Context) (map[string]bool, error) {
	out, _, err := c.run(ctx, "look for dead paths", "", "nix-store", "--gc", "--print-dead")
	if err != nil {
		return nil, err
	}
	dead := map[string]bool{}
	for p := range strings.FieldsSeq(string(out)) {
		dead[p] = true
	}
	return dead, nil
}

// Referrers are the path and all paths of the store that lead to it.
func (c *Client) Referrers(ctx context.Context, storePath string) ([]string, error) {
	out, _, err := c.run(ctx, "look for referrers", "", "nix-store", "--query", "--referrers-closure", storePath)
	return strings.Fields(string(out)), err
}

// Delete removes dead paths from the store. It fails where one is alive, or is
// referred to by one that is not among them.
func (c *Client) Delete(ctx context.Context, storePaths ...string) error {
	_, _, err := c.run(ctx, "delete from the store", "", append([]string{"nix-store", "--delete"}, storePaths...)...)
	return err
}
