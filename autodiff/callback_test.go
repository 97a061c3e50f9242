package autodiff_test

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
)

// withCallbacks is sum(sin(x)²) with an observed sin(x) and, in a loop, a value that passes through the host.
const withCallbacks = `func.func @main(%x: tensor<3xf32>) -> tensor<f32> {
	%start = stablehlo.constant dense<0> : tensor<i32>
	%one = stablehlo.constant dense<1> : tensor<i32>
	%limit = stablehlo.constant dense<4> : tensor<i32>
	%zero = stablehlo.constant dense<0.0> : tensor<f32>
	%token = stablehlo.constant dense<0> : tensor<1xi8>
	%sin = stablehlo.sine %x : tensor<3xf32>
	%t1 = stablehlo.custom_call @calliope_io_callback(%sin, %token) {
		api_version = 4 : i32, has_side_effect = true,
		backend_config = {callback = "first", effect = "io", form = "observe", n_tokens = 1 : i64, v = 1 : i64},
		output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]
	} : (tensor<3xf32>, tensor<1xi8>) -> tensor<1xi8>
	%0:3 = stablehlo.while(%i = %start, %c = %sin, %t = %t1) : tensor<i32>, tensor<3xf32>, tensor<1xi8>
	cond {
		%1 = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
		stablehlo.return %1 : tensor<i1>
	} do {
		%1 = stablehlo.add %i, %one : tensor<i32>
		%2 = stablehlo.multiply %c, %x : tensor<3xf32>
		%3:2 = stablehlo.custom_call @calliope_io_callback(%2, %t) {
			api_version = 4 : i32, has_side_effect = true,
			backend_config = {callback = "second", effect = "io", form = "passthrough", n_tokens = 1 : i64, v = 1 : i64},
			output_operand_aliases = [
				#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>,
				#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = []>]
		} : (tensor<3xf32>, tensor<1xi8>) -> (tensor<3xf32>, tensor<1xi8>)
		stablehlo.return %1, %3#0, %3#1 : tensor<i32>, tensor<3xf32>, tensor<1xi8>
	}
	%4 = stablehlo.multiply %0#1, %0#1 : tensor<3xf32>
	%5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
	return %5 : tensor<f32>
}`

// TestCallbacks holds that a derivative has each callback once, in its forward part, in the same order,
// with the primal values, and in reverse mode the one that values pass through once more, with cotangents.
func TestCallbacks(t *testing.T) {
	for name, derive := range map[string]func(f mlir.Operation) ([]mlir.Operation, error){
		"JVP": func(f mlir.Operation) ([]mlir.Operation, error) {
			f, err := autodiff.JVP(f, autodiff.Options{})
			return []mlir.Operation{f}, err
		},
		"Grad": func(f mlir.Operation) ([]mlir.Operation, error) {
			f, err := autodiff.Grad(f, autodiff.Options{})
			return []mlir.Operation{f}, err
		},
		"VJP": func(f mlir.Operation) ([]mlir.Operation, error) {
			forward, backward, err := autodiff.VJP(f, autodiff.Options{})
			return []mlir.Operation{forward, backward}, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			made, err := derive(function(t, parse(t, withCallbacks), "main"))
			check.NoError(t, err)
			var calls [][]string
			for _, f := range made {
				var names []string
				for op := range f.All() {
					call, ok := callop.AsCall(op)
					if !ok {
						continue
					}
					if call.Config.Transforms == `[{"name":"jvp"},{"name":"transpose"}]` {
						names = append(names, "adjoint of "+call.Config.Callback)
						continue
					}
					names = append(names, call.Config.Callback)
					if producer := op.Operand(0).Owner().Name(); producer != "stablehlo.sine" &&
						producer != "stablehlo.multiply" {
						t.Errorf("%s sees what %s computes", call.Config.Callback, producer)
					}
				}
				calls = append(calls, names)
			}
			want := [][]string{{"first", "second"}}
			switch name {
			case "Grad":
				want[0] = append(want[0], "adjoint of second")
			case "VJP":
				want = append(want, []string{"adjoint of second"})
			}
			check.Diff(t, "calls", want, calls)
		})
	}
}

// TestGradientOfOrdered has an ordered callback as JAX lowers it: main takes and returns a token first.
func TestGradientOfOrdered(t *testing.T) {
	const text = `func.func @main(%%t: !stablehlo.token, %%x: tensor<f32>) -> (!stablehlo.token, tensor<f32>%[1]s) {
	%%0 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%%t, %%x) {has_side_effect = true,
		mhlo.backend_config = {index = 0 : ui64}} : (!stablehlo.token, tensor<f32>) -> !stablehlo.token
	%%1 = stablehlo.multiply %%x, %%x : tensor<f32>
	return %%0, %%1%[2]s : !stablehlo.token, tensor<f32>%[1]s
}`
	const token, number = "!stablehlo.token", "tensor<f32>"
	plain, more := fmt.Sprintf(text, "", ""), fmt.Sprintf(text, ", "+number, ", %x")
	for _, tt := range []struct {
		name, text string
		derive     func(mlir.Operation, autodiff.Options) (mlir.Operation, error)
		aux        bool
		want       []string
	}{
		{"grad", plain, autodiff.Grad, false, []string{token, number}},
		{"value and grad", plain, autodiff.ValueAndGrad, false, []string{token, number, number}},
		{"aux", more, autodiff.Grad, true, []string{token, number, number}},
		{"value and aux", more, autodiff.ValueAndGrad, true, []string{token, number, number, number}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			made, err := tt.derive(function(t, parse(t, tt.text), "main"), autodiff.Options{Aux: tt.aux})
			check.NoError(t, err)
			check.NoError(t, made.Verify())
			var got []string
			for _, v := range made.Region(0).First().Terminator().Operands() {
				got = append(got, v.Type().String())
			}
			check.Diff(t, "results", tt.want, got)
		})
	}
	_, err := autodiff.Grad(function(t, parse(t, more), "main"), autodiff.Options{})
	check.Error(t, err, "this one has 2: set Options.Aux")
}
