//go:build unix

package command

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
