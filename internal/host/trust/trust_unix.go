//go:build linux || darwin

package trust

import (
	"io/fs"
	"syscall"
)

// HasModes reports whether the mode of a file says who may write to it.
const HasModes = true

// Owner returns the id of the user that owns a file, or -1 if it is not known.
func Owner(info fs.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid)
	}
	return -1
}
