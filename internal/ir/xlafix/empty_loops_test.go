package xlafix_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

func TestRemoveEmptyLoops(t *testing.T) {
	for _, test := range []struct {
		name             string
		init, n, compare string
		cond             string // in the condition
		removed          int
	}{
		{"none", "dense<0>", "dense<0>", "LT, %i, %n, SIGNED", "", 1},
		{"one", "dense<0>", "dense<1>", "LT, %i, %n, SIGNED", "", 0},
		{"from above", "dense<5>", "dense<3>", "LE, %i, %n", "", 1},
		{"down", "dense<-1>", "dense<0>", "GE, %i, %n, SIGNED", "", 1},
		{"may be unsigned", "dense<-1>", "dense<0>", "GE, %i, %n", "", 0},
		{"unsigned", "dense<2>", "dense<2>", "NE, %i, %n, UNSIGNED", "", 1},
		{"not constant", "dense<0>", "dense<0>", "LT, %i, %x, SIGNED", "", 0},
		{"a test with effects", "dense<0>", "dense<0>", "LT, %i, %n, SIGNED", effectOn("%i"), 0},
		{"a test that calls", "dense<0>", "dense<0>", "LT, %i, %n, SIGNED", "func.call @taps(%i) : (tensor<i32>) -> ()",
			0},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := mlirtest.Parse(t, mlirtest.Context(t), `
func.func @taps(%i: tensor<i32>) {
  `+effectOn("%i")+`
  return
}
func.func @main(%x: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %a = stablehlo.constant `+test.init+` : tensor<i32>
  %n = stablehlo.constant `+test.n+` : tensor<i32>
  %0:2 = stablehlo.while(%i = %a, %y = %x) : tensor<i32>, tensor<i32>
  cond {
    `+test.cond+`
    %1 = stablehlo.compare `+test.compare+` : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    `+effectOn("%y")+`
    %2 = stablehlo.add %i, %y : tensor<i32>
    stablehlo.return %2, %i : tensor<i32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<i32>, tensor<i32>
}`)
			n, err := xlafix.RemoveEmptyLoops(m)
			check.NoError(t, err)
			check.Diff(t, "loops that were removed", test.removed, n)
			check.NoError(t, m.Verify())
			if returned := strings.Contains(m.String(), "return %c, %arg0"); returned != (n == 1) {
				t.Error(m)
			}
		})
	}
}

// TestHarmlessEmptyLoop finds no deviation in a loop that runs zero times and has no side effects, in a module that
// has.
func TestHarmlessEmptyLoop(t *testing.T) {
	loop := func(init, of string) string {
		return `stablehlo.while(%i = ` + init + `, %y = ` + of + `) : tensor<i32>, tensor<i32>
  cond {
    %1 = stablehlo.compare LT, %i, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %2 = stablehlo.add %i, %one : tensor<i32>
    %3 = stablehlo.multiply %y, %y : tensor<i32>
    stablehlo.return %2, %3 : tensor<i32>, tensor<i32>
  }`
	}
	m := mlirtest.Parse(t, mlirtest.Context(t), `
func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  `+effectOn("%x")+`
  %a:2 = `+loop("%zero", "%x")+`
  %b:2 = `+loop("%one", "%a#1")+`
  return %b#1 : tensor<i32>
}`)
	check.Diff(t, "deviations", 0, len(xlafix.Deviations(m, m.Operation().Index())))
}

// effectOn is a call with side effects.
func effectOn(v string) string {
	return `stablehlo.custom_call @calliope_io_callback(` + v + `) {api_version = 4 : i32, has_side_effect = true,
    backend_config = {callback = "tap", form = "observe", v = 1 : i64}} : (tensor<i32>) -> ()`
}
