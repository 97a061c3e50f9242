//go:build linux || darwin

package terminal

import (
	"os"
	"syscall"
	"unsafe"
)

// widthOf asks the system for the size of a terminal, which other files do not have.
func widthOf(f *os.File) (int, bool) {
	var size struct{ rows, columns, x, y uint16 }
	raw, err := f.SyscallConn()
	if err != nil {
		return 0, false
	}
	is := false
	err = raw.Control(func(fd uintptr) {
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size)))
		is = errno == 0
	})
	return int(size.columns), err == nil && is
}
