package operations

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/tensor"
)

func indexing() []*operation {
	list := []*operation{
		{name: "dynamic_slice", takes: anyType, make: func(g *generator, x value) []value {
			sizes := g.part(x.dims)
			return g.one("slice_sizes = "+int64s(sizes), append([]value{x}, g.starts(x, sizes)...), x.shaped(sizes))
		}},
		{name: "dynamic_update_slice", takes: anyType, make: func(g *generator, x value) []value {
			sizes := g.part(x.dims)
			return g.one("", append([]value{x, g.further(x, x.element, sizes...)}, g.starts(x, sizes)...),
				x)
		}},
		{name: "gather", takes: anyType, make: makeGather},
		{name: "dynamic_gather", takes: anyType, make: makeGather},
		{name: "torch_index_select", takes: "sufp8c", make: func(g *generator, x value) []value {
			if len(x.dims) == 0 {
				return g.fail()
			}
			dim := g.IntN(len(x.dims))
			batch := 0
			if dim > 0 {
				batch = g.IntN(dim + 1)
			}
			extra := g.dims(g.IntN(2))
			indices := slices.Concat(x.dims[:batch], extra)
			dims := slices.Concat(x.dims[:dim], extra, x.dims[dim+1:])
			e := pick(g.Rand, indexTypes)
			if x.dims[dim] == 0 && product(dims) > 0 {
				return g.fail()
			}
			at := filled(e, indices, func(r *rand.Rand, v tensor.View, i int) { // an index outside has no meaning
				progen.SetInteger(v, i, int64(r.IntN(max(1, min(x.dims[dim], 1<<min(8, e.Bits()-1))))))
			})
			return g.one(fmt.Sprintf("dim = %d : i64, batch_dims = %d : i64", dim, batch),
				[]value{x, g.given(e, indices, at)}, x.shaped(dims))
		}},
	}
	for _, op := range list {
		op.moves = true
	}
	return append(list, &operation{name: "scatter", takes: "sufp8c", reorders: true, make: makeScatter})
}

// part returns the sizes of a part of an array.
func (g *generator) part(dims []int) (sizes []int) {
	for _, d := range dims {
		n := g.IntN(d + 1)
		if g.chance(1, 3) {
			n = d
		} else if n == 0 && g.chance(3, 4) {
			n = min(1, d)
		}
		sizes = append(sizes, n)
	}
	return sizes
}

// starts returns scalars of one type that are the indices of a part.
func (g *generator) starts(x value, sizes []int) (list []value) {
	e := pick(g.Rand, indexTypes)
	for _, d := range x.dims {
		if x.element == e && len(x.dims) == 0 {
			continue
		}
		list = append(list, g.index(e, d))
	}
	return list
}

// Dimension numbers of gather and scatter.
type numbers struct {
	indices  []int // dimensions of the indices
	vector   int   // the dimension of an index
	batching [][2]int
	mapped   []int // the dimension of the operand for each part of an index
	dropped  []int // dimensions of the operand that a window lacks
	window   []int // sizes of the window in the operand's dimensions
	offsets  []int // dimensions of the result or the updates that are in a window
	dims     []int // of the result or the updates
}

// numbers returns dimension numbers for an operand.
func (g *generator) numbers(of []int) (n numbers) {
	rank := len(of)
	n.window = g.part(of)
	free := g.Perm(rank)
	batch := g.dims(g.IntN(3))
	for i, d := range batch {
		if len(free) > 1 && g.chance(1, 5) {
			at := free[0]
			free = free[1:]
			batch[i] = of[at]
			n.batching = append(n.batching, [2]int{at, i})
			n.window[at] = min(1, of[at])
		}
		_ = d
	}
	n.mapped = slices.Clone(free[:g.IntN(len(free)+1)])
	for _, d := range free {
		if n.window[d] <= 1 && g.chance(1, 2) {
			n.window[d] = 1
			n.dropped = append(n.dropped, d)
		}
	}
	slices.Sort(n.dropped)
	// Where an index is among the dimensions of the indices. A single number may have no dimension.
	n.vector = g.IntN(len(batch) + 1)
	n.indices = slices.Insert(slices.Clone(batch), n.vector, len(n.mapped))
	if len(n.mapped) == 1 && g.chance(1, 3) {
		n.indices, n.vector = batch, len(batch)
	}
	for i, p := range n.batching {
		if p[1] >= n.vector && len(n.indices) > len(batch) {
			n.batching[i][1]++
		}
	}
	slices.SortFunc(n.batching, func(a, b [2]int) int { return a[0] - b[0] })
	var kept []int
	for d := range of {
		if !slices.Contains(n.dropped, d) && !slices.ContainsFunc(n.batching,
			func(p [2]int) bool { return p[0] == d }) {
			kept = append(kept, n.window[d])
		}
	}
	n.offsets = g.Perm(len(batch) + len(kept))[:len(kept)]
	slices.Sort(n.offsets)
	for i, rest := 0, batch; i < len(batch)+len(kept); i++ {
		if slices.Contains(n.offsets, i) {
			n.dims = append(n.dims, kept[0])
			kept = kept[1:]
		} else {
			n.dims = append(n.dims, rest[0])
			rest = rest[1:]
		}
	}
	return n
}

func (n numbers) batches() (operand, indices []int) {
	for _, p := range n.batching {
		operand, indices = append(operand, p[0]), append(indices, p[1])
	}
	return operand, indices
}

// indices returns the indices for an operand.
func (g *generator) indices(x value, n numbers, e element) value {
	size := 1
	for _, d := range n.mapped {
		size = max(size, x.dims[d])
	}
	return g.index(e, size, n.indices...)
}

func makeGather(g *generator, x value) []value {
	n := g.numbers(x.dims)
	if product(n.dims) > 4*largest {
		return g.fail()
	}
	for i, d := range n.window {
		if d > x.dims[i] {
			return g.fail()
		}
	}
	operand, indices := n.batches()
	text := fmt.Sprintf("dimension_numbers = #stablehlo.gather<offset_dims = [%s], collapsed_slice_dims = [%s], operand_batching_dims = [%s], start_indices_batching_dims = [%s], start_index_map = [%s], index_vector_dim = %d>, indices_are_sorted = false",
		commas(n.offsets), commas(n.dropped), commas(operand), commas(indices), commas(n.mapped), n.vector)
	args := []value{x, g.indices(x, n, pick(g.Rand, indexTypes))}
	if g.op.name == "stablehlo.gather" {
		text += ", slice_sizes = " + int64s(n.window)
	} else {
		args = append(args, g.sizes(n.window))
	}
	return g.one(text, args, x.shaped(n.dims))
}

func makeScatter(g *generator, x value) []value {
	n := g.numbers(x.dims)
	if product(n.dims) > 4*largest {
		return g.fail()
	}
	f, _ := g.combination(x.element)
	at := g.indices(x, n, pick(g.Rand, indexTypes))
	operand, indices := n.batches()
	text := fmt.Sprintf("scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [%s], inserted_window_dims = [%s], input_batching_dims = [%s], scatter_indices_batching_dims = [%s], scatter_dims_to_operand_dims = [%s], index_vector_dim = %d>, indices_are_sorted = false, unique_indices = false",
		commas(n.offsets), commas(n.dropped), commas(operand), commas(indices), commas(n.mapped), n.vector)
	return g.one(text, []value{x, at, g.further(x, x.element, n.dims...)}, x, fold(f, x.element))
}
