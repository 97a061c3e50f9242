package builder

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Func returns the function that the value belongs to. Use it for operations that take no
// value. It returns nil for the zero Value and for templates.
func (v Value) Func() *Func { return funcOf(v) }

// Scalar returns a constant without dimensions. Its element type is the one for T.
func Scalar[T tensor.Element](f *Func, v T) Value {
	s := f.begin("constant")
	return s.one(stablehlo.ConstantOp{Value: tensor.Scalar(v)})
}

// Const returns a constant of the given dimensions. Without dimensions it is a vector of
// all values. The values are in row-major order and are copied once, into the module. A
// constant cannot use the memory of the values, because XLA refuses dense_resource ("Only
// dense elements attr are supported"). Pass large data as a parameter.
func Const[T tensor.Element](f *Func, values []T, dims ...int) Value {
	s := f.begin("constant")
	if dims == nil {
		dims = []int{len(values)}
	}
	view, err := tensor.FromSlice(values, dims...)
	if err != nil {
		return s.fail("%w", err)
	}
	return s.one(stablehlo.ConstantOp{Value: view})
}

// Full returns a constant whose elements are all v.
func Full[T Number](f *Func, shape tensor.Shape, v T) Value {
	s := f.begin("full")
	return s.splat(v, s.tensor(shape))
}

// Zeros returns a constant whose elements are all 0, or false.
func Zeros(f *Func, shape tensor.Shape) Value {
	s := f.begin("zeros")
	return s.unit(s.tensor(shape), shape.DType, 0)
}

// Ones returns a constant whose elements are all 1, or true.
func Ones(f *Func, shape tensor.Shape) Value {
	s := f.begin("ones")
	return s.unit(s.tensor(shape), shape.DType, 1)
}

// FullLike returns an array of x's shape and element type whose elements are all v.
func FullLike[T Number](x Value, v T) Value {
	s := begin("full_like", x)
	return s.numberLike(v, x)
}

// ZerosLike returns an array of x's shape and element type whose elements are all 0, or
// false.
func ZerosLike(x Value) Value {
	s := begin("zeros_like", x)
	return s.unitLike(x, 0)
}

// OnesLike returns an array of x's shape and element type whose elements are all 1, or
// true.
func OnesLike(x Value) Value {
	s := begin("ones_like", x)
	return s.unitLike(x, 1)
}

// Iota returns an array whose elements are their own index along an axis: 0, 1, 2 …
func Iota(f *Func, shape tensor.Shape, axis int) Value {
	s := f.begin("iota")
	axis = s.axis(axis, shape.Rank())
	return s.one(stablehlo.IotaOp{IotaDimension: int64(axis), ResultType: s.tensor(shape)})
}

// Eye returns the n×n matrix with 1 on its diagonal and 0 elsewhere.
func Eye(f *Func, d tensor.DType, n int) Value {
	s := f.begin("eye")
	index := s.tensor(tensor.ShapeOf(tensor.S32, n, n))
	row := s.one(stablehlo.IotaOp{IotaDimension: 0, ResultType: index})
	column := s.one(stablehlo.IotaOp{IotaDimension: 1, ResultType: index})
	if !s.ok {
		return s.none()
	}
	same := s.one(stablehlo.CompareOp{
		LHS: row.v, RHS: column.v, ComparisonDirection: stablehlo.CompareEQ, CompareType: stablehlo.CompareSigned,
	})
	return s.convert(same, d)
}

// unit returns a constant of zeros or ones. Unlike splat it accepts booleans.
func (s *step) unit(t mlir.Type, d tensor.DType, v int) Value {
	if d == tensor.Pred {
		return s.splat(v == 1, t)
	}
	return s.splat(v, t)
}

func (s *step) unitLike(x Value, v int) Value {
	if !s.ok {
		return s.none()
	}
	if dtypeOf(x) == tensor.Pred {
		return s.numberLike(v == 1, x)
	}
	return s.numberLike(v, x)
}

// scalar returns a Go number as a constant without dimensions, of x's element type.
func (s *step) scalar(v any, x Value) Value {
	if !s.ok {
		return s.none()
	}
	return s.splat(v, s.typed(x, nil))
}
