package native

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"unsafe"
)

func platformError() error { return nil }

var lockFileEx = syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx")

const (
	errLockViolation  = syscall.Errno(33)
	errHandleDiskFull = syscall.Errno(39)
	errDiskFull       = syscall.Errno(112)
)

// tryLock takes an exclusive lock on f. It reports false if another open file, in this
// process or another, has the lock. The kernel releases the lock when its holder ends for
// any reason. It locks a byte far behind the end of the file, because nobody else can read
// what is locked.
func tryLock(f *os.File) (bool, error) {
	const exclusive, immediately = 2, 1
	at := syscall.Overlapped{Offset: ^uint32(0), OffsetHigh: 0x7fffffff}
	ok, _, err := lockFileEx.Call(f.Fd(), exclusive|immediately, 0, 1, 0, uintptr(unsafe.Pointer(&at)))
	switch {
	case ok != 0:
		return true, nil
	case errors.Is(err, errLockViolation), errors.Is(err, syscall.ERROR_IO_PENDING):
		return false, nil
	default:
		return false, err
	}
}

// identity returns no inode number, and the time of creation in nanoseconds.
func identity(info fs.FileInfo) (inode uint64, changed int64) {
	if s, ok := info.Sys().(*syscall.Win32FileAttributeData); ok {
		return 0, s.CreationTime.Nanoseconds()
	}
	return 0, 0
}

func diskFull(err error) bool {
	return errors.Is(err, errDiskFull) || errors.Is(err, errHandleDiskFull)
}

// syncDir does nothing: Windows has no call for it.
func syncDir(string) error { return nil }
