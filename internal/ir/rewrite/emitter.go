package rewrite

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// An Emitter adds operations, and keeps the first error.
type Emitter struct{ *mlir.Builder }

// Before returns an emitter that adds operations before another one, with its location.
func Before(op mlir.Operation) Emitter {
	return Emitter{mlir.NewBuilder(mlir.Before(op), op.Location())}
}

// Shape returns the shape of a value.
func (e Emitter) Shape(v mlir.Value) tensor.Shape {
	shape, err := stablehlo.ShapeOf(v.Type())
	e.Fail(err)
	return shape
}

// Array returns the type of an array.
func (e Emitter) Array(s tensor.Shape) mlir.Type {
	t, err := stablehlo.TensorType(e.Context(), s)
	e.Fail(err)
	return t
}

// Zeros adds an array of zeros.
func (e Emitter) Zeros(t mlir.Type) mlir.Value { return e.Filled(t, 0) }

// Filled returns an array of integers that are all n. It serves every type for 0.
func (e Emitter) Filled(t mlir.Type, n byte) mlir.Value {
	shape, err := stablehlo.ShapeOf(t)
	if e.Fail(err); e.Cause() != nil {
		return e.Create(mlir.OperationState{}).Result(0)
	}
	scalar := tensor.ShapeOf(shape.DType)
	data := make([]byte, scalar.NumBytes())
	data[0] = n // platforms are little-endian
	v := stablehlo.Constant(e.Builder, tensor.View{Shape: scalar, Data: data})
	if shape.Rank() == 0 {
		return v
	}
	return stablehlo.BroadcastInDim(e.Builder, t, v, []int64{})
}

// Bitcast returns the array with elements of another type of the same width.
func (e Emitter) Bitcast(v mlir.Value, shape tensor.Shape, to tensor.DType) mlir.Value {
	shape.DType = to
	return stablehlo.BitcastConvert(e.Builder, e.Array(shape), v)
}
