package movement

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/tensor"
)

// moves add a step that moves data, or a few. They return false if nothing fits.
var moves = []func(*generator) bool{
	(*generator).slice, (*generator).slice, (*generator).pad, (*generator).pad, (*generator).concatenate,
	(*generator).reverse, (*generator).reshape, (*generator).reshape, (*generator).transpose, (*generator).broadcast,
	(*generator).dynamicSlice, (*generator).update, (*generator).update, (*generator).shift, (*generator).shift,
	(*generator).roll, (*generator).gather, (*generator).gather, (*generator).scatter, (*generator).scatter,
	(*generator).bitcast, (*generator).barrier, (*generator).reduce, (*generator).window, (*generator).selection,
	(*generator).merge,
}

func (g *generator) slice() bool {
	x := g.array()
	o, k := slice{}, x.with()
	for d, part := range g.part(x.dims) {
		d := x.dims[d]
		start := g.IntN(d - part + 1)
		limit := start + part
		if g.IntN(100) == 0 {
			limit = start
		}
		stride := pick(g, []int{1, 1, 1, 2, 3})
		o.start, o.limit, o.stride = append(o.start, start), append(o.limit, limit), append(o.stride, stride)
		k.dims = append(k.dims, (limit-start+stride-1)/stride)
	}
	g.add(o, k, x)
	return true
}

func (g *generator) pad() bool {
	x := g.array()
	o, k := pad{}, x.with()
	same := g.IntN(3) == 0 // a shift
	for _, d := range x.dims {
		low, high, interior := 0, 0, 0
		if g.IntN(3) > 0 {
			low, high, interior = g.IntN(6)-2, g.IntN(6)-2, pick(g, []int{0, 0, 1, 2})
		}
		if same {
			high, interior = -low, 0
		}
		n := low + high + d
		if d > 0 {
			n += (d - 1) * interior
		}
		if n < 0 {
			return false
		}
		o.low, o.high, o.interior = append(o.low, low), append(o.high, high), append(o.interior, interior)
		k.dims = append(k.dims, n)
	}
	if k.size() > maxElements {
		return false
	}
	g.add(o, k, x, g.like(x.with()))
	return true
}

func (g *generator) concatenate() bool {
	x := g.array()
	if x.isScalar() {
		return false
	}
	dim := g.IntN(len(x.dims))
	args, k := []*value{x}, x.with(slices.Clone(x.dims)...)
	for range pick(g, []int{0, 1, 1, 2, 3}) {
		v := g.value(func(v *value) bool {
			if v.elem != x.elem || len(v.dims) != len(x.dims) {
				return false
			}
			for d := range v.dims {
				if d != dim && v.dims[d] != x.dims[d] {
					return false
				}
			}
			return true
		})
		if k.dims[dim] += v.dims[dim]; k.size() > maxElements {
			return false
		}
		args = append(args, v)
	}
	g.Shuffle(len(args), func(i, j int) { args[i], args[j] = args[j], args[i] })
	g.add(concatenate{dim}, k, args...)
	return true
}

// some returns some numbers below n.
func (g *generator) some(n int) (list []int) {
	for i := range n {
		if g.IntN(2) == 0 {
			list = append(list, i)
		}
	}
	return list
}

func (g *generator) reverse() bool {
	x := g.array()
	g.add(reverse{g.some(len(x.dims))}, x.kind, x)
	return true
}

// shape returns a random one of a size.
func (g *generator) shape(size int) (dims []int) {
	for size > 1 && g.IntN(4) > 0 && len(dims) < 3 {
		var divisors []int
		for d := 2; d <= size; d++ {
			if size%d == 0 {
				divisors = append(divisors, d)
			}
		}
		d := pick(g, divisors)
		dims, size = append(dims, d), size/d
	}
	if size != 1 {
		dims = append(dims, size)
	}
	for range pick(g, []int{0, 0, 1, 1, 2}) {
		dims = slices.Insert(dims, g.IntN(len(dims)+1), 1)
	}
	return dims
}

func (g *generator) reshape() bool {
	x := g.array()
	dims := g.shape(x.size())
	if g.IntN(3) == 0 { // an axis of 1
		dims = slices.Insert(slices.Clone(x.dims), g.IntN(len(x.dims)+1), 1)
	}
	g.add(reshape{}, x.with(dims...), x)
	return true
}

func (g *generator) transpose() bool {
	x := g.array()
	o, k := transpose{g.Perm(len(x.dims))}, x.with()
	for _, d := range o.dims {
		k.dims = append(k.dims, x.dims[d])
	}
	g.add(o, k, x)
	return true
}

func (g *generator) broadcast() bool {
	x := g.array()
	k := x.with(slices.Clone(x.dims)...)
	to := make([]int, len(x.dims))
	for d := range to {
		to[d] = d
		if k.dims[d] == 1 && g.IntN(2) == 0 {
			k.dims[d] = 1 + g.IntN(4)
		}
	}
	for range g.IntN(3) {
		at := g.IntN(len(k.dims) + 1)
		k.dims = slices.Insert(k.dims, at, pick(g, []int{1, 1, 2, 3, 4}))
		for d := range to {
			if to[d] >= at {
				to[d]++
			}
		}
	}
	if len(k.dims) > 1 && g.IntN(4) == 0 { // turned
		turn := g.Perm(len(k.dims))
		dims := make([]int, len(turn))
		for d, n := range turn {
			dims[n] = k.dims[d]
		}
		k.dims = dims
		for d := range to {
			to[d] = turn[to[d]]
		}
	}
	if k.size() > maxElements || len(k.dims) > 5 {
		return false
	}
	g.add(broadcast{to}, k, x)
	return true
}

// indexTypes are those of indices.
var indexTypes = []tensor.DType{tensor.S32, tensor.S32, tensor.S32, tensor.S64, tensor.S64, tensor.U32, tensor.U8,
	tensor.S8, tensor.S16, tensor.U16, tensor.U64}

// scalar returns an index: a constant, a value such as a counter, or a parameter.
func (g *generator) scalar(e tensor.DType, most int) *value {
	switch g.IntN(5) {
	case 0, 1, 2:
		v := g.value(func(v *value) bool {
			return v.isScalar() && progen.IsInteger(v.elem) && !slices.Contains(small, v.elem)
		})
		switch {
		case v == nil:
		case v.elem == e:
			return v
		default:
			return g.add(convert{}, of(e), v)
		}
	case 3:
		if g.inMain && g.depth == 0 {
			return g.given(array{of(e), []uint64{mask(e, uint64(g.IntN(most+3)-1))}})
		}
	}
	n := g.IntN(most + 1)
	if g.IntN(6) == 0 {
		n = g.IntN(most+3) - 1
	}
	return g.add(splat(of(e), mask(e, uint64(n))), of(e))
}

func (g *generator) scalars(whole, part []int) (list []*value) {
	e := pick(g, indexTypes)
	for d := range whole {
		list = append(list, g.scalar(e, whole[d]-part[d]))
	}
	return list
}

// part returns the shape of a part of an array, which is seldom the whole.
func (g *generator) part(dims []int) (part []int) {
	for range 3 {
		part = nil
		for _, d := range dims {
			n := d
			if d > 0 && g.IntN(2) == 0 {
				n = 1 + g.IntN(d)
			}
			part = append(part, n)
		}
		if !slices.Equal(part, dims) {
			break
		}
	}
	return part
}

func (g *generator) dynamicSlice() bool {
	x := g.array()
	part := g.part(x.dims)
	g.add(dynamicSlice{}, x.with(part...), append([]*value{x}, g.scalars(x.dims, part)...)...)
	return true
}

// update replaces a part of an array by another array that fits.
func (g *generator) update() bool {
	x := g.array()
	u := g.value(func(v *value) bool { return fitsIn(v.kind, x.kind) && v != x })
	if u == nil {
		u = g.like(x.with(g.part(x.dims)...))
	}
	g.add(update{}, x.kind, append([]*value{x, u}, g.scalars(x.dims, u.dims)...)...)
	return true
}

func fitsIn(part, whole kind) bool {
	if part.elem != whole.elem || len(part.dims) != len(whole.dims) {
		return false
	}
	for d := range part.dims {
		if part.dims[d] > whole.dims[d] {
			return false
		}
	}
	return true
}

// shift updates an array by a part of itself, perhaps with something added.
func (g *generator) shift() bool {
	x := g.array()
	part := g.part(x.dims)
	var u *value
	if g.IntN(3) == 0 {
		u = g.add(dynamicSlice{}, x.with(part...), append([]*value{x}, g.scalars(x.dims, part)...)...)
	} else {
		o := slice{}
		for d, n := range part {
			start := g.IntN(x.dims[d] - n + 1)
			o.start, o.limit, o.stride = append(o.start, start), append(o.limit, start+n), append(o.stride, 1)
		}
		u = g.add(o, x.with(part...), x)
	}
	if g.computes(x.elem) && g.IntN(3) > 0 {
		u = g.add(pairwise{pick(g, pairs(x.elem))}, u.kind, u, g.like(u.kind))
	}
	if g.IntN(6) == 0 && len(u.dims) > 0 {
		u = g.add(reverse{g.some(len(u.dims))}, u.kind, u)
	}
	y := g.add(update{}, x.kind, append([]*value{x, u}, g.scalars(x.dims, part)...)...)
	switch g.IntN(4) {
	case 0:
		g.add(reshape{}, y.with(slices.Insert(slices.Clone(y.dims), g.IntN(len(y.dims)+1), 1)...), y)
	case 1:
		g.scope = append(g.scope, y) // the newest one
	}
	return true
}

// roll moves an array around its end.
func (g *generator) roll() bool {
	x := g.array()
	if x.isScalar() || x.size() == 0 {
		return false
	}
	dim := g.IntN(len(x.dims))
	n := g.IntN(x.dims[dim])
	if n == 0 && g.IntN(10) > 0 {
		return false
	}
	cut := func(start, limit int) *value {
		o, k := slice{}, x.with(slices.Clone(x.dims)...)
		for d, size := range x.dims {
			a, b := 0, size
			if d == dim {
				a, b = start, limit
			}
			o.start, o.limit, o.stride = append(o.start, a), append(o.limit, b), append(o.stride, 1)
		}
		k.dims[dim] = limit - start
		return g.add(o, k, x)
	}
	high, low := cut(n, x.dims[dim]), cut(0, n)
	g.add(concatenate{dim}, x.kind, high, low)
	return true
}

func (g *generator) barrier() bool {
	x := g.array()
	g.add(barrier{}, x.kind, x)
	return true
}

// bitcast changes the element type, and perhaps the last dimension.
func (g *generator) bitcast() bool {
	x := g.array()
	if g.p.numbers && progen.IsFloat(x.elem) || x.elem == tensor.Pred || x.elem == tensor.C64 ||
		slices.Contains(small, x.elem) {
		return false
	}
	to := pick(g, []tensor.DType{tensor.S8, tensor.U8, tensor.S16, tensor.U32, tensor.S32, tensor.S64, tensor.U64})
	k := of(to, x.dims...)
	from, bits := x.elem.Bits(), to.Bits()
	switch {
	case from > bits:
		k.dims = append(slices.Clone(x.dims), from/bits)
	case from < bits:
		last := len(x.dims) - 1
		if last < 0 || x.dims[last] != bits/from {
			return false
		}
		k.dims = x.dims[:last]
	}
	if k.size() > maxElements || from == bits && g.IntN(2) == 0 {
		return false
	}
	g.elems = append(g.elems, to)
	g.add(bitcast{}, k, x)
	return true
}

// selection takes elements of two arrays.
func (g *generator) selection() bool {
	x := g.array()
	test := x.dims
	if g.IntN(4) == 0 {
		test = nil
	}
	p := g.value(func(v *value) bool { return v.equal(of(tensor.Pred, test...)) })
	if p == nil {
		if p = g.like(of(tensor.Pred, test...)); len(test) > 0 && g.IntN(2) == 0 {
			i := g.add(iota{g.IntN(len(test))}, of(tensor.S32, test...))
			p = g.add(compare{pick(g, directions)}, p.kind, i, g.like(i.kind))
		}
	}
	g.add(selection{}, x.kind, p, x, g.made(x.kind, x))
	return true
}
