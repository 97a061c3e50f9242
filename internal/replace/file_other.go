//go:build !unix

package replace

import "io/fs"

// keepOwner does nothing: a new file in a folder has the owner that the system gives it.
func keepOwner(temporary, fs.FileInfo) {}

// links returns 1: a file does not state the number of its names.
func links(fs.FileInfo) uint64 { return 1 }
