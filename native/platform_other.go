//go:build !linux && !darwin && !windows

package native

import (
	"fmt"
	"io/fs"
	"os"
	"runtime"
)

func platformError() error {
	return fmt.Errorf("native: %s is not supported, because no pinned native library exists for it: use Linux, macOS or Windows", runtime.GOOS)
}

// This is never reached: platformError stops every caller before.
func tryLock(*os.File) (bool, error) { return false, platformError() }

func identity(fs.FileInfo) (inode uint64, changed int64) { return 0, 0 }

func diskFull(error) bool { return false }

func syncDir(string) error { return nil }
