package stablehlo_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// TestMisplacedCalls calls in all kinds of bodies. Each module has one call, in line 4.
func TestMisplacedCalls(t *testing.T) {
	const typed = `%k = stablehlo.custom_call @t(%a) {api_version = 4 : i32, backend_config = {}} : (tensor<f32>) -> tensor<f32>`
	const jax = `%k = stablehlo.custom_call @t(%a) {backend_config = "", mhlo.backend_config = {}} : (tensor<f32>) -> tensor<f32>`
	const untyped = `%k = stablehlo.custom_call @mhlo.erf(%a) : (tensor<f32>) -> tensor<f32>`
	reduce := func(call string) string {
		return `func.func @main(%x: tensor<4xf32>, %z: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.reduce(%x init: %z) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  reducer(%a: tensor<f32>, %b: tensor<f32>) {
    ` + call + `
    stablehlo.return %k : tensor<f32>
  }
  return %0 : tensor<f32>
}`
	}
	other := func(op string, result [2]string, attributes string) string {
		return `func.func @main(%x: tensor<4xf32>, %z: tensor<f32>, %i: tensor<2x1xi32>, %u: tensor<2xf32>) {
  %0 = "stablehlo.` + op + `) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    ` + typed + `
    %r = stablehlo.` + result[0] + `
    stablehlo.return %r : ` + result[1] + `
  }` + attributes + `
  return
}`
	}
	sum := [2]string{"add %k, %b : tensor<f32>", "tensor<f32>"}
	less := [2]string{"compare LT, %k, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>", "tensor<i1>"}
	function := func(call string) string {
		return `func.func private @g(%a: tensor<f32>) -> tensor<f32> {
  %b = stablehlo.negate %a : tensor<f32>
  %c = stablehlo.negate %b : tensor<f32>
  ` + typed + `
  return %k : tensor<f32>
}
func.func private @f(%a: tensor<f32>) -> tensor<f32> {
  %k = func.call @g(%a) : (tensor<f32>) -> tensor<f32>
  return %k : tensor<f32>
}
` + call
	}
	for name, test := range map[string]struct{ module, want string }{
		"reduce":        {reduce(typed), "the body of a stablehlo.reduce"},
		"as JAX writes": {reduce(jax), "the body of a stablehlo.reduce"},
		"untyped":       {reduce(untyped), ""},
		"reduce_window": {
			other(`reduce_window"(%x, %z`, sum,
				") {window_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>"), "the body of a stablehlo.reduce_window"},
		"sort": {other(`sort"(%x`, less, ") {dimension = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>"),
			"the body of a stablehlo.sort"},
		"all_reduce": {
			other(`all_reduce"(%x`, sum,
				") {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<4xf32>) -> tensor<4xf32>"),
			"the body of a stablehlo.all_reduce"},
		"reduce_scatter": {other(`reduce_scatter"(%x`, sum, ") {scatter_dimension = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<4xf32>) -> tensor<4xf32>"), "the body of a stablehlo.reduce_scatter"},
		"scatter": {other(`scatter"(%x, %i, %u`, sum, ") {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "+
			"index_vector_dim = 1>} : (tensor<4xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<4xf32>"), "the body of a stablehlo.scatter"},
		"select_and_scatter": {other(`select_and_scatter"(%x, %u, %z`, less, `, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>`), "the body of a stablehlo.select_and_scatter"},
		"map": {`func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.map"(%x) ({
  ^bb0(%a: tensor<f32>):
    ` + typed + `
    stablehlo.return %k : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}`, "the body of a stablehlo.map"},
		"called in a body": {function(reduce("%k = func.call @f(%a) : (tensor<f32>) -> tensor<f32>")),
			`the function "g", which is called in the function "f", which is called in the body of a stablehlo.reduce`},
		"called": {function("func.func @main(%a: tensor<f32>) -> tensor<f32> {\n%k = func.call @f(%a) : (tensor<f32>) -> tensor<f32>\nreturn %k : tensor<f32>\n}"), ""},
		"named": {function(`func.func @main(%a: tensor<f32>) {
  stablehlo.custom_call @t(%a) {has_side_effect = true, called_computations = [@f]} : (tensor<f32>) -> ()
  return
}`), `the function "g", which is called in the function "f", which the custom call @t names`},
		"loop": {`func.func @main(%a: tensor<f32>, %p: tensor<i1>) -> tensor<f32> {
  %0 = stablehlo.while(%q = %p) : tensor<i1> cond { stablehlo.return %q : tensor<i1> } do {
    %1 = "stablehlo.if"(%q) ({
    ` + typed + `
      stablehlo.return %k : tensor<f32>
    }, { stablehlo.return %a : tensor<f32> }) : (tensor<i1>) -> tensor<f32>
    stablehlo.return %q : tensor<i1>
  }
  return %a : tensor<f32>
}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := mlirtest.Parse(t, mlirtest.Context(t), test.module)
			got := ""
			for _, c := range stablehlo.MisplacedCalls(m.Operation().Index()) {
				got += c.Where
			}
			check.Diff(t, "where the call is", test.want, got)
			_, err := stablehlo.Unprepared(m).Artifact("")
			if test.want == "" {
				check.NoError(t, err)
				return
			}
			check.Diff(t, "the error of Artifact",
				fmt.Sprintf("stablehlo: test.mlir:4:%d: the custom call @t is in %s, where XLA cannot make it: call before or after that, on whole arrays",
					strings.Index(strings.Split(test.module, "\n")[3], "stablehlo.custom_call")+1, test.want),
				fmt.Sprint(err))
		})
	}
}
