// Package doctor finds out what the machine that it runs on allows, and what a check would lose by it.
//
// It opens a real box, dials from it, has Nix build something, writes to Lane's folders, and reports
// what came of each: never what a setting alone promises. Each finding is ok, degraded (something is
// lost, and no level up to VAL-1) or missing (no check can reach VAL-1 here), with what it costs and the exact
// change that would help.
//
// The package changes nothing: what it writes are temporary files, which it removes, and the one or two paths of
// a few bytes that Nix's own sandbox is measured by.
package doctor
