//go:build !linux && !darwin

package native

import (
	"fmt"
	"os"
	"runtime"
)

func platformError() error {
	return fmt.Errorf("native: %s is not supported, because no pinned native library exists for it: use Linux (on Windows, WSL or a container) or macOS", runtime.GOOS)
}

// Never reached: platformError stops every caller before it.
func tryLock(*os.File) (bool, error) { return false, platformError() }

func diskFull(error) bool { return false }
