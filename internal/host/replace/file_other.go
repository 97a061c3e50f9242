//go:build !unix

package replace

import (
	"io/fs"
	"os"
)

// keepOwner does nothing: a new file in a folder has the owner that the system gives it.
func keepOwner(temporary, fs.FileInfo) {}

// hold does nothing: Sweep removes nothing.
func hold(*os.File) {}

func removeForsaken(string) {}

// links returns 1: a file does not state the number of its names.
func links(fs.FileInfo) uint64 { return 1 }
