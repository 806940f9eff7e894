//go:build !unix

package wasi

import "io/fs"

// ownedBy is not asked here: the folder lies below the user's own.
func ownedBy(fs.FileInfo, int) bool { return true }
