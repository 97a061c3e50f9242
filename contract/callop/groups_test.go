package callop_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

const vectorCall = `stablehlo.custom_call @calliope_runtime_call(%a) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "call", callback = "f"}} : (tensor<4xf32>) -> tensor<4xf32>`

// A function that is called is part of its callers' sequences. Groups also returns for a
// recursive one, which XLA does not accept.
func TestGroups(t *testing.T) {
	m, err := mlirtest.Context(t).Parse("m", []byte(`
func.func @main(%a: tensor<400xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %x = func.call @inner(%b) : (tensor<4xf32>) -> tensor<4xf32>
  %y = func.call @inner(%b) : (tensor<4xf32>) -> tensor<4xf32>
  %z = func.call @inner(%y) : (tensor<4xf32>) -> tensor<4xf32>
  %r = stablehlo.add %x, %z : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @inner(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = `+vectorCall+`
  return %r : tensor<4xf32>
}
func.func private @forever(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = func.call @forever(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %s = `+strings.Replace(vectorCall, "%a", "%r", 1)+`
  return %s : tensor<4xf32>
}`))
	check.NoError(t, err)
	defer m.Close()
	type group struct {
		Calls, Callbacks, Steps, Bytes int
		Independent                    bool
	}
	var got []group
	for _, g := range callop.Groups(m, func(callop.Call) bool { return true }) {
		got = append(got, group{len(g.Calls), len(g.Callbacks), g.Steps, g.Bytes, g.Independent})
	}
	want := []group{
		{Calls: 3, Callbacks: 1, Steps: 4, Bytes: 1600, Independent: true},
		{Calls: 1, Callbacks: 1, Steps: 4, Bytes: 1600},
	}
	if d := cmp.Diff(want, got[:2]); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
