package fix_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/lint/rules"
)

// One outfeed in a large module changes the lines of the outfeed and of its token.
func TestOneOfManyLines(t *testing.T) {
	var text strings.Builder
	text.WriteString("func.func @main(%v0: tensor<f32>) -> tensor<f32> {\n  %t = stablehlo.create_token : !stablehlo.token // t\n")
	const n = 10_000
	for i := range n {
		fmt.Fprintf(&text, "  %%v%d = stablehlo.add %%v%d, %%v0 : tensor<f32> // %[1]d\n", i+1, i)
		if i == n/2 {
			text.WriteString("  %u = \"stablehlo.outfeed\"(%v7, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token // u\n")
		}
	}
	fmt.Fprintf(&text, "  return %%v%d : tensor<f32>\n}\n", n)
	r := mend(t, []byte(text.String()), rules.All()...)
	check.Diff(t, "left and printed anew", 0, len(r.Left)+len(r.Anew))
	before, after := strings.Split(text.String(), "\n"), strings.Split(string(r.Data), "\n")
	check.Diff(t, "lines", len(before), len(after))
	var changed []string
	for i := range before {
		if before[i] != after[i] {
			changed = append(changed, before[i][:min(len(before[i]), 24)])
		}
	}
	check.Diff(t, "changed lines", []string{"  %t = stablehlo.create_", `  %u = "stablehlo.outfee`}, changed)
}
