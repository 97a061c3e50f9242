package stablehlo

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestTensorType(t *testing.T) {
	c := mlirtest.Context(t)
	dims := []struct {
		dims []int
		text string
	}{
		{[]int{}, ""},
		{[]int{0}, "0x"},
		{[]int{7}, "7x"},
		{[]int{2, 3, 1}, "2x3x1x"},
		{[]int{-1}, "?x"},
		{[]int{2, -1, 4}, "2x?x4x"},
	}
	for _, dtype := range tensor.DTypes() {
		for _, d := range dims {
			shape := tensor.Shape{DType: dtype, Dims: d.dims}
			t.Run(shape.String(), func(t *testing.T) {
				typ, err := TensorType(c, shape)
				check.NoError(t, err)
				check.Diff(t, "type", "tensor<"+d.text+dtype.MLIR()+">", typ.String())
				back, err := ShapeOf(typ)
				check.NoError(t, err)
				check.Diff(t, "ShapeOf", shape, back)
			})
		}
	}
}

// TestUnknownDimension checks that -1 is a dynamic dimension, that other negative numbers
// are invalid, and that a shape does not contain bounds.
func TestUnknownDimension(t *testing.T) {
	c := mlirtest.Context(t)
	typ, err := TensorType(c, tensor.ShapeOf(tensor.F32, -1))
	check.NoError(t, err)
	if _, err := TensorType(c, tensor.ShapeOf(tensor.F32, 2, -5)); err == nil ||
		!strings.Contains(err.Error(), "dimension 1 of f32[2,-5] is negative") {
		t.Errorf("the error of a negative dimension is %v", err)
	}
	check.Diff(t, "type", "tensor<?xf32>", typ.String())
	bounded, err := ShapeOf(mlirtest.Types(c, "tensor<?xf32, #stablehlo.bounds<3>>")[0])
	check.NoError(t, err)
	check.Diff(t, "shape", tensor.ShapeOf(tensor.F32, -1), bounded)
}

func TestTypeErrors(t *testing.T) {
	c := mlirtest.Context(t)
	for _, d := range []tensor.DType{tensor.Invalid, tensor.Token, 200} {
		typ, err := TensorType(c, tensor.ShapeOf(d, 2))
		check.Error(t, err, "stablehlo: "+d.String()+" is not an element type")
		check.Diff(t, "no type", true, typ.IsNil())
	}
	for text, want := range map[string]string{
		"f32":                        "stablehlo: f32 is not a ranked tensor type",
		"index":                      "stablehlo: index is not a ranked tensor type",
		"tensor<*xf32>":              "stablehlo: tensor<*xf32> is not a ranked tensor type",
		"memref<2xf32>":              "stablehlo: memref<2xf32> is not a ranked tensor type",
		"vector<2xf32>":              "stablehlo: vector<2xf32> is not a ranked tensor type",
		"tuple<tensor<2xf32>>":       "stablehlo: tuple<tensor<2xf32>> is not a ranked tensor type",
		"!stablehlo.token":           "stablehlo: !stablehlo.token is not a ranked tensor type",
		"tensor<2xindex>":            "stablehlo: tensor<2xindex>: tensor: the MLIR type index is not an element type",
		"tensor<2xsi32>":             "stablehlo: tensor<2xsi32>: tensor: the MLIR type si32 is not an element type",
		"tensor<2x!stablehlo.token>": "stablehlo: tensor<2x!stablehlo.token> has no elements that are numbers",
		"tensor<2xvector<2xf32>>":    "stablehlo: tensor<2xvector<2xf32>>: tensor: the MLIR type vector<2xf32> is not an element type",
		"() -> tensor<2xf32>":        "stablehlo: () -> tensor<2xf32> is not a ranked tensor type",
		"tensor<2xcomplex<f16>>":     "stablehlo: tensor<2xcomplex<f16>>: tensor: the MLIR type complex<f16> is not an element type",
	} {
		typ, err := c.ParseType(text)
		check.NoError(t, err)
		_, err = ShapeOf(typ)
		check.Error(t, err, want)
	}
}

func TestToken(t *testing.T) {
	c := mlirtest.Context(t)
	token, err := TokenType(c)
	check.NoError(t, err)
	check.Diff(t, "text", "!stablehlo.token", token.String())
	if !token.Equal(mlirtest.Types(c, "!stablehlo.token")[0]) {
		t.Error("the token parses as another type")
	}
	for text, want := range map[string]bool{
		"!stablehlo.token":        true,
		"tuple<!stablehlo.token>": false,
		"tensor<1xi8>":            false,
		"i1":                      false,
	} {
		check.Diff(t, text, want, IsToken(mlirtest.Types(c, text)[0]))
	}
	check.Diff(t, "nothing", false, IsToken(mlir.Type{}))
}
