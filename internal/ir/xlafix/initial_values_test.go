package xlafix_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestKeepInitialValues holds which reductions stay as they are: those whose initial value changes nothing, and those
// of which XLA does not lose it.
func TestKeepInitialValues(t *testing.T) {
	reduce := func(op, element, initial, dims string) string {
		return `func.func @main(%x: tensor<1x3x` + element + `>) -> tensor<3x` + element + `> {
			%i = stablehlo.constant dense<` + initial + `> : tensor<` + element + `>
			%0 = stablehlo.reduce(%x init: %i) applies stablehlo.` + op + ` across dimensions = [` + dims + `]
				: (tensor<1x3x` + element + `>, tensor<` + element + `>) -> tensor<3x` + element + `>
			return %0 : tensor<3x` + element + `>
		}`
	}
	for text, want := range map[string]int{
		reduce("add", "f32", "0.0", "0"):                                     0,
		reduce("add", "f32", "1.0", "0"):                                     1,
		reduce("multiply", "i32", "1", "0"):                                  0,
		reduce("multiply", "i32", "0", "0"):                                  1,
		reduce("maximum", "f32", "0xFF800000", "0"):                          0,
		reduce("maximum", "f32", "0.0", "0"):                                 1,
		reduce("maximum", "i8", "-128", "0"):                                 0,
		reduce("maximum", "ui8", "0", "0"):                                   0,
		reduce("minimum", "ui8", "255", "0"):                                 0,
		reduce("minimum", "i64", "0", "0"):                                   1,
		reduce("and", "i1", "true", "0"):                                     0,
		reduce("or", "i1", "true", "0"):                                      1,
		strings.ReplaceAll(reduce("add", "f32", "1.0", "0"), "1x3x", "2x3x"): 0,
	} {
		m := parse(t, text)
		n, err := xlafix.KeepInitialValues(m)
		check.NoError(t, err)
		check.NoError(t, m.Verify())
		if n != want {
			t.Errorf("%d are rewritten, want %d:\n%s", n, want, text)
		}
	}
}
