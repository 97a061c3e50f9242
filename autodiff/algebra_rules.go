package autodiff

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// algebra has the Fourier transforms and linear algebra.
var algebra = map[string]rule{
	"stablehlo.fft": same(transposeFFT),
	"stablehlo.cholesky": {jvp: func(f *forward, op mlir.Operation) {
		o, _ := stablehlo.AsCholesky(op)
		jvpCholesky(f, op, o.Lower)
	}},
	"stablehlo.triangular_solve": {
		jvp: func(f *forward, op mlir.Operation) {
			o, _ := stablehlo.AsTriangularSolve(op)
			jvpSolve(f, op, o)
		},
		transpose: func(b *backward, op mlir.Operation) {
			o, _ := stablehlo.AsTriangularSolve(op)
			transposeSolve(b, op, o)
		},
	},
}

// transposeSolve adds to the cotangent of the right side of an operation that solves a triangular system.
func transposeSolve(b *backward, op mlir.Operation, o stablehlo.TriangularSolveOp) {
	b.to(op, 1, func(g mlir.Value) mlir.Value {
		switch o.TransposeA {
		case stablehlo.TransposePlain:
			o.TransposeA = stablehlo.TransposeNone
		case stablehlo.TransposeAdjoint: // the transpose of the adjoint is the conjugate
			o.A, o.TransposeA = b.conj(o.A), stablehlo.TransposeNone
		default:
			o.TransposeA = stablehlo.TransposePlain
		}
		o.B, o.ResultType = g, mlir.Type{}
		return b.Do(o)
	})
}

// transposeFFT is the same transform for complex ones, which are symmetric. The real ones leave out the
// half of the spectrum that is conjugate to the other half.
func transposeFFT(b *backward, op mlir.Operation, g mlir.Value) mlir.Value {
	o, _ := stablehlo.AsFft(op)
	o.ResultType = mlir.Type{}
	size := 1.
	for _, n := range o.FftLength {
		size *= float64(n)
	}
	switch o.FftType {
	case stablehlo.FftReal:
		o.FftType = stablehlo.FftRealInverse
		o.Operand = b.div(b.conj(g), b.twice(g, o.FftLength))
		return b.scale(b.Do(o), size)
	case stablehlo.FftRealInverse:
		o.FftType, o.Operand = stablehlo.FftReal, g
		x := b.Do(o)
		return b.conj(b.mul(b.scale(x, 1/size), b.twice(x, o.FftLength)))
	}
	o.Operand = g
	return b.Do(o)
}

// twice returns 2 for the elements of a half spectrum that stand for two, and 1 for the others: the first
// and, of an even number, the last.
func (e *emitter) twice(x mlir.Value, lengths []int64) mlir.Value {
	shape := transform.Dims(x)
	last := int64(len(shape) - 1)
	i32 := e.Context.IntegerType(32, mlir.Signless)
	place := e.Iota(i32, last, shape...)
	one := e.Compare(stablehlo.CompareEQ, place, e.Number(place.Type(), 0))
	if lengths[len(lengths)-1]%2 == 0 {
		end := e.Compare(stablehlo.CompareEQ, place, e.Number(place.Type(), float64(shape[last]-1)))
		one = e.Binary(stablehlo.Or, one, end)
	}
	return e.Select(one, e.like(x, 1), e.like(x, 2))
}

// triangle returns which elements of matrices like x are in the lower triangle, or in the upper one. Those of
// the diagonal are, unless strict is set.
func (e *emitter) triangle(x mlir.Value, lower, strict bool) mlir.Value {
	shape := transform.Dims(x)
	i32 := e.Context.IntegerType(32, mlir.Signless)
	row, column := e.Iota(i32, int64(len(shape)-2), shape...), e.Iota(i32, int64(len(shape)-1), shape...)
	direction := map[bool]stablehlo.ComparisonDirection{false: stablehlo.CompareGE, true: stablehlo.CompareGT}[strict]
	if lower {
		return e.Compare(direction, row, column)
	}
	return e.Compare(direction, column, row)
}

// matmul returns products of matrices.
func (e *emitter) matmul(x, y mlir.Value) mlir.Value {
	n := int64(transform.Rank(x))
	numbers := stablehlo.DotDimensionNumbers{
		LHSBatchingDimensions: transform.UpTo(int(n - 2)), RHSBatchingDimensions: transform.UpTo(int(n - 2)),
		LHSContractingDimensions: []int64{n - 1}, RHSContractingDimensions: []int64{n - 2},
	}
	return e.Do(stablehlo.DotGeneralOp{
		LHS: x, RHS: y, DotDimensionNumbers: numbers,
		PrecisionConfig: []stablehlo.Precision{stablehlo.PrecisionHighest, stablehlo.PrecisionHighest},
		ResultType: transform.Must(stablehlo.DotGeneralType(x.Type(), y.Type(), numbers,
			transform.Element(x.Type()))),
	})
}

// eye returns which elements of matrices like x are on the diagonal.
func (e *emitter) eye(x mlir.Value) mlir.Value {
	n := int64(transform.Rank(x))
	i32 := e.Context.IntegerType(32, mlir.Signless)
	return e.Compare(stablehlo.CompareEQ, e.Iota(i32, n-2, transform.Dims(x)...),
		e.Iota(i32, n-1, transform.Dims(x)...))
}

// diagonal returns the diagonals of matrices.
func (e *emitter) diagonal(x mlir.Value) mlir.Value {
	return e.sum(e.Select(e.eye(x), x, e.Zero(x.Type())), int64(transform.Rank(x)-1))
}

// adjoint returns the conjugates of transposed matrices.
func (e *emitter) adjoint(x mlir.Value) mlir.Value { return e.conj(e.swap(x)) }

// upper returns the upper triangles of matrices, and lower the lower ones without the diagonal.
func (e *emitter) upper(x mlir.Value) mlir.Value {
	return e.Select(e.triangle(x, false, false), x, e.Zero(x.Type()))
}
func (e *emitter) lower(x mlir.Value) mlir.Value {
	return e.Select(e.triangle(x, true, true), x, e.Zero(x.Type()))
}

// swap transposes matrices.
func (e *emitter) swap(x mlir.Value) mlir.Value {
	order := transform.UpTo(transform.Rank(x))
	slices.Reverse(order[len(order)-2:])
	return e.Transpose(x, order)
}

// jvpCholesky follows Murray, Differentiation of the Cholesky decomposition, arXiv:1602.07527: the
// tangent of L is L·Φ(L⁻¹·dA·L⁻ᴴ), where Φ takes the lower triangle with half of the diagonal. The factor, the first
// result of the operation, is the lower triangle or the upper one.
func jvpCholesky(f *forward, op mlir.Operation, lowerFactor bool) {
	g, factor := f.operand(op, 0), op.Result(0)
	zero := f.Zero(g.Type())
	if !lowerFactor {
		factor, g = f.conj(f.swap(factor)), f.conj(f.swap(g))
	}
	lower := f.triangle(factor, true, false)
	factor = f.Select(lower, factor, zero) // the other triangle is not defined
	right := f.Do(stablehlo.TriangularSolveOp{A: factor, B: g, Lower: true, TransposeA: stablehlo.TransposeAdjoint})
	both := f.Do(stablehlo.TriangularSolveOp{
		A: factor, B: right, LeftSide: true, Lower: true, TransposeA: stablehlo.TransposeNone,
	})
	weights := f.Select(f.triangle(factor, true, true), f.like(factor, 1), f.like(factor, 0.5))
	tangent := f.matmul(factor, f.mul(f.Select(lower, both, zero), weights))
	if !lowerFactor {
		tangent = f.conj(f.swap(tangent))
	}
	f.set(op.Result(0), tangent)
}

// jvpSolve is for an operation that solves the triangular system o. It is linear in b. For a it solves for the change
// of the product.
func jvpSolve(f *forward, op mlir.Operation, o stablehlo.TriangularSolveOp) {
	o.ResultType = mlir.Type{}
	x := op.Result(0)
	solve := func(b mlir.Value) mlir.Value { return f.solved(o, b) }
	if g := f.operand(op, 1); !g.IsNil() {
		f.set(x, solve(g))
	}
	g := f.operand(op, 0)
	if g.IsNil() {
		return
	}
	g = f.neg(f.Select(f.triangle(g, o.Lower, o.UnitDiagonal), g, f.Zero(g.Type())))
	if o.TransposeA != stablehlo.TransposeNone {
		g = f.swap(g)
	}
	if o.TransposeA == stablehlo.TransposeAdjoint {
		g = f.conj(g)
	}
	// The cheaper order of the two.
	n := transform.Rank(x)
	rows, columns := transform.Dims(x)[n-2], transform.Dims(x)[n-1]
	switch {
	case o.LeftSide && rows > columns:
		g = solve(f.matmul(g, x))
	case o.LeftSide:
		g = f.matmul(solve(g), x)
	case rows < columns:
		g = solve(f.matmul(x, g))
	default:
		g = f.matmul(x, solve(g))
	}
	f.accumulate(x, g)
}

// solved solves a system with another right side.
func (e *emitter) solved(o stablehlo.TriangularSolveOp, b mlir.Value) mlir.Value {
	o.B = b
	return e.Do(o)
}
