package jit

import (
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/affine"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/linalg"
	"github.com/calliope-mlir/calliope/mlir/dialect/memref"
	"github.com/calliope-mlir/calliope/mlir/dialect/scf"
)

// chained is the attribute of the loops that are made of chains.
const chained = "calliope.chain"

// build puts the loop in the place of the links. Several threads compute it if it has enough work.
func (c *chain) build(m *mlir.Module, number int) error {
	first, last := c.links[0].op, c.links[len(c.links)-1].op
	var moved []mlir.Operation
	for op := first.Next(); !op.Equal(last); op = op.Next() {
		if slices.Contains(betweenLinks, op.Name()) {
			moved = append(moved, op)
		}
	}
	for _, op := range moved {
		op.MoveBefore(first)
	}
	var locations []mlir.Location
	for _, l := range c.links {
		locations = append(locations, l.op.Location())
	}
	for v, a := range c.arrays {
		a.private = a.written && v.IsResult() && v.Owner().Name() == "memref.alloc" && c.onlyUses(v, false)
	}
	all := m.Context().FusedLocation(mlir.Attribute{}, locations...)
	b := mlir.NewBuilder(mlir.Before(first), all)
	count := productOf(c.sizes) / c.rows
	loop := scf.For(b, arith.ConstantIndex(b, 0), arith.ConstantIndex(b, count), arith.ConstantIndex(b, 1),
		func(i mlir.Value) { c.createBody(b, i) })
	if b.Err() != nil {
		return b.Err()
	}
	if err := loop.SetLocation(all); err != nil {
		return err
	}
	loop.SetDiscardable(chained, m.Context().UnitAttribute())
	for _, l := range c.links {
		if err := l.op.Erase(); err != nil {
			return err
		}
	}
	return c.split(m, loop, count, fmt.Sprintf("calliope.chain%d", number))
}

// createBody creates an iteration.
func (c *chain) createBody(b *mlir.Builder, i mlir.Value) {
	at := make([]mlir.Value, len(c.sizes)) // the indices of the part, by loop
	for k := len(at) - 1; k >= 0; k-- {
		size := c.sizes[k]
		if k == len(at)-1 {
			size /= c.rows
		}
		at[k] = i
		if k > 0 {
			at[k] = arith.RemUI(b, i, arith.ConstantIndex(b, size))
			i = arith.DivUI(b, i, arith.ConstantIndex(b, size))
		}
		if k == len(at)-1 && c.rows > 1 {
			at[k] = arith.MulI(b, at[k], arith.ConstantIndex(b, c.rows))
		}
	}
	parts := map[mlir.Value]mlir.Value{}
	for _, l := range c.links {
		b.SetLocation(l.op.Location())
		if l.call != nil {
			l.call.createPart(c, b, l, at, parts)
		} else {
			c.createPart(b, l, at, parts)
		}
	}
}

// createPart creates an operation linalg.generic on parts.
func (c *chain) createPart(b *mlir.Builder, l link, at []mlir.Value, parts map[mlir.Value]mlir.Value) {
	g, _ := linalg.AsGeneric(l.op)
	k := b.Context()
	// The loops that stay are numbered again. The others have one iteration.
	places, iterators := make([]affine.Expr, len(l.sizes)), []mlir.Attribute(nil)
	for loop := range l.sizes {
		if !c.isFixed(slices.Index(l.loops, loop)) {
			places[loop] = affine.Dim(k, len(iterators))
			iterators = append(iterators, g.IteratorTypes[loop])
		} else {
			places[loop] = affine.Constant(k, 0)
		}
	}
	var ins, outs []mlir.Value
	var indexing []affine.Map
	n := 0
	for i, v := range l.op.OperandValues() {
		var fixed []int
		if isBuffer(v.Type()) {
			v, fixed = c.slice(b, l, l.uses[n], at, parts)
			n++
		}
		if i < len(g.Inputs) {
			ins = append(ins, v)
		} else {
			outs = append(outs, v)
		}
		var exprs []affine.Expr
		for j, e := range g.IndexingMaps[i].Results() {
			if !slices.Contains(fixed, j) {
				exprs = append(exprs, e.Substitute(places, nil))
			}
		}
		indexing = append(indexing, affine.NewMap(k, len(iterators), 0, exprs...))
	}
	if b.Err() != nil {
		return
	}
	region := b.Region(func(in []mlir.Value) { c.copyBody(b, l, g, at, in) },
		mlir.TypesOf(g.Region.First().ArgumentValues())...)
	linalg.GenericOp{Inputs: ins, Outputs: outs, IndexingMaps: indexing, IteratorTypes: iterators,
		Region: region}.Create(b)
}

// isFixed reports whether the part has one iteration of a loop of the chain, and false for -1.
func (c *chain) isFixed(loop int) bool {
	return loop >= 0 && (loop < len(c.sizes)-1 || c.rows == 1)
}

// copyBody copies the body of an operation linalg.generic.
func (c *chain) copyBody(b *mlir.Builder, l link, g linalg.GenericOp, at, in []mlir.Value) {
	from := g.Region.First()
	var copies mlir.Mapping
	for i, v := range in {
		copies.Map(from.Argument(i), v)
	}
	for op := range from.Operations() {
		if op.Name() != "linalg.index" {
			in[0].Block().Append(op.CloneWith(&copies)) // the block is being built
			continue
		}
		dim, _ := op.Attribute("dim")
		loop, _ := dim.Int()
		copies.Map(op.Result(0), c.index(b, l, int(loop), at))
	}
}

// index returns the index of a loop of a link.
func (c *chain) index(b *mlir.Builder, l link, loop int, at []mlir.Value) mlir.Value {
	of := slices.Index(l.loops, loop)
	if c.isFixed(of) {
		return at[of]
	}
	stays := 0
	for other := range loop {
		if !c.isFixed(slices.Index(l.loops, other)) {
			stays++
		}
	}
	i := linalg.Index(b, int64(stays))
	if of >= 0 {
		i = arith.AddI(b, i, at[of])
	}
	return i
}

// slice returns the part of an array that an iteration uses, and the dimensions that it has none of.
func (c *chain) slice(
	b *mlir.Builder, l link, u use, at []mlir.Value, parts map[mlir.Value]mlir.Value,
) (part mlir.Value, fixed []int) {
	dims, _ := u.operand.Type().Dims()
	strides, _, _ := u.operand.Type().Strides()
	of := make([]int, len(dims)) // by dimension, the loop of the chain that is its index
	windows := c.windows(b, l, u, at)
	whole := len(windows) == 0
	var kept, distances []int64
	for i := range dims {
		if of[i] = l.loopAt(u, i); of[i] >= 0 {
			whole = false
		}
		if w, ok := windows[i]; ok {
			dims[i] -= w.less
		}
		if c.isFixed(of[i]) {
			fixed = append(fixed, i)
			continue
		}
		if of[i] >= 0 {
			dims[i] = c.rows
		}
		kept, distances = append(kept, dims[i]), append(distances, strides[i])
	}
	if c.arrays[u.array].private {
		return c.part(b, u.array, parts), fixed
	}
	if whole || b.Err() != nil {
		return u.operand, nil
	}
	elem, _ := u.operand.Type().Element()
	t, err := b.Context().MemRefType(elem,
		mlir.MemRefOptions{Layout: b.Context().StridedLayoutAttribute(mlir.Dynamic, distances...)}, kept...)
	b.Fail(err)
	view := memref.SubViewOp{Source: u.operand, StaticStrides: slices.Repeat([]int64{1}, len(dims)), ResultType: t}
	for i, n := range dims {
		offset := int64(0)
		if of[i] >= 0 {
			offset, view.Offsets = mlir.Dynamic, append(view.Offsets, at[of[i]])
		} else if w, ok := windows[i]; ok {
			offset, view.Offsets = mlir.Dynamic, append(view.Offsets, w.start)
		}
		if c.isFixed(of[i]) {
			n = 1
		}
		view.StaticOffsets, view.StaticSizes = append(view.StaticOffsets, offset), append(view.StaticSizes, n)
	}
	return view.Create(b).Result(0), fixed
}

// A view is where the part of an array begins in a dimension, and by how much it is shorter.
type view struct {
	start mlir.Value
	less  int64
}

// windows returns the views of the dimensions of which loops of the chain are terms.
func (c *chain) windows(b *mlir.Builder, l link, u use, at []mlir.Value) map[int]view {
	views := map[int]view{}
	for k, loop := range l.loops {
		if u.at[loop] != windowed {
			continue
		}
		w, stays := u.windows[loop], int64(1)
		if !c.isFixed(k) {
			stays = c.rows
		}
		start := arith.MulI(b, at[k], arith.ConstantIndex(b, w.step))
		views[w.dim] = view{start, (l.sizes[loop] - stays) * w.step}
	}
	return views
}

// onlyUses reports whether only links use a value. A view is used by products alone, which take its address.
func (c *chain) onlyUses(v mlir.Value, view bool) bool {
	for use := range v.Uses() {
		op := use.Owner
		switch {
		case slices.Contains(betweenLinks, op.Name()):
			if !c.onlyUses(op.Result(0), true) {
				return false
			}
		case view && op.Name() != "llvm.call":
			return false
		case !slices.ContainsFunc(c.links, func(l link) bool { return l.op.Equal(op) }):
			return false
		}
	}
	return true
}

// part returns the part of a private array, which is allocated where the first link needs it.
func (c *chain) part(b *mlir.Builder, array mlir.Value, parts map[mlir.Value]mlir.Value) mlir.Value {
	if p, ok := parts[array]; ok || b.Err() != nil {
		return p
	}
	dims, _ := array.Type().Dims()
	var kept []int64
	for i, n := range dims {
		of := slices.Index(c.arrays[array].at, i)
		if c.isFixed(of) {
			continue
		}
		if of >= 0 {
			n = c.rows
		}
		kept = append(kept, n)
	}
	elem, _ := array.Type().Element()
	t, err := b.Context().MemRefType(elem, mlir.MemRefOptions{}, kept...)
	b.Fail(err)
	parts[array] = memref.Alloc(b, t, nil)
	return parts[array]
}

// split moves the loop to a function that computes a range of its iterations, and calls it for all ranges, if there is
// enough work. Each thread then has parts of its own.
func (c *chain) split(m *mlir.Module, loop mlir.Operation, count int64, name string) error {
	total := int64(0)
	for _, l := range c.links {
		total += productOf(l.sizes) * l.units
	}
	if total < c.limits.work {
		return nil
	}
	o := outline{op: loop}
	for op := range loop.All() {
		for _, v := range op.OperandValues() {
			if !loop.Encloses(v) && !o.need(v) {
				return nil
			}
		}
	}
	b := mlir.NewBuilder(mlir.Before(loop), loop.Location())
	memory, err := c.placeParts(b, loop)
	if err != nil {
		return err
	}
	o.parameters = append(o.parameters, memory) // the last one
	moved, begin, end, err := o.move(m, name)
	if err != nil {
		return err
	}
	moved.SetOperand(0, begin)
	moved.SetOperand(1, end)
	bytes, err := sizeOf(memory.Type())
	if err != nil {
		return err
	}
	o.memory = int64(bytes)
	o.call(b, name, count, max(1, divideUp(count, min(mostRanges, total/c.limits.ranges))))
	return errors.Join(b.Err(), loop.Erase())
}

// placeParts gives the parts of an iteration places in a buffer, which it adds.
func (c *chain) placeParts(b *mlir.Builder, loop mlir.Operation) (memory mlir.Value, err error) {
	list, err := temporaries(loop.Region(0).First())
	if err != nil {
		return memory, err
	}
	size, err := pack(list)
	if err != nil {
		return memory, err
	}
	t, err := b.Context().MemRefType(b.Context().IntegerType(8, mlir.Signless), mlir.MemRefOptions{}, int64(size))
	b.Fail(err)
	memory = memref.Alloc(b, t, nil)
	return memory, errors.Join(b.Err(), place(list, memory))
}
