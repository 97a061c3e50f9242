package movement

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/test/progen"
)

// windows returns random ones of an array, the shape of the indices, and that of the result or the updates.
func (g *generator) windows(x kind) (o windows, indices, parts []int) {
	rank := len(x.dims)
	if rank > 1 && g.IntN(5) == 0 {
		o.batch = []int{g.IntN(rank)}
	}
	for d := range rank {
		if !slices.Contains(o.batch, d) && g.IntN(3) > 0 {
			o.start = append(o.start, d)
		}
	}
	g.Shuffle(len(o.start), func(i, j int) { o.start[i], o.start[j] = o.start[j], o.start[i] })
	var in []int // the shape of a part
	for d, n := range x.dims {
		size := n
		switch {
		case slices.Contains(o.batch, d):
			size = min(n, 1)
		case slices.Contains(o.start, d) && g.IntN(2) == 0 && n > 0:
			size = 1
			if g.IntN(3) > 0 {
				o.collapsed = append(o.collapsed, d)
			}
		case n > 0 && g.IntN(3) == 0:
			size = 1 + g.IntN(n)
		}
		o.size = append(o.size, size)
		if !slices.Contains(o.collapsed, d) && !slices.Contains(o.batch, d) {
			in = append(in, size)
		}
	}
	// The shape of the indices, first without the dimension of an index.
	for range g.IntN(3) {
		indices = append(indices, pick(g, []int{1, 2, 3, 4}))
	}
	at := -1
	if len(o.batch) > 0 {
		at = g.IntN(len(indices) + 1)
		indices = slices.Insert(indices, at, x.dims[o.batch[0]])
	}
	all := slices.Clone(indices)
	o.vector = g.IntN(len(indices) + 1)
	if len(o.start) != 1 || g.IntN(2) == 0 {
		indices = slices.Insert(indices, o.vector, len(o.start))
		if at >= o.vector {
			at++
		}
	} else {
		o.vector = len(indices)
	}
	if at >= 0 {
		o.batched = []int{at}
	}
	// The result has the dimensions of the parts among the others, in any places.
	n := len(all) + len(in)
	places := g.Perm(n)[:len(in)]
	slices.Sort(places)
	o.offset = places
	for d := range n {
		if slices.Contains(places, d) {
			parts, in = append(parts, in[0]), in[1:]
		} else {
			parts, all = append(parts, all[0]), all[1:]
		}
	}
	return o, indices, parts
}

func (g *generator) gather() bool {
	x := g.array()
	o, indices, parts := g.windows(x.kind)
	k := x.with(parts...)
	if k.size() > maxElements || len(parts) > 5 {
		return false
	}
	g.add(gather{o}, k, x, g.indices(o, x.dims, indices, false))
	return true
}

// indices returns those of a gather or a scatter: computed, or constants in the array and beyond it. If they must be
// within, each part is in the array.
func (g *generator) indices(o windows, dims, shape []int, within bool) *value {
	e := pick(g, indexTypes)
	k := of(e, shape...)
	if !within {
		v := g.value(func(v *value) bool {
			return slices.Equal(v.dims, shape) && progen.IsInteger(v.elem) && !slices.Contains(small, v.elem)
		})
		if v != nil && g.IntN(2) == 0 {
			return v
		}
		if g.IntN(4) == 0 && len(shape) > 0 {
			return g.add(iota{g.IntN(len(shape))}, k)
		}
	}
	c := constant{make([]uint64, k.size())}
	k.each(func(i int, at []int) {
		d := o.start[0]
		if o.vector < len(shape) {
			d = o.start[at[o.vector]]
		}
		most := dims[d] - o.size[d]
		n := g.IntN(most + 1)
		if !within && g.IntN(8) == 0 {
			n = g.IntN(most+4) - 1
		}
		c.data[i] = mask(e, uint64(n))
	})
	return g.add(c, k)
}

// scatter replaces parts of an array, or adds to them. XLA leaves out a part that is not wholly in the array, of which
// StableHLO takes what is in it: such a part has one element here, in the dimensions that have an index.
func (g *generator) scatter() bool {
	x := g.array()
	o, indices, parts := g.windows(x.kind)
	k := x.with(parts...)
	if k.size() > maxElements || len(parts) > 5 {
		return false
	}
	within, count := false, 1
	for d, n := range o.size {
		within = within || slices.Contains(o.start, d) && n != 1
	}
	for d, n := range parts {
		if !slices.Contains(o.offset, d) {
			count *= n
		}
	}
	s := scatter{op: ""}
	if g.computes(x.elem) && g.IntN(2) == 0 {
		s.op = pick(g, reductions(x.elem))
	}
	var i *value
	switch {
	case s.op != "" || count < 2:
		i = g.indices(o, x.dims, indices, within)
	case len(o.start) == 1 && !within && count <= x.dims[o.start[0]]: // no two are the same, as either may be last
		c := constant{}
		for _, n := range g.Perm(x.dims[o.start[0]])[:count] {
			c.data = append(c.data, uint64(n))
		}
		o.unique = g.IntN(2) == 0
		i = g.add(c, of(pick(g, indexTypes), indices...))
	default:
		return false
	}
	s.windows = o
	g.add(s, x.kind, x, i, g.like(k))
	return true
}
