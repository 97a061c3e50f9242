package lower

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/scf"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// lowerCholesky makes a cholesky loops that compute the factor in place of the matrix, column by column, with zeros in
// the other triangle.
func lowerCholesky(e *emitter) error {
	op, ok := stablehlo.AsCholesky(e.op)
	if !ok {
		return errMalformed
	}
	shape := dims(op.A)
	rank := len(shape)
	f := factor{emitter: e, upper: !op.Lower}
	columns := shape[:rank-1]
	return e.replace(e.nest(columns, []mlir.Value{e.owned(0)}, func(at, x []mlir.Value) []mlir.Value {
		batch, j := at[:rank-2], at[rank-2]
		x = scf.Iterate(e.Builder, j, e.index(shape[rank-1]), e.index(1), x,
			func(i mlir.Value, x []mlir.Value) []mlir.Value { return f.element(batch, i, j, x) })
		return scf.Iterate(e.Builder, e.index(0), j, e.index(1), x,
			func(i mlir.Value, x []mlir.Value) []mlir.Value {
				v := f.get(x[0], batch, j, i)
				return []mlir.Value{f.set(stablehlo.Subtract(e.Builder, v, v), x[0], batch, i, j)}
			})
	}))
}

type factor struct {
	*emitter
	upper bool
}

// get returns an element of the lower factor, which is the conjugate of one of the upper factor.
func (f *factor) get(x mlir.Value, batch []mlir.Value, i, j mlir.Value) mlir.Value {
	if f.upper {
		return f.conjugate(f.at(x, append(slices.Clone(batch), j, i)...))
	}
	return f.at(x, append(slices.Clone(batch), i, j)...)
}

// set sets an element of the lower factor.
func (f *factor) set(v, x mlir.Value, batch []mlir.Value, i, j mlir.Value) mlir.Value {
	if f.upper {
		return f.put(f.conjugate(v), x, append(slices.Clone(batch), j, i)...)
	}
	return f.put(v, x, append(slices.Clone(batch), i, j)...)
}

// element computes the element in row i of column j, after those before it in its row and column.
func (f *factor) element(batch []mlir.Value, i, j mlir.Value, x []mlir.Value) []mlir.Value {
	b := f.Builder
	rest := scf.Iterate(b, f.index(0), j, f.index(1), []mlir.Value{f.unpack(f.get(x[0], batch, i, j))},
		func(k mlir.Value, rest []mlir.Value) []mlir.Value {
			product := stablehlo.Multiply(b, f.get(x[0], batch, i, k), f.conjugate(f.get(x[0], batch, j, k)))
			return []mlir.Value{f.unpack(stablehlo.Subtract(b, f.pack(rest[0]), product))}
		})
	v := scf.Choose(b, arith.CmpI(b, arith.CmpIPredicateEq, i, j),
		func() []mlir.Value { return []mlir.Value{f.unpack(f.root(f.pack(rest[0])))} },
		func() []mlir.Value {
			return []mlir.Value{f.unpack(stablehlo.Divide(b, f.pack(rest[0]), f.get(x[0], batch, j, j)))}
		})
	return []mlir.Value{f.set(f.pack(v[0]), x[0], batch, i, j)}
}

// root returns the square root of an element of the diagonal, whose imaginary part is not used.
func (f *factor) root(v mlir.Value) mlir.Value {
	if !isComplex(v) {
		return stablehlo.Sqrt(f.Builder, v)
	}
	real := stablehlo.Real(f.Builder, v)
	return stablehlo.Complex(f.Builder, stablehlo.Sqrt(f.Builder, real), stablehlo.Subtract(f.Builder, real, real))
}
