package autodiff

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// asDeterminant knows the last operation of JAX's det, which is computed from the logarithm of its magnitude. That has
// no derivative where the determinant is 0, but the determinant has: the adjugate, which has no quotient by it.
func asDeterminant(op mlir.Operation) (r rule, ok bool) {
	y := op.Result(0)
	if !hasName(op, "det") {
		return r, false
	}
	if x, ok := searchBack(y, func(v mlir.Value) bool { // of one row and one column
		return slices.Equal(transform.Dims(v), append(slices.Clone(transform.Dims(y)), 1, 1)) && isMatrixLike(v, y)
	}); ok {
		return linearIn(x, func(e *emitter) mlir.Value { return e.like(x, 1) }, y), true
	}
	lu, ok := searchBack(y, func(v mlir.Value) bool { return isResultOf(v, "getrf") && isMatrixLike(v, y) })
	if !ok {
		return r, false
	}
	call := lu.Owner()
	return linearIn(call.Operand(0), func(e *emitter) mlir.Value {
		return e.swap(e.adjugate(call.Result(0), call.Result(1)))
	}, y), true
}

// linearIn is the rule of numbers y whose tangents are the sums of the products of the elements of the tangents of
// matrices x with those of others.
func linearIn(x mlir.Value, slopes func(e *emitter) mlir.Value, y mlir.Value) rule {
	n := int64(transform.Rank(x))
	return rule{
		jvp: func(f *forward, _ mlir.Operation) {
			if g := f.tangent(x); !g.IsNil() {
				f.set(y, f.sum(f.mul(g, slopes(f.emitter)), n-2, n-1))
			}
		},
		vjp: func(b *backward, op mlir.Operation) {
			if b.linear[x] {
				g := b.Broadcast(b.cotangent(op), transform.UpTo(transform.Rank(y)), transform.Dims(x)...)
				b.add(x, b.mul(g, slopes(b.emitter)))
			}
		},
	}
}

// adjugate returns the adjugates of the matrices with these factors. With one zero on the diagonal of U, that of U is
// the product of the vectors that U takes to 0 from the right and from the left. It is 0 with more of them, as in JAX.
func (e *emitter) adjugate(lu, pivots mlir.Value) mlir.Value {
	n := transform.Dims(lu)[transform.Rank(lu)-1]
	batch := transform.UpTo(transform.Rank(lu) - 2)
	last := int64(len(batch))
	spread := func(v mlir.Value, to ...int64) mlir.Value {
		return e.Broadcast(v, append(batch, to...), transform.Dims(lu)...)
	}

	diagonal := e.diagonal(lu)
	isZero := e.Compare(stablehlo.CompareEQ, diagonal, e.like(diagonal, 0))
	regular := e.Select(isZero, e.like(diagonal, 1), diagonal)
	place := e.Iota(transform.Element(pivots.Type()), last, transform.Dims(pivots)...)
	stays := e.Compare(stablehlo.CompareEQ, pivots, e.add(place, e.like(place, 1)))
	product := e.product(e.mul(regular, e.Select(stays, e.like(diagonal, 1), e.like(diagonal, -1))), last)

	eye := e.eye(lu)
	one := e.convert(eye, lu.Type())
	u := e.Select(eye, spread(regular, last), e.upper(lu))
	inverse := e.solve(u, one, true, false)
	zeros := e.convert(isZero, diagonal.Type())
	count := spread(e.sum(zeros, last))
	singular := e.matmul(e.mul(inverse, spread(zeros, last+1)), inverse)
	of := e.Select(e.Compare(stablehlo.CompareEQ, count, e.like(count, 0)), inverse,
		e.Select(e.Compare(stablehlo.CompareEQ, count, e.like(count, 1)), singular, e.like(lu, 0)))

	l := e.Select(eye, one, e.lower(lu))
	rest := e.solve(l, e.permutation(pivots, n, lu.Type()), true, true)
	return e.mul(e.matmul(of, rest), spread(product))
}

// product returns the products along a dimension.
func (e *emitter) product(x mlir.Value, over int64) mlir.Value {
	return e.Do(stablehlo.ReduceOp{
		Inputs: []mlir.Value{x}, Dimensions: []int64{over},
		InitValues: []mlir.Value{e.Number(transform.Must(e.Context.TensorType(transform.Element(x.Type()))), 1)},
		Body:       e.body(x.Type(), 2, func(e *emitter, v []mlir.Value) mlir.Value { return e.mul(v[0], v[1]) }),
	})
}

// asLogDeterminant knows the logarithm of JAX's slogdet, -Inf where an element of the diagonal of U is 0. The
// derivative there is not zero, but not defined.
func asLogDeterminant(op mlir.Operation) (r rule, ok bool) {
	if !isInfinite(op.Operand(1), -1) {
		return r, false
	}
	sum := op.Operand(2)
	o, ok := stablehlo.ReduceOp{}, isMadeBy(sum, "stablehlo.reduce")
	if ok {
		o, _ = stablehlo.AsReduce(sum.Owner())
	}
	if !ok || combiner(o.Body) != "stablehlo.add" {
		return r, false
	}
	if _, ok = madeFrom(o.Inputs[0], "log", "abs"); !ok {
		return r, false
	}
	if _, ok = searchBack(o.Inputs[0], func(v mlir.Value) bool { return isResultOf(v, "getrf") }); !ok {
		return r, false
	}
	return sumOf([]mlir.Value{sum}, func(_ *emitter, g mlir.Value, _ int) mlir.Value { return g }), true
}

// asPseudoinverse knows the last operation of JAX's pinv, which is computed from a decomposition into singular values,
// whose derivatives are not defined if some are equal. That of the pseudoinverse P of A is, for matrices of one rank,
// -P·dA·P + P·Pᵀ·dAᵀ·(1 - A·P) + (1 - P·A)·dAᵀ·Pᵀ·P (Golub and Pereyra, SIAM Journal on Numerical Analysis 10, 1973).
func asPseudoinverse(op mlir.Operation) (r rule, ok bool) {
	p := op.Result(0)
	if !hasName(op, "pinv") || !transform.IsFloat(p.Type()) {
		return r, false
	}
	s, ok := searchBack(p, func(v mlir.Value) bool { return isResultOf(v, "gesdd") || isResultOf(v, "gesvd") })
	if !ok || transform.Rank(s.Owner().Operand(0)) != transform.Rank(p) {
		return r, false
	}
	a := s.Owner().Operand(0)
	left := func(e *emitter) mlir.Value { return e.rest(e.matmul(a, p)) }
	right := func(e *emitter) mlir.Value { return e.rest(e.matmul(p, a)) }
	return rule{
		jvp: func(f *forward, _ mlir.Operation) {
			da := f.tangent(a)
			if da.IsNil() {
				return
			}
			t := f.swap(da)
			f.set(p, f.add(f.neg(f.product3(p, da, p)), f.add(
				f.matmul(f.product3(p, f.swap(p), t), left(f.emitter)),
				f.matmul(right(f.emitter), f.product3(t, f.swap(p), p)))))
		},
		vjp: func(b *backward, op mlir.Operation) {
			if !b.linear[a] {
				return
			}
			g, t := b.swap(b.cotangent(op)), b.swap(p)
			b.add(a, b.emitter.add(b.neg(b.swap(b.product3(p, g, p))), b.emitter.add(
				b.matmul(left(b.emitter), b.product3(g, p, t)), b.matmul(b.product3(t, p, g), right(b.emitter)))))
		},
	}, true
}

// product3 returns products of three matrices.
func (e *emitter) product3(x, y, z mlir.Value) mlir.Value { return e.matmul(e.matmul(x, y), z) }

// rest returns 1 - x for matrices.
func (e *emitter) rest(x mlir.Value) mlir.Value { return e.sub(e.convert(e.eye(x), x.Type()), x) }

// hasName reports whether an operation was the last one of a function of JAX.
func hasName(op mlir.Operation, name string) bool {
	a, ok := op.Attribute(transform.LastOf)
	if !ok {
		return false
	}
	text, _ := a.Text()
	return text == name
}

// isMatrixLike reports whether a value is a batch of square matrices of elements like the numbers y.
func isMatrixLike(v, y mlir.Value) bool {
	n := transform.Rank(y)
	return transform.Rank(v) == n+2 && transform.Dims(v)[n] == transform.Dims(v)[n+1] &&
		slices.Equal(transform.Dims(v)[:n], transform.Dims(y)) &&
		transform.Element(v.Type()) == transform.Element(y.Type())
}

// isResultOf reports whether a value is a result of a call of a routine of LAPACK.
func isResultOf(v mlir.Value, routine string) bool {
	o, ok := stablehlo.CustomCallOp{}, isMadeBy(v, "stablehlo.custom_call")
	if ok {
		o, _ = stablehlo.AsCustomCall(v.Owner())
	}
	return ok && routineOf(o.Target) == routine
}

// searchBack returns a value that v is computed from and that a condition holds for. It looks at a number of operations
// at most.
func searchBack(v mlir.Value, is func(v mlir.Value) bool) (found mlir.Value, ok bool) {
	seen, next := map[mlir.Value]bool{v: true}, []mlir.Value{v}
	for len(next) > 0 && len(seen) < 200 {
		v, next = next[0], next[1:]
		if is(v) {
			return v, true
		}
		if !v.IsResult() {
			continue
		}
		for _, o := range transform.Uses(v.Owner()) {
			if !seen[o] && o.Type().IsRankedTensor() {
				seen[o] = true
				next = append(next, o)
			}
		}
	}
	return found, false
}
