package lower

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/scf"
	"github.com/calliope-mlir/calliope/mlir/dialect/tensor"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// lowerScatter makes a scatter loops over the updates, which change the inputs in place.
func lowerScatter(e *emitter) error {
	op, ok := stablehlo.AsScatter(e.op)
	if !ok {
		return errMalformed
	}
	s := scatter{emitter: e, d: op.ScatterDimensionNumbers, body: op.UpdateComputation.First(),
		indices: e.signed(op.ScatterIndices), updates: each(op.Updates, e.signless), sizes: dims(op.Inputs[0])}
	var outer, inner []int64
	for i, n := range dims(op.Updates[0]) {
		if slices.Contains(s.d.UpdateWindowDims, int64(i)) {
			inner = append(inner, n)
		} else {
			outer = append(outer, n)
		}
	}
	results := e.nest(outer, e.ownedFrom(len(op.Inputs)), func(at, carried []mlir.Value) []mlir.Value {
		start := s.start(at)
		return s.within(start, s.fixed(), carried, func() []mlir.Value {
			return e.nest(inner, carried, func(window, carried []mlir.Value) []mlir.Value {
				return s.update(start, at, window, carried)
			})
		})
	})
	return e.replace(results)
}

type scatter struct {
	*emitter
	d       stablehlo.ScatterDimensionNumbers
	body    mlir.Block
	indices mlir.Value
	updates []mlir.Value
	sizes   []int64 // of the inputs
}

// start returns the first place of the window in the inputs, for a place in the dimensions of the updates that are not
// of the window. It is nil in the dimensions where a window begins at 0.
func (s *scatter) start(at []mlir.Value) []mlir.Value {
	start := make([]mlir.Value, len(s.sizes))
	place := slices.Clone(at) // in the indices
	if vector := int(s.d.IndexVectorDim); vector < len(dims(s.indices)) {
		place = slices.Insert(place, vector, mlir.Value{})
	}
	for i, d := range s.d.ScatterDimsToOperandDims {
		if len(place) > len(at) {
			place[s.d.IndexVectorDim] = s.index(int64(i))
		}
		element := tensor.Extract(s.Builder, s.indices, place...)
		start[d] = arith.IndexCast(s.Builder, s.Context().IndexType(), element)
	}
	for i, d := range s.d.InputBatchingDims {
		n := s.d.ScatterIndicesBatchingDims[i]
		if n > s.d.IndexVectorDim {
			n--
		}
		start[d] = at[n]
	}
	return start
}

// fixed are the dimensions of the inputs that a window has only one element of.
func (s *scatter) fixed() []int64 {
	return slices.Concat(s.d.InsertedWindowDims, s.d.InputBatchingDims)
}

// within builds what changes the inputs only if a place is in them, which it checks in some dimensions.
func (s *scatter) within(
	place []mlir.Value, dimensions []int64, carried []mlir.Value, then func() []mlir.Value,
) []mlir.Value {
	var inside mlir.Value
	for _, d := range dimensions {
		if place[d].IsNil() || slices.Contains(s.d.InputBatchingDims, d) {
			continue
		}
		below := arith.CmpI(s.Builder, arith.CmpIPredicateUlt, place[d], s.index(s.sizes[d]))
		if inside.IsNil() {
			inside = below
		} else {
			inside = arith.AndI(s.Builder, inside, below)
		}
	}
	if inside.IsNil() {
		return then()
	}
	return scf.Choose(s.Builder, inside, then, func() []mlir.Value { return carried })
}

// update builds the update of an element.
func (s *scatter) update(start, at, window, carried []mlir.Value) []mlir.Value {
	from := slices.Clone(at) // in the updates
	for i, d := range s.d.UpdateWindowDims {
		from = slices.Insert(from, int(d), window[i])
	}
	to := slices.Clone(start)
	var moving []int64
	n := 0
	for d := range to {
		if slices.Contains(s.fixed(), int64(d)) {
			if to[d].IsNil() {
				to[d] = s.index(0)
			}
			continue
		}
		if to[d].IsNil() {
			to[d] = window[n]
		} else {
			to[d] = arith.AddI(s.Builder, to[d], window[n])
			moving = append(moving, int64(d))
		}
		n++
	}
	return s.within(to, moving, carried, func() []mlir.Value {
		elements := slices.Concat(s.extract(carried, to), s.extract(s.updates, from))
		results := each(s.take(s.body, each(elements, s.pack)), s.unpack)
		return s.insert(results, carried, to)
	})
}
