package jit

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/affine"
	upstream "github.com/calliope-mlir/calliope/mlir/dialect/affine"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/linalg"
	"github.com/calliope-mlir/calliope/mlir/dialect/memref"
	"github.com/calliope-mlir/calliope/mlir/dialect/scf"
)

// makeLoops makes loops of the operations linalg.generic, which LLVM can vectorize. In those that MLIR makes it cannot:
// each iteration may store what the next one loads, a partial result or an input that all iterations load.
func makeLoops(m *mlir.Module, e *Executable) error {
	var list []nest
	for op := range m.Operation().All() {
		if g, ok := linalg.AsGeneric(op); ok && len(g.IteratorTypes) > 0 {
			list = append(list, nest{GenericOp: g, op: op, b: mlir.NewBuilder(mlir.Before(op), op.Location())})
		}
	}
	for i, n := range list {
		if !n.copyRuns(m) && !n.clear() {
			if err := n.split(m, i); err != nil {
				return err
			}
			n.create()
			e.level = vectorizing
		}
		if n.b.Err() != nil {
			return n.b.Err()
		}
		if err := n.op.Erase(); err != nil {
			return err
		}
	}
	return nil
}

// A nest is an operation on buffers that becomes loops inside one another.
type nest struct {
	linalg.GenericOp
	op    mlir.Operation
	b     *mlir.Builder // before it
	inner int           // which of the loops becomes the innermost one

	// The loop that runs from begin to end. The others run from 0 to the size.
	loop       int
	begin, end mlir.Value // nil if all do
	sum        sum        // where the partial result of the range is, if it has one
}

// create creates the loops. The innermost one loads no inputs that are the same in all its iterations, and carries the
// results if it is a reduction.
func (n nest) create() {
	n.inner = n.innermost()
	b, sizes, outputs := n.b, n.sizes(), len(n.Inputs)
	inside := make([]bool, len(n.IndexingMaps)) // whether the innermost loop loads an element of an operand
	for k, m := range n.IndexingMaps {
		inside[k] = dependOn(m.Results(), n.inner)
	}
	reduces := !slices.Contains(inside[outputs:], true)
	zero, end, one := arith.ConstantIndex(b, 0), arith.ConstantIndex(b, sizes[n.inner]), arith.ConstantIndex(b, 1)
	begin := zero
	if !n.begin.IsNil() && n.loop == n.inner {
		begin, end = n.begin, n.end
	}
	n.around(slices.Delete(sizes, n.inner, n.inner+1), func(outer []mlir.Value) {
		at := slices.Insert(slices.Clone(outer), n.inner, zero)
		elements := make([]mlir.Value, len(inside))
		for k := range elements {
			if k < outputs && !inside[k] || reduces && k >= outputs {
				elements[k] = n.load(k, at)
			}
		}
		var initial []mlir.Value
		if reduces {
			initial = elements[outputs:]
		}
		results := scf.Iterate(b, begin, end, one, initial, func(i mlir.Value, partial []mlir.Value) []mlir.Value {
			at := slices.Insert(slices.Clone(outer), n.inner, i)
			elements := append(slices.Clone(elements[:outputs]), partial...)
			for k := range inside {
				switch {
				case k >= len(elements):
					elements = append(elements, n.load(k, at))
				case inside[k]:
					elements[k] = n.load(k, at)
				}
			}
			next := n.body(at, elements)
			if reduces {
				return next
			}
			n.store(next, at)
			return nil
		})
		n.store(results, at)
	})
}

// around creates the loops around the innermost one, of these sizes.
func (n nest) around(sizes []int64, body func(outer []mlir.Value)) {
	if n.begin.IsNil() || n.loop == n.inner {
		scf.Nest(n.b, sizes, body)
		return
	}
	at := n.loop // among them
	if at > n.inner {
		at--
	}
	scf.For(n.b, n.begin, n.end, arith.ConstantIndex(n.b, 1), func(i mlir.Value) {
		scf.Nest(n.b, slices.Delete(sizes, at, at+1), func(others []mlir.Value) {
			body(slices.Insert(slices.Clone(others), at, i))
		})
	})
}

// sizes returns how often the loops run.
func (n nest) sizes() []int64 {
	sizes := make([]int64, len(n.IteratorTypes))
	for k, m := range n.IndexingMaps {
		dims, _ := n.op.Operand(k).Type().Dims()
		for at, place := range m.Results() {
			if loop, ok := place.Position(); ok {
				sizes[loop] = dims[at]
			}
		}
	}
	return sizes
}

// innermost returns the loop that becomes the innermost one: that with the most operands of which it visits adjacent
// elements, and none of which it visits distant ones. If there is none, it is the last loop.
func (n nest) innermost() int {
	last, most := len(n.IteratorTypes)-1, 0
	for loop := len(n.IteratorTypes) - 1; loop >= 0; loop-- {
		adjacent := 0
		for _, m := range n.IndexingMaps {
			places := m.Results()
			if !dependOn(places, loop) {
				continue
			}
			end := len(places) - 1
			if at, ok := places[end].Position(); !ok || at != loop || dependOn(places[:end], loop) {
				adjacent = 0
				break
			}
			adjacent++
		}
		if adjacent > most {
			last, most = loop, adjacent
		}
	}
	return last
}

// dependOn reports whether places of elements depend on a loop.
func dependOn(places []affine.Expr, loop int) bool {
	return slices.ContainsFunc(places, func(p affine.Expr) bool { return p.DependsOnDim(loop) })
}

// place returns the indices of an operand.
func (n nest) place(k int, loops []mlir.Value) (list []mlir.Value) {
	m := n.IndexingMaps[k]
	for i := range m.Results() {
		list = append(list, upstream.Apply(n.b, m.Select(i), loops...))
	}
	return list
}

// load returns an element of an operand, which may be a number.
func (n nest) load(k int, loops []mlir.Value) mlir.Value {
	if k >= len(n.Inputs) && !n.sum.place.IsNil() {
		return memref.Load(n.b, n.sum.partial, n.sum.place)
	}
	if v := n.op.Operand(k); !isBuffer(v.Type()) {
		return v
	}
	return memref.Load(n.b, n.op.Operand(k), n.place(k, loops)...)
}

// store stores elements of the results.
func (n nest) store(elements, loops []mlir.Value) {
	for i, v := range elements {
		if n.sum.place.IsNil() {
			memref.Store(n.b, v, n.Outputs[i], n.place(len(n.Inputs)+i, loops)...)
		} else {
			memref.Store(n.b, v, n.sum.partial, n.sum.place)
		}
	}
}

// body creates what the innermost loop does with elements, and returns the results.
func (n nest) body(loops, elements []mlir.Value) []mlir.Value {
	if n.b.Err() != nil {
		return elements[len(n.Inputs):]
	}
	from := n.Region.First()
	end := from.Terminator()
	var copies mlir.Mapping
	for i, v := range elements {
		copies.Map(from.Argument(i), v)
	}
	reassociate, err := arith.FastMathFlagsReassoc.Attribute(n.b.Context())
	n.b.Fail(err)
	for op := range from.Operations() {
		switch {
		case op.Equal(end):
		case op.Name() == "linalg.index":
			dim, _ := op.Attribute("dim")
			i, _ := dim.Int()
			copies.Map(op.Result(0), loops[i])
		default:
			// The block is being built, so its next operation is the last one.
			copied := loops[n.inner].Block().Append(op.CloneWith(&copies))
			if n.accumulates(op, end) {
				copied.SetAttribute("fastmath", reassociate)
			}
		}
	}
	var results []mlir.Value
	for _, v := range end.OperandValues() {
		if copied, ok := copies.Value(v); ok {
			v = copied
		}
		results = append(results, v)
	}
	return results
}

// accumulates reports whether an operation adds to a partial result or multiplies it. StableHLO leaves the order of a
// sum or product to the implementation, so LLVM may compute several parts of one at a time.
func (n nest) accumulates(op, end mlir.Operation) bool {
	if op.Name() != "arith.addf" && op.Name() != "arith.mulf" {
		return false
	}
	for i := range n.Outputs {
		partial := n.Region.First().Argument(len(n.Inputs) + i)
		if end.Operand(i).Equal(op.Result(0)) && slices.Contains(op.OperandValues(), partial) {
			return true
		}
	}
	return false
}
