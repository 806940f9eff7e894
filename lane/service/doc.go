// Package service runs disposable services for the tests of a task: a database, a cache. Each run of the tests has its own. It lives in
// a box that holds the closure and nothing else, neither the tree nor what was fetched for it, so that no code of the repository can be
// what answers. In the box of the tests Lane listens in its place, carries the connections from the one box to the other, and counts
// what passes.
//
// The package knows no spec and no verdict, keeps no state, and writes no file. What it says of a service is what it saw of it from
// outside; whether that is worth a level is for package assurance to say.
package service
