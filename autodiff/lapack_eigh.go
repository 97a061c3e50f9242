package autodiff

import (
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
)

// jvpEigh is the rule of eigenvectors and eigenvalues of a Hermitian matrix, for eigenvalues that differ: the tangents
// are V·(F∘Vᴴ·dA·V) and the diagonal of Vᴴ·dA·V, where F has 1/(wⱼ - wᵢ).
func jvpEigh(f *forward, op mlir.Operation) {
	vectors, values := op.Result(0), op.Result(1)
	if mode := transform.Option(op, "mode"); mode != 0 && mode != 'V' {
		transform.Fail(op, "the derivative of eigenvalues needs the eigenvectors: let the call compute both")
	}
	n := transform.Rank(vectors)
	g := f.matmul(f.matmul(f.adjoint(vectors), f.operand(op, 0)), vectors)
	shape, batch := transform.Dims(vectors), transform.UpTo(n-2)
	column := f.Broadcast(values, append(batch[:n-2:n-2], int64(n-1)), shape...)
	row := f.Broadcast(values, append(batch[:n-2:n-2], int64(n-2)), shape...)
	difference := f.sub(column, row)
	weights := f.Select(f.eye(difference), f.Zero(difference.Type()), f.inverse(difference))
	f.set(vectors, f.matmul(vectors, f.mul(f.convert(weights, g.Type()), g)))
	f.set(values, f.realPart(f.diagonal(g)))
}

// inverse returns 1/x off the diagonal of matrices.
func (e *emitter) inverse(x mlir.Value) mlir.Value {
	one := e.like(x, 1)
	return e.div(one, e.Select(e.eye(x), one, x))
}

// realPart returns the real part of complex numbers, and real ones as they are.
func (e *emitter) realPart(x mlir.Value) mlir.Value {
	if transform.IsComplex(x.Type()) {
		return e.real(x)
	}
	return x
}
