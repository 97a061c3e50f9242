package stablehlo

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

const placedModule = `func.func @main(%a: tensor<4xf32> {mhlo.memory_kind = "pinned_host"}, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32> {mhlo.memory_kind = "device"}) {
  %0 = stablehlo.custom_call @annotate_device_placement(%a) {has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @annotate_device_placement(%0) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.sine %1 {mhlo.frontend_attributes = {_xla_buffer_placement = "device", inlineable = "false"}} : tensor<4xf32>
  %3 = func.call @f(%2, %b) {mhlo.frontend_attributes = {_xla_compute_type = "host"}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  stablehlo.custom_call @annotate_device_placement(%3) {has_side_effect = true} : (tensor<4xf32>) -> ()
  return %3, %1 : tensor<4xf32>, tensor<4xf32>
}
func.func private @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @MoveToHost(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @MoveToDevice(%b) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 {mhlo.frontend_attributes = {_xla_stream_annotation = "1"}} : tensor<4xf32>
  %3 = stablehlo.custom_call @Sharding(%2) {mhlo.frontend_attributes = {other = "x"}} : (tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}`

func TestPlacements(t *testing.T) {
	var got []string
	for _, p := range Placements(mlirtest.Parse(t, mlirtest.Context(t), placedModule)) {
		text, cut := strings.CutSuffix(p.String(), ", which has no effect on CPU")
		check.Diff(t, "cut", true, cut)
		got = append(got, text)
	}
	check.Diff(t, "placements", []string{
		`mhlo.memory_kind = "pinned_host" places parameter 0 of @main in that memory`,
		`mhlo.memory_kind = "device" places result 1 of @main in that memory`,
		`annotate_device_placement places its operand in the memory "pinned_host"`,
		`annotate_device_placement places its operand in a memory that it does not name`,
		`_xla_buffer_placement = "device" places the result of stablehlo.sine in that memory`,
		`_xla_compute_type = "host" has func.call computed there`,
		`MoveToHost places its operand in the memory "host"`,
		`MoveToDevice places its operand in the memory "device"`,
		`_xla_stream_annotation = "1" has stablehlo.add computed on that stream`,
	}, got)
}

// The calls that only place a value are left out of what is compiled, and the module keeps them.
func TestDescribeWithoutPlacement(t *testing.T) {
	c := mlirtest.Context(t)
	m := mlirtest.Parse(t, c, placedModule)
	before := m.String()
	out := check.Must(c.Parse("", check.Must(Unprepared(m).Describe("", false)).Artifact))
	check.Cleanup(t, out)
	check.Diff(t, "module", before, m.String())
	var calls, kinds []string
	for _, op := range mlirtest.Find(out, "stablehlo.custom_call") {
		call, _ := AsCustomCall(op)
		calls = append(calls, call.Target)
	}
	// The first has no result that its operand could replace.
	check.Diff(t, "calls", []string{"annotate_device_placement", "Sharding"}, calls)
	for _, p := range Placements(out) {
		kinds = append(kinds, strings.Fields(p.String())[0])
	}
	check.Diff(t, "other hints", []string{"mhlo.memory_kind", "mhlo.memory_kind", "_xla_buffer_placement",
		"_xla_compute_type", "_xla_stream_annotation"}, kinds)

	plain := mlirtest.Parse(t, c, chloModule)
	check.Diff(t, "a module without hints", check.Must(Unprepared(plain).Artifact("")),
		check.Must(Unprepared(plain).Describe("", false)).Artifact)
	check.Diff(t, "a module with hints", check.Must(Unprepared(m).Artifact("")),
		check.Must(Unprepared(m).Describe("", true)).Artifact)
	_, err := Unprepared(nil).Describe("", false)
	check.Error(t, err, "the module is nil")
}
