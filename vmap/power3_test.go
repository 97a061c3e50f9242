package vmap_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/vmap"
)

// power3 is x³, which prints x and x².
const power3 = `func.func @main(%%x: tensor<f32>) -> tensor<f32> {
	%%y = stablehlo.multiply %%x, %%x : tensor<f32>
	%%0:2 = stablehlo.custom_call @calliope_io_callback(%%x, %%y) {
		api_version = 4 : i32, has_side_effect = true,
		backend_config = {callback = %q, form = "passthrough", v = 1 : i64},
		output_operand_aliases = [
			#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>,
			#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = []>]
	} : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
	%%1 = stablehlo.multiply %%0#1, %%x : tensor<f32>
	return %%1 : tensor<f32>
}`

// TestPower3 holds what id_print of JAX's host_callback printed in the example of its documentation, for each
// transformation and for those of transformations.
func TestPower3(t *testing.T) {
	var out strings.Builder
	o := callbacks.PrintOptions{What: map[string]any{"what": "x,x^2"}, To: &out}
	name := register(t, check.Must(callbacks.Print(o)))
	client := newClient(t)
	f := function(t, parse(t, fmt.Sprintf(power3, name)), "main")
	batch := func(size int64) func(f mlir.Operation) mlir.Operation {
		return func(f mlir.Operation) mlir.Operation {
			return check.Must(vmap.Batch(f, vmap.Options{Size: size}))
		}
	}
	jvp := func(f mlir.Operation) mlir.Operation { return check.Must(autodiff.JVP(f, autodiff.Options{})) }
	grad := func(f mlir.Operation) mlir.Operation { return check.Must(autodiff.Grad(f, autodiff.Options{})) }
	type transformations []func(mlir.Operation) mlir.Operation // the innermost first
	for _, test := range []struct {
		name string
		transformations
		arguments []tensor.View
		want      string
		result    []float32 // the last one
	}{
		{"plain", nil, []tensor.View{tensor.Scalar[float32](3)}, "what: x,x^2\n( 3. 9. )\n", []float32{27}},
		{
			"batch", transformations{batch(3)}, []tensor.View{vector([]int{3}, 0, 1, 2)},
			"transforms: [('batch', {'batch_dims': (0, 0)})] what: x,x^2\n( [0. 1. 2.] [0. 1. 4.] )\n", []float32{0, 1, 8},
		},
		{
			"jvp", transformations{jvp},
			[]tensor.View{tensor.Scalar[float32](3), tensor.Scalar[float32](0.1)},
			"transforms: ['jvp'] what: x,x^2\n( 3. 9. 0.1 0.6 )\n", []float32{2.7},
		},
		{
			"grad", transformations{grad}, []tensor.View{tensor.Scalar[float32](3)},
			"what: x,x^2\n( 3. 9. )\ntransforms: ['jvp', 'transpose'] what: x,x^2\n( 0. 3. )\n", []float32{27},
		},
		{
			"batch of grad", transformations{grad, batch(2)},
			[]tensor.View{vector([]int{2}, 2, 3)},
			"transforms: [('batch', {'batch_dims': (0, 0)})] what: x,x^2\n( [2. 3.] [4. 9.] )\n" +
				"transforms: ['jvp', 'transpose', ('batch', {'batch_dims': (None, 0)})] what: x,x^2\n( 0. [2. 3.] )\n",
			[]float32{12, 27},
		},
		{
			"jvp of batch", transformations{batch(2), jvp},
			[]tensor.View{vector([]int{2}, 2, 3), vector([]int{2}, 1, 0)},
			"transforms: [('batch', {'batch_dims': (0, 0)}), 'jvp'] what: x,x^2\n( [2. 3.] [4. 9.] [1. 0.] [4. 0.] )\n",
			[]float32{12, 0},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			out.Reset()
			made := f
			for _, transformation := range test.transformations {
				made = transformation(made)
			}
			results := compile(t, client, made)(test.arguments...)
			check.Diff(t, "printed", test.want, out.String())
			check.Diff(t, "result", test.result, floats(results[len(results)-1]))
		})
	}
}
