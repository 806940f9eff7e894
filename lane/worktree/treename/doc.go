// Package treename decides which names a git tree may put on a disk.
//
// A tree object can hold any bytes as a name; a stranger's tree may hold names that leave the
// folder it is written to, or that become a .git folder on one file system or another. The rules
// are those of git's own verify_path with core.protectHFS and core.protectNTFS both on, on every
// system, because a verdict made here is read elsewhere.
//
// The package is pure: it opens no file and knows no repository.
package treename
