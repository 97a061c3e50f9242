package builder

import (
	"math"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Reduce folds axes of x away: body makes one of two elements, over and over, in any
// order and starting from init, which is a scalar and changes nothing, such as 0 for a
// sum. Without axes all of them go.
//
//	total := builder.Reduce(x, zero, builder.Add, 0)
//
// x and init are trees of values of one structure: a Value, or structs, slices or maps of
// values, which are folded together.
func Reduce[T any](x, init T, body func(acc, element T) T, axes ...int) T {
	s, values := trees("reduce", x, init)
	if !s.ok {
		return x
	}
	axes = s.reduced(axes, rankOf(values[0][0]))
	return rebuild(x, reduce(&s, x, values[0], values[1], body, axes))
}

func reduce[T any](s *step, tree T, xs, inits []Value, body func(acc, element T) T, axes []int) []Value {
	region, ok := combine(s, tree, xs, body)
	if !ok {
		return s.nones(len(xs))
	}
	return s.many(len(xs), stablehlo.Reduce{
		Inputs: mlirs(xs), InitValues: mlirs(inits), Dimensions: int64s(axes), Body: region,
	})
}

// reduced are the axes to fold, all of them where none is named.
func (s *step) reduced(axes []int, rank int) []int {
	if len(axes) == 0 {
		return upTo(rank)
	}
	return s.axes(axes, rank)
}

// ReduceSum is the sum along the axes, which go; without any, of all elements.
func ReduceSum(x Value, axes ...int) Value { return reduceOf("reduce_sum", sumOf, x, axes) }

// ReduceProd is the product along the axes, which go; without any, of all elements.
func ReduceProd(x Value, axes ...int) Value { return reduceOf("reduce_prod", productOf, x, axes) }

// ReduceMax is the greatest element along the axes, which go; without any, of all.
func ReduceMax(x Value, axes ...int) Value { return reduceOf("reduce_max", greatestOf, x, axes) }

// ReduceMin is the least element along the axes, which go; without any, of all.
func ReduceMin(x Value, axes ...int) Value { return reduceOf("reduce_min", leastOf, x, axes) }

// ReduceAll tells whether all booleans along the axes are true, which go; without any, all
// elements.
func ReduceAll(x Value, axes ...int) Value { return reduceOf("reduce_all", allOf, x, axes) }

// ReduceAny tells whether one of the booleans along the axes is true, which go; without
// any, of all elements.
func ReduceAny(x Value, axes ...int) Value { return reduceOf("reduce_any", anyOf, x, axes) }

// ReduceMean is the mean along the axes, which go; without any, of all elements. Floating
// point numbers of less than 32 bits are summed as f32; the mean of integers is rounded
// towards zero.
func ReduceMean(x Value, axes ...int) Value {
	s := begin("reduce_mean", x)
	if !s.ok {
		return s.none()
	}
	dims := dimsOf(x)
	axes = s.reduced(axes, len(dims))
	n := 1
	for _, a := range axes {
		if dims[a] < 0 {
			return s.fail("the dimension of axis %d is not known: divide ReduceSum by GetDimensionSize", a)
		}
		n *= dims[a]
	}
	dtype, wide := dtypeOf(x), dtypeOf(x)
	if comparisonType(x.v.Type()) == stablehlo.CompareFloat && dtype.Bits() < 32 && dtype != tensor.Invalid {
		wide = tensor.F32
	}
	sum := s.reduceWith(s.convert(x, wide), sumOf, axes)
	if !s.ok {
		return s.none()
	}
	return s.convert(s.binary(stablehlo.Divide, sum, s.numberLike(n, sum)), dtype)
}

// monoid is an operation that elements are folded with, and where to start.
type monoid struct {
	op   stablehlo.BinaryOp
	unit func(element mlir.Type) any
}

var (
	sumOf      = monoid{stablehlo.Add, func(mlir.Type) any { return 0 }}
	productOf  = monoid{stablehlo.Multiply, func(mlir.Type) any { return 1 }}
	greatestOf = monoid{stablehlo.Maximum, func(t mlir.Type) any { return extreme(t, false) }}
	leastOf    = monoid{stablehlo.Minimum, func(t mlir.Type) any { return extreme(t, true) }}
	allOf      = monoid{stablehlo.And, func(mlir.Type) any { return true }}
	anyOf      = monoid{stablehlo.Or, func(mlir.Type) any { return false }}
)

// extreme is the greatest or the least element of a type.
func extreme(element mlir.Type, greatest bool) any {
	if width, signedness, ok := element.IntegerWidth(); ok {
		switch {
		case width == 1: // a boolean
			return greatest
		case signedness == mlir.Unsigned && greatest:
			return uint64(math.MaxUint64) >> (64 - width)
		case signedness == mlir.Unsigned:
			return uint64(0)
		case greatest:
			return int64(math.MaxInt64) >> (64 - width)
		}
		return int64(math.MinInt64) >> (64 - width)
	}
	d, _ := tensor.DTypeFromMLIR(element.String())
	limit := floats[d].max
	switch {
	case d == tensor.F8E8M0FNU && !greatest:
		return 1 / limit
	case floats[d].inf:
		limit = math.Inf(1)
	}
	if greatest {
		return limit
	}
	return -limit
}

func reduceOf(name string, m monoid, x Value, axes []int) Value {
	s := begin(name, x)
	if !s.ok {
		return s.none()
	}
	return s.reduceWith(x, m, s.reduced(axes, rankOf(x)))
}

func (s *step) reduceWith(x Value, m monoid, axes []int) Value {
	if !s.ok {
		return s.none()
	}
	return reduce(s, x, []Value{x}, []Value{s.start(m, x)}, m.fold, axes)[0]
}

// start is what a fold of x starts from.
func (s *step) start(m monoid, x Value) Value {
	element, ok := x.v.Type().Element()
	if !ok {
		return s.fail("%s is no tensor", x.v.Type())
	}
	unit := m.unit(element)
	if _, isBool := unit.(bool); isBool && dtypeOf(x) != tensor.Pred {
		return s.fail("it takes booleans, pred, and no numbers")
	}
	return s.scalar(unit, x)
}

func (m monoid) fold(a, b Value) Value { return binary(m.op, a, b) }

// ArgMax is the index of the greatest element along an axis, which goes, as s32; the
// first of those that are equal. A NaN counts as the greatest.
func ArgMax(x Value, axis int) Value {
	return argOf("arg_max", stablehlo.CompareGT, greatestOf, x, axis)
}

// ArgMin is the index of the least element along an axis, which goes, as s32; the first
// of those that are equal. A NaN counts as the least.
func ArgMin(x Value, axis int) Value { return argOf("arg_min", stablehlo.CompareLT, leastOf, x, axis) }

func argOf(name string, better stablehlo.ComparisonDirection, m monoid, x Value, axis int) Value {
	s := begin(name, x)
	if !s.ok {
		return s.none()
	}
	dims := dimsOf(x)
	axis = s.axis(axis, len(dims))
	if !isStatic(dims) {
		return s.fail("a dimension is not known")
	}
	index := s.one(stablehlo.Iota{IotaDimension: int64(axis), Result: s.tensor(tensor.Shape{DType: tensor.S32, Dims: dims})})
	xs, inits := []Value{x, index}, []Value{s.start(m, x), s.scalar(0, index)}
	floats := comparisonType(x.v.Type()) == stablehlo.CompareFloat
	return reduce(&s, xs, xs, inits, func(acc, e []Value) []Value {
		wins, same := compare(better, e[0], acc[0]), Eq(e[0], acc[0])
		if floats { // NaN differs from itself
			isNaN, wasNaN := Ne(e[0], e[0]), Ne(acc[0], acc[0])
			wins, same = Or(wins, And(isNaN, Not(wasNaN))), Or(same, And(isNaN, wasNaN))
		}
		// Of two that are equally good the lower index is taken: the order in which they
		// come is not known.
		first := Or(wins, And(same, Lt(e[1], acc[1])))
		return []Value{Select(wins, e[0], acc[0]), Select(first, e[1], acc[1])}
	}, []int{axis})[1]
}

// Map applies a Go function of scalars to the elements of arrays of one shape, place by
// place; body is called once, while building.
func Map(body func(elements []Value) Value, xs ...Value) Value {
	s := begin("map", xs...)
	if !s.ok {
		return s.none()
	}
	if body == nil {
		return s.fail("its Go function is nil")
	}
	types := make([]mlir.Type, len(xs))
	for i, x := range xs {
		types[i] = s.typed(x, nil)
	}
	if !s.ok {
		return s.none()
	}
	region, _, ok := s.f.region(s.at, "the body of the map", types, false, func(args []Value) []Value {
		return []Value{body(args)}
	})
	s.ok = ok
	return s.one(stablehlo.Map{Inputs: mlirs(xs), Dimensions: int64s(upTo(rankOf(xs[0]))), Computation: region})
}
