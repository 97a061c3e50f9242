package passes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/passes"
)

// BenchmarkPrepare prepares a module of 10,000 operations, as most modules are, of which no step changes any.
func BenchmarkPrepare(b *testing.B) {
	var text strings.Builder
	text.WriteString("func.func @main(%v0: tensor<8xf32>) -> tensor<8xf32> {\n")
	for i := 0; i < 10_000; i += 5 {
		fmt.Fprintf(&text, `%%c%[1]d = stablehlo.constant dense<%[1]d.0> : tensor<8xf32>
			%%s%[1]d = stablehlo.add %%v%[1]d, %%c%[1]d : tensor<8xf32>
			%%m%[1]d = stablehlo.multiply %%s%[1]d, %%c%[1]d : tensor<8xf32>
			%%t%[1]d = stablehlo.tanh %%m%[1]d : tensor<8xf32>
			%%v%[2]d = stablehlo.maximum %%t%[1]d, %%s%[1]d : tensor<8xf32>
			`, i, i+5)
	}
	text.WriteString("return %v10000 : tensor<8xf32>\n}")
	m := check.Must(mlirtest.ContextOf(b, mlirtest.Jaxlib(b)).Parse("", []byte(text.String())))
	check.Cleanup(b, m)
	for b.Loop() {
		check.NoError(b, passes.Prepare(m, passes.PrepareOptions{}))
	}
}
