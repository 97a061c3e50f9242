package stablehlo_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// TestSizes holds that no array reaches XLA's compiler whose size overflows: it ends the process.
func TestSizes(t *testing.T) {
	for name, test := range map[string]struct{ shape, want string }{
		"overflows":  {"2147483648x2147483648x4xi32", "s32[2147483648,2147483648,4] takes more than 140737488355328 bytes"},
		"too large":  {"140737488355329xi8", "takes more than"},
		"large":      {"1099511627776xi8", ""},
		"no element": {"0x9223372036854775807xi8", ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main() -> tensor<i1> {
  %0 = stablehlo.iota dim = 0 : tensor<`+test.shape+`>
  %1 = stablehlo.constant dense<true> : tensor<i1>
  return %1 : tensor<i1>
}`)
			_, err := stablehlo.Unprepared(m).Artifact("")
			if test.want == "" {
				check.NoError(t, err)
				return
			}
			check.Error(t, err, "test.mlir:2:", test.want)
		})
	}
}
