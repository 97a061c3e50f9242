package operations

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/tensor"
)

const anyType = "sufp8cq"

func shaping() []*operation {
	list := []*operation{
		{name: "constant", takes: "sufp8c", make: func(g *generator, x value) []value {
			return []value{g.constant(x.element, x.dims, g.data(x.element, x.dims)(g.Rand))}
		}},
		{name: "iota", takes: "suf8c", make: makeIota},
		{name: "dynamic_iota", takes: "suf8c", make: makeIota},
		{name: "broadcast_in_dim", takes: anyType, make: makeBroadcast},
		{name: "dynamic_broadcast_in_dim", takes: anyType, make: makeBroadcast},
		{name: "broadcast", takes: "sufp8c", make: func(g *generator, x value) []value {
			sizes := g.dims(g.IntN(3))
			return g.one("broadcast_sizes = "+int64s(sizes), []value{x}, x.shaped(slices.Concat(sizes, x.dims)))
		}},
		{name: "reshape", takes: anyType, make: makeReshape},
		{name: "dynamic_reshape", takes: anyType, make: makeReshape},
		{name: "transpose", takes: anyType, make: func(g *generator, x value) []value {
			order := g.Perm(len(x.dims))
			dims := make([]int, len(order))
			for i, d := range order {
				dims[i] = x.dims[d]
			}
			return g.one("permutation = "+int64s(order), []value{x}, x.shaped(dims))
		}},
		{name: "reverse", takes: anyType, make: func(g *generator, x value) []value {
			return g.one("dimensions = "+int64s(g.some(len(x.dims))), []value{x}, x)
		}},
		{name: "slice", takes: anyType, make: makeSlice},
		{name: "real_dynamic_slice", takes: anyType, make: makeSlice},
		{name: "concatenate", takes: anyType, make: func(g *generator, x value) []value {
			if len(x.dims) == 0 {
				return g.fail()
			}
			d, n := g.IntN(len(x.dims)), 1+g.IntN(3)
			dims := slices.Clone(x.dims)
			list := []value{x}
			for len(list) < n {
				part := slices.Clone(x.dims)
				part[d] = g.IntN(4)
				list = append(list, g.further(x, x.element, part...))
				dims[d] += part[d]
			}
			if g.chance(1, 2) {
				slices.Reverse(list)
			}
			return g.one(fmt.Sprintf("dimension = %d : i64", d), list, x.shaped(dims))
		}},
		{name: "pad", takes: anyType, make: makePad},
		{name: "dynamic_pad", takes: anyType, make: makePad},
		{name: "get_dimension_size", takes: anyType, make: func(g *generator, x value) []value {
			if len(x.dims) == 0 {
				return g.fail()
			}
			return g.one(fmt.Sprintf("dimension = %d : i64", g.IntN(len(x.dims))), []value{x},
				value{element: element{DType: tensor.S32}})
		}},
		{name: "create_token", takes: anyType, make: makeToken},
		{name: "after_all", takes: anyType, make: makeToken},
		{name: "tuple", takes: anyType, make: makeTuple},
		{name: "get_tuple_element", takes: anyType, make: makeTuple},
	}
	for _, op := range list {
		op.moves = true
	}
	return list
}

// isDynamic reports whether numbers that other operations have as attributes are operands.
func (g *generator) isDynamic() bool { return strings.Contains(g.op.name, "dynamic_") }

// sized adds the operation that is made, which has the sizes of the result as an operand if it is dynamic.
func (g *generator) sized(attributes string, operands []value, result value) []value {
	if g.isDynamic() {
		operands = append(operands, g.sizes(result.dims))
	}
	return g.one(attributes, operands, result)
}

// listed adds the operation that is made, whose lists of numbers have names if it is not dynamic.
func (g *generator) listed(operands []value, result value, names string, lists ...[]int) []value {
	if g.isDynamic() {
		return g.one("", append(operands, g.sameSizes(lists...)...), result)
	}
	var attributes []string
	for i, name := range strings.Fields(names) {
		attributes = append(attributes, name+" = "+int64s(lists[i]))
	}
	return g.one(strings.Join(attributes, ", "), operands, result)
}

func makeIota(g *generator, x value) []value {
	if len(x.dims) == 0 {
		return g.fail()
	}
	attributes, result := g.iota(x)
	return g.sized(attributes, nil, result)
}

func makeBroadcast(g *generator, x value) []value {
	dims, at := g.broadcast(x)
	return g.sized("broadcast_dimensions = "+int64s(at), []value{x}, x.shaped(dims))
}

func makeReshape(g *generator, x value) []value {
	return g.sized("", []value{x}, x.shaped(g.reshaped(x.dims)))
}

func makeSlice(g *generator, x value) []value {
	start, limit, stride, dims := g.slice(x.dims)
	return g.listed([]value{x}, x.shaped(dims), "start_indices limit_indices strides", start, limit, stride)
}

func makePad(g *generator, x value) []value {
	low, high, interior, dims, ok := g.padding(x.dims)
	if !ok {
		return g.fail()
	}
	return g.listed([]value{x, g.further(x, x.element)}, x.shaped(dims),
		"edge_padding_low edge_padding_high interior_padding", low, high, interior)
}

// sizes returns a constant of numbers as indices.
func (g *generator) sizes(list []int) value { return g.sameSizes(list)[0] }

// sameSizes returns constants of one type.
func (g *generator) sameSizes(lists ...[]int) (values []value) {
	e := pick(g.Rand, of(tensor.S32, tensor.S64))
	if slices.Max(append(slices.Concat(lists...), 0)) > math.MaxInt32 {
		e = of(tensor.S64)[0]
	}
	for _, list := range lists {
		numbers := make([]int64, len(list))
		for i, n := range list {
			numbers[i] = int64(n)
		}
		values = append(values, g.constantOf(e, numbers...))
	}
	return values
}

// some returns some of the first n numbers, in any order.
func (g *generator) some(n int) []int { return g.Perm(n)[:g.IntN(n+1)] }

// broadcast returns the dimensions of a larger array, and where those of x are.
func (g *generator) broadcast(x value) (dims, at []int) {
	rank := len(x.dims) + g.IntN(3)
	for {
		at = g.Perm(rank)[:len(x.dims)]
		if g.chance(3, 4) {
			slices.Sort(at)
		}
		dims = g.dims(rank)
		for i, d := range at {
			if x.dims[i] != 1 || g.chance(1, 3) {
				dims[d] = x.dims[i]
			}
		}
		if product(dims) <= max(8*largest, product(x.dims)) {
			return dims, at
		}
		rank = max(len(x.dims), rank-1)
	}
}

// reshaped returns dimensions of an array of as many elements.
func (g *generator) reshaped(dims []int) []int {
	n := product(dims)
	if n == 0 {
		dims = g.dims(1 + g.IntN(4))
		dims[g.IntN(len(dims))] = 0
		return dims
	}
	var list []int
	for d := 2; n > 1; {
		if n%d != 0 {
			d++
			continue
		}
		n /= d
		if len(list) > 0 && g.chance(1, 2) {
			list[g.IntN(len(list))] *= d
		} else {
			list = append(list, d)
		}
	}
	for g.chance(1, 3) {
		list = slices.Insert(list, g.IntN(len(list)+1), 1)
	}
	return list
}

func (g *generator) slice(of []int) (start, limit, stride, dims []int) {
	for _, d := range of {
		a, b := g.IntN(d+1), g.IntN(d+1)
		a, b = min(a, b), max(a, b)
		if g.chance(1, 4) {
			a, b = 0, d
		}
		s := sliceStrides.draw(g)
		start, limit, stride, dims = append(start, a), append(limit, b), append(stride, s), append(dims, (b-a+s-1)/s)
	}
	return start, limit, stride, dims
}

func (g *generator) padding(of []int) (low, high, interior, dims []int, ok bool) {
	for _, d := range of {
		l, h, i := edgePadding.draw(g), edgePadding.draw(g), interiorPadding.draw(g)
		n := l + h + d + max(0, d-1)*i
		if n < 0 {
			return nil, nil, nil, nil, false
		}
		low, high, interior, dims = append(low, l), append(high, h), append(interior, i), append(dims, n)
	}
	return low, high, interior, dims, product(dims) <= 8*largest
}

// iota returns the attributes and the result of an iota like x, or of one to where types end.
func (g *generator) iota(x value) (attributes string, result value) {
	dims, d := slices.Clone(x.dims), g.IntN(len(x.dims))
	if g.chance(1, 4) {
		dims, d = []int{iotaSizes.draw(g)}, 0
	}
	return fmt.Sprintf("iota_dimension = %d : i64", d), x.shaped(dims)
}

func makeTuple(g *generator, x value) []value {
	other := g.operand(g.type_("sufp"), g.dims(g.IntN(3))...)
	g.n++
	name := fmt.Sprintf("%%v%d_", g.n)
	types := x.String() + ", " + other.String()
	g.p.lines = append(g.p.lines, fmt.Sprintf("%s = \"stablehlo.tuple\"(%s, %s) : (%s) -> tuple<%s>", name, x.name,
		other.name,
		types, types))
	result := value{name: g.name(), element: x.element, dims: x.dims}
	g.p.lines = append(g.p.lines,
		fmt.Sprintf("%s = \"stablehlo.get_tuple_element\"(%s) <{index = 0 : i32}> : (tuple<%s>) -> %s",
			result.name, name, types, result))
	return []value{result}
}

// makeToken orders a value after tokens, by a barrier.
func makeToken(g *generator, x value) []value {
	g.n += 2
	first, token := fmt.Sprintf("%%v%d_", g.n-1), fmt.Sprintf("%%v%d_", g.n)
	g.p.lines = append(g.p.lines, first+` = "stablehlo.create_token"() : () -> !stablehlo.token`)
	if g.op.name == "stablehlo.after_all" {
		g.p.lines = append(g.p.lines, fmt.Sprintf(`%s = "stablehlo.after_all"(%s, %[2]s) : `+
			"(!stablehlo.token, !stablehlo.token) -> !stablehlo.token", token, first))
		first = token
	}
	result := value{name: g.name(), element: x.element, dims: x.dims}
	g.p.lines = append(g.p.lines, fmt.Sprintf(`%s:2 = "stablehlo.optimization_barrier"(%s, %s) : `+
		"(%s, !stablehlo.token) -> (%[4]s, !stablehlo.token)", result.name, x.name, first, x))
	result.name += "#0"
	return []value{result}
}

// rows is the text of lists of numbers as one attribute.
func rows(list [][2]int) string {
	var parts []string
	for _, p := range list {
		parts = append(parts, fmt.Sprintf("[%d, %d]", p[0], p[1]))
	}
	if len(parts) == 0 {
		return "dense<> : tensor<0x2xi64>"
	}
	return fmt.Sprintf("dense<[%s]> : tensor<%dx2xi64>", strings.Join(parts, ", "), len(list))
}
