package stablehlo_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stablehlo"
)

func TestSimplified(t *testing.T) {
	for _, test := range []struct{ name, element, body, want string }{
		{"square of integers", "i32", "%0 = stablehlo.multiply %x, %x : T\n%r = stablehlo.abs %0 : T",
			"the absolute value of a square of integers, which may wrap at test.mlir:5:"},
		{"product of integers", "i32", "%0 = stablehlo.multiply %x, %y : T\n%r = stablehlo.abs %0 : T", ""},
		{"square", "f32", "%0 = stablehlo.multiply %x, %x : T\n%r = stablehlo.abs %0 : T", ""},
		{"comparison", "i32", "%0 = stablehlo.abs %x : T\n%1 = stablehlo.compare LT, %0, %zero, SIGNED : (T, T) -> tensor<2xi1>\n%r = stablehlo.select %1, %x, %y : tensor<2xi1>, T", "a comparison of a square"},
		{"comparison with another", "i32", "%0 = stablehlo.abs %x : T\n%1 = stablehlo.compare LT, %0, %y, SIGNED : (T, T) -> tensor<2xi1>\n%r = stablehlo.select %1, %x, %y : tensor<2xi1>, T", ""},
		{"quotient", "f32", "%0 = stablehlo.divide %x, %y : T\n%r = stablehlo.divide %x, %0 : T",
			"a quotient by a quotient"},
		{"quotient of integers", "i32", "%0 = stablehlo.divide %x, %y : T\n%r = stablehlo.divide %x, %0 : T", ""},
		{"constants", "f32", "%0 = stablehlo.add %x, %one : T\n%r = stablehlo.subtract %0, %one : T",
			"a sum with two constants"},
		{"one constant", "f32", "%0 = stablehlo.add %x, %y : T\n%r = stablehlo.subtract %0, %one : T", ""},
		{"square root", "f32", "%0 = stablehlo.multiply %x, %x : T\n%r = stablehlo.sqrt %0 : T",
			"the square root of a square"},
		{"logarithm", "f32", "%0 = stablehlo.power %x, %y : T\n%r = stablehlo.log %0 : T", "the logarithm of a power"},
	} {
		t.Run(test.name, func(t *testing.T) {
			number := map[string]string{"i32": "", "f32": ".0"}[test.element]
			m := mlirtest.Parse(t, mlirtest.Context(t), strings.NewReplacer("LT", "LT", "T",
				"tensor<2x"+test.element+">").Replace(`func.func @main(%x: T, %y: T) -> T {
%zero = stablehlo.constant dense<0`+number+`> : T
%one = stablehlo.constant dense<1`+number+`> : T
`+test.body+`
return %r : T
}`))
			list := stablehlo.Simplified(m)
			if test.want == "" {
				check.Diff(t, "descriptions", []string(nil), list)
			} else if len(list) != 1 || !strings.HasPrefix(list[0], test.want) {
				t.Errorf("got %q, want %q", list, test.want)
			}
			if !slices.Equal(list, check.Must(stablehlo.Unprepared(m).Describe("", true)).Inexact) {
				t.Error("the program's are others")
			}
		})
	}
}
