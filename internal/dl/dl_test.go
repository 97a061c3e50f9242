package dl

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestOpen(t *testing.T) {
	name, ok := map[string]string{"linux": "libm.so.6", "darwin": "libm.dylib", "windows": "msvcrt.dll"}[runtime.GOOS]
	if !ok {
		t.Fatalf("no library of %s is known", runtime.GOOS)
	}
	library, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
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
