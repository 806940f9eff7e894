// Package locks reads the lock files of package managers for one question: does a hash stand for everything that a fetch
// phase brought by them?
//
// It knows which folder of the phase which client fills, and which files of the tree say what that client fetches. It
// compares nothing with what was fetched: that is the clients' own work, and a hash that is there is one that they hold it
// to. It may not fetch, run or write anything.
package locks
