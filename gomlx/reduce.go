package gomlx

import (
	"fmt"
	"reflect"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"

	ir "github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/tensor"
)

// reduce adds a reduction along axes, or along all of them.
func (f *function) reduce(
	op func(x ir.Value, axes ...int) ir.Value, x compute.Value, axes []int,
) (compute.Value, error) {
	return f.unary(func(x ir.Value) ir.Value { return op(x, axes...) }, x)
}

// ReduceSum is builder.ReduceSum.
func (f *function) ReduceSum(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(ir.ReduceSum, x, axes)
}

// ReduceProduct is builder.ReduceProd.
func (f *function) ReduceProduct(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(ir.ReduceProd, x, axes)
}

// ReduceMax is builder.ReduceMax.
func (f *function) ReduceMax(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(ir.ReduceMax, x, axes)
}

// ReduceMin is builder.ReduceMin.
func (f *function) ReduceMin(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(ir.ReduceMin, x, axes)
}

// ReduceLogicalAnd is builder.ReduceAll.
func (f *function) ReduceLogicalAnd(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(ir.ReduceAll, x, axes)
}

// ReduceLogicalOr is builder.ReduceAny.
func (f *function) ReduceLogicalOr(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(ir.ReduceAny, x, axes)
}

// ReduceLogicalXor is builder.Reduce with builder.Xor.
func (f *function) ReduceLogicalXor(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(bitwise(ir.Xor, false), x, axes)
}

// ReduceBitwiseAnd is builder.Reduce with builder.And.
func (f *function) ReduceBitwiseAnd(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(bitwise(ir.And, true), x, axes)
}

// ReduceBitwiseOr is builder.Reduce with builder.Or.
func (f *function) ReduceBitwiseOr(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(bitwise(ir.Or, false), x, axes)
}

// ReduceBitwiseXor is builder.Reduce with builder.Xor.
func (f *function) ReduceBitwiseXor(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce(bitwise(ir.Xor, false), x, axes)
}

// bitwise returns a reduction that begins with all bits clear or set.
func bitwise(op func(a, b ir.Value) ir.Value, set bool) func(ir.Value, ...int) ir.Value {
	return func(x ir.Value, axes ...int) ir.Value {
		init := ir.Zeros(x.Func(), tensor.ShapeOf(x.Shape().DType))
		if set {
			init = ir.Not(init)
		}
		return ir.Reduce(x, init, op, axes...)
	}
}

// ArgMinMax is builder.ArgMin or builder.ArgMax.
func (f *function) ArgMinMax(x compute.Value, axis int, to dtypes.DType, isMin bool) (compute.Value, error) {
	d, err := element(to)
	if err != nil {
		return nil, err
	}
	op := ir.ArgMax
	if isMin {
		op = ir.ArgMin
	}
	return f.unary(func(x ir.Value) ir.Value { return convert(op(x, axis), d) }, x)
}

// A combination combines elements, starting from a number.
type combination struct {
	op   func(a, b ir.Value) ir.Value
	unit func(d dtypes.DType) any
}

var combinations = map[compute.ReduceOpType]combination{
	compute.ReduceOpSum:     {ir.Add[ir.Value, ir.Value], func(d dtypes.DType) any { return shapes.CastAsDType(0, d) }},
	compute.ReduceOpProduct: {ir.Mul[ir.Value, ir.Value], func(d dtypes.DType) any { return shapes.CastAsDType(1, d) }},
	compute.ReduceOpMax:     {ir.Max[ir.Value, ir.Value], dtypes.DType.LowestValue},
	compute.ReduceOpMin:     {ir.Min[ir.Value, ir.Value], dtypes.DType.HighestValue},
}

func combinationOf(kind compute.ReduceOpType) (combination, error) {
	c, ok := combinations[kind]
	if !ok {
		return c, errors.WithStack(fmt.Errorf("%s: the reduction %s is unknown: use Sum, Product, Max or Min", Name, kind))
	}
	return c, nil
}

// start returns the number from which a reduction of elements of x starts.
func (c combination) start(x ir.Value) ir.Value {
	d := names[x.Shape().DType]
	unit := reflect.ValueOf(c.unit(d))
	flat := reflect.Append(reflect.MakeSlice(reflect.SliceOf(unit.Type()), 0, 1), unit)
	v, err := viewOf(flat.Interface(), shapes.Make(d))
	if err != nil {
		x.Func().Builder().Fail("reduce", err)
		return ir.Value{}
	}
	return x.Func().Constant(v)
}

// ReduceWindow is builder.ReduceWindow. Without strides the windows are next to one another.
func (f *function) ReduceWindow(
	x compute.Value, kind compute.ReduceOpType, dims, strides, baseDilations, windowDilations []int, paddings [][2]int,
) (compute.Value, error) {
	c, err := combinationOf(kind)
	if err != nil {
		return nil, err
	}
	return f.unary(func(x ir.Value) ir.Value {
		dims, strides := whole(dims, x), strides
		if len(strides) == 0 {
			strides = dims
		}
		return ir.ReduceWindow(x, c.start(x), c.op, ir.WindowOptions{Dims: dims, Strides: strides, Padding: paddings,
			BaseDilations: baseDilations, Dilations: windowDilations})
	}, x)
}

// SelectAndScatterMax is builder.SelectAndScatter with builder.Ge.
func (f *function) SelectAndScatterMax(
	x, source compute.Value, dims, strides []int, paddings [][2]int,
) (compute.Value, error) {
	return f.selectAndScatter(ir.Ge, x, source, ir.WindowOptions{Dims: dims, Strides: strides, Padding: paddings})
}

// SelectAndScatterMin is builder.SelectAndScatter with builder.Le.
func (f *function) SelectAndScatterMin(
	x, source compute.Value, dims, strides []int, paddings [][2]int,
) (compute.Value, error) {
	return f.selectAndScatter(ir.Le, x, source, ir.WindowOptions{Dims: dims, Strides: strides, Padding: paddings})
}

func (f *function) selectAndScatter(
	better func(a, b ir.Value) ir.Value, x, source compute.Value, o ir.WindowOptions,
) (compute.Value, error) {
	return f.binary(func(x, source ir.Value) ir.Value {
		o := o
		if o.Dims = whole(o.Dims, x); len(o.Strides) == 0 {
			o.Strides = o.Dims
		}
		zero := ir.Zeros(x.Func(), tensor.ShapeOf(x.Shape().DType))
		return ir.SelectAndScatter(x, source, zero, better, ir.Add, o)
	}, x, source)
}

// AllReduce is builder.AllReduce for each operand.
func (f *function) AllReduce(
	operands []compute.Value, kind compute.ReduceOpType, groups [][]int,
) ([]compute.Value, error) {
	c, err := combinationOf(kind)
	if err != nil {
		return nil, err
	}
	return f.many(func(xs []ir.Value) []ir.Value {
		for i, x := range xs {
			xs[i] = ir.AllReduce(x, c.op, ir.CollectiveOptions{Groups: groups})
		}
		return xs
	}, operands...)
}
