package xlafix_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

// TestCorrectTripCounts states which loops change, and how: the random loops of soak movement run them.
func TestCorrectTripCounts(t *testing.T) {
	for _, test := range []struct {
		name, element            string
		init, bound, compare, by string
		want                     string // "", "hidden", or the bound
	}{
		{"a step of 1", "i32", "0", "10", "LT, %i, %n, SIGNED", "add %i, %k", ""},
		{"a step of 1, inclusive", "i32", "0", "10", "LE, %i, %n, SIGNED", "add %i, %k", ""},
		{"to the end of the type", "i8", "0", "127", "LE, %i, %n, SIGNED", "add %i, %k", "hidden"},
		{"from the other side", "i32", "0", "10", "GT, %n, %i, SIGNED", "add %k, %i", ""},
		{"down", "i32", "10", "0", "GT, %i, %n, SIGNED", "subtract %i, %k", ""},
		{"an even step", "i32", "-4", "0", "LT, %i, %n, SIGNED", "add %i, %two", ""},
		{"an odd step", "i32", "-3", "0", "LT, %i, %n, SIGNED", "add %i, %two", "dense<1>"},
		{"an odd step from the other side", "i32", "-3", "0", "GT, %n, %i, SIGNED", "add %two, %i", "dense<1>"},
		{"an odd step, inclusive", "i32", "-3", "0", "LE, %i, %n, SIGNED", "add %i, %two", ""},
		{"an odd step at the end", "i8", "0", "127", "LT, %i, %n, SIGNED", "add %i, %two", "hidden"},
		{"a negative step subtracted", "i32", "-3", "0", "LT, %i, %n, SIGNED", "subtract %i, %minus", "dense<1>"},
		{"above the bound", "i32", "0", "0", "GE, %i, %n, SIGNED", "add %i, %k", "hidden"},
		{"not equal", "i32", "0", "10", "NE, %i, %n, SIGNED", "add %i, %two", ""},
		{"narrow, and used", "i16", "0", "10", "LT, %i, %n, SIGNED", "add %i, %k", "hidden"},
		{"unsigned, and used", "ui32", "0", "10", "LT, %i, %n, UNSIGNED", "add %i, %k", "hidden"},
		{"unsigned down", "ui32", "10", "0", "GT, %i, %n, UNSIGNED", "subtract %i, %k", "hidden"},
		{"unsigned down, not equal", "ui64", "10", "0", "NE, %i, %n, UNSIGNED", "subtract %i, %k", "hidden"},
		{"an unknown start", "i32", "x", "10", "LT, %i, %n, SIGNED", "add %i, %two", "hidden"},
		{"an unknown step", "i32", "0", "10", "LT, %i, %n, SIGNED", "add %i, %x", "hidden"},
		{"two steps", "i32", "-3", "0", "LT, %i, %n, SIGNED", "add %j, %k", "hidden"},
		{"a product", "i32", "1", "10", "LT, %i, %n, SIGNED", "multiply %i, %two", ""},
		{"a call", "i32", "0", "9", "LT, %i, %n, SIGNED", "call", "hidden"},
	} {
		t.Run(test.name, func(t *testing.T) {
			init, by := "%a = stablehlo.constant dense<"+test.init+"> : tensor<T>", "stablehlo."+test.by+" : tensor<T>"
			if test.init == "x" {
				init = "%a = stablehlo.abs %x : tensor<T>"
			}
			if test.by == "call" {
				by = "func.call @next(%i, %two) : (tensor<T>, tensor<T>) -> tensor<T>"
			}
			minus := "-2"
			if strings.HasPrefix(test.element, "u") {
				minus = "254"
			}
			m := mlirtest.Parse(t, mlirtest.Context(t), strings.ReplaceAll(`
func.func private @next(%i: tensor<T>, %k: tensor<T>) -> tensor<T> {
  %0 = stablehlo.add %i, %k : tensor<T>
  return %0 : tensor<T>
}
func.func @main(%x: tensor<T>) -> (tensor<T>, tensor<T>) {
  `+init+`
  %k = stablehlo.constant dense<1> : tensor<T>
  %two = stablehlo.constant dense<2> : tensor<T>
  %minus = stablehlo.constant dense<`+minus+`> : tensor<T>
  %n = stablehlo.constant dense<`+test.bound+`> : tensor<T>
  %0:2 = stablehlo.while(%i = %a, %y = %x) : tensor<T>, tensor<T>
  cond {
    %1 = stablehlo.compare `+test.compare+` : (tensor<T>, tensor<T>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %j = stablehlo.subtract %i, %minus : tensor<T>
    %2 = `+by+`
    %3 = stablehlo.add %y, %i : tensor<T>
    stablehlo.return %2, %3 : tensor<T>, tensor<T>
  }
  return %0#0, %0#1 : tensor<T>, tensor<T>
}`, "<T>", "<"+test.element+">"))
			for _, want := range []bool{test.want != "", false} {
				n, err := xlafix.CorrectTripCounts(m)
				check.NoError(t, err)
				check.Diff(t, "loops that were changed", want, n == 1)
				check.NoError(t, m.Verify())
			}
			text := m.String()
			check.Diff(t, "hidden", test.want == "hidden", strings.Contains(text, "stablehlo.convert"))
			if strings.HasPrefix(test.want, "dense") && strings.Count(text, test.want) != 2 { // a step of 1, too
				t.Error(text)
			}
		})
	}
}
