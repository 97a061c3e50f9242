package autodiff

import (
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// asSolve knows the last operation of JAX's solve, which makes two triangular systems of A·x = b by the decomposition
// P·A = L·U. The derivative of the factors, from which that of x would follow, takes several times as long as x.
func asSolve(op mlir.Operation) (r rule, ok bool) {
	upper, ok := asTriangle(op, false)
	if !ok {
		return r, false
	}
	y := upper.B
	for isMadeBy(y, "stablehlo.reshape") {
		y = y.Owner().Operand(0)
	}
	if !y.IsResult() || y.Type() != upper.B.Type() {
		return r, false
	}
	lower, ok := asTriangle(y.Owner(), true)
	if !ok || lower.A != upper.A {
		return r, false
	}
	lu := upper.A
	if isMadeBy(lu, "stablehlo.select") { // NaN in place of a decomposition that failed
		lu = lu.Owner().Operand(1)
	}
	if !isResultOf(lu, "getrf") {
		return r, false
	}
	a, pivots := lu.Owner().Operand(0), lu.Owner().Result(1)
	permutation := func(e *emitter, g mlir.Value) mlir.Value {
		return e.permutation(pivots, transform.Dims(a)[transform.Rank(a)-1], g.Type())
	}
	return rule{
		jvp: func(f *forward, op mlir.Operation) {
			g := f.tangent(lower.B)
			if da := f.tangent(a); !da.IsNil() {
				change := f.matmul(da, op.Result(0))
				g = f.add(g, f.neg(f.matmul(permutation(f.emitter, change), change)))
			}
			if !g.IsNil() {
				f.set(op.Result(0), f.solved(upper, f.solved(lower, g)))
			}
		},
		vjp: func(b *backward, op mlir.Operation) {
			upper, lower := upper, lower
			upper.TransposeA, lower.TransposeA = stablehlo.TransposePlain, stablehlo.TransposePlain
			g := b.solved(lower, b.solved(upper, b.cotangent(op)))
			b.add(lower.B, g)
			if b.linear[a] {
				g = b.matmul(b.swap(permutation(b.emitter, g)), g)
				b.add(a, b.neg(b.matmul(g, b.swap(op.Result(0)))))
			}
		},
	}, true
}

// asTriangle returns the system of a call of LAPACK's trsm with the upper factor of a decomposition, or the lower one.
func asTriangle(op mlir.Operation, lower bool) (o stablehlo.TriangularSolveOp, ok bool) {
	if call, is := stablehlo.AsCustomCall(op); !is || routineOf(call.Target) != "trsm" {
		return o, false
	}
	o = trsm(op)
	return o, o.LeftSide && o.Lower == lower && o.UnitDiagonal == lower && o.TransposeA == stablehlo.TransposeNone
}
