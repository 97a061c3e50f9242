package passes_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/passes"
)

// TestInlineRules inlines composites in one another, removes what is not needed then, and leaves other composites. A
// composite that contains itself is an error.
func TestInlineRules(t *testing.T) {
	for name, test := range map[string]struct {
		call, inner string
		n           int
		functions   []string
		err         string
	}{
		"in one another": {
			`stablehlo.composite "calliope.custom_jvp" %x {decomposition = @f, composite_attributes = {arguments = 1 : i64, jvp = @rule}}`, "calliope.stop_gradient",
			2, []string{"main"}, "",
		},
		"another one": {`stablehlo.composite "my.f" %x {decomposition = @rule}`, "my.f", 0,
			[]string{"identity", "rule", "f", "main"}, ""},
		"itself": {
			`stablehlo.composite "calliope.stop_gradient" %x {decomposition = @main}`, "my.f",
			0, nil, "the decomposition @main of calliope.stop_gradient",
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := mlirtest.Parse(t, mlirtest.Context(t), `
				func.func private @identity(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }
				func.func private @rule(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }
				func.func private @f(%x: tensor<f32>) -> tensor<f32> {
					%0 = stablehlo.composite "`+test.inner+`" %x {decomposition = @identity} : (tensor<f32>) -> tensor<f32>
					%1 = stablehlo.sine %0 : tensor<f32>
					return %1 : tensor<f32>
				}
				func.func @main(%x: tensor<f32>) -> tensor<f32> {
					%0 = `+test.call+` : (tensor<f32>) -> tensor<f32>
					return %0 : tensor<f32>
				}`)
			n, err := passes.InlineRules(m)
			if test.err != "" {
				check.Error(t, err, test.err)
				return
			}
			check.NoError(t, err)
			check.NoError(t, m.Verify())
			var functions []string
			for name := range m.SymbolTable().All() {
				functions = append(functions, name)
			}
			check.Diff(t, "composites", test.n, n)
			check.Diff(t, "functions", test.functions, functions)
		})
	}
}
