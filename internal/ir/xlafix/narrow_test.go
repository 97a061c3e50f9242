package xlafix_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestNarrowUnsigned(t *testing.T) {
	for _, test := range []struct {
		from, to, op string
		want         string // the types of the conversions that make it narrower
	}{
		{"i64", "i32", "or", "i64 ui32 i32"},
		{"i32", "i8", "and", "i32 ui8 i8"},
		{"i64", "i32", "xor", "i64 i32"},
		{"i64", "i64", "or", "i64"},
		{"i16", "i32", "or", "i16 i32"},
		{"i64", "ui32", "or", "i64 ui32"},
		{"ui64", "i32", "or", "ui64 i32"},
		{"i64", "i1", "or", "i64 i1"},
		{"f64", "i32", "or", "f64 i32"},
	} {
		t.Run(test.from+" "+test.to+" "+test.op, func(t *testing.T) {
			m := parse(t,
				strings.NewReplacer("<F>", "<2x"+test.from+">", "<T>", "<2x"+test.to+">", "OP", test.op).Replace(
					`func.func @main(%x: tensor<2xi64>) -> tensor<2xi64> {
  %0 = stablehlo.convert %x : (tensor<2xi64>) -> tensor<F>
  %1 = stablehlo.convert %0 : (tensor<F>) -> tensor<T>
  %y = stablehlo.iota dim = 0 : tensor<2xi8>
  %2 = stablehlo.convert %y : (tensor<2xi8>) -> tensor<T>
  %3 = stablehlo.OP %1, %2 : tensor<T>
  %4 = stablehlo.convert %3 : (tensor<T>) -> tensor<2xi64>
  return %4 : tensor<2xi64>
}`))
			values := func() string {
				got, err := stablehlo.Evaluate(m, tensor.Vector[int64](-5, 5<<30))
				check.NoError(t, err)
				return fmt.Sprint(got[0])
			}
			before, changed := values(), max(0, strings.Count(test.want, " ")-1)
			for range 2 { // the second one changes nothing
				n, err := xlafix.NarrowUnsigned(m)
				check.NoError(t, err)
				check.Diff(t, "conversions that were changed", changed, n)
				check.NoError(t, m.Verify())
				check.Diff(t, "results", before, values())
				changed = 0
			}
			types := strings.Fields(test.want)
			for i, from := range types[:len(types)-1] {
				if want := "(tensor<2x" + from + ">) -> tensor<2x" + types[i+1] +
					">"; !strings.Contains(m.String(), want) {
					t.Errorf("want a conversion %s in\n%s", want, m)
				}
			}
		})
	}
}
