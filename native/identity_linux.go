package native

import (
	"io/fs"
	"syscall"
)

// identity returns the inode number of a file, and the time of its last status change in
// nanoseconds.
func identity(info fs.FileInfo) (inode uint64, changed int64) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ino, s.Ctim.Nano()
	}
	return 0, 0
}
