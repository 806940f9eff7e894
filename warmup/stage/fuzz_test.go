package stage_test

import (
	"errors"
	"testing"

	"github.com/vallane/lane/warmup/stage"
)

// Any text is accepted, refused, or left to Nix: never a panic, never an endless
// loop, and an error is always a refusal.
func FuzzCheck(f *testing.F) {
	f.Add(`{ inputs.a.url = "github:o/r"; outputs = { self, a, ... }@b: let x = 1; in with x; ''${a}''; }`,
		`{"nodes":{"root":{"inputs":{"a":"a"}},"a":{"locked":{"narHash":"x"}}},"root":"root","version":7}`)
	f.Add(`rec { inherit (x) y; "n" = [ ( ]; }`, `{}`)
	f.Add("{ a = ''${''${''${''x''}''}''}'' }", "")
	f.Fuzz(func(t *testing.T, nix, lock string) {
		var r *stage.Refusal
		if err := stage.Check(source(nix, lock)); err != nil && !errors.As(err, &r) {
			t.Errorf("%v is no refusal", err)
		}
	})
}
