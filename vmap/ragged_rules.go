package vmap

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// raggedAllToAll is the target of JAX's custom call that sends each device some rows of an array.
const raggedAllToAll = "ragged_all_to_all"

// exchangeRagged writes rows of each element to places of the others of its group. The operands are the rows, what they
// are written to and, for each receiver and chunk, where its rows begin, how many there are, where they go, and how
// many arrive.
func exchangeRagged(b *batcher, op mlir.Operation) []mlir.Value {
	g := b.grouped(op)
	operands := op.OperandValues()
	for i, v := range operands {
		operands[i] = g.from(b.full(v))
	}
	rows, into, t := operands[0], operands[1], operands[2].Type()
	chunks := transform.Dims(operands[2])[2] / g.size
	// For each sender, group, receiver, chunk and place, whether a row is written, and which of all rows.
	all := []int64{g.size, int64(len(g.groups)), g.size, chunks, transform.Dims(into)[2]}
	spread := func(v mlir.Value) mlir.Value {
		return g.Broadcast(g.Reshape(v, all[:4]...), transform.UpTo(4), all...)
	}
	position := func(dimension, step int64) mlir.Value {
		i := g.Iota(transform.Element(t), dimension, all...)
		return g.Binary(stablehlo.Multiply, i, g.Number(i.Type(), float64(step)))
	}
	n := transform.Dims(rows)[2]
	at := g.Binary(stablehlo.Subtract, position(4, 1), spread(operands[4]))
	zero := g.Zero(at.Type())
	isWritten := g.Binary(stablehlo.And, g.Compare(stablehlo.CompareGE, at, zero),
		g.Compare(stablehlo.CompareLT, at, spread(operands[3])))
	row := g.Binary(stablehlo.Add, spread(operands[2]), at)
	row = g.Binary(stablehlo.Add, row, g.Binary(stablehlo.Add, position(0, n*all[1]), position(1, n)))
	// A place gets one row at most, so that sums over senders and chunks have its number.
	sum := func(v mlir.Value) mlir.Value {
		v = g.Transpose(g.Select(isWritten, v, zero), []int64{0, 3, 2, 1, 4})
		return g.total(g.Reshape(v, all[0]*all[3], all[2], all[1], all[4]))
	}
	written := sum(g.Number(at.Type(), 1))
	rest := transform.Dims(rows)[3:]
	taken := g.Do(stablehlo.GatherOp{
		Operand:      g.Reshape(rows, first(all[0]*all[1]*n, rest)...),
		StartIndices: g.Reshape(sum(row), all[2]*all[1]*all[4], 1),
		DimensionNumbers: stablehlo.GatherDimensionNumbers{
			OffsetDims: after(transform.UpTo(len(rest))), CollapsedSliceDims: []int64{0}, StartIndexMap: []int64{0},
			IndexVectorDim: 1,
		},
		SliceSizes: first(1, rest),
	})
	isWritten = g.Compare(stablehlo.CompareGT, written, g.Zero(written.Type()))
	return []mlir.Value{g.to(g.Select(g.Broadcast(isWritten, transform.UpTo(3), transform.Dims(into)...),
		g.Reshape(taken, slices.Clone(transform.Dims(into))...), into))}
}
