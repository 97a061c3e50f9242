package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/rules"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

func TestHalfPrecision(t *testing.T) {
	analyzers := append(rules.All(), halfPrecision)
	check.NoError(t, lint.Validate(analyzers))
	var got []string
	for _, d := range check.Must(
		lint.Check(mlirtest.Library(t), "m.mlir", []byte(`func.func @f(%x: tensor<4xf16>, %y: tensor<4xf32>) {
  %0 = stablehlo.add %x, %x : tensor<4xf16>
  %1 = stablehlo.add %y, %y : tensor<4xf32>
  return
}`), lint.Options{Analyzers: analyzers})) {
		got = append(got, d.String())
	}
	want := []string{"m.mlir:2:8: warning: stablehlo.add computes in 16 bits: convert its operands to f32 [half-precision]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
