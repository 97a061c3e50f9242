package autodiff

import (
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// jvpQR differentiates a QR decomposition as one: a call of geqrf, which returns R with the reflectors of Q below it,
// and the call of orgqr that makes Q of them. Q is the result of a new call of orgqr, which takes the place of the
// other one. The formulas are those of j-towns.github.io/papers/qr-derivative.pdf.
func jvpQR(f *forward, op mlir.Operation) {
	packed, tau := op.Result(0), op.Result(1)
	x, dx := op.Operand(0), f.operand(op, 0)
	n := transform.Rank(packed)
	rows, columns := transform.Dims(packed)[n-2], transform.Dims(packed)[n-1]
	k := min(rows, columns)
	reflectors := f.columns(packed, 0, k)
	target := productOfReflectors
	if custom, _ := stablehlo.AsCustomCall(op); custom.Target != "Qr" {
		target = strings.Replace(custom.Target, "geqrf", "orgqr", 1)
		if transform.IsComplex(packed.Type()) {
			target = strings.Replace(custom.Target, "geqrf", "ungqr", 1)
		}
	}
	q := f.lapack(target, nil, []mlir.Value{reflectors, tau}, reflectors.Type()).Result(0)
	for u := range tau.Uses() {
		if u.Owner != q.Owner() && u.Owner.Name() == "stablehlo.custom_call" && isStartOf(u.Owner.Operand(0), packed) &&
			u.Owner.Result(0).Type().Equal(q.Type()) {
			u.Owner.Result(0).ReplaceAllUses(q)
		}
	}
	f.onlyUpper(op, packed, q)

	r := f.upper(f.part(packed, n-2, 0, k))
	square := f.columns(r, 0, k)
	dxr := f.solve(square, f.columns(dx, 0, k), false, false)
	qdxr := f.matmul(f.adjoint(q), dxr)
	lower := f.lower(qdxr)
	turn := f.sub(lower, f.adjoint(lower)) // skew-Hermitian: the rotation of Q
	if transform.IsComplex(turn.Type()) {
		imaginary := f.complex(f.Zero(f.imag(qdxr).Type()), f.imag(qdxr))
		turn = f.add(turn, f.Select(f.eye(turn), imaginary, f.Zero(turn.Type())))
	}
	dq := f.add(f.matmul(q, f.sub(turn, qdxr)), dxr)
	dr := f.matmul(f.sub(qdxr, turn), square)
	if columns > k {
		rest := f.add(f.matmul(f.adjoint(dq), f.columns(x, k, columns)),
			f.matmul(f.adjoint(q), f.columns(dx, k, columns)))
		dr = f.Do(stablehlo.ConcatenateOp{Inputs: []mlir.Value{dr, rest}, Dimension: int64(n - 1)})
	}
	if rows > k {
		high := make([]int64, n)
		high[n-2] = rows - k
		dr = f.pad(dr, make([]int64, n), high, make([]int64, n))
	}
	f.set(packed, dr)
	f.set(q, dq)
}

// decomposition returns the operation with which the derivative of one is that makes Q of reflectors.
func decomposition(op mlir.Operation) (first mlir.Operation, ok bool) {
	if op.Name() != "stablehlo.custom_call" {
		return first, false
	}
	custom, _ := stablehlo.AsCustomCall(op)
	switch routineOf(custom.Target) {
	case "orgqr", "ungqr", productOfReflectors:
		return op.Operand(1).Owner(), op.Operand(1).IsResult()
	}
	return first, false
}

// isStartOf reports whether x is y or a slice of it.
func isStartOf(x, y mlir.Value) bool {
	return x == y || isMadeBy(x, "stablehlo.slice") && x.Owner().Operand(0) == y
}

// columns returns some columns of matrices.
func (e *emitter) columns(x mlir.Value, from, to int64) mlir.Value {
	return e.part(x, transform.Rank(x)-1, from, to)
}

// part returns the elements from one place to another along a dimension.
func (e *emitter) part(x mlir.Value, dimension int, from, to int64) mlir.Value {
	if from == 0 && to == transform.Dims(x)[dimension] {
		return x
	}
	start, limit := make([]int64, transform.Rank(x)), slices.Clone(transform.Dims(x))
	start[dimension], limit[dimension] = from, to
	return e.Slice(x, start, limit, transform.Ones(transform.Rank(x)))
}

// onlyUpper ends the transformation if something reads the elements of packed, a result of op, that are below R: their
// derivative is known together with that of Q only.
func (f *forward) onlyUpper(op mlir.Operation, packed, q mlir.Value) {
	for u := range packed.Uses() {
		switch {
		case u.Owner == q.Owner(), isHold(u.Owner):
		case u.Owner.Name() == "stablehlo.slice":
			f.onlyUpper(op, u.Owner.Result(0), q)
		case u.Owner.Name() == "stablehlo.select" && isStatic(u.Owner.Operand(0)):
		default:
			transform.Fail(op, "the derivative of the reflectors of a QR decomposition is not known, which %s at %s uses: "+
				"use R, and Q with as many columns as R has rows", u.Owner.Name(), u.Owner.Location().Position())
		}
	}
}

// isStatic reports whether a value is computed from constants.
func isStatic(v mlir.Value) bool {
	return v.IsResult() && transform.IsPure(v.Owner()) && v.Owner().NumRegions() == 0 &&
		!slices.ContainsFunc(v.Owner().OperandValues(), func(v mlir.Value) bool { return !isStatic(v) })
}

// reflectors is the rule of a call that makes the matrix Q of reflectors, which jvpQR has replaced if it can.
func reflectors(_ *forward, op mlir.Operation) {
	if transform.IsUsed(op) {
		transform.Fail(op, "the derivative of Q is known together with R, of matrices that are decomposed without pivoting, "+
			"and with as many columns as R has rows: use such a QR decomposition")
	}
}
