package passes

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// certain adds a predicate for each element of x that is true: integer(x) | 1 != 0. XLA's simplification does not find
// that out. aliasing.IsCertain recognizes it. Integers of 32 and 64 bits keep their type, because the code generator of
// some plugins crashes on a bitwise operation of an integer that is made narrower.
func (e emitter) certain(x mlir.Value) (mlir.Value, error) {
	shape, err := stablehlo.ShapeOf(x.Type())
	if err != nil {
		return mlir.Value{}, err
	}
	integer, comparison := tensor.S32, stablehlo.CompareSigned
	switch shape.DType {
	case tensor.S64:
		integer = tensor.S64
	case tensor.U32, tensor.U64:
		integer, comparison = shape.DType, stablehlo.CompareUnsigned
	}
	integers, err := stablehlo.TensorType(e.c, tensor.Shape{DType: integer, Dims: shape.Dims})
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
	if err != nil {
		return mlir.Value{}, err
	}
	one, err := e.filled(integers, 1)
	if err != nil {
		return mlir.Value{}, err
	}
	none, err := e.filled(integers, 0)
	number = add(stablehlo.Binary{Op: stablehlo.Or, LHS: number, RHS: one})
	sure := add(stablehlo.Compare{
		LHS: number, RHS: none, ComparisonDirection: stablehlo.CompareNE, CompareType: comparison,
	})
	return sure, err
}
