package xlafix

import (
	"iter"

	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// SplitFloat8s divides chains of operations on floating-point numbers of eight bits by optimization barriers. XLA's CPU
// compiler makes one kernel of a chain, for which LLVM takes a time that grows exponentially with its length: a dozen
// additions and a maximum are not compiled in an hour. SplitFloat8s returns the number of barriers.
//
// An exact compile converts numbers of some types to f16 and back where they are broadcast, several times. So what is
// broadcast is their bits.
func SplitFloat8s(m *mlir.Module) (int, error) { return splitFloat8s(m, m.Operation().Index()) }

// shortChain is how many operations of a chain XLA compiles in no time, and longChain how many may take it minutes.
const (
	shortChain = 2
	longChain  = 8
)

func splitFloat8s(m *mlir.Module, index *mlir.Index) (n int, err error) {
	if !hasFloat8s(m, index) {
		return 0, nil
	}
	for op := range index.Named("stablehlo.broadcast_in_dim") {
		if !isFloat8(op.Result(0).Type()) || !repeatsRows(op) {
			continue
		}
		if err := broadcastBits(op); err != nil {
			return n, err
		}
		n++
	}
	for op := range float8Chains(index, shortChain) {
		if isProtected(op.Result(0)) {
			continue
		}
		if err := keep(op.Result(0), op); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// float8Chains returns an iterator over the operations with which chains have a number of operations of eight bits.
// After each one, another chain begins.
func float8Chains(index *mlir.Index, length int) iter.Seq[mlir.Operation] {
	return func(yield func(mlir.Operation) bool) {
		lengths := map[mlir.Value]int{} // of the chain that ends with a value
		for _, op := range index.All() {
			if !isChained(op) {
				continue
			}
			n, result := 0, op.Result(0)
			for _, v := range op.Operands() {
				n = max(n, lengths[v])
			}
			if isFloat8(result.Type()) {
				n++
			}
			if n < length {
				lengths[result] = n
			} else if !yield(op) {
				return
			}
		}
	}
}

// hasFloat8s reports whether a module has numbers of eight bits, which come from somewhere.
func hasFloat8s(m *mlir.Module, index *mlir.Index) bool {
	list, _ := function.Defined(m)
	for _, f := range list {
		for _, v := range f.Region(0).First().Arguments() {
			if isFloat8(v.Type()) {
				return true
			}
		}
	}
	for op := range index.Named("stablehlo.bitcast_convert", "stablehlo.constant", "stablehlo.convert", "stablehlo.infeed",
		"stablehlo.custom_call", "stablehlo.iota", "stablehlo.recv") {
		for _, r := range op.Results() {
			if isFloat8(r.Type()) {
				return true
			}
		}
	}
	return false
}

func isFloat8(t mlir.Type) bool {
	element, ok := t.Element()
	if !ok {
		return false
	}
	kind, ok := element.FloatKind()
	return ok && kind.Bits() == 8
}

// isChained reports whether XLA may make one kernel of an operation and those before it.
func isChained(op mlir.Operation) bool {
	switch op.Name() {
	case "stablehlo.constant", "stablehlo.convolution", "stablehlo.custom_call", "stablehlo.dot", "stablehlo.dot_general",
		"stablehlo.optimization_barrier", "stablehlo.scatter", "stablehlo.sort":
		return false
	}
	if op.NumResults() != 1 || op.NumOperands() == 0 {
		return false
	}
	switch op.Parent().Name() {
	case "func.func", "stablehlo.case", "stablehlo.if", "stablehlo.while":
		return true
	}
	return false // the bodies of reductions
}

// repeatsRows reports whether a broadcast repeats an array of several numbers that is computed.
func repeatsRows(op mlir.Operation) bool {
	from, err := stablehlo.ShapeOf(op.Operand(0).Type())
	to, fails := stablehlo.ShapeOf(op.Result(0).Type())
	if err != nil || fails != nil || from.NumElements() < 2 || from.NumElements() == to.NumElements() {
		return false
	}
	v := op.Operand(0)
	return !v.IsResult() || v.Owner().Name() != "stablehlo.constant"
}

// broadcastBits replaces a broadcast by one of the bits.
func broadcastBits(op mlir.Operation) error {
	e := before(op)
	shape, bits := e.Shape(op.Operand(0)), e.Shape(op.Result(0))
	bits.DType = tensor.U8
	o, ok := stablehlo.AsBroadcastInDim(op)
	if !ok {
		return nil // its verifier says why
	}
	x := stablehlo.OptimizationBarrier(e.Builder, e.Bitcast(op.Operand(0), shape, tensor.U8)).Result(0)
	repeated := stablehlo.BroadcastInDim(e.Builder, e.Array(bits), x, o.BroadcastDimensions)
	result := stablehlo.BitcastConvert(e.Builder, op.Result(0).Type(), repeated)
	if e.Cause() != nil {
		return e.Cause()
	}
	rewrite.KeepSharding(op, repeated.Owner())
	rewrite.KeepSharding(op, result.Owner())
	op.Result(0).ReplaceAllUses(result)
	return op.Erase()
}
