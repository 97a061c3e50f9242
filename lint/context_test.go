package lint_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// The context of an operation does not depend on its position, the names of its values, or
// whether it is ignored, and differs between operations that differ.
func TestContext(t *testing.T) {
	rule := &lint.Analyzer{Name: "r", Doc: "d", Run: func(p *lint.Pass) error {
		for op := range p.Operations("stablehlo.add") {
			p.Report(op, finding.Note, "an addition")
		}
		return nil
	}}
	context := func(text string) string {
		t.Helper()
		found := check.Must(lint.Check(mlirtest.Library(t), "f", []byte(text),
			lint.Options{Analyzers: []*lint.Analyzer{rule}, Context: true}))
		if len(found) != 1 || found[0].Rule != "r" {
			t.Fatalf("found %v", found)
		}
		return found[0].Context
	}
	first := context(`func.func @f(%a: tensor<f32>) { %b = stablehlo.add %a, %a : tensor<f32> return }`)
	for name, test := range map[string]struct {
		text string
		same bool
	}{
		"moved":      {"\n// a comment\nfunc.func @f(%x: tensor<f32>) {\n  %y = stablehlo.abs %x : tensor<f32>\n  %z = stablehlo.add %y, %x : tensor<f32>\n  return }", true},
		"ignored":    {`func.func @f(%a: tensor<f32>) { %b = stablehlo.add %a, %a {mlir_lint.ignore = "r x"} : tensor<f32> return }`, true},
		"function":   {`func.func @g(%a: tensor<f32>) { %b = stablehlo.add %a, %a : tensor<f32> return }`, false},
		"attributes": {`func.func @f(%a: tensor<f32>) { %b = stablehlo.add %a, %a {k = 1 : i32} : tensor<f32> return }`, false},
		"types":      {`func.func @f(%a: tensor<f64>) { %b = stablehlo.add %a, %a : tensor<f64> return }`, false},
	} {
		if got := context(test.text); (got == first) != test.same {
			t.Errorf("%s: the context is %s, and that of the first %s", name, got, first)
		}
	}
}
