package lower_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// A program is a module whose main is compared with the reference interpreter, or with XLA.
type program struct {
	name, text string
	inputs     []tensor.View // nil stands for random ones
}

// interpreted runs programs, and compares the results with those of the reference interpreter.
func interpreted(t *testing.T, programs []program) {
	t.Helper()
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			m := mlirtest.Parse(t, mlirtest.Context(t), p.text)
			got, inputs := p.run(t, m)
			compare(t, 1e-5, check.Must(stablehlo.Evaluate(m, inputs...)), got)
		})
	}
}

// onXLA runs programs, and compares the results with those of XLA. tolerance is for floats.
func onXLA(t *testing.T, tolerance float64, programs []program) {
	t.Helper()
	if client == nil {
		t.Skip("there is no XLA plugin for this platform")
	}
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			m := mlirtest.Parse(t, mlirtest.Context(t), p.text)
			got, arguments := p.run(t, m)
			e, err := client.Compile(t.Context(), bridge.Source(p.text), engine.CompileOptions{})
			check.NoError(t, err)
			check.Cleanup(t, e)
			inputs := make([]engine.Input, len(arguments))
			for i, v := range arguments {
				inputs[i] = v
			}
			outputs, err := e.Run(t.Context(), inputs...)
			check.NoError(t, err)
			var want []tensor.View
			for _, o := range outputs {
				check.Cleanup(t, o)
				want = append(want, check.Must(o.ToHost(t.Context())))
			}
			compare(t, tolerance, want, got)
		})
	}
}

// run compiles and runs a program, and also returns its inputs.
func (p *program) run(t *testing.T, m *mlir.Module) (results, inputs []tensor.View) {
	t.Helper()
	e, err := jit.Compile(t.Context(), m, jit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	check.Cleanup(t, e)
	inputs = p.randomInputs(e.Inputs())
	results, err = e.Call(context.Background(), inputs...)
	if err != nil {
		t.Fatal(err)
	}
	return results, inputs
}

// randomInputs returns the inputs, which are random if there are none.
func (p *program) randomInputs(shapes []tensor.Shape) []tensor.View {
	if p.inputs != nil {
		return p.inputs
	}
	random := rand.New(rand.NewPCG(1, 2))
	list := make([]tensor.View, len(shapes))
	for i, s := range shapes {
		list[i] = randomView(s, random)
	}
	return list
}

// randomView returns an array of small numbers, or of any if they are unsigned.
func randomView(s tensor.Shape, random *rand.Rand) tensor.View {
	float := func() float64 { return float64(random.IntN(65)-32) / 8 }
	switch s.DType {
	case tensor.F32:
		return filled(s, func() float32 { return float32(float()) })
	case tensor.F64:
		return filled(s, float)
	case tensor.C64:
		return filled(s, func() complex64 { return complex(float32(float()), float32(float())) })
	case tensor.C128:
		return filled(s, func() complex128 { return complex(float(), float()) })
	case tensor.S32:
		return filled(s, func() int32 { return random.Int32N(12) - 4 })
	case tensor.S64:
		return filled(s, func() int64 { return random.Int64N(12) - 4 })
	case tensor.S8:
		return filled(s, func() int8 { return int8(random.Uint32()) })
	case tensor.U8:
		return filled(s, func() uint8 { return uint8(random.Uint32()) })
	case tensor.U32:
		return filled(s, random.Uint32)
	case tensor.U64:
		return filled(s, random.Uint64)
	case tensor.Pred:
		return filled(s, func() bool { return random.IntN(2) == 1 })
	}
	return tensor.View{Shape: s, Data: make([]byte, s.NumBytes())}
}

func filled[T tensor.Element](s tensor.Shape, next func() T) tensor.View {
	data := make([]T, s.NumElements())
	for i := range data {
		data[i] = next()
	}
	return check.Must(tensor.FromSlice(data, s.Dims...))
}

// compare compares results, those of floats as if they were at least 1.
func compare(t *testing.T, tolerance float64, want, got []tensor.View) {
	t.Helper()
	near := cmp.Comparer(func(a, b float64) bool {
		return a == b || math.IsNaN(a) && math.IsNaN(b) ||
			math.Abs(a-b) <= tolerance*math.Max(math.Min(math.Abs(a), math.Abs(b)), 1)
	})
	check.Diff(t, "results", numbers(want), numbers(got), near)
}

func numbers(views []tensor.View) [][]any {
	list := make([][]any, len(views))
	for i, v := range views {
		list[i] = append(list[i], v.Shape.String())
		for j := range v.Shape.NumElements() {
			switch x := v.At(j).(type) {
			case float32:
				list[i] = append(list[i], float64(x))
			case complex64:
				list[i] = append(list[i], float64(real(x)), float64(imag(x)))
			case complex128:
				list[i] = append(list[i], real(x), imag(x))
			case uint8:
				if f, small := tensor.Float8(v.Shape.DType, x); small && f != f { // NaN, of any pattern
					list[i] = append(list[i], float64(f))
				} else {
					list[i] = append(list[i], x)
				}
			default:
				list[i] = append(list[i], x)
			}
		}
	}
	return list
}

// function returns the text of a module whose main takes arguments of some types and returns results.
func function(arguments, results, body string) string {
	return fmt.Sprintf("func.func @main(%s) -> (%s) {\n%s\n}", arguments, results, body)
}
