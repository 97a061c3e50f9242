package autodiff

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// jvpLU is the rule of the decomposition P·A = L·U, whose factors are in one matrix. With M = L⁻¹·P·dA·U⁻¹ the tangents
// are L·lower(M) and upper(M)·U.
func jvpLU(f *forward, op mlir.Operation) {
	lu, pivots, da := op.Result(0), op.Result(1), f.operand(op, 0)
	n := transform.Rank(lu)
	rows, columns := transform.Dims(lu)[n-2], transform.Dims(lu)[n-1]
	k := min(rows, columns)
	if k == 0 {
		return
	}
	l := f.withOnes(f.lower(f.columns(lu, 0, k)), rows)
	u := f.upper(f.part(lu, n-2, 0, k))
	if columns > k { // more columns than rows: the rest of U is the identity
		low, high := make([]int64, n), make([]int64, n)
		high[n-2] = columns - k
		u = f.pad(u, low, high, low)
		place := f.Iota(f.Context.IntegerType(32, mlir.Signless), int64(n-1), transform.Dims(u)...)
		beyond := f.Compare(stablehlo.CompareGE, place, f.like(place, float64(k)))
		u = f.Select(f.Binary(stablehlo.And, beyond, f.eye(u)), f.like(u, 1), u)
	}
	m := f.solve(u, f.solve(l, f.matmul(f.permutation(pivots, rows, da.Type()), da), true, true), false, false)
	f.set(lu, f.add(f.matmul(l, f.lower(m)), f.matmul(f.upper(m), u)))
}

// withOnes returns square matrices of x, which has zeros on the diagonal, with further columns of zeros, and ones on
// the diagonal.
func (e *emitter) withOnes(x mlir.Value, n int64) mlir.Value {
	last := transform.Rank(x) - 1
	if more := n - transform.Dims(x)[last]; more > 0 {
		low, high := make([]int64, last+1), make([]int64, last+1)
		high[last] = more
		x = e.pad(x, low, high, low)
	}
	return e.Select(e.eye(x), e.like(x, 1), x)
}

// permutation returns the matrices, of elements like those of t, that exchange n rows as LAPACK's pivots say: one after
// the other, row i with the row whose number, from 1 on, is pivot i.
func (e *emitter) permutation(pivots mlir.Value, n int64, t mlir.Type) mlir.Value {
	last := transform.Rank(pivots) - 1
	shape := append(slices.Clone(transform.Dims(pivots)[:last]), n)
	i32 := transform.Element(pivots.Type())
	place := e.Iota(i32, int64(last), shape...)
	all := transform.UpTo(last + 1)
	counter := transform.Must(e.Context.TensorType(i32))
	wide := func(e *emitter, x mlir.Value) mlir.Value { return e.Broadcast(x, all[:last], shape...) }
	loop := e.repeat(transform.Dims(pivots)[last], []mlir.Value{e.Zero(counter), place},
		func(e *emitter, v []mlir.Value) []mlir.Value {
			starts := append(slices.Repeat([]mlir.Value{e.Zero(counter)}, last), v[0])
			sizes := append(slices.Clone(shape[:last]), 1)
			pivot := e.Do(stablehlo.DynamicSliceOp{Operand: pivots, StartIndices: starts, SliceSizes: sizes})
			pivot = wide(e, e.Reshape(e.sub(pivot, e.like(pivot, 1)), shape[:last]...))
			here := e.Compare(stablehlo.CompareEQ, place, e.Broadcast(v[0], nil, shape...))
			there := e.Compare(stablehlo.CompareEQ, place, pivot)
			at := func(is mlir.Value) mlir.Value {
				return wide(e, e.sum(e.Select(is, v[1], e.Zero(v[1].Type())), int64(last)))
			}
			swapped := e.Select(here, at(there), e.Select(there, at(here), v[1]))
			return []mlir.Value{e.add(v[0], e.Number(counter, 1)), swapped}
		})
	square := append(slices.Clone(shape), n)
	row := e.Broadcast(loop.Result(2), all, square...)
	is := e.Compare(stablehlo.CompareEQ, row, e.Iota(i32, int64(last+1), square...))
	return e.convert(is, t)
}
