//go:build linux || darwin

package native

import (
	"io/fs"
	"syscall"
)

// group returns the id of a file's group, or -1 if it is not known.
func group(info fs.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Gid)
	}
	return -1
}
