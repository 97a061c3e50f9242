package dl

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestOpen(t *testing.T) {
	const name = "libm.so.6"
	library, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if library.Path() != name || library.Handle() == nil {
		t.Errorf("path %q, handle %v", library.Path(), library.Handle())
	}
	if library.Symbol("cos") == nil {
		t.Error("libm has no cos")
	}
	if library.Symbol("no_such_symbol") != nil {
		t.Error("libm has no_such_symbol")
	}
}

func TestOpenMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "absent.so")
	_, err := Open(path)
	if err == nil || strings.Count(err.Error(), path) != 1 || !strings.Contains(err.Error(), "No such file") {
		t.Errorf("got %v, want an error that names %s once", err, path)
	}
}
