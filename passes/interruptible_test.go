package passes_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/passes"
)

// Every loop that can call gets one call, wherever it is, and a second run adds none.
func TestInterruptLoops(t *testing.T) {
	const loop = `stablehlo.while(%i = X) : tensor<i32>
    cond { %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
           stablehlo.return %c : tensor<i1> }
    do { BODY stablehlo.return %i : tensor<i32> }
`
	in := func(x, body string) string {
		return strings.NewReplacer("X", x, "BODY", body).Replace(loop)
	}
	text := `func.func @main(%n: tensor<i32>, %b: tensor<i1>) -> tensor<i32> {
  %0 = ` + in("%n", "%j = "+strings.ReplaceAll(in("%n", ""), "%i", "%k")) + `
  %1 = "stablehlo.if"(%b) ({ %2 = ` + in("%0", "") + ` stablehlo.return %2 : tensor<i32> },
    { stablehlo.return %n : tensor<i32> }) : (tensor<i1>) -> tensor<i32>
  %3 = func.call @other(%1) : (tensor<i32>) -> tensor<i32>
  return %3 : tensor<i32>
}
func.func private @other(%n: tensor<i32>) -> tensor<i32> {
  %0 = ` + in("%n", "") + `
  %z = stablehlo.constant dense<0> : tensor<i32>
  %v = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<4xi32>
  %r = "stablehlo.reduce"(%v, %z) ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = ` + in("%x", "") + `
    stablehlo.return %s : tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
  return %r : tensor<i32>
}`
	m := parse(t, text)
	n, err := passes.InterruptLoops(m)
	check.NoError(t, err)
	check.Diff(t, "calls", 4, n)
	check.NoError(t, m.Verify())
	calls := regexp.MustCompile(`do \{\s+%\d+ = stablehlo\.custom_call @\w+\(\)`)
	check.Diff(t, "calls at the beginning of bodies", 4, len(calls.FindAllString(m.String(), -1)))
	n, err = passes.InterruptLoops(m)
	check.NoError(t, err)
	check.Diff(t, "calls of a second run", 0, n)
}
