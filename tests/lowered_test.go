package tests

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestLoweredDerivatives differentiates callbacks through the operations that they are lowered to: in two calls, one
// after the other, of functions that nobody registered.
func TestLoweredDerivatives(t *testing.T) {
	vector := tensor.ShapeOf(tensor.F64, 3)
	calling := func(form func(builder.Callback, ...builder.Value) builder.Value) *mlir.Module {
		b := builder.New(mlirtest.Context(t), builder.Options{})
		f := b.Func("loss", vector)
		y := form(builder.Callback{Name: "square"}, f.Param(0))
		f.Return(builder.ReduceSum(form(builder.Callback{Name: "cube"}, y)))
		m, err := b.Module()
		check.NoError(t, err)
		check.Cleanup(t, m)
		return m
	}
	pure := func(c builder.Callback, x ...builder.Value) builder.Value { return builder.PureCall(x[0], x[0], c) }
	runtime := func(c builder.Callback, x ...builder.Value) builder.Value { return builder.RuntimeCall(x[0], x[0], c) }
	lower := map[string]stages.Lowering{
		"square": func(x []builder.Value) []builder.Value { return []builder.Value{builder.Mul(x[0], x[0])} },
		"cube": func(x []builder.Value) []builder.Value {
			return []builder.Value{builder.Mul(x[0], builder.Mul(x[0], x[0]))}
		},
	}

	m := calling(pure)
	loss, _ := m.SymbolTable().Lookup("loss")
	_, err := autodiff.Grad(loss, autodiff.Options{})
	check.Error(t, err, "(stages.LowerCallbacks)")
	for name, f := range lower {
		check.NoError(t, stages.LowerCallbacks(m, map[string]stages.Lowering{name: f}))
	}
	loss, _ = m.SymbolTable().Lookup("loss")
	_, err = autodiff.Grad(loss, autodiff.Options{Name: "main"})
	check.NoError(t, err)
	got, err := stablehlo.Evaluate(m, tensor.Vector(1.0, -2, 3))
	check.NoError(t, err)
	check.Diff(t, "6 x⁵", "[f64[3] [6 -192 1458]]", fmt.Sprint(got))

	check.Error(t, stages.LowerCallbacks(calling(runtime), lower), `the callback "square" has the form call`)
	check.Error(t, stages.LowerCallbacks(nil, lower), "the module is nil")
	check.Error(t, stages.LowerCallbacks(m, map[string]stages.Lowering{"x": nil}), `Options.Lower["x"] is nil`)
}
