package xlacalls_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/xlacalls"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

func TestExpand(t *testing.T) {
	m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main(%x: tensor<?x4xbf16>, %y: tensor<2x4xi8>) ->
		(tensor<?x4xbf16>, tensor<2x3xi8>, tensor<2x3xi32>) {
		%0 = stablehlo.custom_call @mhlo.erf(%x) {mhlo.attributes = {}, mhlo.sharding = "{replicated}"} :
			(tensor<?x4xbf16>) -> tensor<?x4xbf16>
		%1:2 = stablehlo.custom_call @TopK(%y) : (tensor<2x4xi8>) -> (tensor<2x3xi8>, tensor<2x3xi32>)
		%2 = stablehlo.custom_call @other(%0) : (tensor<?x4xbf16>) -> tensor<?x4xbf16>
		return %2, %1#0, %1#1 : tensor<?x4xbf16>, tensor<2x3xi8>, tensor<2x3xi32>
	}`)
	n, err := xlacalls.Expand(m.Operation())
	check.NoError(t, err)
	check.Diff(t, "expanded", 2, n)
	check.NoError(t, m.Verify())
	for _, want := range []string{"chlo.erf %arg0 {mhlo.sharding", "chlo.top_k(%arg1, k = 3)", "@other"} {
		if !strings.Contains(m.String(), want) {
			t.Errorf("%q is missing:\n%s", want, m)
		}
	}
}

func TestExpandErrors(t *testing.T) {
	for call, want := range map[string]string{
		`@mhlo.erf(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>)`:                 "the call of @mhlo.erf at test.mlir:2:12: mlir: verify failed",
		`@mhlo.topk(%x) {mhlo.attributes = {k = 3 : i64}} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>)`: "verify failed",
		`@mhlo.topk(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>)`:                                   "k",
		`@TopK(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>)`:                     "it has one operand and two results",
		`@TopK(%x) {called_computations = [@none]} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>)`:        "its comparator @none is no function of the module",
		`@ApproxTopK(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>)`:               "its reduction_dim or its sizes cannot be read",
	} {
		m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
    %0:2 = stablehlo.custom_call `+call+`
    return %0#0, %0#1 : tensor<4xf32>, tensor<4xi32>
}`)
		_, err := xlacalls.Expand(m.Operation())
		check.Error(t, err, want)
	}
}

// TestExpandHostile has calls of which no sort can be made: an error says so, here or when the module is verified.
func TestExpandHostile(t *testing.T) {
	for name, tt := range map[string]struct{ call, comparator string }{
		"no arrays": {`@ApproxTopK() {called_computations = [@less], mhlo.backend_config = {reduction_dim = 0 : i64}} : () -> ()`,
			"%a: tensor<f32>, %b: tensor<f32>"},
		"no such dimension": {`@ApproxTopK(%x, %z) {called_computations = [@less], mhlo.backend_config = {reduction_dim = 7 : i64}} :
			(tensor<4xf32>, tensor<f32>) -> tensor<2xf32>`, "%a: tensor<f32>, %b: tensor<f32>"},
		"more elements than there are": {`@ApproxTopK(%x, %z) {called_computations = [@less],
			mhlo.backend_config = {reduction_dim = 0 : i64}} : (tensor<4xf32>, tensor<f32>) -> tensor<9xf32>`,
			"%a: tensor<f32>, %b: tensor<f32>"},
		"another rank": {`@ApproxTopK(%x, %z) {called_computations = [@less],
			mhlo.backend_config = {reduction_dim = 0 : i64}} : (tensor<4xf32>, tensor<f32>) -> tensor<2x2xf32>`,
			"%a: tensor<f32>, %b: tensor<f32>"},
		"a comparator of one pair": {`@TopK(%x) {called_computations = [@less]} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)`,
			"%a: tensor<f32>, %b: tensor<f32>"},
		"a comparator of integers": {`@ApproxTopK(%x, %z) {called_computations = [@less],
			mhlo.backend_config = {reduction_dim = 0 : i64}} : (tensor<4xf32>, tensor<f32>) -> tensor<2xf32>`,
			"%a: tensor<i32>, %b: tensor<i32>"},
	} {
		t.Run(name, func(t *testing.T) {
			results := " "
			if strings.HasPrefix(tt.call, "@TopK") {
				results = " %0:2 = "
			} else if !strings.HasSuffix(tt.call, "()") {
				results = " %0 = "
			}
			m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main(%x: tensor<4xf32>, %z: tensor<f32>) {
	`+results+`stablehlo.custom_call `+tt.call+`
	return
}
func.func private @less(`+tt.comparator+`) -> tensor<i1> {
	%0 = stablehlo.compare LT, %a, %b : (`+tt.comparator[4:15]+`, `+tt.comparator[4:15]+`) -> tensor<i1>
	return %0 : tensor<i1>
}`)
			_, err := xlacalls.Expand(m.Operation())
			if err == nil {
				err = m.Verify()
			}
			if err == nil {
				t.Error("there is no error")
			}
		})
	}
}
