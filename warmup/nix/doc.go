// Package nix calls Nix for the warm-up: with settings and an environment of
// Lane's own, on a staged folder only, and never on a folder of the user's.
//
// It understands Nix 2.8 and later. It decides nothing: what a message of
// Nix's means for a spec is the caller's to say. No other package of Lane
// starts Nix.
package nix
