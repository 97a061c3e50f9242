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
		return n.transpose(m, from, to)
	}
	b := n.b
	operands := []mlir.Value{address(b, n.Outputs[0], to.start), address(b, n.Inputs[0], from.start), number(b, run)}
	if len(outer) == 0 {
		llvm.Memcpy(b, operands[0], operands[1], operands[2], false)
		return true
	}
	n.callCopy(m, copyFunction, copyType, operands, outer, from, to)
	return true
}

// leastTransposed is the number of elements of both loops from which on they are copied in blocks.
const leastTransposed = 16

// transpose makes an operation that only copies elements a call that copies them in blocks, if elements that are
// adjacent in one buffer are apart in the other one. It reports whether it can.
func (n nest) transpose(m *mlir.Module, from, to position) bool {
	size, _ := elementSize(n.Inputs[0].Type())
	column := slices.Index(from.steps, int64(size)) // whose elements are adjacent in the source
	row := slices.Index(to.steps, int64(size))
	sizes := n.sizes()
	if row < 0 || column < 0 || row == column || min(sizes[row], sizes[column]) < leastTransposed {
		return false
	}
	var outer []int
	for loop := range sizes {
		if loop != row && loop != column {
			outer = append(outer, loop)
		}
	}
	operands := []mlir.Value{address(n.b, n.Outputs[0], to.start), address(n.b, n.Inputs[0], from.start)}
	for _, v := range []int64{int64(size), sizes[row], from.steps[row], sizes[column], to.steps[column]} {
		operands = append(operands, number(n.b, v))
	}
	n.callCopy(m, transposeFunction, transposeType, operands, outer, from, to)
	return true
}

// The C functions that copy runs and blocks in loops, and their types.
const (
	copyFunction      = "calliope_jit_copy"
	copyType          = "(!llvm.ptr, !llvm.ptr, i64, i64, ...)"
	transposeFunction = "calliope_jit_transpose"
	transposeType     = "(!llvm.ptr, !llvm.ptr, i64, i64, i64, i64, i64, i64, ...)"
)

// callCopy creates a call with the loops around what is copied.
func (n nest) callCopy(m *mlir.Module, name, typ string, operands []mlir.Value, outer []int, from, to position) {
	b, sizes := n.b, n.sizes()
	operands = append(operands, number(b, int64(len(outer))))
	for _, loop := range outer {
		operands = append(operands, number(b, sizes[loop]), number(b, to.steps[loop]), number(b, from.steps[loop]))
	}
	_, err := extern.Define(m, name, "llvm.func @"+name+typ)
	b.Fail(err)
	llvm.CallOp{VarCalleeType: b.Type("!llvm.func<void " + typ + ">"), Callee: name,
		CalleeOperands: operands}.Create(b)
}

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
	if bytes == 0 {
		return addressAt(b, buffer, mlir.Value{})
	}
	return addressAt(b, buffer, number(b, bytes))
}

// addressAt is address for a number of 64 bits, or nil for the start.
func addressAt(b *mlir.Builder, buffer, bytes mlir.Value) mlir.Value {
	if b.Err() != nil {
		return buffer
	}
	i64 := b.Context().IntegerType(64, mlir.Signless)
	start := arith.IndexCast(b, i64, memref.ExtractAlignedPointerAsIndex(b, buffer))
	p, err := llvm.PointerType(b.Context(), 0)
	b.Fail(err)
	if !bytes.IsNil() {
		start = arith.AddI(b, start, bytes)
	}
	return llvm.IntToPtr(b, p, start)
}

// number returns a constant.
func number(b *mlir.Builder, n int64) mlir.Value {
	return arith.ConstantInt(b, b.Context().IntegerType(64, mlir.Signless), n)
}
