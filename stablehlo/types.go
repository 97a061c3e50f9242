package stablehlo

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// TensorType returns the tensor type of a shape. A dimension of -1 is dynamic. Signed
// integers are signless in StableHLO: s32 is i32.
func TensorType(c *mlir.Context, s tensor.Shape) (mlir.Type, error) {
	element, err := ElementType(c, s.DType)
	if err != nil {
		return mlir.Type{}, err
	}
	dims := make([]int64, len(s.Dims))
	for i, d := range s.Dims {
		switch dims[i] = int64(d); {
		case d == -1:
			dims[i] = mlir.Dynamic
		case d < 0:
			return mlir.Type{},
				fmt.Errorf("stablehlo: dimension %d of %s is negative: give its size, or -1 if that is not known", i, s)
		}
	}
	return c.TensorType(element, dims...)
}

// ElementType returns the MLIR type of one element.
func ElementType(c *mlir.Context, d tensor.DType) (mlir.Type, error) {
	switch {
	case d.Bits() == 0:
		return mlir.Type{}, fmt.Errorf("stablehlo: %s is not an element type", d)
	case d == tensor.F32: // avoid parsing for the most frequent type
		return c.F32Type(), nil
	}
	return c.ParseType(d.MLIR())
}

// ShapeOf returns the shape of a tensor type. A dynamic dimension is -1.
func ShapeOf(t mlir.Type) (tensor.Shape, error) {
	dims, ok := t.Dims()
	if !ok || !t.IsRankedTensor() {
		return tensor.Shape{}, fmt.Errorf("stablehlo: %s is not a ranked tensor type", t)
	}
	element, _ := t.Element()
	dtype, err := tensor.DTypeFromMLIR(element.String())
	if err != nil {
		return tensor.Shape{}, fmt.Errorf("stablehlo: %s: %w", t, err)
	}
	if dtype == tensor.Token {
		return tensor.Shape{}, fmt.Errorf("stablehlo: %s has no elements that are numbers", t)
	}
	s := tensor.Shape{DType: dtype, Dims: make([]int, len(dims))}
	for i, d := range dims {
		s.Dims[i] = int(d)
		if d == mlir.Dynamic {
			s.Dims[i] = -1
		}
	}
	return s, nil
}

// TokenType returns !stablehlo.token.
func TokenType(c *mlir.Context) (mlir.Type, error) {
	if err := c.LoadDialect("stablehlo"); err != nil {
		return mlir.Type{}, err
	}
	if c.Library().Has("stablehloTokenTypeGet") {
		return raw.WrapType(c, capi.StablehloTokenTypeGet(raw.Table(c), raw.Context(c))), nil
	}
	return c.ParseType("!stablehlo.token")
}

// IsToken reports whether t is !stablehlo.token.
func IsToken(t mlir.Type) bool { return t.String() == "!stablehlo.token" }
