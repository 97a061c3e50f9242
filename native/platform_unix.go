//go:build linux || darwin

package native

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

func platformError() error { return nil }

// tryLock takes an exclusive lock on f. It reports false if another open file, in this
// process or another, has the lock. The kernel releases the lock when its holder ends for
// any reason.
func tryLock(f *os.File) (bool, error) {
	for {
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		default:
			return false, err
		}
	}
}

// hasModes reports whether the mode of a file says who may write to it.
const hasModes = true

// owner returns the id of the user that owns a file, or -1 if it is not known.
func owner(info fs.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid)
	}
	return -1
}

func diskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// syncDir makes renames inside dir durable.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
