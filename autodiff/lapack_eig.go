package autodiff

import (
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// jvpEig is the rule of eigenvalues and eigenvectors of a square matrix (LAPACK's geev), for eigenvalues that differ.
// With U, the left eigenvectors, and V, the right ones, of which UᴴV is diagonal, P = (UᴴV)⁻¹·Uᴴ·dA·V has the tangents
// of the eigenvalues on its diagonal, and V·(F∘P) are those of V but for its scale, where F has 1/(wⱼ - wᵢ). A call
// that computes both kinds of eigenvectors takes the place of one that does not. See Giles, An extended collection of
// matrix derivative results for forward and reverse mode algorithmic differentiation, 3.1.
func jvpEig(f *forward, op mlir.Operation) {
	da := f.operand(op, 0)
	if transform.Option(op, "compute_left") != 'V' || transform.Option(op, "compute_right") != 'V' {
		o, _ := stablehlo.AsCustomCall(op)
		op = f.instead(op, f.lapack(o.Target, map[string]byte{"compute_left": 'V', "compute_right": 'V'},
			op.OperandValues(), mlir.TypesOf(op.ResultValues())...))
	}
	n := op.NumResults()
	left, right, w := op.Result(n-3), op.Result(n-2), op.Result(0)
	if n > 4 { // the parts of the eigenvalues of real matrices
		w = f.complex(w, op.Result(1))
	}
	da = f.convert(da, right.Type())
	dw, dv := f.eigen(w, left, right, da)
	if n > 4 {
		f.set(op.Result(0), f.real(dw))
		f.set(op.Result(1), f.imag(dw))
	} else {
		f.set(w, dw)
	}
	f.set(right, dv)
	_, du := f.eigen(f.conj(w), right, left, f.adjoint(da))
	f.set(left, du)
}

// eigen returns the tangents of eigenvalues w and of right eigenvectors v. u are the left ones.
func (e *emitter) eigen(w, u, v, da mlir.Value) (dw, dv mlir.Value) {
	last := transform.Rank(v) - 1
	batch := transform.UpTo(last - 1)
	column := func(x mlir.Value) mlir.Value { return e.Broadcast(x, append(batch, int64(last)), transform.Dims(v)...) }
	row := func(x mlir.Value) mlir.Value {
		return e.Broadcast(x, append(batch, int64(last-1)), transform.Dims(v)...)
	}
	scale := e.sum(e.mul(e.conj(u), v), int64(last-1))
	p := e.div(e.matmul(e.matmul(e.adjoint(u), da), v), row(scale))
	weights := e.Select(e.eye(p), e.Zero(p.Type()), e.inverse(e.sub(column(w), row(w))))
	dv = e.matmul(v, e.mul(weights, p))

	// LAPACK scales an eigenvector to the length 1, with its largest element real: what changes either is taken away.
	length := e.real(e.sum(e.mul(e.conj(v), dv), int64(last-1)))
	x, zero := e.real(v), e.Zero(e.real(v).Type())
	isReal := e.Compare(stablehlo.CompareEQ, e.imag(v), zero)
	size := e.Select(isReal, e.mul(x, x), e.like(x, -1))
	largest := e.Compare(stablehlo.CompareEQ, size, column(e.greatest(size, int64(last-1))))
	turns := e.Select(largest, e.div(e.imag(dv), e.nonzero(x)), zero)
	count := e.sum(e.Select(largest, e.like(x, 1), zero), int64(last-1))
	turn := e.div(e.sum(turns, int64(last-1)), count)
	return e.diagonal(p), e.sub(dv, e.mul(v, column(e.complex(length, turn))))
}

// greatest returns the largest numbers along dimensions, or -1 if there is no larger one. It has no derivative.
func (e *emitter) greatest(x mlir.Value, along ...int64) mlir.Value {
	least := e.Number(transform.Must(e.Context.TensorType(transform.Element(x.Type()))), -1)
	return e.Do(stablehlo.ReduceOp{
		Inputs: []mlir.Value{x}, InitValues: []mlir.Value{least}, Dimensions: along,
		Body: e.body(x.Type(), 2, func(e *emitter, v []mlir.Value) mlir.Value {
			return e.Elementwise("stablehlo.maximum", v...)
		}),
	})
}

// instead returns an operation that takes the place of another one.
func (f *forward) instead(op, with mlir.Operation) mlir.Operation {
	transform.Replace(op.ResultValues(), with.ResultValues())
	transform.Check(op.Erase())
	return with
}
