package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/tensor"
)

func TestTriangularSolve(t *testing.T) {
	var list []program
	for _, left := range []bool{true, false} {
		for _, lower := range []bool{true, false} {
			for _, transpose := range []string{"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"} {
				b := "tensor<2x3x5xcomplex<f64>>"
				if !left {
					b = "tensor<2x5x3xcomplex<f64>>"
				}
				list = append(list, program{name: fmt.Sprint(left, lower, transpose),
					text: function("%a: tensor<2x3x3xcomplex<f64>>, %b: "+b, b, fmt.Sprintf(`
					%%four = stablehlo.constant dense<(4.0, 1.0)> : tensor<2x3x3xcomplex<f64>>
					%%c = stablehlo.add %%a, %%four : tensor<2x3x3xcomplex<f64>>
					%%r = "stablehlo.triangular_solve"(%%c, %%b) <{left_side = %v, lower = %v, unit_diagonal = %v,
						transpose_a = #stablehlo<transpose %s>}> : (tensor<2x3x3xcomplex<f64>>, %s) -> %[5]s
					return %%r : %[5]s`, left, lower, transpose == "TRANSPOSE", transpose, b))})
			}
		}
	}
	onXLA(t, 1e-9, list)
}

func TestCholesky(t *testing.T) {
	text := `
		%h = "stablehlo.cholesky"(%a) <{lower = LOWER}> : (TYPE) -> TYPE
		%i = stablehlo.iota dim = 1 : tensor<2x3x3xi32>
		%j = stablehlo.iota dim = 2 : tensor<2x3x3xi32>
		%p = stablehlo.compare DIRECTION, %i, %j : (tensor<2x3x3xi32>, tensor<2x3x3xi32>) -> tensor<2x3x3xi1>
		%z = stablehlo.subtract %a, %a : TYPE
		%r = stablehlo.select %p, %h, %z : tensor<2x3x3xi1>, TYPE
		return %r : TYPE`
	f, _ := tensor.FromSlice([]float32{4, 2, 2, 2, 5, 3, 2, 3, 6, 9, 3, 3, 3, 5, 1, 3, 1, 4}, 2, 3, 3)
	c, _ := tensor.FromSlice([]complex128{4, 2i, 2, -2i, 5, 3 + 1i, 2, 3 - 1i, 9, 9, 3, 3i, 3, 5, 1i, -3i, -1i, 7},
		2, 3, 3)
	var list []program
	for typ, input := range map[string]tensor.View{"tensor<2x3x3xf32>": f, "tensor<2x3x3xcomplex<f64>>": c} {
		for lower, direction := range map[string]string{"true": "GE", "false": "LE"} {
			of := strings.NewReplacer("TYPE", typ, "LOWER", lower, "DIRECTION", direction)
			list = append(list, program{typ + lower, function("%a: "+typ, typ, of.Replace(text)), []tensor.View{input}})
		}
	}
	onXLA(t, 1e-5, list)
}
