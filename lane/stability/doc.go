// Package stability plans controlled differences between runs of the same code, and finds the tests
// that do not agree with themselves.
//
// A variation changes one or several things that a test must not depend on: the order of the tests,
// the time zone, the seed of hashes. The first run of a plan is plain, so that a suite is always seen
// once as its authors run it; the others vary everything that the spec asks for. The package runs
// nothing and decides nothing: whether a flip is the change's fault is for package assurance.
package stability
