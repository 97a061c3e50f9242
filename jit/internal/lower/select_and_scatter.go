package lower

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/scf"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// lowerSelectAndScatter makes a select_and_scatter loops over the source. For each of its elements, a loop over the
// window finds the selected element of the operand.
func lowerSelectAndScatter(e *emitter) error {
	op, ok := stablehlo.AsSelectAndScatter(e.op)
	if !ok {
		return errMalformed
	}
	s := selection{emitter: e, op: op, operand: e.signless(op.Operand), source: e.signless(op.Source)}
	rank := len(dims(s.operand))
	s.window, s.strides = orOnes(op.WindowDimensions, rank), orOnes(op.WindowStrides, rank)
	result := e.signless(stablehlo.BroadcastInDim(e.Builder, op.Operand.Type(), op.InitValue, nil))
	if slices.Contains(dims(s.operand), 0) {
		return e.replace([]mlir.Value{result})
	}
	return e.replace(e.nest(dims(s.source), []mlir.Value{result}, func(at, carried []mlir.Value) []mlir.Value {
		found, place := s.selected(at)
		return scf.Choose(e.Builder, found, func() []mlir.Value {
			pair := slices.Concat(e.extract(carried, place), e.extract([]mlir.Value{s.source}, at))
			sum := each(e.take(op.Scatter.First(), each(pair, e.pack)), e.unpack)
			return e.insert(sum, carried, place)
		}, func() []mlir.Value { return carried })
	}))
}

type selection struct {
	*emitter
	op              stablehlo.SelectAndScatterOp
	operand, source mlir.Value
	window, strides []int64
}

// selected returns the place in the operand that the window of an element of the source selects, and whether there is
// one.
func (s *selection) selected(at []mlir.Value) (found mlir.Value, place []mlir.Value) {
	b := s.Builder
	nowhere := make([]mlir.Value, len(at))
	for i := range nowhere {
		nowhere[i] = s.index(0)
	}
	no := arith.ConstantInt(b, s.integer(1), 0)
	yes := arith.ConstantInt(b, s.integer(1), 1)
	operand := []mlir.Value{s.operand}
	start := slices.Concat([]mlir.Value{no}, s.extract(operand, nowhere), nowhere)
	// The loops carry whether something is selected, its element and its place.
	best := s.nest(s.window, start, func(in, carried []mlir.Value) []mlir.Value {
		place, inside := s.place(at, in)
		return scf.Choose(b, inside, func() []mlir.Value {
			element := s.extract(operand, place)
			pair := each([]mlir.Value{carried[1], element[0]}, s.pack)
			keep := arith.AndI(b, carried[0], s.unpack(s.take(s.op.Select.First(), pair)[0]))
			next := slices.Concat([]mlir.Value{yes}, element, place)
			for i := range next[1:] {
				next[i+1] = arith.Select(b, keep, carried[i+1], next[i+1])
			}
			return next
		}, func() []mlir.Value { return carried })
	})
	return best[0], best[2:]
}

// place returns a place of the window in the operand, and whether it is inside.
func (s *selection) place(at, in []mlir.Value) (place []mlir.Value, inside mlir.Value) {
	b := s.Builder
	inside = arith.ConstantInt(b, s.integer(1), 1)
	for d, size := range dims(s.operand) {
		i := arith.AddI(b, arith.MulI(b, at[d], s.index(s.strides[d])), in[d])
		if s.op.Padding != nil {
			i = arith.SubI(b, i, s.index(s.op.Padding[d][0]))
		}
		below := arith.CmpI(b, arith.CmpIPredicateUlt, i, s.index(size))
		place, inside = append(place, i), arith.AndI(b, inside, below)
	}
	return place, inside
}

// orOnes returns numbers, or n ones if there are none.
func orOnes(numbers []int64, n int) []int64 {
	if numbers != nil {
		return numbers
	}
	return slices.Repeat([]int64{1}, n)
}
