package tests

import (
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Modules with a callback compile as portable artifacts, and as bytecode if they have
// operations that artifacts cannot hold.
func TestProgram(t *testing.T) {
	for _, test := range []struct {
		name, op string
		portable bool
	}{
		{"StableHLO", "stablehlo.negate %p : tensor<2xf32>", true},
		{"CHLO", "chlo.tan %p : tensor<2xf32> -> tensor<2xf32>", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			calls := 0
			name := "program." + test.name
			check.NoError(t, callbacks.Default.Register(name, func(*callbacks.Frame) error { calls++; return nil },
				callbacks.Options{}))
			defer callbacks.Default.Unregister(name)
			m := parse(t, newContext(t), test.name, []byte(`func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %p = stablehlo.custom_call @`+contract.TargetIOCallback+`(%x) {api_version = 4 : i32, has_side_effect = true,
    backend_config = {v = 1 : i64, form = "passthrough", callback = "`+name+`"},
    output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]
  } : (tensor<2xf32>) -> tensor<2xf32>
  %r = `+test.op+`
  return %r : tensor<2xf32>
}`))
			artifact, err := stablehlo.Unprepared(m).Artifact("1.13.3")
			check.NoError(t, err)
			check.Diff(t, "is portable", test.portable, stablehlo.IsPortableArtifact(artifact))
			e, err := tryCompile(t, m)
			check.NoError(t, err)
			out, err := e.Run(t.Context(), tensor.Vector[float32](1, 2))
			check.NoError(t, err)
			check.NoError(t, out[0].Close())
			check.Diff(t, "calls", 1, calls)
		})
	}
}
