package stablehlo

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// Constant is stablehlo.constant.
type Constant struct {
	Value tensor.View // copied into the context
}

// Create makes the operation.
func (o Constant) Create(c *mlir.Context, at mlir.Location) (mlir.Operation, error) {
	t, err := TensorType(c, o.Value.Shape)
	if err != nil {
		return mlir.Operation{}, err
	}
	if want := o.Value.Shape.NumBytes(); len(o.Value.Data) != want {
		return mlir.Operation{}, fmt.Errorf("stablehlo: a constant %s needs %d bytes, %d given", o.Value.Shape, want, len(o.Value.Data))
	}
	value, err := c.DenseAttribute(t, packBools(o.Value))
	if err != nil {
		return mlir.Operation{}, fmt.Errorf("stablehlo: constant: %w", err)
	}
	return c.Create(mlir.OperationState{
		Name: dialect + "constant", Location: at,
		Attributes: []mlir.NamedAttribute{{Name: "value", Value: value}}, InferResults: true,
	})
}

// packBools is the value's bytes as a dense attribute holds them. Elements of i1 are
// single bits there, the first one the lowest (MLIR, BuiltinAttributes.td), but for
// one element alone, which is a splat and a whole byte.
func packBools(v tensor.View) []byte {
	if v.Shape.DType != tensor.Pred {
		return v.Data
	}
	if len(v.Data) == 1 {
		if v.Data[0] != 0 {
			return []byte{0xff}
		}
		return []byte{0}
	}
	packed := make([]byte, (len(v.Data)+7)/8)
	for i, b := range v.Data {
		if b != 0 {
			packed[i/8] |= 1 << (i % 8)
		}
	}
	return packed
}
