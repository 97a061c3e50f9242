package xlafix_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestEmptyLoopDeviates says of two loops, of which the second runs zero times, whether XLA reads freed memory: what it
// does with each was tried.
func TestEmptyLoopDeviates(t *testing.T) {
	for _, test := range []struct {
		name          string
		first, second bool // whether the loop has side effects
		returned      bool // whether the result of the first loop is
		deviates      bool
	}{
		{"effects in the second", false, true, false, true},
		{"used elsewhere", false, true, true, false},
		{"effects in both", true, true, false, false},
		{"effects in the first", true, false, false, false},
		{"none", false, false, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			effect := func(yes bool) string {
				if yes {
					return effectOn("%i")
				}
				return ""
			}
			returned := "%x"
			if test.returned {
				returned = "%0#1"
			}
			loop := func(n, value string, effects bool) string {
				return `stablehlo.while(%i = %zero, %v = ` + value + `) : tensor<i32>, tensor<i32>
  cond {
    %c = stablehlo.compare LT, %i, ` + n + `, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    ` + effect(effects) + `
    %j = stablehlo.add %i, %two : tensor<i32>
    %w = stablehlo.multiply %v, %x : tensor<i32>
    stablehlo.return %j, %w : tensor<i32>, tensor<i32>
  }`
			}
			m := parse(t, `
func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %0:2 = `+loop("%two", "%x", test.first)+`
  %1:2 = `+loop("%zero", "%0#1", test.second)+`
  `+effectOn("%x")+`
  return `+returned+` : tensor<i32>
}`)
			found := false
			for _, d := range xlafix.Deviations(m, m.Operation().Index()) {
				found = found || strings.Contains(d.About, "runs zero times")
			}
			check.Diff(t, "whether XLA deviates", test.deviates, found)
		})
	}
}
