package movement

import "github.com/calliope-mlir/calliope/tensor"

// same returns an array, or the same after steps that undo one another.
func (g *generator) same(x *value) *value {
	switch g.IntN(5) {
	case 0:
		return g.add(barrier{}, x.kind, x)
	case 1:
		o := reverse{g.some(len(x.dims))}
		return g.add(o, x.kind, g.add(o, x.kind, x))
	case 2:
		return g.add(reshape{}, x.kind, g.add(reshape{}, x.with(g.shape(x.size())...), x))
	case 3:
		there, back, k := transpose{g.Perm(len(x.dims))}, transpose{make([]int, len(x.dims))}, x.with()
		for i, d := range there.dims {
			back.dims[d] = i
			k.dims = append(k.dims, x.dims[d])
		}
		return g.add(back, x.kind, g.add(there, k, x))
	}
	return x
}

// merge adds branches that all return one array, and uses it and the result.
func (g *generator) merge() bool {
	x := g.array()
	if g.depth == 2 {
		return false
	}
	s := &step{operation: choice, args: []*value{g.like(of(tensor.Pred))}}
	for range 2 {
		s.blocks = append(s.blocks, g.within(nil, func() []*value { return []*value{g.same(x)} }))
	}
	g.finish(s, []kind{x.kind})
	g.mix(x, s.out[0])
	return true
}

// mix adds a selection between the elements of an array and those of another one in another order.
func (g *generator) mix(x, y *value) {
	p := g.like(of(tensor.Pred, x.dims...))
	g.add(selection{}, x.kind, p, x, g.add(reverse{g.some(len(x.dims))}, y.kind, y))
}
