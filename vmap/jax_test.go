package vmap_test

import (
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/vmap"
)

// A jaxCase is a function of JAX as a module, with what JAX's vmap computes of it. testdata/make.py writes them.
type jaxCase struct {
	Name      string
	Module    string
	Arguments []jaxArray // batches
	Variants  []struct {
		Batched []bool // of the arguments; the others are the first of the batch
		Results []jaxArray
	}
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
		"int16": "s16", "int32": "s32", "int64": "s64", "uint32": "u32", "bool": "pred",
	}
	dtype, err := tensor.ParseDType(names[a.Type])
	check.NoError(t, err)
	data, err := base64.StdEncoding.DecodeString(a.Data)
	check.NoError(t, err)
	return tensor.View{Shape: tensor.ShapeOf(dtype, a.Shape...), Data: data}.Clone() // aligned for its elements
}

// numbers returns the elements of an array, complex ones as two, and those of other types as their bytes.
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

// near compares two arrays, both computed by XLA, in other orders.
func near(t *testing.T, what string, want, got tensor.View) {
	t.Helper()
	if want.Shape.String() != got.Shape.String() {
		t.Errorf("%s: %s, want %s", what, got.Shape, want.Shape)
		return
	}
	tolerance := map[tensor.DType]float64{
		tensor.F16: 4e-3, tensor.F64: 1e-12, tensor.F32: 3e-5, tensor.C64: 3e-5,
	}[want.Shape.DType]
	ws, gs := numbers(t, want), numbers(t, got)
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

var compareAll = flag.Bool("all", false, "compare all functions with JAX, not every third one")

// TestAgainstJAX holds the batches of each operation to those of JAX, for each choice of batched arguments. The
// compiler needs minutes for all of them.
func TestAgainstJAX(t *testing.T) {
	file, err := os.Open("testdata/cases.json.gz")
	check.NoError(t, err)
	check.Cleanup(t, file)
	var cases []jaxCase
	check.NoError(t, json.NewDecoder(check.Must(gzip.NewReader(file))).Decode(&cases))
	client := newClient(t)
	n := 0
	for _, c := range cases {
		for _, variant := range c.Variants {
			if n++; !*compareAll && n%3 != 0 {
				continue
			}
			t.Run(fmt.Sprint(c.Name, variant.Batched), func(t *testing.T) {
				t.Parallel()
				f := function(t, parse(t, c.Module), "main")
				o := vmap.Options{Size: 3}
				var arguments []tensor.View
				for i, a := range c.Arguments {
					if v := a.view(t); variant.Batched[i] {
						o.In, arguments = append(o.In, 0), append(arguments, v)
					} else {
						o.In, arguments = append(o.In, vmap.NotBatched), append(arguments, part(t, v, 0))
					}
				}
				batched, err := vmap.Batch(f, o)
				check.NoError(t, err)
				got := compile(t, client, batched)(arguments...)
				if len(got) != len(variant.Results) {
					t.Fatalf("%d results, want %d", len(got), len(variant.Results))
				}
				for i, w := range variant.Results {
					near(t, fmt.Sprintf("result %d", i), w.view(t), got[i])
				}
				if t.Failed() {
					t.Logf("%s\n%s", c.Module, batched)
				}
			})
		}
	}
}
