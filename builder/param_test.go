package builder_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestSignature(t *testing.T) {
	b := builder.New(mlirtest.ContextOf(t, mlirtest.Jaxlib(t)), builder.Options{})
	b.Mesh("grid", builder.Axis{Name: "x", Size: 2}, builder.Axis{Name: "y", Size: 2})
	matrix := tensor.ShapeOf(tensor.F32, 4, 8)
	f := b.FuncWith("main", builder.Signature{
		Params: []builder.Param{
			{Name: "weights", Shape: matrix, AliasOutput: new(1), Donate: true},
			{Name: "x", Shape: matrix, Sharding: builder.Sharding{Mesh: "grid", Dims: [][]string{{"x", "y"}}}},
			{Shape: matrix, Donate: true, Sharding: builder.Sharding{HLO: "{replicated}"}},
		},
		Results: []builder.Result{
			{Name: "loss", Sharding: builder.Sharding{Mesh: "grid", Dims: [][]string{{}, {"x"}}}},
			{},
		},
	})
	x := builder.Constrain(f.Param(1), builder.Sharding{Mesh: "grid", Dims: [][]string{{"y"}}})
	y := builder.Constrain(f.Param(2), builder.Sharding{HLO: "{devices=[2,1]<=[2]}"})
	f.Return(x, y)
	m := finish(t, b)
	want := `module {
  sdy.mesh @grid = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<4x8xf32> {tf.aliasing_output = 1 : i32}, %arg1: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x", "y"}, {}]>}, %arg2: tensor<4x8xf32> {jax.buffer_donor = true, mhlo.sharding = "{replicated}"}) -> (tensor<4x8xf32> {jax.result_info = "loss", sdy.sharding = #sdy.sharding<@grid, [{}, {"x"}]>}, tensor<4x8xf32>) {
    %0 = sdy.sharding_constraint %arg1 <@grid, [{"y"}, {}]> : tensor<4x8xf32>
    %1 = stablehlo.custom_call @Sharding(%arg2) {mhlo.sharding = "{devices=[2,1]<=[2]}"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
  }
}
`
	if diff := cmp.Diff(want, m.String()); diff != "" {
		t.Errorf("module (-want +got):\n%s", diff)
	}
}

// TestParameterNames checks that diagnostics use the names of parameters.
func TestParameterNames(t *testing.T) {
	b := newBuilder(t)
	f := b.FuncWith("main", builder.Signature{Params: []builder.Param{{Name: "weights", Shape: vector}}})
	f.Return(f.Param(0))
	m := finish(t, b)
	text := m.Operation().Print(mlir.PrintOptions{DebugInfo: true})
	if want := `loc("weights"(`; !strings.Contains(text, want) {
		t.Errorf("the module does not have %s:\n%s", want, text)
	}
}

// TestParameterOfAnyType builds a function with a tuple as a parameter.
func TestParameterOfAnyType(t *testing.T) {
	ctx := mlirtest.Context(t)
	b := builder.New(ctx, builder.Options{})
	f := b.FuncWith("main", builder.Signature{Params: []builder.Param{{Type: ctx.TupleType(ctx.F32Type())}}})
	f.Return(f.Param(0))
	if _, err := b.Module(); err != nil {
		t.Error(err)
	}
}

// TestAddParam adds parameters and states results while functions are built, one of which is called without arguments.
func TestAddParam(t *testing.T) {
	b := newBuilder(t)
	f, g := b.Func("main"), b.FuncWith("one", builder.Signature{Private: true})
	x := builder.Neg(f.AddParam(builder.Param{Name: "x", Shape: number}))
	y := f.AddParam(builder.Param{Shape: number, Donate: true})
	g.Return(builder.Scalar(g, float32(1)))
	b.Func("open").Return()
	f.ReturnWith([]builder.Result{{Name: "loss"}}, builder.Add(builder.Add(x, y), g.CallFrom(f)[0]))
	want := `module {
  func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32> {jax.buffer_donor = true}) -> (tensor<f32> {jax.result_info = "loss"}) {
    %0 = stablehlo.negate %arg0 : tensor<f32>
    %1 = stablehlo.add %0, %arg1 : tensor<f32>
    %2 = call @one() : () -> tensor<f32>
    %3 = stablehlo.add %1, %2 : tensor<f32>
    return %3 : tensor<f32>
  }
  func.func private @one() -> tensor<f32> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    return %cst : tensor<f32>
  }
  func.func @open() {
    return
  }
}
`
	if diff := cmp.Diff(want, finish(t, b).String()); diff != "" {
		t.Errorf("module (-want +got):\n%s", diff)
	}
}
