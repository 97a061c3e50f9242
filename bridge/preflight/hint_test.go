package preflight_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/bridge/preflight"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// Placement hints are explained, and refused only if they are more than that.
func TestHints(t *testing.T) {
	m := parse(t, `func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @annotate_device_placement(%a) {has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @MoveToDevice(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.sine %1 {mhlo.frontend_attributes = {_xla_compute_type = "host"}} : tensor<4xf32>
  return %2 : tensor<4xf32>
}`)
	o := preflight.Options{File: "f.mlir"}
	check.NoError(t, preflight.Check(m, o))
	var got []string
	for _, h := range preflight.Hints(m, o) {
		got = append(got, h.String())
	}
	check.Diff(t, "hints", []string{
		`f.mlir:2:8: annotate_device_placement places its operand in the memory "pinned_host", which has no effect on CPU`,
		`f.mlir:3:8: MoveToDevice places its operand in the memory "device", which has no effect on CPU`,
		`f.mlir:4:8: _xla_compute_type = "host" has stablehlo.sine computed there, which has no effect on CPU`,
	}, got)
	m = parse(t, `func.func @main(%a: tensor<4xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @MoveToHost(%a) : (tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}`)
	check.Error(t, preflight.Check(m, o), `no handler is registered for the target "MoveToHost"`)
	check.Diff(t, "hints", 0, len(preflight.Hints(m, o)))
}
