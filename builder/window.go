package builder

import "github.com/calliope-mlir/calliope/stablehlo"

// WindowOptions describe how a window moves over an array. The lists have one entry for
// each axis. An empty list means ones, or no padding.
type WindowOptions struct {
	Dims          []int    // dimensions of the window
	Strides       []int    // distances between its positions
	Padding       [][2]int // elements before and after, which have the initial value
	Same          bool     // pad so that the result has x's dimensions, divided by the strides and rounded up
	BaseDilations []int    // distances between x's elements
	Dilations     []int    // distances between the window's elements
}

// ReduceWindow reduces the elements in the window at each of its positions. body combines
// two elements into one, starting from init, as in Reduce. x and init are trees with the
// same structure.
func ReduceWindow[T any](x, init T, body func(acc, element T) T, o WindowOptions) T {
	s, values := trees("reduce_window", x, init)
	return rebuild(x, reduceWindow(&s, x, values[0], values[1], body, o))
}

func reduceWindow[T any](s *step, tree T, xs, inits []Value, body func(acc, element T) T, o WindowOptions) []Value {
	padding, ok := o.padding(s, xs)
	if !ok {
		return s.nones(len(xs))
	}
	region, ok := combine(s, tree, xs, body)
	if !ok {
		return s.nones(len(xs))
	}
	return s.many(len(xs), stablehlo.ReduceWindowOp{
		Inputs: mlirs(xs), InitValues: mlirs(inits), WindowDimensions: int64s(o.Dims), WindowStrides: list64(o.Strides),
		BaseDilations: list64(o.BaseDilations), WindowDilations: list64(o.Dilations), Padding: padding, Body: region,
	})
}

// padding checks the lists and returns the padding of x.
func (o WindowOptions) padding(s *step, xs []Value) ([][2]int64, bool) {
	if !s.ok {
		return nil, false
	}
	dims := dimsOf(xs[0])
	for _, list := range []struct {
		what     string
		n        int
		required bool
	}{
		{"dimensions of the window", len(o.Dims), true}, {"strides", len(o.Strides), false},
		{"pairs of padding", len(o.Padding), false},
		{"base dilations", len(o.BaseDilations), false}, {"dilations", len(o.Dilations), false},
	} {
		if list.n != len(dims) && (list.required || list.n != 0) {
			s.fail("there are %d %s for %d axes", list.n, list.what, len(dims))
			return nil, false
		}
	}
	s.checkRange(o.Dims, o.Strides, o.BaseDilations, o.Dilations, flat(o.Padding))
	if !s.ok || !o.Same {
		return pairs64(o.Padding), s.ok
	}
	if o.Padding != nil {
		s.fail("both Same and Padding are set: use one of them")
		return nil, false
	}
	padding := make([][2]int64, len(dims))
	for i, n := range dims {
		if n < 0 {
			s.fail("the padding for Same is unknown because a dimension is unknown: set Padding")
			return nil, false
		}
		padding[i] = samePadding(dilated(n, at(o.BaseDilations, i)), dilated(o.Dims[i], at(o.Dilations, i)),
			at(o.Strides, i))
	}
	return padding, true
}

func (s *step) windowWith(x Value, m monoid, o WindowOptions) Value {
	if !s.ok {
		return s.none()
	}
	return reduceWindow(s, x, []Value{x}, []Value{s.start(m, x)}, m.fold, o)[0]
}

// MaxPool returns the greatest element in the window at each of its positions.
func MaxPool(x Value, o WindowOptions) Value {
	s := begin("max_pool", x)
	return s.windowWith(x, greatestOf, o)
}

// AvgPool returns the mean of the elements in the window at each of its positions. Padding
// does not count.
func AvgPool(x Value, o WindowOptions) Value {
	s := begin("avg_pool", x)
	sum := s.windowWith(x, sumOf, o)
	if !s.ok {
		return s.none()
	}
	return s.binary("stablehlo.divide", sum, s.windowWith(s.numberLike(1, x), sumOf, o))
}

// Cumsum returns the sum of each element and all elements before it along an axis.
func Cumsum(x Value, axis int) Value {
	s := begin("cumsum", x)
	if !s.ok {
		return s.none()
	}
	dims := dimsOf(x)
	axis = s.axis(axis, len(dims))
	if !s.ok {
		return s.none()
	}
	n := dims[axis]
	if n < 0 {
		return s.fail("the dimension of axis %d is unknown", axis)
	}
	if n == 0 {
		return x
	}
	o := WindowOptions{Dims: make([]int, len(dims)), Padding: make([][2]int, len(dims))}
	for i := range dims {
		o.Dims[i] = 1
	}
	o.Dims[axis], o.Padding[axis] = n, [2]int{n - 1, 0}
	return s.windowWith(x, sumOf, o)
}

// SelectAndScatter starts with an array of x's shape that is filled with the scalar init,
// and adds each element of source to one position of it. The position is that of the best
// element in the element's window of x: better(a, b) reports whether a is better than b or
// as good. scatter combines the present value and the element into a new one. It is the
// gradient of MaxPool.
func SelectAndScatter(x, source, init Value, better, scatter func(a, b Value) Value, o WindowOptions) Value {
	s := begin("select_and_scatter", x, source, init)
	if !s.ok {
		return s.none()
	}
	if o.BaseDilations != nil || o.Dilations != nil {
		return s.fail("dilations are not supported: leave them out")
	}
	padding, ok := o.padding(&s, []Value{x})
	if !ok {
		return s.none()
	}
	selects, ok := decide(&s, x, []Value{x}, false, better)
	if !ok {
		return s.none()
	}
	scatters, ok := combine(&s, x, []Value{x}, scatter)
	if !ok {
		_ = selects.Erase()
		return s.none()
	}
	return s.one(stablehlo.SelectAndScatterOp{
		Operand: x.v, Source: source.v, InitValue: init.v, WindowDimensions: int64s(o.Dims),
		WindowStrides: list64(o.Strides),
		Padding:       padding, Select: selects, Scatter: scatters,
	})
}
