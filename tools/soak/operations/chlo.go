package operations

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/tensor"
)

func ofCHLO() []*operation {
	pred := element{DType: tensor.Pred}
	list := slices.Concat(
		inexactly(sameType("fc", 1,
			"chlo.acos chlo.acosh chlo.asin chlo.asinh chlo.atan chlo.atanh chlo.cosh chlo.sinh chlo.tan")),
		inexactly(sameType("f", 1, "chlo.bessel_i1e chlo.digamma chlo.erf chlo.erf_inv chlo.erfc")),
		[]*operation{{name: "chlo.lgamma", takes: "f", inexact: true, magnitude: 0.01, make: alike(1)}},
		inexactly(sameType("f", 2, "chlo.polygamma chlo.zeta")),
		sameType("f", 2, "chlo.next_after"),
		inexactIfComplex(sameType("fc", 1, "chlo.square")),
		sameType("c", 1, "chlo.conj"),
		[]*operation{
			{name: "chlo.constant", takes: "sufp", make: func(g *generator, x value) []value {
				v := g.data(x.element, x.dims)(g.Rand)
				g.p.constants = append(g.p.constants, v)
				return g.one(fmt.Sprintf("value = %s : %s", progen.Dense(v), x), nil, x)
			}},
			{name: "chlo.constant_like", takes: "suf", make: func(g *generator, x value) []value {
				number := fmt.Sprint(likeValues.draw(g))
				if x.is("f") {
					number += ".0"
				}
				return g.one("value = "+number+" : "+x.MLIR(), []value{x}, x)
			}},
			{name: "chlo.top_k", takes: "suf", make: func(g *generator, x value) []value {
				if len(x.dims) == 0 || x.is("f") && g.odd {
					return g.fail()
				}
				dims := slices.Clone(x.dims)
				last := len(dims) - 1
				dims[last] = g.IntN(dims[last] + 1)
				return g.several(fmt.Sprintf("k = %d : i64", dims[last]), []value{x},
					[]value{{element: x.element, dims: dims}, {element: element{DType: tensor.S32}, dims: dims}})
			}},
		})
	for _, name := range strings.Fields("is_inf is_neg_inf is_pos_inf") {
		list = append(list, &operation{name: "chlo." + name, takes: "f", make: func(g *generator, x value) []value {
			return g.elementwise(x, 1, pred)
		}})
	}
	for classes, names := range map[string]string{
		"sup":    "and or xor",
		"sufp8c": "add multiply maximum minimum",
		"suf8c":  "subtract divide power compare",
		"suf8":   "remainder",
		"su":     "shift_left shift_right_arithmetic shift_right_logical",
		"f":      "next_after polygamma zeta complex",
		"fc":     "atan2",
	} {
		for name := range strings.FieldsSeq(names) {
			plain := map[string]bool{"power": true, "polygamma": true, "zeta": true, "atan2": true}
			list = append(list, &operation{name: "chlo.broadcast_" + name, takes: classes, inexact: plain[name],
				inexactComplex: name == "divide" || name == "multiply", make: makeBroadcasting})
		}
	}
	slices.SortFunc(list, func(a, b *operation) int { return strings.Compare(a.name, b.name) })
	return append(list, &operation{name: "chlo.broadcast_select", takes: "sufp8c", make: makeBroadcastingSelect})
}

func makeBroadcastingSelect(g *generator, x value) []value {
	y, z := g.narrowed(x), g.narrowed(x)
	p := g.operand(element{DType: tensor.Pred}, y.dims...)
	if g.chance(1, 2) {
		p = g.operand(element{DType: tensor.Pred}, x.dims...)
	}
	return g.one("", []value{p, x, z}, x)
}

// narrowed returns an operand that is broadcast to the shape of another one.
func (g *generator) narrowed(x value) value {
	dims := slices.Clone(x.dims[g.IntN(len(x.dims)+1):])
	for i := range dims {
		if g.chance(1, 4) {
			dims[i] = 1
		}
	}
	return g.operand(x.element, dims...)
}

func makeBroadcasting(g *generator, x value) []value {
	if !x.is(g.op.takes) { // CHLO's operation takes any type, but not StableHLO's that it stands for
		return g.fail()
	}
	y := g.narrowed(x)
	result := x
	text := ""
	switch g.op.name {
	case "chlo.broadcast_compare":
		result.DType = tensor.Pred
		result.text = ""
		text = "comparison_direction = #chlo<comparison_direction EQ>"
		if !x.is("c") {
			text = "comparison_direction = #chlo<comparison_direction " + chloDirections.draw(g) + ">"
		}
	case "chlo.broadcast_complex":
		to, ok := map[tensor.DType]tensor.DType{tensor.F32: tensor.C64, tensor.F64: tensor.C128}[x.DType]
		if !ok {
			return g.fail()
		}
		result.DType = to
	}
	if n := len(x.dims) - len(y.dims); n > 0 && len(y.dims) > 0 && g.chance(1, 3) {
		at := make([]int, len(y.dims))
		for i := range at {
			at[i] = n + i
		}
		if text != "" {
			text += ", "
		}
		text += "broadcast_dimensions = " + int64s(at)
	}
	return g.one(text, []value{x, y}, result)
}
