//go:build !unix

package fetch

import "io/fs"

// onDisk is what a file takes of the disk, in bytes.
func onDisk(info fs.FileInfo) int64 { return info.Size() }
