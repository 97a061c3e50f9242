package stablehlo_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// TestUntranslatedAreRefused holds that what ends XLA's process is refused with its place.
func TestUntranslatedAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ of, to, op, want string }{
		"six bits": {"tensor<2xf32>", "tensor<2xf6E3M2FN>", "stablehlo.convert %x",
			"stablehlo: test.mlir:2:8: stablehlo.convert: XLA has no code for its result tensor<2xf6E3M2FN>"},
		"remainder": {"tensor<2xcomplex<f32>>", "tensor<2xcomplex<f32>>", `"stablehlo.remainder"(%x, %x)`,
			"stablehlo: test.mlir:2:8: stablehlo.remainder: XLA has no code"},
		"bits": {"tensor<2x2xcomplex<f32>>", "tensor<2xcomplex<f64>>", "stablehlo.bitcast_convert %x",
			"stablehlo: test.mlir:2:8: stablehlo.bitcast_convert: XLA has no code"},
		"bits of the same type": {"tensor<2xcomplex<f32>>", "tensor<2xcomplex<f32>>",
			"stablehlo.bitcast_convert %x", ""},
		"eight bits": {"tensor<2xf32>", "tensor<2xf8E5M2>", "stablehlo.convert %x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			types := "(" + c.of + ") -> " + c.to
			if name == "remainder" {
				types = "(" + c.of + ", " + c.of + ") -> " + c.to
			}
			m := mlirtest.Parse(t, mlirtest.Context(t), "func.func @main(%x: "+c.of+") -> "+c.to+
				" {\n  %y = "+c.op+" : "+types+"\n  return %y : "+c.to+"\n}")
			_, err := stablehlo.Unprepared(m).Artifact("")
			if c.want == "" {
				check.NoError(t, err)
			} else {
				check.Error(t, err, c.want)
			}
		})
	}
}
