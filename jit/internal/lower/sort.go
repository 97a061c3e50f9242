package lower

import (
	"errors"
	"math/bits"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/scf"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// lowerSort makes a sort a stable merge sort of each row, from the bottom up. A row is copied to a buffer that has room
// for two, between which the merges alternate.
func lowerSort(e *emitter) error {
	op, ok := stablehlo.AsSort(e.op)
	if !ok {
		return errMalformed
	}
	inputs := e.operands()
	rows := dims(inputs[0])
	d := len(rows) - 1
	if op.Dimension != nil && *op.Dimension >= 0 {
		d = int(*op.Dimension)
	} else if op.Dimension != nil {
		d = len(rows) + int(*op.Dimension)
	}
	s := sorter{emitter: e, n: rows[d], less: op.Comparator.First()}
	if s.n < 2 {
		return e.replace(inputs)
	}
	buffers := each(inputs, func(v mlir.Value) mlir.Value { return e.buffer(e.tensorOf(e.elementOf(v), 2, s.n)) })
	rows = slices.Delete(slices.Clone(rows), d, d+1)
	passes := int64(bits.Len64(uint64(s.n - 1)))
	carried := append(e.ownedFrom(len(inputs)), buffers...)
	results := e.nest(rows, carried, func(at, carried []mlir.Value) []mlir.Value {
		data, rows := carried[:len(inputs)], carried[len(inputs):]
		place := func(i mlir.Value) []mlir.Value { return slices.Insert(slices.Clone(at), d, i) }
		rows = e.nest([]int64{s.n}, rows, func(i, rows []mlir.Value) []mlir.Value {
			return e.insert(e.extract(data, place(i[0])), rows, []mlir.Value{e.index(0), i[0]})
		})
		rows = e.nest([]int64{passes}, rows, func(i, rows []mlir.Value) []mlir.Value { return s.pass(i[0], rows) })
		data = e.nest([]int64{s.n}, data, func(i, data []mlir.Value) []mlir.Value {
			return e.insert(e.extract(rows, []mlir.Value{e.index(passes % 2), i[0]}), data, place(i[0]))
		})
		return slices.Concat(data, rows)
	})
	return e.replace(results[:len(inputs)])
}

type sorter struct {
	*emitter
	n    int64
	less mlir.Block
}

// pass merges sorted runs of 1<<number elements in pairs.
func (s *sorter) pass(number mlir.Value, rows []mlir.Value) []mlir.Value {
	b, n := s.Builder, s.index(s.n)
	run := arith.ShLI(b, s.index(1), number)
	from := arith.AndI(b, number, s.index(1))
	to := arith.XOrI(b, from, s.index(1))
	return scf.Iterate(b, s.index(0), n, arith.AddI(b, run, run), rows,
		func(low mlir.Value, rows []mlir.Value) []mlir.Value {
			middle := arith.MinUI(b, arith.AddI(b, low, run), n)
			high := arith.MinUI(b, arith.AddI(b, middle, run), n)
			merged := scf.Iterate(b, low, high, s.index(1), slices.Concat([]mlir.Value{low, middle}, rows),
				func(k mlir.Value, carried []mlir.Value) []mlir.Value {
					return s.merge(k, middle, high, from, to, carried)
				})
			return merged[2:]
		})
}

// merge moves the smaller one of the next elements of two runs to the place k. The first of them is carried[0], and
// below middle while there is one; the second is carried[1], and below high.
func (s *sorter) merge(k, middle, high, from, to mlir.Value, carried []mlir.Value) []mlir.Value {
	b, rows := s.Builder, carried[2:]
	last := s.index(s.n - 1)
	first, second := carried[0], carried[1]
	x := s.extract(rows, []mlir.Value{from, arith.MinUI(b, first, last)})
	y := s.extract(rows, []mlir.Value{from, arith.MinUI(b, second, last)})
	var pairs []mlir.Value
	for i := range x {
		pairs = append(pairs, s.pack(y[i]), s.pack(x[i]))
	}
	less := s.unpack(s.take(s.less, pairs)[0])
	useSecond := arith.OrI(b, arith.CmpI(b, arith.CmpIPredicateUge, first, middle),
		arith.AndI(b, arith.CmpI(b, arith.CmpIPredicateUlt, second, high), less))
	elements := make([]mlir.Value, len(rows))
	for i := range rows {
		elements[i] = arith.Select(b, useSecond, y[i], x[i])
	}
	step := arith.IndexCastUI(b, s.Context().IndexType(), useSecond)
	return slices.Concat([]mlir.Value{
		arith.AddI(b, first, arith.XOrI(b, step, s.index(1))), arith.AddI(b, second, step),
	}, s.insert(elements, rows, []mlir.Value{to, k}))
}

var errMalformed = errors.New("it is malformed")
