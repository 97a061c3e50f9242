package lower_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
)

// TestBoundsAreRefused has arrays whose sizes are values of the run where these are not known to be right.
func TestBoundsAreRefused(t *testing.T) {
	const bounded = "tensor<?xf32, #stablehlo.bounds<4>>"
	for name, tt := range map[string]struct{ body, want string }{
		"moved": {`%z = stablehlo.reverse %y, dims = [0] : ` + bounded, "stablehlo.reverse at test.mlir:5:10: it takes an array " +
			"whose size is a value of the run"},
		"of other sizes": {`%w = stablehlo.set_dimension_size %x, %m, dim = 0 : (tensor<4xf32>, tensor<i32>) -> ` + bounded + `
			%z = stablehlo.add %y, %w : ` + bounded, "stablehlo.add at test.mlir:6:9: its operands have sizes that are different"},
	} {
		t.Run(name, func(t *testing.T) {
			m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main(%x: tensor<4xf32>, %n: tensor<i32>, %m: tensor<i32>)
					-> tensor<i32> {
				%y = stablehlo.set_dimension_size %x, %n, dim = 0 :
					(tensor<4xf32>, tensor<i32>) -> `+bounded+`
				`+tt.body+`
				%0 = stablehlo.get_dimension_size %z, dim = 0 : (`+bounded+`) -> tensor<i32>
				return %0 : tensor<i32> }`)
			_, err := jit.Compile(t.Context(), m, jit.Options{})
			check.Error(t, err, tt.want)
		})
	}
}
