package operations

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/tensor"
)

func elementwise() []*operation {
	pred := element{DType: tensor.Pred}
	return slices.Concat(
		sameType("sufp8cq", 2, "add multiply maximum minimum"),
		sameType("suf8cq", 2, "subtract"),
		inexactIfComplex(sameType("suf8cq", 2, "divide")),
		sameType("suf8", 2, "remainder"),
		sameType("sup", 2, "and or xor"),
		sameType("sup", 1, "not"),
		sameType("su", 2, "shift_left shift_right_arithmetic shift_right_logical"),
		sameType("su", 1, "popcnt count_leading_zeros"),
		sameType("sf8cq", 1, "negate"),
		inexactIfComplex(sameType("sf8cq", 1, "sign")),
		sameType("f8q", 1, "ceil floor round_nearest_afz round_nearest_even"),
		inexactIfComplex(accurate("sqrt")),
		inexactly(accurate(
			"cosine exponential exponential_minus_one log log_plus_one logistic rsqrt sine tan tanh cbrt")),
		inexactly(sameType("f8cq", 2, "atan2")),
		inexactly(sameType("suf8cq", 2, "power")),
		[]*operation{
			{name: "abs", takes: "sf8cq", inexactComplex: true, make: func(g *generator, x value) []value {
				return g.elementwise(x, 1, x.real())
			}},
			{name: "real", takes: "fc", make: func(g *generator, x value) []value {
				return g.elementwise(x, 1, x.real())
			}},
			{name: "imag", takes: "fc", make: func(g *generator, x value) []value {
				return g.elementwise(x, 1, x.real())
			}},
			{name: "complex", takes: "f", make: func(g *generator, x value) []value {
				to, ok := map[tensor.DType]tensor.DType{tensor.F32: tensor.C64, tensor.F64: tensor.C128}[x.DType]
				if !ok {
					return g.fail()
				}
				return g.elementwise(x, 2, element{DType: to})
			}},
			{name: "is_finite", takes: "f8", make: func(g *generator, x value) []value {
				return g.elementwise(x, 1, pred)
			}},
			{name: "compare", takes: "sufp8cq", make: makeCompare},
			{name: "select", takes: "sufp8cq", make: makeSelect},
			{name: "clamp", takes: "sufp8q", make: makeClamp},
			{name: "convert", takes: "sufp8c", make: func(g *generator, x value) []value {
				return g.one("", []value{x}, value{element: g.type_("sufp8c"), dims: x.dims})
			}},
			{name: "bitcast_convert", takes: "sufp8c", make: makeBitcast},
			{name: "reduce_precision", takes: "f8", make: func(g *generator, x value) []value {
				bits := fmt.Sprintf("exponent_bits = %d : i32, mantissa_bits = %d : i32", exponentBits.draw(g),
					mantissaBits.draw(g))
				return g.one(bits, []value{x}, x)
			}},
			{name: "uniform_quantize", takes: "fq", make: func(g *generator, x value) []value {
				if x.DType != tensor.F32 {
					return g.fail()
				}
				return g.one("", []value{x}, value{element: g.type_("q"), dims: x.dims})
			}},
			{name: "uniform_dequantize", takes: "q", make: func(g *generator, x value) []value {
				return g.elementwise(x, 1, element{DType: x.DType})
			}},
			{name: "map", takes: "sufp8c", make: makeMap},
			{name: "optimization_barrier", takes: "sufp8cq", moves: true, make: func(g *generator, x value) []value {
				list := g.like(x, 1+g.IntN(2))
				return g.several("", list, list)
			}},
		})
}

// type_ returns a type of some classes.
func (g *generator) type_(classes string) element {
	for {
		e := pick(g.Rand, common)
		if g.chance(1, 4) || classes == "q" {
			e = pick(g.Rand, elements)
		}
		if e.is(classes) {
			return e
		}
	}
}

// further returns an operand of another type, or x if x has that shape and the type.
func (g *generator) further(x value, e element, dims ...int) value {
	if x.element == e && slices.Equal(x.dims, dims) && g.chance(1, 4) {
		return x
	}
	return g.operand(e, dims...)
}

func makeCompare(g *generator, x value) []value {
	direction := directions.draw(g)
	if x.is("c") {
		direction = pick(g.Rand, []string{"EQ", "NE"})
	}
	text := "comparison_direction = " + attribute("comparison_direction", direction)
	kind := map[byte]string{'s': "SIGNED", 'u': "UNSIGNED", 'p': "UNSIGNED", 'f': "FLOAT", '8': "FLOAT",
		'c': "FLOAT"}[x.class()]
	if x.is("f8") && g.chance(1, 3) {
		kind = "TOTALORDER"
	}
	if kind != "" && g.chance(3, 4) {
		text += ", compare_type = " + attribute("comparison_type", kind)
	}
	return g.one(text, g.like(x, 2), value{element: element{DType: tensor.Pred}, dims: x.dims})
}

func makeSelect(g *generator, x value) []value {
	pred := element{DType: tensor.Pred}
	if x.is("p") && g.chance(1, 2) { // x chooses
		list := g.like(value{element: g.type_("sufp8c"), dims: x.dims, name: ""}, 1)
		y, z := g.operand(list[0].element, x.dims...), g.operand(list[0].element, x.dims...)
		return g.one("", []value{x, y, z}, y.shaped(x.dims))
	}
	p := g.operand(pred, x.dims...)
	if g.chance(1, 4) {
		p = g.operand(pred)
	}
	return g.one("", append([]value{p}, g.like(x, 2)...), x)
}

func makeClamp(g *generator, x value) []value {
	low, high := g.operand(x.element, x.dims...), g.operand(x.element, x.dims...)
	if g.chance(1, 2) {
		low, high = g.operand(x.element), g.operand(x.element)
	}
	return g.one("", []value{low, x, high}, x)
}

func makeBitcast(g *generator, x value) []value {
	to := g.type_("sufp8c")
	if x.text != "" || to.text != "" || to.is("c") != x.is("c") {
		return g.fail()
	}
	dims := slices.Clone(x.dims)
	switch from, into := x.Bits(), to.Bits(); {
	case from > into:
		dims = append(dims, from/into)
	case from < into:
		if n := len(dims); n == 0 || dims[n-1] != into/from {
			return g.fail()
		}
		dims = dims[:len(dims)-1]
	}
	return g.one("", []value{x}, value{element: to, dims: dims})
}

func makeMap(g *generator, x value) []value {
	name := "stablehlo." + pick(g.Rand, strings.Fields("add subtract multiply maximum minimum"))
	if x.is("p") {
		name = "stablehlo.xor"
	}
	dims := make([]int, len(x.dims))
	for i := range dims {
		dims[i] = i
	}
	return g.one("dimensions = "+int64s(dims), g.like(x, 2), x, fold(name, x.element))
}

// accurate are operations of one operand that say how exact they are.
func accurate(names string) []*operation {
	list := sameType("f8cq", 1, names)
	for _, op := range list {
		op.make = func(g *generator, x value) []value {
			text := accuracies.draw(g)
			if text != "" {
				text = "result_accuracy = " + text
			}
			return g.one(text, []value{x}, x)
		}
	}
	return list
}
