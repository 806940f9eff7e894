// Package warmup makes closures and finds them again: the exact set of store
// paths that a task may see, named by a digest.
//
// Warm stages a flake's bytes, has Nix evaluate and build the staged folder,
// writes closure.lock and registers a root. Load finds that lock again and
// checks the paths, without starting any process: it is what a run does.
//
// The package never lets Nix see the user's repository, never runs anything of
// the change, and never takes a closure whose lock does not match its own
// digest and key. It opens no box: mounting the paths is the fence's business.
package warmup
