//go:build unix

package replace

import (
	"io/fs"
	"syscall"
)

// keepOwner gives a file the owner and the group of the old one, if the user may do this.
func keepOwner(f temporary, old fs.FileInfo) {
	if stat, ok := old.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(stat.Uid), int(stat.Gid))
	}
}

// links returns the number of names of a file.
func links(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink)
	}
	return 1
}
