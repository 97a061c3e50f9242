package autodiff_test

import (
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"flag"
	"math"
	"os"
	"testing"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// A jaxCase is a function of JAX as a module, with what JAX computes. testdata/make.py writes them.
type jaxCase struct {
	Name                                               string
	Module                                             string
	Devices                                            int // that share it
	Arguments, Tangents, Cotangents, Results, JVP, VJP []jaxArray
}

type jaxArray struct {
	Type  string
	Shape []int
	Data  string
}

func (a jaxArray) view(t *testing.T) tensor.View {
	t.Helper()
	names := map[string]string{
		"float16": "f16", "float32": "f32", "float64": "f64", "complex64": "c64", "complex128": "c128",
		"int32": "s32", "int64": "s64", "bool": "pred",
	}
	dtype, err := tensor.ParseDType(names[a.Type])
	check.NoError(t, err)
	data, err := base64.StdEncoding.DecodeString(a.Data)
	check.NoError(t, err)
	return tensor.View{Shape: tensor.ShapeOf(dtype, a.Shape...), Data: data}.Clone() // aligned for its elements
}

func views(t *testing.T, list []jaxArray) (out []tensor.View) {
	for _, a := range list {
		out = append(out, a.view(t))
	}
	return out
}

// numbers returns the elements of an array, complex ones as two.
func numbers(t *testing.T, v tensor.View) (out []float64) {
	t.Helper()
	switch v.Shape.DType {
	case tensor.C64:
		for _, x := range check.Must(tensor.Slice[complex64](v)) {
			out = append(out, float64(real(x)), float64(imag(x)))
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

// near compares arrays with those of JAX. Both were computed by XLA, in other orders.
func near(t *testing.T, what string, want []jaxArray, got []tensor.View) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d arrays, want %d", what, len(got), len(want))
		return
	}
	for i, w := range want {
		w, g := w.view(t), got[i]
		if w.Shape.String() != g.Shape.String() {
			t.Errorf("%s %d: %s, want %s", what, i, g.Shape, w.Shape)
			continue
		}
		tolerance := map[tensor.DType]float64{tensor.F16: 4e-3, tensor.F64: 1e-12}[w.Shape.DType]
		if tolerance == 0 {
			tolerance = 3e-5
		}
		ws, gs := numbers(t, w), numbers(t, g)
		scale := 1.0
		for _, x := range ws {
			if !math.IsInf(x, 0) && !math.IsNaN(x) {
				scale = max(scale, math.Abs(x))
			}
		}
		for k, x := range ws {
			same := x == gs[k] || math.IsNaN(x) && math.IsNaN(gs[k]) || math.Abs(x-gs[k]) <= tolerance*scale
			if !same {
				t.Errorf("%s %d: %v, want %v", what, i, gs, ws)
				break
			}
		}
	}
}

var compareAll = flag.Bool("all", false, "compare all functions with JAX, not every third one")

// TestAgainstJAX holds the derivatives of each operation to those of JAX. The compiler needs a minute for all of them.
func TestAgainstJAX(t *testing.T) {
	file, err := os.Open("testdata/cases.json.gz")
	check.NoError(t, err)
	check.Cleanup(t, file)
	var cases []jaxCase
	check.NoError(t, json.NewDecoder(check.Must(gzip.NewReader(file))).Decode(&cases))
	client := newClient(t)
	for i, c := range cases {
		if !*compareAll && i%3 != 0 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			m := mlirtest.Parse(t, mlirtest.ContextOf(t, mlirtest.Jaxlib(t)), c.Module)
			run := func(t *testing.T, client *bridge.Client, f mlir.Operation, arguments ...tensor.View) []tensor.View {
				return runOn(t, client, c.Devices, f, arguments...)
			}
			f := function(t, m, "main")
			arguments := views(t, c.Arguments)
			jvp, err := autodiff.JVP(f, autodiff.Options{})
			check.NoError(t, err)
			got := run(t, client, jvp, append(arguments, views(t, c.Tangents)...)...)
			near(t, "result", c.Results, got[:len(c.Results)])
			near(t, "tangent", c.JVP, got[len(c.Results):])
			forward, backward, err := autodiff.VJP(f, autodiff.Options{})
			if c.VJP == nil { // JAX has no reverse mode for it
				return
			}
			check.NoError(t, err)
			got = run(t, client, forward, arguments...)
			n := len(c.Results)
			near(t, "forward result", c.Results, got[:n])
			near(t, "cotangent", c.VJP, run(t, client, backward, append(got[n:], views(t, c.Cotangents)...)...))
			if t.Failed() {
				t.Logf("%s\n%s\n%s\n%s", c.Module, jvp, forward, backward)
			}
		})
	}
}
