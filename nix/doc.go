// Package nix is the place of Lane's own flake: its package, its templates, and
// a stand-in for nixpkgs. It holds no code. Its tests evaluate every output
// offline and fail on structural errors; they build nothing with Nix, and may
// not touch the machine's own store.
package nix
