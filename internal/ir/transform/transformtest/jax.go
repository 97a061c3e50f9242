// Package transformtest reads the arrays that JAX computed for tests of transformations, and compares with them.
package transformtest

import (
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"flag"
	"math"
	"os"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// ReadCases reads a file of cases, which a script testdata/make.py has written.
func ReadCases[T any](t testing.TB, path string) (cases []T) {
	t.Helper()
	file, err := os.Open(path)
	check.NoError(t, err)
	check.Cleanup(t, file)
	check.NoError(t, json.NewDecoder(check.Must(gzip.NewReader(file))).Decode(&cases))
	return cases
}

var all = flag.Bool("all", false, "take all cases, not each third one")

// Takes reports whether a test takes case i of a file. The compiler needs minutes for all of them: without the flag
// -all it is each third one, and with -short each thirtieth.
func Takes(i int) bool {
	if testing.Short() {
		return i%30 == 0
	}
	return *all || i%3 == 0
}

// An Array is an array of NumPy in a case.
type Array struct {
	Type  string
	Shape []int
	Data  string
}

// View returns the array.
func (a Array) View(t *testing.T) tensor.View {
	t.Helper()
	names := map[string]string{
		"float16": "f16", "float32": "f32", "float64": "f64", "complex64": "c64", "complex128": "c128",
		"int16": "s16", "int32": "s32", "int64": "s64", "uint32": "u32", "bool": "pred",
	}
	dtype, err := tensor.ParseDType(names[a.Type])
	check.NoError(t, err)
	data, err := base64.StdEncoding.DecodeString(a.Data)
	check.NoError(t, err)
	return tensor.View{Shape: tensor.ShapeOf(dtype, a.Shape...), Data: data}.Clone() // aligned for its elements
}

// Numbers returns the elements of an array, complex ones as two, and those of other types as their bytes.
func Numbers(t *testing.T, v tensor.View) (out []float64) {
	t.Helper()
	switch v.Shape.DType {
	case tensor.C64:
		for _, x := range check.Must(tensor.Slice[complex64](v)) {
			out = append(out, float64(real(x)), float64(imag(x)))
		}
	case tensor.C128:
		for _, x := range check.Must(tensor.Slice[complex128](v)) {
			out = append(out, real(x), imag(x))
		}
	case tensor.F64:
		out = check.Must(tensor.Slice[float64](v))
	case tensor.F32:
		for _, x := range check.Must(tensor.Slice[float32](v)) {
			out = append(out, float64(x))
		}
	case tensor.F16:
		for _, x := range check.Must(tensor.Slice[tensor.Float16](v)) {
			out = append(out, float64(x.Float32()))
		}
	default:
		for _, b := range v.Data {
			out = append(out, float64(b))
		}
	}
	return out
}

// Near compares two arrays, both computed by XLA, in other orders.
func Near(t *testing.T, what string, want, got tensor.View) {
	t.Helper()
	if want.Shape.String() != got.Shape.String() {
		t.Errorf("%s: %s, want %s", what, got.Shape, want.Shape)
		return
	}
	tolerance := map[tensor.DType]float64{
		tensor.F16: 4e-3, tensor.F64: 1e-12, tensor.F32: 3e-5, tensor.C64: 3e-5, tensor.C128: 1e-12,
	}[want.Shape.DType]
	ws, gs := Numbers(t, want), Numbers(t, got)
	scale := 1.0
	for _, x := range ws {
		if !math.IsInf(x, 0) && !math.IsNaN(x) {
			scale = max(scale, math.Abs(x))
		}
	}
	for k, x := range ws {
		same := x == gs[k] || math.IsNaN(x) && math.IsNaN(gs[k]) || math.Abs(x-gs[k]) <= tolerance*scale
		if !same {
			t.Errorf("%s: %v, want %v", what, gs, ws)
			break
		}
	}
}
