package autodiff

import (
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
)

// solution is the number of the right side among the operands of LAPACK's gtsv, and of the solution among the results.
const solution = 3

// jvpTridiagonal is the rule of the solution of a tridiagonal system (LAPACK's gtsv), as jvpSolve is of a triangular
// one. The operands are the diagonal below, the main one, that above, and the right side; the results are what the
// elimination leaves in their place, of which only the solution has a derivative.
func jvpTridiagonal(f *forward, op mlir.Operation) {
	for _, v := range op.ResultValues()[:solution] {
		for u := range v.Uses() {
			if isHold(u.Owner) {
				continue
			}
			transform.Fail(op, "the derivative of its factors is not known, which %s at %s uses: use the solution alone",
				u.Owner.Name(), u.Owner.Location().Position())
		}
	}
	x, right := op.Result(solution), f.operand(op, solution)
	spread := func(diagonal mlir.Value) mlir.Value {
		return f.Broadcast(diagonal, transform.UpTo(transform.Rank(diagonal)), transform.Dims(x)...)
	}
	for i, by := range []int64{1, 0, -1} {
		if d := f.operand(op, i); !d.IsNil() {
			right = f.add(right, f.neg(f.mul(spread(d), f.shift(x, transform.Rank(x)-2, by))))
		}
	}
	f.set(x, f.Clone(op, append(op.OperandValues()[:solution:solution], right)...).Result(solution))
}

// transposeTridiagonal adds to the cotangent of the right side: the solution of the transposed system.
func transposeTridiagonal(b *backward, op mlir.Operation) {
	last := transform.Rank(op.Operand(0)) - 1
	below, above := b.shift(op.Operand(2), last, 1), b.shift(op.Operand(0), last, -1)
	b.add(op.Operand(solution),
		b.Clone(op, below, op.Operand(1), above, b.cotangents[op.Result(solution)]).Result(solution))
}

// shift moves elements along a dimension. Zeros come in.
func (e *emitter) shift(x mlir.Value, along int, by int64) mlir.Value {
	if by == 0 {
		return x
	}
	low, high := make([]int64, transform.Rank(x)), make([]int64, transform.Rank(x))
	low[along], high[along] = by, -by
	return e.pad(x, low, high, make([]int64, transform.Rank(x)))
}
