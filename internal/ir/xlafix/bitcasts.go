package xlafix

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// KeepBitcasts puts an optimization barrier between two conversions of bits of which XLA would make one that is not
// valid, such as 64 bits to two numbers of 32 bits, and each of these to two of 16: XLA's compiler refuses what it
// made. There is one also before what comes from a loop, a branch or a function. It returns the number of barriers.
func KeepBitcasts(m *mlir.Module) (int, error) {
	list := slices.Collect(m.Operation().Index().Named("stablehlo.bitcast_convert"))
	n := 0
	for _, op := range list {
		if !joinsBitcasts(op) && (len(list) == 1 || !isBehindRegion(op.Operand(0))) {
			continue
		}
		e := before(op)
		op.SetOperand(0, stablehlo.OptimizationBarrier(e.Builder, op.Operand(0)).Result(0))
		if e.Cause() != nil {
			return n, e.Cause()
		}
		n++
	}
	return n, nil
}

// isBehindRegion reports whether a value is what a loop, a branch or a function gets or returns, in whose place XLA may
// put another value.
func isBehindRegion(v mlir.Value) bool {
	if v.IsArgument() {
		name, _ := v.Block().Parent().Symbol()
		return name != "main"
	}
	return v.Owner().NumRegions() > 0 || v.Owner().Name() == "func.call"
}

// joinsBitcasts reports whether XLA makes what is not valid of a conversion of bits and the one before it.
func joinsBitcasts(op mlir.Operation) bool {
	v := op.Operand(0)
	return v.IsResult() && v.Owner().Name() == "stablehlo.bitcast_convert" &&
		!isBitcast(v.Owner().Operand(0).Type(), op.Result(0).Type())
}

// isBitcast reports whether one conversion of bits may make an array of a type of one of another type.
func isBitcast(from, to mlir.Type) bool {
	x, err := stablehlo.ShapeOf(from)
	y, fails := stablehlo.ShapeOf(to)
	if err != nil || fails != nil {
		return false // of open dimensions, too
	}
	wide, narrow := x, y
	if x.DType.Bits() < y.DType.Bits() {
		wide, narrow = y, x
	}
	want := wide.Dims
	if ratio := wide.DType.Bits() / narrow.DType.Bits(); ratio > 1 {
		want = append(want[:len(want):len(want)], ratio)
	}
	return slices.Equal(want, narrow.Dims)
}
