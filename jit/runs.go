package jit

import (
	"math"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/affine"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/llvm"
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
	size, _ := elementSize(n.Inputs[0].Type())
	run := int64(size) // bytes
	var outer []int    // the loops that stay, in order: not those over a run
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
	if run < shortestRun*int64(size) {
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
		llvm.Memcpy(b, address(b, n.Outputs[0], affine.Apply(b, to, at...)),
			address(b, n.Inputs[0], affine.Apply(b, from, at...)), number(b, run), false)
	})
	return true
}

// position returns where the loops are in the memory of an operand, in bytes, and false if it is not a sum of multiples
// of them.
func (n nest) position(k int) (mlir.AffineMap, bool) {
	strides, offset, ok := n.op.Operand(k).Type().Strides()
	size, err := elementSize(n.op.Operand(k).Type())
	if !ok || err != nil || offset == mlir.Dynamic || slices.Contains(strides, mlir.Dynamic) {
		return mlir.AffineMap{}, false
	}
	c := n.b.Context()
	sum := c.AffineConstant(offset * int64(size))
	for i, stride := range strides {
		sum = sum.Add(n.IndexingMaps[k].Result(i).Mul(c.AffineConstant(stride * int64(size))))
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

// address returns the address in a buffer so many bytes from its start.
func address(b *mlir.Builder, buffer, bytes mlir.Value) mlir.Value {
	if b.Err() != nil {
		return buffer
	}
	i64 := b.Context().IntegerType(64, mlir.Signless)
	start := arith.IndexCast(b, i64, memref.ExtractAlignedPointerAsIndex(b, buffer))
	p, err := llvm.PointerType(b.Context(), 0)
	b.Fail(err)
	const dynamic = math.MinInt32 // an index that is a value
	return llvm.GEP(b, p, llvm.IntToPtr(b, p, start), []mlir.Value{arith.IndexCast(b, i64, bytes)}, []int32{dynamic},
		b.Context().IntegerType(8, mlir.Signless))
}

// number returns a constant.
func number(b *mlir.Builder, n int64) mlir.Value {
	return arith.ConstantInt(b, b.Context().IntegerType(64, mlir.Signless), n)
}
