// Package buildcache keeps warm build caches: what compiling a tree left, one folder per closure and
// tree, to lie read-only below the cache of every run.
//
// A cache is filled in a box by commands that compile and execute nothing of the tree, published by an
// atomic rename, and never written again. The package does not know what the commands are: it gives a
// folder to fill and takes it away.
package buildcache
