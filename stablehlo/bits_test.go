package stablehlo_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stablehlo"
)

func TestBitsAreRefused(t *testing.T) {
	for types, want := range map[string]string{
		"(tensor<64xi1>) -> tensor<i64>":   "stablehlo: test.mlir:2:8: XLA cannot compile a bitcast_convert of tensor<64xi1> to tensor<i64>: convert booleans",
		"(tensor<8xi1>) -> tensor<ui8>":    "stablehlo: test.mlir:2:8: XLA cannot",
		"(tensor<i64>) -> tensor<64xi1>":   "stablehlo: test.mlir:2:8: XLA cannot",
		"(tensor<f32>) -> tensor<32xi1>":   "stablehlo: test.mlir:2:8: XLA cannot",
		"(tensor<3xi1>) -> tensor<3xi1>":   "",
		"(tensor<2xi32>) -> tensor<i64>":   "",
		"(tensor<2xf32>) -> tensor<2xi32>": "",
	} {
		t.Run(types, func(t *testing.T) {
			from, to, _ := strings.Cut(strings.Trim(types, "("), ") -> ")
			m := mlirtest.Parse(t, mlirtest.Context(t), "func.func @main(%x: "+from+") -> "+to+
				" {\n  %y = stablehlo.bitcast_convert %x : "+types+"\n  return %y : "+to+"\n}")
			_, err := stablehlo.Unprepared(m).Artifact("")
			if want == "" {
				check.NoError(t, err)
			} else {
				check.Error(t, err, want)
			}
		})
	}
}
