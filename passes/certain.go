package passes

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// certain adds a predicate for each element of x that is true: int32(x) | 1 != 0. XLA's simplification does not find
// that out. aliasing.IsCertain recognizes it.
func (e emitter) certain(x mlir.Value) (mlir.Value, error) {
	shape, err := stablehlo.ShapeOf(x.Type())
	if err != nil {
		return mlir.Value{}, err
	}
	integers, err := stablehlo.TensorType(e.c, tensor.Shape{DType: tensor.S32, Dims: shape.Dims})
	add := func(o creator) (v mlir.Value) {
		if err == nil {
			v, err = e.value(o)
		}
		return v
	}
	number := x
	if shape.DType == tensor.C64 || shape.DType == tensor.C128 {
		number = add(stablehlo.Real{Operand: x})
	}
	number = add(stablehlo.Convert{Operand: number, Result: integers})
	one := add(stablehlo.Constant{Value: tensor.Scalar[int32](1)})
	one = add(stablehlo.BroadcastInDim{Operand: one, BroadcastDimensions: []int64{}, Result: integers})
	number = add(stablehlo.Binary{Op: stablehlo.Or, LHS: number, RHS: one})
	if err != nil {
		return mlir.Value{}, err
	}
	none, err := e.zeros(integers)
	if err != nil {
		return mlir.Value{}, err
	}
	return e.value(stablehlo.Compare{
		LHS: number, RHS: none, ComparisonDirection: stablehlo.CompareNE, CompareType: stablehlo.CompareSigned,
	})
}
