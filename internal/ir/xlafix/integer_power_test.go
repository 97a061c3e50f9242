package xlafix_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stablehlo"
)

func TestExpandIntegerPowers(t *testing.T) {
	const bases = "dense<[0, 1, 2, 3, 7, 100]>"
	for _, test := range []struct {
		name, element   string
		bases           string
		exponents, want string
		expanded        int
	}{
		{"s32", "i32", "dense<[3, 3, -3, 2, 0, -1]>", "dense<[64, 4095, 65, 70, 0, 2147483647]>",
			"s32[6] [2038349057 2094688939 -1820079875 0 1 -1]", 1},
		{"negative", "i16", "dense<[0, 1, -1, -1, 2, -32768]>", "dense<[-1, -5, -4, -3, -1, -32768]>",
			"s16[6] [0 1 1 -1 0 0]", 1},
		{"s8", "i8", "dense<[3, -3, 5, 2, -128, 1]>", "dense<[65, 127, 100, 7, 1, 127]>",
			"s8[6] [3 85 -15 -128 -128 1]", 1},
		{"u8", "ui8", "dense<[3, 3, 255, 2, 0, 1]>", "dense<[64, 255, 255, 200, 255, 128]>", "u8[6] [1 171 255 0 0 1]",
			1},
		{"u64", "ui64", "dense<[3, 3, 5, 2, 0, 1]>",
			"dense<[64, 18446744073709551615, 100, 63, 1, 9223372036854775808]>",
			"u64[6] [8733086111712066817 12297829382473034411 14603806007579830513 9223372036854775808 0 1]", 1},
		{"constant", "i32", bases, "dense<100>", "s32[6] [0 1 0 -818408495 1027218017 0]", 1},
		{"scalar", "i32", bases, "broadcast", "s32[6] [0 1 0 -220914989 -1031769369 0]", 1},
		{"large constant", "ui64", bases, "dense<18446744073709551615>",
			"u64[6] [0 1 0 12297829382473034411 7905747460161236407 0]", 1},
		{"small constant", "i32", bases, "dense<63>", "s32[6] [0 1 0 2111105451 1075496887 0]", 1},
		{"one", "i32", bases, "dense<1>", "s32[6] [0 1 2 3 7 100]", 1},
		{"zero", "i32", bases, "dense<0>", "s32[6] [1 1 1 1 1 1]", 1},
		{"negative constant", "i32", "dense<[0, 1, -1, 2, 7, 100]>", "dense<-3>", "s32[6] [0 1 -1 0 0 0]", 1},
		{"negative even constant", "i32", "dense<[0, 1, -1, 2, 7, 100]>", "dense<-2147483648>", "s32[6] [0 1 1 0 0 0]",
			1},
		{"s4", "i4", "dense<[3, -3, 5, 2, -8, 1]>", "dense<[7, 6, 5, 4, 3, -8]>", "s4[6] [-5 -7 5 0 0 1]", 1},
		{"float", "f32", "dense<[0.0, 1.0, 2.0, 3.0, 7.0, 100.0]>", "dense<2.0>", "f32[6] [0 1 4 9 49 10000]", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			exponents := "%y = stablehlo.constant " + test.exponents + " : tensor<6xT>"
			if test.exponents == "broadcast" {
				exponents = `%n = stablehlo.constant dense<77> : tensor<` + test.element + `>
  %y = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<` + test.element + `>) -> tensor<6xT>`
			}
			m := mlirtest.Parse(t, mlirtest.Context(t), strings.ReplaceAll(`
func.func @main() -> tensor<6xT> {
  %x = stablehlo.constant `+test.bases+` : tensor<6xT>
  `+exponents+`
  %z = stablehlo.power %x, %y {mhlo.sharding = "{replicated}"} : tensor<6xT>
  return %z : tensor<6xT>
}`, "xT>", "x"+test.element+">"))
			values := func() string {
				got, err := stablehlo.Evaluate(m)
				check.NoError(t, err)
				return fmt.Sprint(got[0])
			}
			check.Diff(t, "before", test.want, values())
			for _, want := range []int{test.expanded, 0} {
				n, err := xlafix.ExpandIntegerPowers(m)
				check.NoError(t, err)
				check.Diff(t, "powers that were replaced", want, n)
				check.NoError(t, m.Verify())
				check.Diff(t, "after", test.want, values())
			}
			if test.name != "one" {
				check.Diff(t, "shardings", 1, strings.Count(m.String(), "mhlo.sharding"))
			}
			check.Diff(t, "powers", 1-test.expanded, strings.Count(m.String(), "stablehlo.power"))
		})
	}
}
