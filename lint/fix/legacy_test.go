package fix_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/lint/fix"
	"github.com/calliope-mlir/calliope/lint/rules"
)

// The repair of legacy-adapter rewrites the calls that findings are about, and nothing else.
func TestReplaceLegacy(t *testing.T) {
	const text = `func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.custom_call @f(%x) {api_version = 2 : i32, backend_config = "a"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.custom_call @h(%x) {backend_config = "", mhlo.backend_config = {a = 1 : i64}} : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
`
	const want = `func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.custom_call @calliope_runtime_call(%x) {api_version = 4 : i32, has_side_effect = false, backend_config = {callback = "f", form = "pure", legacy = 2 : i64, legacy_opaque = "61", registry = "legacy", v = 2 : i64}} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.custom_call @h(%x) {backend_config = "", mhlo.backend_config = {a = 1 : i64}} : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
`
	r := check.Must(fix.Apply(mlirtest.Library(t), "f.mlir", []byte(text), fix.Options{
		Unsafe:  true,
		Options: lint.Options{Analyzers: []*lint.Analyzer{rules.LegacyAdapter}},
		Select: func(_ []byte, found []finding.Finding) (selected []finding.Finding) {
			for _, d := range found {
				if !strings.Contains(d.Message, "@g") {
					selected = append(selected, d)
				}
			}
			return selected
		},
	}))
	printed := func(text string) string { return mlirtest.Parse(t, mlirtest.Context(t), text).String() }
	check.Diff(t, "module", printed(want), printed(string(r.Data)))
	check.Diff(t, "repaired, left and found", []int{1, 0, 0}, []int{len(r.Fixed), len(r.Left), len(r.Found)})
}
