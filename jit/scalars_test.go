package jit_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestScalars has operations on arrays without dimensions, on some of which MLIR's pass crashes. A child compiles them.
func TestScalars(t *testing.T) {
	for name, tt := range map[string]struct {
		operation string
		want      float32
	}{
		"dynamic_slice":        {`"stablehlo.dynamic_slice"(%x) <{slice_sizes = array<i64>}> : (TYPE) -> TYPE`, 3},
		"dynamic_update_slice": {`"stablehlo.dynamic_update_slice"(%x, %y) : (TYPE, TYPE) -> TYPE`, 2},
		"select_and_scatter": {`"stablehlo.select_and_scatter"(%x, %y, %y) <{window_dimensions = array<i64>}> ({
			^bb0(%a: TYPE, %b: TYPE):
				%c = stablehlo.compare GE, %a, %b : (TYPE, TYPE) -> tensor<i1>
				stablehlo.return %c : tensor<i1>
			}, {
			^bb0(%a: TYPE, %b: TYPE):
				%c = stablehlo.add %a, %b : TYPE
				stablehlo.return %c : TYPE
			}) : (TYPE, TYPE, TYPE) -> TYPE`, 4},
		"reduce_window": {`"stablehlo.reduce_window"(%x, %y) <{window_dimensions = array<i64>}> ({
			^bb0(%a: TYPE, %b: TYPE):
				%c = stablehlo.add %a, %b : TYPE
				stablehlo.return %c : TYPE
			}) : (TYPE, TYPE) -> TYPE`, 5},
		"scatter": {`"stablehlo.scatter"(%x, %none, %y) <{
				scatter_dimension_numbers = #stablehlo.scatter<>}> ({
			^bb0(%a: TYPE, %b: TYPE):
				%c = stablehlo.add %a, %b : TYPE
				stablehlo.return %c : TYPE
			}) : (TYPE, tensor<0xi32>, TYPE) -> TYPE`, 5},
		"gather": {`"stablehlo.gather"(%x, %none) <{dimension_numbers = #stablehlo.gather<>,
			slice_sizes = array<i64>}> : (TYPE, tensor<0xi32>) -> TYPE`, 3},
		"pad": {`"stablehlo.pad"(%x, %y) <{edge_padding_low = array<i64>, edge_padding_high = array<i64>,
			interior_padding = array<i64>}> : (TYPE, TYPE) -> TYPE`, 3},
		"slice": {`"stablehlo.slice"(%x) <{start_indices = array<i64>, limit_indices = array<i64>,
			strides = array<i64>}> : (TYPE) -> TYPE`, 3},
		"transpose": {`"stablehlo.transpose"(%x) <{permutation = array<i64>}> : (TYPE) -> TYPE`, 3},
		"reverse":   {`"stablehlo.reverse"(%x) <{dimensions = array<i64>}> : (TYPE) -> TYPE`, 3},
		"dot_general": {`"stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = #stablehlo.dot<>}>
			: (TYPE, TYPE) -> TYPE`, 6},
	} {
		t.Run(name, func(t *testing.T) {
			text := `func.func @main(%x: TYPE, %y: TYPE) -> TYPE {
				%none = stablehlo.constant dense<> : tensor<0xi32>
				%r = ` + tt.operation + `
				return %r : TYPE
			}`
			m := mlirtest.Parse(t, mlirtest.Context(t), strings.ReplaceAll(text, "TYPE", "tensor<f32>"))
			e, err := jit.Compile(t.Context(), m, jit.Options{Isolate: true})
			check.NoError(t, err)
			check.Cleanup(t, e)
			got, err := e.Call(t.Context(), tensor.Scalar[float32](3), tensor.Scalar[float32](2))
			check.NoError(t, err)
			check.Diff(t, "results", []tensor.View{tensor.Scalar(tt.want)}, got)
		})
	}
}
