package vmap

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// A division is of the arrays of a manual computation into a batch of parts. The axes whose place the batch takes are
// its dimensions. If there is a batch outside, whose devices differ along other axes, it is a first dimension of the
// name "".
type division struct {
	transform.Manual
	mesh  stablehlo.Mesh
	names []string // as MLIR prints them
	sizes []int64
}

// replace computes the parts of a manual computation along axes as a batch. What is left of the computation is over its
// other axes.
func (b *batcher) replace(m transform.Manual) []mlir.Value {
	taken := b.taken(m)
	mesh, _, err := m.Mesh()
	if err != nil {
		transform.Fail(m.Op, "%v", err)
	}
	p := division{Manual: m, mesh: mesh}
	inside := *b.axis
	inside.mesh, inside.along = mesh, slices.Concat(b.axis.along, taken)
	if !b.axis.isOutside() {
		if b.axis.mesh.String() != p.mesh.String() {
			transform.Fail(m.Op, "its mesh is not that of the manual computation around it")
		}
		p.names, p.sizes = []string{""}, []int64{b.size}
	}
	for _, name := range taken {
		p.names, p.sizes = append(p.names, name), append(p.sizes, p.size(name))
	}
	_, inside.devices = m.Groups(p.mesh, inside.along)

	operands := m.Op.OperandValues()
	for i, v := range operands {
		if b.axis.isOutside() && b.batched(v) {
			transform.Fail(m.Op, "the batch takes the place of its devices along %s, but operand %d is batched already: "+
				"make the parameters of the function NotBatched", b.axis.name, i)
		}
		if operands[i] = b.get(v); !b.tokens[v] {
			operands[i] = b.divide(p, operands[i], b.batched(v), m.In[i])
		}
	}
	types := mlir.TypesOf(m.Op.ResultValues())
	for i, t := range types {
		if !b.tokens[m.Op.Result(i)] {
			types[i] = b.tensor(transform.Element(t), p.shape(dimsOf(t), m.Out[i])...)
		}
	}
	outside := *b
	b.axis, b.size = &inside, 1
	for _, n := range p.sizes {
		b.size *= n
	}
	var results []mlir.Value
	if len(taken) == len(m.Axes) {
		results = b.parts(m, operands, b.get)
	} else {
		results = b.manual(p.left(taken, operands, b.tokens), operands, types)
	}
	for i, v := range results {
		if !b.tokens[m.Op.Result(i)] {
			results[i] = b.join(p, v, dimsOf(m.Op.Result(i).Type()), m.Out[i])
		}
	}
	b.axis, b.size = outside.axis, outside.size
	return results
}

// left returns the computation that is left, over other axes, of operands that may be batched and results that are.
func (p division) left(taken []string, operands []mlir.Value, tokens map[mlir.Value]bool) transform.Manual {
	m := p.Manual
	m.In, m.Out = slices.Clone(m.In), slices.Clone(m.Out)
	m.Axes = slices.DeleteFunc(slices.Clone(m.Axes), func(a string) bool { return slices.Contains(taken, a) })
	for _, list := range [][]string{m.In, m.Out} {
		for i := range list {
			for _, axis := range taken {
				list[i] = transform.WithoutAxis(list[i], axis)
			}
		}
	}
	for i, v := range operands {
		if transform.Rank(v) > transform.Rank(m.Body.Argument(i)) {
			m.In[i] = undivided(m.In[i], "{}")
		}
	}
	for i, v := range m.Op.Results() {
		if !tokens[v] {
			m.Out[i] = undivided(m.Out[i], "{}")
		}
	}
	return m
}

// size returns the number of devices along an axis.
func (p division) size(axis string) int64 {
	i := slices.IndexFunc(p.mesh.Axes, func(a stablehlo.MeshAxis) bool {
		return printed(p.Op.Context(), a.Name) == axis
	})
	if i < 0 {
		transform.Fail(p.Op, "its shardings have %s, which is no axis of the mesh", axis)
	}
	return p.mesh.Axes[i].Size
}

// axes returns for each dimension the axes that divide it, up to the last one whose place the batch takes.
func (p division) axes(sharding string) [][]string {
	axes, err := transform.DimensionAxes(sharding, p.names)
	if err != nil {
		transform.Fail(p.Op, "%v", err)
	}
	for d, names := range axes {
		for len(names) > 0 && !slices.Contains(p.names, names[len(names)-1]) {
			names = names[:len(names)-1]
		}
		axes[d] = names
	}
	return axes
}

// shape returns the shape of the parts of an array.
func (p division) shape(whole []int64, sharding string) []int64 {
	shape := slices.Clone(whole)
	for d, names := range p.axes(sharding) {
		for _, name := range names {
			if slices.Contains(p.names, name) {
				shape[d] /= p.size(name)
			}
		}
	}
	return shape
}

// A layout says how the dimensions of an array are made of axes, and of what is left of them.
type layout struct {
	split []int64 // the sizes of the axes and of what is left, in the order of the whole array
	at    []int   // of each axis of the batch, in split, or -1
	rest  []int64 // what is not of the batch, in split
}

// layout returns that of a whole array, with a dimension of the batch outside before it if batched is set.
func (p division) layout(whole []int64, batched bool, sharding string) (l layout) {
	l.at = slices.Repeat([]int{none}, len(p.names))
	if batched {
		l.at[0], l.split = 0, p.sizes[:1:1]
	}
	for d, names := range p.axes(sharding) {
		left := whole[d]
		for _, name := range names {
			n := p.size(name)
			if left%n != 0 {
				transform.Fail(p.Op, "dimension %d of %v is not divided evenly along %s", d, whole, name)
			}
			left /= n
			if i := slices.Index(p.names, name); i >= 0 {
				l.at[i] = len(l.split)
			} else {
				l.rest = append(l.rest, int64(len(l.split)))
			}
			l.split = append(l.split, n)
		}
		l.rest, l.split = append(l.rest, int64(len(l.split))), append(l.split, left)
	}
	return l
}

// order returns the axes of the batch that an array has, in their order, and then the rest.
func (l layout) order() (order []int64) {
	for _, at := range l.at {
		if at >= 0 {
			order = append(order, int64(at))
		}
	}
	return append(order, l.rest...)
}

// divide returns the batch of the parts of an operand, or the operand if all are the same.
func (b *batcher) divide(p division, x mlir.Value, batched bool, sharding string) mlir.Value {
	whole := transform.Dims(x)
	if batched {
		whole = whole[1:]
	}
	l := p.layout(whole, batched, sharding)
	order := l.order()
	if len(order) == len(l.rest) {
		return x
	}
	shape := p.shape(whole, sharding)
	x = b.Transpose(b.Reshape(x, l.split...), order)
	var have, to []int64
	size := int64(1)
	for i, n := range p.sizes {
		if size *= n; l.at[i] >= 0 {
			have, to = append(have, n), append(to, int64(i))
		}
	}
	for d := range shape {
		to = append(to, int64(len(p.sizes)+d))
	}
	x = b.Broadcast(b.Reshape(x, slices.Concat(have, shape)...), to, slices.Concat(p.sizes, shape)...)
	return b.Reshape(x, first(size, shape)...)
}

// join returns the result that a batch of its parts makes. Along axes that do not divide it, the parts are the same.
// The batch outside stays, unless no part is batched.
func (b *batcher) join(p division, x mlir.Value, whole []int64, sharding string) mlir.Value {
	outside := p.names[0] == ""
	l := p.layout(whole, outside, sharding)
	if transform.Rank(x) == len(whole) { // no part is batched
		if !slices.ContainsFunc(p.axes(sharding), func(names []string) bool { return len(names) > 0 }) {
			return x
		}
		x = b.copies(x)
	}
	limit := slices.Concat(p.sizes, transform.Dims(x)[1:])
	x = b.Reshape(x, limit...)
	for i, at := range l.at {
		if at < 0 {
			limit[i] = 1
		}
	}
	x = b.Slice(x, make([]int64, len(limit)), limit, transform.Ones(len(limit)))
	order := l.order()
	split, back := make([]int64, len(order)), make([]int64, len(order))
	for i, at := range order {
		split[i], back[at] = l.split[at], int64(i)
	}
	if outside {
		whole = first(p.sizes[0], whole)
	}
	return b.Reshape(b.Transpose(b.Reshape(x, split...), back), whole...)
}
