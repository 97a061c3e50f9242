package dl

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

func TestOpen(t *testing.T) {
	name, ok := map[string]string{"linux": "libm.so.6", "darwin": "libm.dylib", "windows": "msvcrt.dll"}[runtime.GOOS]
	if !ok {
		t.Fatalf("no library of %s is known", runtime.GOOS)
	}
	library, err := Open(name)
	check.NoError(t, err)
	if library.Path() != name || library.Handle() == nil {
		t.Errorf("path %q, handle %v", library.Path(), library.Handle())
	}
	if library.Symbol("cos") == nil {
		t.Error(name, "has no cos")
	}
	if library.Symbol("no_such_symbol") != nil {
		t.Error(name, "has no_such_symbol")
	}
}

func TestOpenMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "absent.so")
	_, err := Open(path)
	why := "No such file"
	if runtime.GOOS == "windows" {
		why = "odule" // "The specified module could not be found", in Wine "Module not found"
	}
	if err == nil || strings.Count(err.Error(), path) != 1 || !strings.Contains(err.Error(), why) {
		t.Errorf("got %v, want an error that names %s once", err, path)
	}
}

// TestOpenImpossiblePaths gives the loader no path that no file can have: glibc's ends the process for a long one.
func TestOpenImpossiblePaths(t *testing.T) {
	for name, test := range map[string]struct{ path, want string }{
		"longest":      {strings.Repeat("a", 4095), "opening shared library a"},
		"too long":     {strings.Repeat("a", 4096), `opening shared library "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"…: the path has 4096 bytes: it must have 4095 at most`},
		"100 MB":       {strings.Repeat("a", 100e6), "the path has 100000000 bytes"},
		"100 MB, deep": {strings.Repeat("a/", 50e6), "the path has 100000000 bytes"},
		"with a NUL":   {"libm.so.6\x00.txt", "the path has a NUL"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Open(test.path)
			if err == nil || !strings.Contains(err.Error(), test.want) || len(err.Error()) > 2*4096 {
				t.Errorf("got %.200v, want an error with %q", err, test.want)
			}
		})
	}
}
