package fortran

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/nativetest"
	"github.com/calliope-mlir/calliope/native"
)

func TestMain(m *testing.M) { nativetest.Main(m, native.LAPACK) }

func open(t *testing.T) *Library {
	t.Helper()
	found, err := native.Find(native.LAPACK)
	check.NoError(t, err)
	return check.Must(Open(found.Path, "dpotrf"))
}

// TestCall factors [[4, 2], [2, 5]] = L Lᵀ, which has L = [[2, 0], [1, 2]], in Go's memory.
// dpotrf has a string, whose length comes after the five arguments.
func TestCall(t *testing.T) {
	l := open(t)
	potrf := check.Must(l.Routine("dpotrf"))
	for _, test := range []struct {
		uplo byte
		want []float64 // by columns
	}{
		{'L', []float64{2, 1, 2, 2}}, // the 2 in the other half stays
		{'U', []float64{2, 2, 1, 2}},
	} {
		uplo, n, info := test.uplo, int32(2), int32(-1)
		a := []float64{4, 2, 2, 5}
		potrf.Call(unsafe.Pointer(&uplo), unsafe.Pointer(&n), unsafe.Pointer(&a[0]), unsafe.Pointer(&n), unsafe.Pointer(&info))
		check.Diff(t, "info", int32(0), info)
		check.Diff(t, "factor", test.want, a)
	}
}

func TestVersion(t *testing.T) {
	l := open(t)
	if v := l.Version(); !strings.HasPrefix(v, "OpenBLAS ") {
		t.Errorf("the version is %q", v)
	}
	if !filepath.IsAbs(l.Path()) {
		t.Errorf("the path is %q", l.Path())
	}
}

func TestErrors(t *testing.T) {
	l := open(t)
	_, err := l.Routine("dnothing")
	check.Error(t, err, "dnothing_")
	_, err = Open(l.Path(), "dnothing")
	check.Error(t, err, "it is not a LAPACK")
	path := filepath.Join(t.TempDir(), "x.so")
	check.NoError(t, os.WriteFile(path, []byte("x"), 0o644))
	_, err = Open(path, "dpotrf")
	check.Error(t, err, "opening shared library")
	check.Panics(t, "a call of", func() { Routine{}.Call() })
}
