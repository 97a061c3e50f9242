package passes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/passes"
)

// A plan has the hooks, and what Migrate leaves. The module does not change.
func TestPlanMigrate(t *testing.T) {
	m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main(%x: tensor<4xf32>) {
		%t = stablehlo.create_token : !stablehlo.token
		%one = stablehlo.constant dense<1> : tensor<ui16>
		%zero = stablehlo.constant dense<0> : tensor<ui16>
		%header = stablehlo.constant dense<[271828, 7]> : tensor<2xui32>
		%0 = "stablehlo.outfeed"(%one, %t) : (tensor<ui16>, !stablehlo.token) -> !stablehlo.token
		%1 = "stablehlo.outfeed"(%x, %0) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
		%2 = "stablehlo.outfeed"(%header, %1) : (tensor<2xui32>, !stablehlo.token) -> !stablehlo.token
		%3 = "stablehlo.outfeed"(%x, %2) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
		%4 = "stablehlo.outfeed"(%x, %3) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
		%5 = "stablehlo.outfeed"(%zero, %4) : (tensor<ui16>, !stablehlo.token) -> !stablehlo.token
		%u = stablehlo.create_token : !stablehlo.token
		%6 = stablehlo.custom_call @other(%u) {has_side_effect = true} : (!stablehlo.token) -> !stablehlo.token
		%7 = "stablehlo.outfeed"(%x, %6) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
		return
	}`)
	before := m.String()
	plan := passes.PlanMigrate(m, passes.MigrateOptions{})
	var hooks []string
	for _, h := range plan.Hooks() {
		hooks = append(hooks, fmt.Sprint(h.Flag, h.Header, len(h.Feeds)))
	}
	check.Diff(t, "hooks", "1 false 2; 7 true 2; -1 false 1; 0 false 1; -1 false 1", strings.Join(hooks, "; "))
	var left []string
	for op := range m.Operation().All() {
		if reason := plan.Leaves(op); reason != "" {
			left = append(left, op.Name())
		}
	}
	check.Diff(t, "left", "stablehlo.create_token stablehlo.custom_call stablehlo.outfeed", strings.Join(left, " "))
	check.Diff(t, "the module", before, m.String())
}
