package jit

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/affine"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/memref"
	"github.com/calliope-mlir/calliope/mlir/dialect/scf"
)

// shortestRun is the number of adjacent elements from which on a copy of them is no loop.
const shortestRun = 8

// copyRuns makes an operation that only copies elements copies of runs of them, which are adjacent in both buffers, in
// loops. It reports whether it can. LLVM copies a run by a few instructions or memcpy, and compiles that faster than
// loops over its elements.
func (n nest) copyRuns() bool {
	if len(n.Inputs) != 1 || len(n.Outputs) != 1 || !isBuffer(n.Inputs[0].Type()) ||
		!n.Region.First().Terminator().Operand(0).Equal(n.Region.First().Argument(0)) {
		return false
	}
	from, ok := n.position(0)
	to, linear := n.position(1)
	if !ok || !linear {
		return false
	}
	sizes, b := n.sizes(), n.b
	run := int64(1)
	var outer []int // the loops that stay, in order: not those over a run
	for loop := range sizes {
		outer = append(outer, loop)
	}
	adjacent := func(loop int) bool {
		return sizes[loop] == 1 || distance(from, loop) == run && distance(to, loop) == run
	}
	for i := slices.IndexFunc(outer, adjacent); i >= 0; i = slices.IndexFunc(outer, adjacent) {
		run *= sizes[outer[i]]
		outer = slices.Delete(outer, i, i+1)
	}
	if run < shortestRun {
		return false
	}
	var counts []int64
	for _, loop := range outer {
		counts = append(counts, sizes[loop])
	}
	zero := arith.ConstantIndex(b, 0)
	scf.Nest(b, counts, func(in []mlir.Value) {
		at := slices.Repeat([]mlir.Value{zero}, len(sizes))
		for i, loop := range outer {
			at[loop] = in[i]
		}
		memref.Copy(b, part(b, n.Inputs[0], affine.Apply(b, from, at...), run),
			part(b, n.Outputs[0], affine.Apply(b, to, at...), run))
	})
	return true
}

// position returns where the loops are in the memory of an operand, in elements, and false if it is not a sum of
// multiples of them.
func (n nest) position(k int) (mlir.AffineMap, bool) {
	strides, offset, ok := n.op.Operand(k).Type().Strides()
	if !ok || offset == mlir.Dynamic || slices.Contains(strides, mlir.Dynamic) {
		return mlir.AffineMap{}, false
	}
	c := n.b.Context()
	sum := c.AffineConstant(offset)
	for i, stride := range strides {
		sum = sum.Add(n.IndexingMaps[k].Result(i).Mul(c.AffineConstant(stride)))
	}
	linear := sum.Walk(func(e mlir.AffineExpr) bool { return e.Kind() <= mlir.AffineMul })
	return c.AffineMap(len(n.IteratorTypes), 0, sum), linear
}

// distance returns how far an iteration of a loop is from the next one.
func distance(position mlir.AffineMap, loop int) int64 {
	at := make([]int64, position.NumDims())
	first, _ := position.Eval(at, nil)
	at[loop] = 1
	second, _ := position.Eval(at, nil)
	return second[0] - first[0]
}

// part returns adjacent elements of a buffer.
func part(b *mlir.Builder, buffer, start mlir.Value, count int64) mlir.Value {
	if b.Err() != nil {
		return buffer
	}
	elem, _ := buffer.Type().Element()
	layout := b.Context().StridedLayoutAttribute(mlir.Dynamic, 1)
	t, err := b.Context().MemRefType(elem, mlir.MemRefOptions{Layout: layout}, count)
	b.Fail(err)
	return memref.ReinterpretCast(b, t, buffer, []mlir.Value{start}, nil, nil, []int64{mlir.Dynamic}, []int64{count},
		[]int64{1})
}
