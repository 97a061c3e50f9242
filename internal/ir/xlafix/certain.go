package xlafix

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// certain adds a predicate for each element of x that is true: int64(x) | 1 != 0. XLA's simplification does not find
// that out. kept.IsCertain recognizes it. No integer is made narrower, because the code generator of some plugins
// crashes on a bitwise operation of one: see NarrowUnsigned.
func (e emitter) certain(x mlir.Value) mlir.Value {
	shape := e.Shape(x)
	if shape.DType == tensor.C64 || shape.DType == tensor.C128 {
		x = stablehlo.Real(e.Builder, x)
	}
	integers := e.Array(tensor.Shape{DType: tensor.S64, Dims: shape.Dims})
	number := stablehlo.Or(e.Builder, stablehlo.Convert(e.Builder, integers, x), e.Filled(integers, 1))
	return stablehlo.CompareOp{
		LHS: number, RHS: e.Filled(integers, 0),
		ComparisonDirection: stablehlo.CompareNE, CompareType: stablehlo.CompareSigned,
	}.Create(e.Builder).Result(0)
}
