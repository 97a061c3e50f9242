package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestUnaryEinsum rearranges an array, which XLA cannot.
func TestUnaryEinsum(t *testing.T) {
	x := check.Must(tensor.FromSlice([]int32{1, 2, 3, 4, 5, 6, 7, 8, 9}, 3, 3))
	for config, want := range map[string]tensor.View{
		"ij->ji": check.Must(tensor.FromSlice([]int32{1, 4, 7, 2, 5, 8, 3, 6, 9}, 3, 3)),
		"ij->j":  tensor.Vector[int32](12, 15, 18), "ii->i": tensor.Vector[int32](1, 5, 9),
		"ii->": tensor.Scalar[int32](15),
	} {
		p := single(fmt.Sprintf("unary_einsum; 3x3xi32; %s; einsum_config = %q",
			strings.Repeat("3x", want.Shape.Rank())+"i32", config))
		p.inputs = []tensor.View{x}
		got, _ := p.run(t, mlirtest.Parse(t, mlirtest.Context(t), p.text))
		check.Diff(t, config, []tensor.View{want}, got)
	}
}

// TestEinsumIsRefused has labels that do not fit.
func TestEinsumIsRefused(t *testing.T) {
	for line, want := range map[string]string{
		`einsum; 2x3xf32,4x3xf32; 2x3xf32; einsum_config = "ij,jk->ik"`:   `it has the sizes 3 and 4 for the label 'j'`,
		`einsum; 2x3xf32,3x4xf32; 3x4xf32; einsum_config = "ij,jk->ik"`:   `it has the sizes 2 and 3 for the label 'i'`,
		`einsum; 2x3xf32,3x4xf32; 2x4xf32; einsum_config = "ij,jk->il"`:   `a result with the label 'l', which no operand`,
		`einsum; 2x3xf32,3x4xf32; 2x4xf32; einsum_config = "ijk,jk->ik"`:  `it has the labels "ijk" for 2 dimensions`,
		`einsum; 2x3xf32,3x4xf32; 2x4xf32; einsum_config = "ij->ik"`:      `which is not of 2 operands and a result`,
		`einsum; 2x3xf32,3x4xf32; 2x4xi32; einsum_config = "ij,jk->ik"`:   `it takes f32 and makes i32: convert`,
		`einsum; 2x3xf32,3x4xf32; 2x4xf32; einsum_config = "ijk...,j->i"`: `it has the labels "ijk..." for 2 dimensions`,
	} {
		m := mlirtest.Parse(t, mlirtest.Context(t), single(line).text)
		_, err := jit.Compile(t.Context(), m, jit.Options{})
		check.Error(t, err, want)
	}
}
