package jit

import (
	"slices"

	"github.com/calliope-mlir/calliope/jit/internal/extern"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/affine"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/llvm"
	"github.com/calliope-mlir/calliope/mlir/dialect/memref"
)

// shortestRun is the number of adjacent elements from which on a copy of them is no loop.
const shortestRun = 8

// copyRuns makes an operation that only copies elements a call that copies runs of them, which are adjacent in both
// buffers. It reports whether it can. LLVM compiles the call faster than loops.
func (n nest) copyRuns(m *mlir.Module) bool {
	if len(n.Inputs) != 1 || len(n.Outputs) != 1 || !isBuffer(n.Inputs[0].Type()) ||
		!n.Region.First().Terminator().Operand(0).Equal(n.Region.First().Argument(0)) {
		return false
	}
	from, ok := n.position(0)
	to, linear := n.position(1)
	if !ok || !linear {
		return false
	}
	sizes := n.sizes()
	size, _ := elementSize(n.Inputs[0].Type())
	run := int64(size) // bytes
	var outer []int    // the loops that stay, in order: not those over a run
	for loop := range sizes {
		outer = append(outer, loop)
	}
	adjacent := func(loop int) bool { return sizes[loop] == 1 || from.steps[loop] == run && to.steps[loop] == run }
	for i := slices.IndexFunc(outer, adjacent); i >= 0; i = slices.IndexFunc(outer, adjacent) {
		run *= sizes[outer[i]]
		outer = slices.Delete(outer, i, i+1)
	}
	if run < shortestRun*int64(size) {
		return false
	}
	b := n.b
	operands := []mlir.Value{address(b, n.Outputs[0], to.start), address(b, n.Inputs[0], from.start), number(b, run)}
	if len(outer) == 0 {
		llvm.Memcpy(b, operands[0], operands[1], operands[2], false)
		return true
	}
	operands = append(operands, number(b, int64(len(outer))))
	for _, loop := range outer {
		operands = append(operands, number(b, sizes[loop]), number(b, to.steps[loop]), number(b, from.steps[loop]))
	}
	_, err := extern.Define(m, copyFunction, "llvm.func @"+copyFunction+copyType)
	b.Fail(err)
	llvm.CallOp{VarCalleeType: b.Type("!llvm.func<void " + copyType + ">"), Callee: copyFunction,
		CalleeOperands: operands}.Create(b)
	return true
}

// The C function that copies runs in loops, and its type.
const (
	copyFunction = "calliope_jit_copy"
	copyType     = "(!llvm.ptr, !llvm.ptr, i64, i64, ...)"
)

// A position is where the loops are in the memory of an operand, in bytes: start, and a multiple of a step for each.
type position struct {
	start int64
	steps []int64
}

// position returns where the loops are in an operand, and false if that is no such sum.
func (n nest) position(k int) (p position, ok bool) {
	strides, offset, ok := n.op.Operand(k).Type().Strides()
	size, err := elementSize(n.op.Operand(k).Type())
	if !ok || err != nil || offset == mlir.Dynamic || slices.Contains(strides, mlir.Dynamic) {
		return p, false
	}
	m := n.IndexingMaps[k]
	for _, e := range m.Results() {
		if !e.Walk(func(e affine.Expr) bool { return e.Kind() <= affine.KindMul }) {
			return p, false
		}
	}
	loops := make([]int64, len(n.IteratorTypes))
	at := func() int64 {
		place, _ := m.Eval(loops, nil)
		bytes := offset
		for i, stride := range strides {
			bytes += place[i] * stride
		}
		return bytes * int64(size)
	}
	p.start = at()
	for i := range loops {
		loops[i] = 1
		p.steps = append(p.steps, at()-p.start)
		loops[i] = 0
	}
	return p, true
}

// address returns the address in a buffer so many bytes from its start.
func address(b *mlir.Builder, buffer mlir.Value, bytes int64) mlir.Value {
	if b.Err() != nil {
		return buffer
	}
	i64 := b.Context().IntegerType(64, mlir.Signless)
	start := arith.IndexCast(b, i64, memref.ExtractAlignedPointerAsIndex(b, buffer))
	p, err := llvm.PointerType(b.Context(), 0)
	b.Fail(err)
	if bytes != 0 {
		start = arith.AddI(b, start, number(b, bytes))
	}
	return llvm.IntToPtr(b, p, start)
}

// number returns a constant.
func number(b *mlir.Builder, n int64) mlir.Value {
	return arith.ConstantInt(b, b.Context().IntegerType(64, mlir.Signless), n)
}
