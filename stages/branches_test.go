package stages_test

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stages"
)

// returnsEarlier returns a value that it computes before an if. A loop in a branch squares this value.
const returnsEarlier = `
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %x = stablehlo.add %a, %one : tensor<4xf32>
  %token = stablehlo.constant dense<0> : tensor<1xi8>
  %0 = stablehlo.slice %x [0:1] : (tensor<4xf32>) -> tensor<1xf32>
  %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.compare GT, %1, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %2 = "stablehlo.if"(%p) ({
    %c0 = stablehlo.constant dense<0> : tensor<i32>
    %c3 = stablehlo.constant dense<3> : tensor<i32>
    %3:3 = stablehlo.while(%i = %c0, %v = %x, %t = %token) : tensor<i32>, tensor<4xf32>, tensor<1xi8>
    cond {
      %4 = stablehlo.compare LT, %i, %c3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c1 = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.add %i, %c1 : tensor<i32>
      %6 = stablehlo.custom_call @calliope_io_callback(%v, %t) {api_version = 4 : i32, has_side_effect = true,
        backend_config = {callback = "earlier", form = "observe", n_tokens = 1 : i64, effect = "a", v = 1 : i64},
        output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]}
        : (tensor<4xf32>, tensor<1xi8>) -> tensor<1xi8>
      %7 = stablehlo.multiply %v, %v : tensor<4xf32>
      stablehlo.return %5, %7, %6 : tensor<i32>, tensor<4xf32>, tensor<1xi8>
    }
    stablehlo.return %3#2 : tensor<1xi8>
  }, {
    stablehlo.return %token : tensor<1xi8>
  }) : (tensor<i1>) -> tensor<1xi8>
  return %x : tensor<4xf32>
}`

// TestReturnsEarlier runs a module with which XLA returns what the loop wrote; see
// passes.Prepare.
func TestReturnsEarlier(t *testing.T) {
	m := mlirtest.Parse(t, mlirtest.Context(t), returnsEarlier)
	var seen []string
	register(t, "earlier", func(f *callbacks.Frame) error {
		seen = append(seen, fmt.Sprint(f.Args[0]))
		return nil
	}, callbacks.Options{})
	before := m.String()
	client := newClient(t)
	for name, o := range map[string]stages.Options{
		"inline":         {Devices: stages.On(client.Engine())},
		"in stages":      {Devices: stages.On(client.Engine()), Force: cutAll("earlier")},
		"on interpreter": {},
	} {
		seen = nil
		e, err := stages.Compile(t.Context(), m, o)
		check.NoError(t, err)
		check.Cleanup(t, e)
		got, err := e.Call(t.Context(), floats(1, 2, 3, 4))
		check.NoError(t, err)
		check.Diff(t, name, "[f32[4] [2 3 4 5]]", fmt.Sprint(got))
		check.Diff(t, name, "[f32[4] [2 3 4 5] f32[4] [4 9 16 25] f32[4] [16 81 256 625]]", fmt.Sprint(seen))
	}
	check.Diff(t, "the module", before, m.String())
}
