package autodiff

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// jvpSVD is the rule of a singular value decomposition A = U·S·Vᴴ, for singular values that differ. It follows
// people.maths.ox.ac.uk/gilesm/files/NA-08-01.pdf.
func jvpSVD(f *forward, op mlir.Operation) {
	a, da := op.Operand(0), f.operand(op, 0)
	s, u, vt := op.Result(1), op.Result(2), op.Result(3)
	n := transform.Rank(a)
	rows, columns := transform.Dims(a)[n-2], transform.Dims(a)[n-1]
	k := min(rows, columns)
	onlyValues := transform.Option(op, "mode") == 'N'
	switch {
	case onlyValues:
		u, vt = f.singularVectors(op, k)
	case transform.Option(op, "mode") == 'A' && rows != columns:
		transform.Fail(op, "the derivative of all singular vectors of a matrix that is not square is not known: "+
			"compute as many as there are singular values, with full_matrices=False")
	}
	ut, v := f.adjoint(u), f.adjoint(vt)
	ds := f.matmul(f.matmul(ut, da), v)
	f.set(s, f.realPart(f.diagonal(ds)))
	if onlyValues {
		return
	}
	shape, batch := transform.Dims(ds), transform.UpTo(n-2)
	column := f.Broadcast(s, append(batch[:n-2:n-2], int64(n-1)), shape...) // sⱼ
	row := f.Broadcast(s, append(batch[:n-2:n-2], int64(n-2)), shape...)
	squares := f.mul(f.add(column, row), f.sub(column, row))
	weights := f.convert(f.Select(f.eye(squares), f.Zero(squares.Type()), f.inverse(squares)), a.Type())
	right, left := f.mul(f.convert(column, a.Type()), ds), f.mul(f.convert(row, a.Type()), ds)
	inverses := f.div(f.like(column, 1), f.nonzero(column))
	inverses = f.Select(f.Compare(stablehlo.CompareEQ, column, f.Zero(column.Type())), f.Zero(column.Type()), inverses)
	inverses = f.Select(f.eye(inverses), inverses, f.Zero(inverses.Type()))
	phases := f.mul(f.scale(f.sub(ds, f.adjoint(ds)), 0.5), f.convert(inverses, a.Type()))
	du := f.matmul(u, f.add(f.mul(weights, f.add(right, f.adjoint(right))), phases))
	dv := f.matmul(v, f.mul(weights, f.add(left, f.adjoint(left))))
	over := func(x mlir.Value) mlir.Value { // divides by the singular values
		to := append(batch[:n-2:n-2], int64(n-1))
		return f.div(x, f.convert(f.Broadcast(s, to, transform.Dims(x)...), a.Type()))
	}
	if rows > k {
		g := f.matmul(da, v)
		du = f.add(du, over(f.sub(g, f.matmul(u, f.matmul(ut, g)))))
	}
	if columns > k {
		g := f.matmul(f.adjoint(da), u)
		dv = f.add(dv, over(f.sub(g, f.matmul(v, f.matmul(vt, g)))))
	}
	f.set(u, du)
	f.set(vt, f.adjoint(dv))
}

// singularVectors computes the singular vectors for a call that computes the k values only.
func (f *forward) singularVectors(op mlir.Operation, k int64) (u, vt mlir.Value) {
	types := mlir.TypesOf(op.ResultValues())
	shape := slices.Clone(dimsOf(types[0]))
	n := len(shape)
	columns := shape[n-1]
	shape[n-1] = k
	types[2] = transform.Must(f.Context.TensorType(transform.Element(types[0]), shape...))
	shape[n-2], shape[n-1] = k, columns
	types[3] = transform.Must(f.Context.TensorType(transform.Element(types[0]), shape...))
	custom, _ := stablehlo.AsCustomCall(op)
	made := f.lapack(custom.Target, map[string]byte{"mode": 'S'}, op.OperandValues(), types...)
	return made.Result(2), made.Result(3)
}
