package passes

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// certain adds a predicate for each element of x that is true: integer(x) | 1 != 0. XLA's simplification does not find
// that out. aliasing.IsCertain recognizes it. Integers of 32 and 64 bits keep their type, because the code generator of
// some plugins crashes on a bitwise operation of an integer that is made narrower.
func (e emitter) certain(x mlir.Value) mlir.Value {
	shape := e.shape(x)
	number, integer, comparison := x, tensor.S32, stablehlo.CompareSigned
	switch shape.DType {
	case tensor.S64:
		integer = tensor.S64
	case tensor.U32, tensor.U64:
		integer, comparison = shape.DType, stablehlo.CompareUnsigned
	case tensor.C64, tensor.C128:
		number = stablehlo.Real(e.Builder, x)
	}
	integers := e.array(tensor.Shape{DType: integer, Dims: shape.Dims})
	number = stablehlo.Convert(e.Builder, integers, number)
	return stablehlo.CompareOp{
		LHS: stablehlo.Or(e.Builder, number, e.filled(integers, 1)), RHS: e.filled(integers, 0),
		ComparisonDirection: stablehlo.CompareNE, CompareType: comparison,
	}.Create(e.Builder).Result(0)
}
