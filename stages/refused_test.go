package stages_test

import (
	"errors"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stages"
)

// TestRefusedPlaces has callbacks where they cannot be cut. The error names the callback, what is around it, and the
// line.
func TestRefusedPlaces(t *testing.T) {
	const call = `stablehlo.custom_call @calliope_runtime_call(%a) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "pure", callback = "f"}} : (tensor<f32>) -> tensor<f32>`
	for name, test := range map[string]struct{ body, want string }{
		"sort": {`%s = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = ` + call + `
    %p = stablehlo.compare LT, %c, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>`, `stages: stablehlo.custom_call at test.mlir:4:10: the callback "f" is in a stablehlo.sort, which cannot be cut: move the callback out of it`},
		"map": {`%s = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    %c = ` + call + `
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>`, `the callback "f" is in a stablehlo.map`},
		"a reduction in a loop": {`%s = stablehlo.while(%i = %x) : tensor<4xf32>
    cond { %true = stablehlo.constant dense<true> : tensor<i1> stablehlo.return %true : tensor<i1> }
    do {
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %r = "stablehlo.reduce"(%i, %z) <{dimensions = array<i64: 0>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = ` + call + `
        stablehlo.return %c : tensor<f32>
      }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      %w = stablehlo.broadcast_in_dim %r, dims = [] : (tensor<f32>) -> tensor<4xf32>
      stablehlo.return %w : tensor<4xf32>
    }`, `the callback "f" is in a stablehlo.reduce`},
		"a called computation": {`%s = stablehlo.custom_call @other(%x) {called_computations = [@f]} : (tensor<4xf32>) -> tensor<4xf32>`,
			`the callback "f" is in the function f, which main does not call itself: an operation names it`},
		"a function that is called in a sort": {`%s = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = func.call @f(%a) : (tensor<f32>) -> tensor<f32>
    %p = stablehlo.compare LT, %c, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>`, `the callback "f" is in a stablehlo.sort`},
	} {
		t.Run(name, func(t *testing.T) {
			m := mlirtest.Parse(t, mlirtest.Context(t),
				"func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  "+test.body+`
  return %s : tensor<4xf32>
}
func.func private @f(%a: tensor<f32>) -> tensor<f32> {
  %r = `+call+`
  return %r : tensor<f32>
}`)
			_, err := stages.Cut(m, stages.Options{})
			check.Error(t, err, test.want)
			if at := new(stages.CutError); !errors.As(err, &at) || at.Location == "" {
				t.Errorf("got %v, want a CutError with a location", err)
			}
		})
	}
}

// TestRecursion refuses functions that call themselves, which no compiler can inline.
func TestRecursion(t *testing.T) {
	m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %y = func.call @f(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @f(%a: tensor<f32>) -> tensor<f32> {
  %r = stablehlo.custom_call @calliope_runtime_call(%a) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "pure", callback = "f"}} : (tensor<f32>) -> tensor<f32>
  %s = func.call @f(%r) : (tensor<f32>) -> tensor<f32>
  return %s : tensor<f32>
}`)
	_, err := stages.Cut(m, stages.Options{})
	check.Error(t, err, "the function f calls itself")
}

// TestComposite cuts a callback in the decomposition of a composite.
func TestComposite(t *testing.T) {
	register(t, "double", double, callbacks.Options{})
	m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = stablehlo.composite "mine.double" %x {decomposition = @f} : (tensor<4xf32>) -> tensor<4xf32>
  %z = stablehlo.composite "mine.negate" %y {decomposition = @g} : (tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}
func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = stablehlo.custom_call @calliope_runtime_call(%a) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "call", callback = "double"}} : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @g(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = stablehlo.negate %a : tensor<4xf32>
  return %r : tensor<4xf32>
}`)
	check.Diff(t, "results", "[f32[4] [-2 -4 -6 -8]]",
		everyWay(t, m, stages.Options{}, []string{"double"}, floats(1, 2, 3, 4)))
}
