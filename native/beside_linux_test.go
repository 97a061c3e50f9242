package native

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestUnreadableBeside has a library that only its owner may read, as under an umask of 077, and another user.
func TestUnreadableBeside(t *testing.T) {
	dir := beside(t)
	path := write(t, filepath.Join(dir, testLibrary), libraryBytes)
	check.NoError(t, os.Chmod(path, 0))
	check.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	problem := make(chan string)
	go func() {
		if os.Geteuid() == 0 {
			runtime.LockOSThread() // the user is that of the thread, which ends with this function
			check.Report(t, syscall.Setfsuid(65534))
		}
		problem <- unfitBeside(filepath.Join(dir, "program"), path)
	}()
	check.Diff(t, "problem", "not used: it cannot be read: make it readable for the user of the program", <-problem)
}
