package lower

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/scf"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// lowerReduceWindow makes a reduce_window whose windows have all elements up to one, or from one on, a loop that has
// one more element in the result of each window: a cumulative sum takes as long as its elements, and not as their
// square. Others stay, such as those whose initial value counts as often as a window has elements outside.
func lowerReduceWindow(e *emitter) error {
	op, ok := stablehlo.AsReduceWindow(e.op)
	if !ok {
		return errMalformed
	}
	c := cumulation{emitter: e, op: op, sizes: dims(op.Inputs[0])}
	if !c.find() {
		return nil
	}
	c.inputs = each(op.Inputs, e.signless)
	initial := each(each(op.InitValues, e.signless), e.unpack)
	results := each(op.Inputs, func(v mlir.Value) mlir.Value { return e.buffer(signlessType(e.Context(), v.Type())) })
	outer := slices.Delete(slices.Clone(c.sizes), c.dim, c.dim+1)
	if c.dim == len(c.sizes)-1 {
		return e.replace(e.nest(outer, results, func(at, results []mlir.Value) []mlir.Value {
			return c.line(at, initial, results)
		}))
	}
	// The loops inside of that over the dimension visit adjacent elements.
	first := append(slices.Clone(c.sizes[:c.dim]), 1)
	results = e.nest(append(first, c.sizes[c.dim+1:]...), results, func(at, results []mlir.Value) []mlir.Value {
		at = c.place(at)
		return e.insert(c.next(initial, at), results, at)
	})
	rest := slices.Clone(c.sizes)
	rest[c.dim]--
	return e.replace(e.nest(rest, results, func(at, results []mlir.Value) []mlir.Value {
		before := c.place(at)
		at = slices.Clone(at)
		at[c.dim] = arith.AddI(e.Builder, at[c.dim], e.index(1))
		at = c.place(at)
		return e.insert(c.next(e.extract(results, before), at), results, at)
	}))
}

// A cumulation is a reduce_window along one dimension.
type cumulation struct {
	*emitter
	op      stablehlo.ReduceWindowOp
	inputs  []mlir.Value
	sizes   []int64
	dim     int
	reverse bool // the windows have all elements from one on
}

// find sets the dimension and the direction, and returns false if the windows are others.
func (c *cumulation) find() bool {
	c.dim = -1
	for i, window := range c.op.WindowDimensions {
		padding := [2]int64{}
		if c.op.Padding != nil {
			padding = c.op.Padding[i]
		}
		ones := orOnes(c.op.WindowStrides, i+1)[i] == 1 && orOnes(c.op.BaseDilations, i+1)[i] == 1 &&
			orOnes(c.op.WindowDilations, i+1)[i] == 1
		upTo, from := padding == [2]int64{window - 1, 0}, padding == [2]int64{0, window - 1}
		switch {
		case ones && window == 1 && padding == [2]int64{}:
		case ones && c.dim < 0 && window > 1 && window >= c.sizes[i] && (upTo || from):
			c.dim, c.reverse = i, from
		default:
			return false
		}
	}
	return c.dim >= 0 && !slices.Contains(c.sizes, 0) && xlafix.IsNeutral(c.op.Body, c.op.InitValues)
}

// place returns the place of an element, for one whose index counts the windows from the one with one element.
func (c *cumulation) place(at []mlir.Value) []mlir.Value {
	at = slices.Clone(at)
	if c.reverse {
		at[c.dim] = arith.SubI(c.Builder, c.index(c.sizes[c.dim]-1), at[c.dim])
	}
	return at
}

// next returns the results of a window, which are those of the one before with one element more.
func (c *cumulation) next(before, at []mlir.Value) []mlir.Value {
	elements := slices.Concat(before, c.extract(c.inputs, at))
	return each(c.take(c.op.Body.First(), each(elements, c.pack)), c.unpack)
}

// line creates the loop over the last dimension, which carries the results of the window before.
func (c *cumulation) line(at, initial, results []mlir.Value) []mlir.Value {
	n := len(results)
	end := c.index(c.sizes[c.dim])
	return scf.Iterate(c.Builder, c.index(0), end, c.index(1), slices.Concat(results, initial),
		func(i mlir.Value, carried []mlir.Value) []mlir.Value {
			place := c.place(append(slices.Clone(at), i))
			elements := c.next(carried[n:], place)
			return slices.Concat(c.insert(elements, carried[:n], place), elements)
		})[:n]
}
