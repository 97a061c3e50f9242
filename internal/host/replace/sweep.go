package replace

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A temporary file begins with prefix and ends with suffix.
func prefix(path string) string { return "." + filepath.Base(path) + "." }

const suffix = ".tmp"

// sweepAfter is the age of a file that is certainly held by the process that made it, if that is alive.
const sweepAfter = time.Minute

// Sweep removes what processes that were killed while File wrote this path left beside it, and leaves what is younger
// than a minute or cannot be removed. On Windows it removes nothing.
func Sweep(path string) {
	t, err := find(path)
	if err != nil {
		return
	}
	folder := filepath.Dir(t.path)
	entries, _ := os.ReadDir(folder) // those before an error
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix(t.path)) || !strings.HasSuffix(e.Name(), suffix) {
			continue
		}
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > sweepAfter {
			removeForsaken(filepath.Join(folder, e.Name()))
		}
	}
}
