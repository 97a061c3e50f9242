//go:build cgo

package dl

import (
	"fmt"
	"strings"
	"syscall"
)

const (
	mountedNoexec   = 8 // ST_NOEXEC
	addressSpace    = 9 // RLIMIT_AS
	withoutExec     = "its file system is mounted noexec: put it on another one; CALLIOPE_CACHE sets the folder of fetched libraries"
	tooLittleToOpen = "this process may use only %d MiB of address space: raise the limit (ulimit -v)"
)

// machine returns why the machine does not let the process map a library, or "" if the reason is
// another one. message is the loader's.
func machine(path, message string) string {
	if !strings.Contains(message, "failed to map") && !strings.Contains(message, "cannot allocate memory") {
		return ""
	}
	var system syscall.Statfs_t
	if syscall.Statfs(path, &system) == nil && system.Flags&mountedNoexec != 0 {
		return withoutExec
	}
	var limit syscall.Rlimit
	if syscall.Getrlimit(addressSpace, &limit) == nil && int64(limit.Cur) > 0 {
		return fmt.Sprintf(tooLittleToOpen, limit.Cur>>20)
	}
	return ""
}
