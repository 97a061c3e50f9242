package operations

import (
	"slices"
	"strings"
)

// An operation is one that programs are made of.
type operation struct {
	name  string
	takes string // the classes of element types that it takes as its first operand: see element.class
	make  func(g *generator, x value) []value
	// inexact says that libraries round its floating-point and complex results in their own ways.
	inexact bool
	// inexactComplex says that they do so for complex numbers.
	inexactComplex bool
	// magnitude is that of numbers whose errors are in the results, or 0.
	magnitude float64
	// reorders says that sums and products of elements may be computed in any order.
	reorders bool
	// moves says that it only moves elements, so that it may follow any other operation.
	moves bool
	// smooth says that its result depends on the operand continuously, so that it may follow one that is rounded.
	smooth bool
	// Why no program is made of it, if there is no make.
	left string
}

// drawn are the operations of which programs are made.
var drawn []*operation

// all are the operations of StableHLO and CHLO by name.
var all = map[string]*operation{}

func init() {
	for _, list := range [][]*operation{elementwise(), shaping(), indexing(), reducing(), multiplying(),
		controlling(), ofCHLO(), leftOut()} {
		for _, op := range list {
			if !strings.Contains(op.name, ".") {
				op.name = "stablehlo." + op.name
			}
			all[op.name] = op
			if op.make != nil {
				drawn = append(drawn, op)
			}
			op.smooth = slices.Contains(smooth, op.name)
		}
	}
}

// smooth are those that keep a small relative error small.
var smooth = strings.Fields("stablehlo.abs stablehlo.negate stablehlo.multiply stablehlo.maximum stablehlo.minimum " +
	"stablehlo.select stablehlo.clamp stablehlo.real stablehlo.imag stablehlo.complex chlo.broadcast_multiply " +
	"chlo.broadcast_maximum chlo.broadcast_minimum chlo.broadcast_select chlo.conj")

func leftOut() (list []*operation) {
	for why, names := range map[string]string{
		"it is one of several devices": `all_gather all_reduce all_to_all collective_broadcast collective_permute
			collective_reduce cross-replica-sum partition_id reduce_scatter replica_id`,
		"it computes what another one does":         "async_done async_start",
		"it is one of the host":                     "custom_call infeed outfeed recv send",
		"it ends a region":                          "return",
		"its result has no size that is known":      "set_dimension_size",
		"passes make it, and it is not for modules": "chlo._asin_acos_kernel",
		"most plugins are older":                    "chlo.mulhi chlo.scan",
	} {
		for name := range strings.FieldsSeq(names) {
			list = append(list, &operation{name: name, left: why})
		}
	}
	return list
}

// sameType are operations of one to three operands of one type, which is that of the result.
func sameType(takes string, operands int, names string) (list []*operation) {
	for name := range strings.FieldsSeq(names) {
		list = append(list, &operation{name: name, takes: takes, make: alike(operands)})
	}
	return list
}

// alike makes an operation of operands of one type, which is that of the result.
func alike(operands int) func(g *generator, x value) []value {
	return func(g *generator, x value) []value { return g.elementwise(x, operands, x.element) }
}

func inexactly(list []*operation) []*operation {
	for _, op := range list {
		op.inexact = true
	}
	return list
}

func inexactIfComplex(list []*operation) []*operation {
	for _, op := range list {
		op.inexactComplex = true
	}
	return list
}

// elementwise adds an operation on x and further operands like it, in any order.
func (g *generator) elementwise(x value, operands int, result element) []value {
	return g.one("", g.like(x, operands), value{element: result, dims: x.dims})
}

// like returns x and further operands like it, in any order.
func (g *generator) like(x value, n int) []value {
	list := []value{x}
	for len(list) < n {
		if g.chance(1, 8) {
			list = append(list, x)
			continue
		}
		list = append(list, g.operand(x.element, x.dims...))
	}
	g.Shuffle(n, func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// attribute is the text of an enumeration's value.
func attribute(of, v string) string { return "#stablehlo<" + of + " " + v + ">" }
