package operations

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/tensor"
)

func multiplying() []*operation {
	index := element{DType: tensor.S32}
	list := []*operation{
		{name: "dot", make: func(g *generator, x value) []value {
			if len(x.dims) == 0 || len(x.dims) > 2 {
				return g.fail()
			}
			k := x.dims[len(x.dims)-1]
			other := []int{k}
			dims := slices.Clone(x.dims[:len(x.dims)-1])
			if g.chance(2, 3) {
				n := g.dims(1)
				other, dims = append(other, n...), append(dims, n...)
			}
			return g.one(g.precision(), []value{x, g.operand(x.element, other...)},
				value{element: g.wider(x.element), dims: dims})
		}},
		{name: "dot_general", make: makeDotGeneral},
		{name: "einsum", make: makeEinsum},
		{name: "unary_einsum", make: makeEinsum},
		{name: "convolution", make: makeConvolution},
		{name: "dynamic_conv", make: makeConvolution},
		{name: "chlo.ragged_dot", make: func(g *generator, x value) []value {
			if len(x.dims) != 2 || x.is("c") {
				return g.fail()
			}
			groups, n := 1+g.IntN(3), 1+g.IntN(3)
			left := 0
			sizes := filled(index, []int{groups}, func(r *rand.Rand, v tensor.View, i int) {
				if i == 0 {
					left = x.dims[0]
				}
				size := r.IntN(left + 1)
				if i == groups-1 {
					size = left
				}
				progen.SetInteger(v, i, int64(size))
				left -= size
			})
			text := "ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>"
			return g.one(text, []value{x, g.operand(x.element, groups, x.dims[1], n),
				g.given(index, []int{groups}, sizes)}, x.shaped([]int{x.dims[0], n}))
		}},
	}
	for _, op := range list {
		op.takes, op.reorders = "sufp8c", true
		if strings.Contains(op.name, "einsum") || op.name == "dot" {
			op.takes = "suf8c"
		}
	}
	return list
}

func (g *generator) precision() string {
	if g.chance(1, 2) {
		return ""
	}
	return fmt.Sprintf("precision_config = [%s, %s]", attribute("precision", precisions.draw(g)),
		attribute("precision", precisions.draw(g)))
}

// wider returns the type, or one that holds all its values.
func (g *generator) wider(e element) element {
	if e.text != "" || g.chance(1, 2) {
		return e
	}
	var to []tensor.DType
	switch d := e.DType; {
	case d == tensor.F32:
		to = []tensor.DType{tensor.F64}
	case d == tensor.F16 || d == tensor.BF16 || e.is("8"):
		to = []tensor.DType{tensor.F32, tensor.F64}
	case e.is("s") && d < tensor.S32:
		to = []tensor.DType{tensor.S32, tensor.S64}
	case e.is("u") && d < tensor.U32:
		to = []tensor.DType{tensor.U32, tensor.U64, tensor.S32}
	}
	if len(to) == 0 {
		return e
	}
	return element{DType: pick(g.Rand, to)}
}

func makeDotGeneral(g *generator, x value) []value {
	order := g.Perm(len(x.dims))
	b := g.IntN(min(2, len(order)) + 1)
	c := g.IntN(min(2, len(order)-b) + 1)
	batch, contracting := order[:b], order[b:b+c]
	// The dimensions of the other operand: batching, contracting and free ones, in another order.
	type dim struct{ of, size int }
	var list []dim
	for _, d := range append(slices.Clone(batch), contracting...) {
		list = append(list, dim{d, x.dims[d]})
	}
	for range g.IntN(3) {
		list = append(list, dim{-1, 1 + g.IntN(3)})
	}
	places := g.Perm(len(list))
	other := make([]int, len(list))
	at := map[int]int{} // of the other operand
	var free []int
	for i, p := range places {
		other[p] = list[i].size
		if list[i].of >= 0 {
			at[list[i].of] = p
		}
	}
	var rb, rc, dims []int
	for _, d := range batch {
		rb, dims = append(rb, at[d]), append(dims, x.dims[d])
	}
	for _, d := range contracting {
		rc = append(rc, at[d])
	}
	for d, n := range x.dims {
		if !slices.Contains(batch, d) && !slices.Contains(contracting, d) {
			dims = append(dims, n)
		}
	}
	for d, n := range other {
		if !slices.Contains(rb, d) && !slices.Contains(rc, d) {
			free = append(free, n)
		}
	}
	dims = append(dims, free...)
	if product(dims) > 4*largest {
		return g.fail()
	}
	text := fmt.Sprintf("dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [%s], rhs_batching_dimensions = [%s], lhs_contracting_dimensions = [%s], rhs_contracting_dimensions = [%s]>",
		commas(batch), commas(rb), commas(contracting), commas(rc))
	if p := g.precision(); p != "" {
		text += ", " + p
	}
	y := g.further(x, x.element, other...)
	result := value{element: g.wider(x.element), dims: dims}
	if g.chance(1, 3) { // x on the right
		text = fmt.Sprintf("dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [%s], rhs_batching_dimensions = [%s], lhs_contracting_dimensions = [%s], rhs_contracting_dimensions = [%s]>",
			commas(rb), commas(batch), commas(rc), commas(contracting))
		nb := len(batch)
		own := len(dims) - nb - len(free)
		result.dims = slices.Concat(dims[:nb], free, dims[nb:nb+own])
		return g.one(text, []value{y, x}, result)
	}
	return g.one(text, []value{x, y}, result)
}

func makeConvolution(g *generator, x value) []value {
	if len(x.dims) < 2 {
		return g.fail()
	}
	rank := len(x.dims)
	places := g.Perm(rank) // batch, features, spatial ones
	spatial := places[2:]
	var sizes []int
	for _, d := range spatial {
		sizes = append(sizes, x.dims[d])
	}
	w, ok := g.window(sizes, true)
	n, features := x.dims[places[0]], x.dims[places[1]]
	if !ok || features == 0 {
		return g.fail()
	}
	groups, batches := 1, 1
	if g.chance(1, 3) {
		groups = pick(g.Rand, divisors(features))
	} else if g.chance(1, 6) && n > 0 {
		batches = pick(g.Rand, divisors(n))
	}
	out := groups * batches * (1 + g.IntN(2))
	kernel, k := make([]int, rank), g.Perm(rank) // input features, output features, spatial ones
	kernel[k[0]], kernel[k[1]] = features/groups, out
	var reversed []bool
	for i, d := range k[2:] {
		kernel[d] = w.size[i]
		reversed = append(reversed, g.chance(1, 4))
	}
	dims, o := make([]int, rank), g.Perm(rank)
	dims[o[0]], dims[o[1]] = n/batches, out
	for i, d := range o[2:] {
		dims[d] = w.dims[i]
	}
	if product(dims) > 4*largest || product(kernel) > largest {
		return g.fail()
	}
	reversal := "array<i1>"
	if len(reversed) > 0 {
		reversal = "array<i1: " + commas(reversed) + ">"
	}
	text := fmt.Sprintf("dimension_numbers = #stablehlo.conv<raw input_batch_dimension = %d, input_feature_dimension = %d, input_spatial_dimensions = [%s], kernel_input_feature_dimension = %d, kernel_output_feature_dimension = %d, kernel_spatial_dimensions = [%s], output_batch_dimension = %d, output_feature_dimension = %d, output_spatial_dimensions = [%s]>, feature_group_count = %d : i64, batch_group_count = %d : i64, window_strides = %s, lhs_dilation = %s, rhs_dilation = %s, window_reversal = %s",
		places[0], places[1], commas(spatial), k[0], k[1], commas(k[2:]), o[0], o[1], commas(o[2:]), groups, batches,
		int64s(w.stride), int64s(w.base), int64s(w.dilation), reversal)
	y := g.further(x, x.element, kernel...)
	if g.op.name == "stablehlo.dynamic_conv" {
		var list []int64
		for _, p := range w.padding {
			list = append(list, int64(p[0]), int64(p[1]))
		}
		padding := tensor.View{Shape: tensor.ShapeOf(tensor.S32, len(w.padding), 2), Data: make([]byte, 4*len(list))}
		for i, p := range list {
			progen.SetInteger(padding, i, p)
		}
		return g.one(text, []value{x, y, g.constant(element{DType: tensor.S32}, padding.Shape.Dims, padding)},
			x.shaped(dims))
	}
	text += ", padding = " + rows(w.padding)
	if p := g.precision(); p != "" {
		text += ", " + p
	}
	return g.one(text, []value{x, y}, value{element: g.wider(x.element), dims: dims})
}

func divisors(n int) (list []int) {
	for d := 1; d <= n; d++ {
		if n%d == 0 {
			list = append(list, d)
		}
	}
	return list
}
