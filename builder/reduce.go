package builder

import (
	"math"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Reduce reduces x along axes. body combines two elements into one, repeatedly and in any
// order, starting from init. init is a scalar that does not change the result, such as 0 for
// a sum. Without axes Reduce reduces all of them. The result lacks the reduced axes.
//
//	total := builder.Reduce(x, zero, builder.Add, 0)
//
// x and init are trees of values with the same structure: a Value, or structs, slices or
// maps of values. All leaves are reduced together.
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
	return s.many(len(xs), stablehlo.ReduceOp{
		Inputs: mlirs(xs), InitValues: mlirs(inits), Dimensions: int64s(axes), Body: region,
	})
}

// reduced returns the axes to reduce: all of them if none is named.
func (s *step) reduced(axes []int, rank int) []int {
	if len(axes) == 0 {
		return upTo(rank)
	}
	return s.axes(axes, rank)
}

// ReduceSum returns the sum along axes, which the result lacks. Without axes it is the sum
// of all elements.
func ReduceSum(x Value, axes ...int) Value { return reduceOf("reduce_sum", sumOf, x, axes) }

// ReduceProd returns the product along axes, which the result lacks. Without axes it is the
// product of all elements.
func ReduceProd(x Value, axes ...int) Value { return reduceOf("reduce_prod", productOf, x, axes) }

// ReduceMax returns the greatest element along axes, which the result lacks. Without axes
// it is the greatest of all.
func ReduceMax(x Value, axes ...int) Value { return reduceOf("reduce_max", greatestOf, x, axes) }

// ReduceMin returns the least element along axes, which the result lacks. Without axes it
// is the least of all.
func ReduceMin(x Value, axes ...int) Value { return reduceOf("reduce_min", leastOf, x, axes) }

// ReduceAll reports whether all booleans along axes are true. The result lacks the axes.
// Without axes it covers all elements.
func ReduceAll(x Value, axes ...int) Value { return reduceOf("reduce_all", allOf, x, axes) }

// ReduceAny reports whether any boolean along axes is true. The result lacks the axes.
// Without axes it covers all elements.
func ReduceAny(x Value, axes ...int) Value { return reduceOf("reduce_any", anyOf, x, axes) }

// ReduceMean returns the mean along axes, which the result lacks. Without axes it is the
// mean of all elements. Floating point numbers of less than 32 bits are summed as f32. The
// mean of integers is rounded toward zero.
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
			return s.fail("the dimension of axis %d is unknown: divide ReduceSum by GetDimensionSize", a)
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
	return s.convert(s.binary("stablehlo.divide", sum, s.numberLike(n, sum)), dtype)
}

// monoid is an operation that combines elements, and its initial value.
type monoid struct {
	op   string
	unit func(element mlir.Type) any
}

var (
	sumOf      = monoid{"stablehlo.add", func(mlir.Type) any { return 0 }}
	productOf  = monoid{"stablehlo.multiply", func(mlir.Type) any { return 1 }}
	greatestOf = monoid{"stablehlo.maximum", func(t mlir.Type) any { return extreme(t, false) }}
	leastOf    = monoid{"stablehlo.minimum", func(t mlir.Type) any { return extreme(t, true) }}
	allOf      = monoid{"stablehlo.and", func(mlir.Type) any { return true }}
	anyOf      = monoid{"stablehlo.or", func(mlir.Type) any { return false }}
)

// extreme returns the greatest or the least element of a type.
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

// start returns the initial value for a reduction of x.
func (s *step) start(m monoid, x Value) Value {
	element, ok := x.v.Type().Element()
	if !ok {
		return s.fail("%s is not a tensor", x.v.Type())
	}
	unit := m.unit(element)
	if _, isBool := unit.(bool); isBool && dtypeOf(x) != tensor.Pred {
		return s.fail("the element type must be pred, not a number")
	}
	return s.scalar(unit, x)
}

func (m monoid) fold(a, b Value) Value { return binary(m.op, a, b) }

// ArgMax returns the index of the greatest element along an axis, as s32. The result lacks the
// axis. Among equal elements it takes the first. A NaN counts as the greatest.
func ArgMax(x Value, axis int) Value {
	return argOf("arg_max", stablehlo.CompareGT, greatestOf, x, axis)
}

// ArgMin returns the index of the least element along an axis, as s32. The result lacks the
// axis. Among equal elements it takes the first. A NaN counts as the least.
func ArgMin(x Value, axis int) Value { return argOf("arg_min", stablehlo.CompareLT, leastOf, x, axis) }

func argOf(name string, better stablehlo.ComparisonDirection, m monoid, x Value, axis int) Value {
	s := begin(name, x)
	if !s.ok {
		return s.none()
	}
	dims := dimsOf(x)
	axis = s.axis(axis, len(dims))
	index := s.places(x, axis)
	if !s.ok {
		return s.none()
	}
	xs, inits := []Value{x, index}, []Value{s.start(m, x), s.scalar(0, index)}
	floats := comparisonType(x.v.Type()) == stablehlo.CompareFloat
	return reduce(&s, xs, xs, inits, func(acc, e []Value) []Value {
		wins, same := compare(better, e[0], acc[0]), Eq(e[0], acc[0])
		if floats { // NaN differs from itself
			isNaN, wasNaN := Ne(e[0], e[0]), Ne(acc[0], acc[0])
			wins, same = Or(wins, And(isNaN, Not(wasNaN))), Or(same, And(isNaN, wasNaN))
		}
		// Of two equal elements take the lower index: the order of the calls is unknown.
		first := Or(wins, And(same, Lt(e[1], acc[1])))
		return []Value{Select(wins, e[0], acc[0]), Select(first, e[1], acc[1])}
	}, []int{axis})[1]
}

// Map applies a Go function of scalars to the elements of arrays of the same shape, element
// by element. body is called once, while building.
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
	return s.one(stablehlo.MapOp{Inputs: mlirs(xs), Dimensions: int64s(upTo(rankOf(xs[0]))), Computation: region})
}
