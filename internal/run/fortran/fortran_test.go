package fortran

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
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
		order := Arg{Address: unsafe.Pointer(&n)}
		potrf.Call(1, Arg{Address: unsafe.Pointer(&uplo)}, order, Arg{Address: unsafe.Pointer(&a[0])}, order,
			Arg{Address: unsafe.Pointer(&info)})
		check.Diff(t, "info", int32(0), info)
		check.Diff(t, "factor", test.want, a)
	}
}

// TestSteps factors matrices of one element each: the root is the factor.
func TestSteps(t *testing.T) {
	potrf := check.Must(open(t).Routine("dpotrf"))
	uplo, n := byte('L'), int32(1)
	a, info := []float64{4, 9, -1, 16}, []int32{7, 7, 7, 7}
	order := Arg{Address: unsafe.Pointer(&n)}
	call := func(times int) {
		potrf.Call(times, Arg{Address: unsafe.Pointer(&uplo)}, order, Arg{unsafe.Pointer(&a[0]), 8}, order,
			Arg{unsafe.Pointer(&info[0]), 4})
	}
	call(0)
	check.Diff(t, "no call", []float64{4, 9, -1, 16}, a)
	call(3)
	check.Diff(t, "factors", []float64{2, 3, -1, 16}, a)
	check.Diff(t, "info", []int32{0, 0, 1, 7}, info)
}

// TestProduct multiplies matrices that fill no whole number of vectors, by the code for this processor.
func TestProduct(t *testing.T) {
	found, err := native.Find(native.LAPACK)
	check.NoError(t, err)
	l, err := Open(found.Path, "dgemm")
	if bytes := streaming(); os.Getenv("OPENBLAS_CORETYPE") == "" && bytes != 0 && bytes != 64 {
		check.Error(t, err, "set OPENBLAS_CORETYPE=armv8sve")
		return
	}
	check.NoError(t, err)
	m, n, k := int32(17), int32(65), int32(100)
	a, b, c, want := make([]float64, m*k), make([]float64, k*n), make([]float64, m*n), make([]float64, m*n)
	for i := range a {
		a[i] = float64(i*7%13) - 6
	}
	for i := range b {
		b[i] = float64(i*5%11) - 5
	}
	for i := range want {
		for p := range k {
			want[i] += a[int32(i)%m+p*m] * b[p+int32(i)/m*k]
		}
	}
	kept, one, zero := byte('N'), 1.0, 0.0
	var args []Arg
	for _, p := range []unsafe.Pointer{
		unsafe.Pointer(&kept), unsafe.Pointer(&kept), unsafe.Pointer(&m), unsafe.Pointer(&n),
		unsafe.Pointer(&k), unsafe.Pointer(&one), unsafe.Pointer(&a[0]), unsafe.Pointer(&m),
		unsafe.Pointer(&b[0]), unsafe.Pointer(&k), unsafe.Pointer(&zero), unsafe.Pointer(&c[0]),
		unsafe.Pointer(&m),
	} {
		args = append(args, Arg{Address: p})
	}
	check.Must(l.Routine("dgemm")).Call(1, args...)
	check.Diff(t, "product", want, c)
}

func TestStreaming(t *testing.T) {
	for _, test := range []struct {
		core  string
		bytes int
		fits  bool
	}{
		{"armv9sme", 64, true}, {"armv9sme", 32, false}, {"ARMV9SME", 128, false},
		{"armv9sme", 0, true}, // not Linux
		{"armv8sve", 32, true}, {"", 0, true},
	} {
		if err := checkStreaming(test.core, test.bytes); (err == nil) != test.fits {
			t.Errorf("%s with %d bytes: %v", test.core, test.bytes, err)
		}
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

// TestWide opens a library with integers of 64 bits.
func TestWide(t *testing.T) {
	folder := t.TempDir()
	source, library := filepath.Join(folder, "wide.c"), filepath.Join(folder, "wide.so")
	check.NoError(t, os.WriteFile(source, []byte(`
#ifdef _WIN32
__declspec(dllexport)
#endif
void dpotrf_(void) {}
#ifdef _WIN32
__declspec(dllexport)
#endif
void ilaver_(long long *major, long long *minor, long long *patch) { *major = 3; *minor = 12; *patch = 0; }
`), 0o644))
	compiler := strings.Fields(string(check.Must(exec.Command("go", "env", "CC").Output())))
	out, err := exec.Command(compiler[0],
		append(compiler[1:], "-shared", "-fPIC", "-o", library, source)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	_, err = Open(library, "dpotrf")
	check.Error(t, err, "has integers of 64 bits, and must have integers of 32 bits")
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
	check.Panics(t, "a call of", func() { Routine{}.Call(1) })
}
