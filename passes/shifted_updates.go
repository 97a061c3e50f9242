package passes

import (
	"math/big"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// KeepShiftedUpdates protects an array that is updated by what is computed of itself, such as a shifted slice, if it
// may only get another shape before or after that. XLA computes the update in place, and reads elements that it has
// written already. KeepShiftedUpdates puts an optimization barrier between the shapes: after any operation that makes
// the array, because XLA has shapes of its own for some, and where a function takes or returns it. If the update is
// computed of the array with another shape than the one that is updated, KeepShiftedUpdates chooses each element of the
// result, which XLA does not do in place. It returns the number of updates that it protected.
//
// See Prepare.
func KeepShiftedUpdates(m *mlir.Module) (int, error) {
	n := 0
	for _, op := range updatesByThemselves(m.Operation().Index()) {
		keep := keepShape
		if isOfShaped(op) {
			keep = chooseElements
		}
		if err := keep(op); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// updatesByThemselves returns the updates that XLA might compute in place though it must not.
func updatesByThemselves(index *mlir.Index) (list []mlir.Operation) {
	for op := range index.Named("stablehlo.dynamic_update_slice") {
		x := op.Operand(0)
		if isOfShaped(op) || (mayBeShaped(x) || len(shapedUses(op.Result(0))) > 0) &&
			isOf(op.Operand(1), x, map[mlir.Value]bool{}) {
			list = append(list, op)
		}
	}
	return list
}

// mayBeShaped reports whether XLA may have a value in another shape before: it is not one of main, of a loop or of a
// branch.
func mayBeShaped(v mlir.Value) bool {
	if v.IsResult() {
		name := v.Owner().Name()
		return name != "stablehlo.optimization_barrier" && name != "stablehlo.constant"
	}
	f := v.Block().Parent()
	name, _ := f.Symbol()
	return f.Name() == "func.func" && name != "main"
}

// shapedUses returns the uses of an array that may give it another shape: reshapes, and the end of a function.
func shapedUses(v mlir.Value) []mlir.Use {
	uses := reshapes(v)
	for use := range v.Uses() {
		if name, _ := use.Owner.Parent().Symbol(); use.Owner.Name() == "func.return" && name != "main" {
			uses = append(uses, use)
		}
	}
	return uses
}

// shiftedUpdates returns the updates that XLA computes in place though it must not, as far as the module shows.
func shiftedUpdates(index *mlir.Index) (list []mlir.Operation) {
	for op := range index.Named("stablehlo.dynamic_update_slice") {
		x := op.Operand(0)
		switch {
		case isOfShaped(op),
			(isShaped(x) || len(reshapes(op.Result(0))) > 0) && isOf(op.Operand(1), x, map[mlir.Value]bool{}):
			list = append(list, op)
		}
	}
	return list
}

// isOf reports whether a value is computed of another one, in one block, or of very many. What was seen is left out.
func isOf(v, of mlir.Value, seen map[mlir.Value]bool) bool {
	if v.Equal(of) || len(seen) > 1000 {
		return true
	}
	if !v.IsResult() || seen[v] {
		return false
	}
	seen[v] = true
	for _, operand := range v.Owner().Operands() {
		if isOf(operand, of, seen) {
			return true
		}
	}
	return false
}

// isOfShaped reports whether an update is computed of the array that another shape is given to before the update.
func isOfShaped(op mlir.Operation) bool {
	x := op.Operand(0)
	shaped := false
	for v := x; ; {
		shaped = shaped || isShaped(v)
		next, ok := source(v)
		if !ok {
			return false
		}
		if v = next; shaped && isOf(op.Operand(1), v, map[mlir.Value]bool{x: true}) {
			return true
		}
	}
}

// isShaped reports whether a value is another one that only got another shape, also as what XLA makes nothing of, such
// as a slice or a gather that is the whole.
func isShaped(v mlir.Value) bool {
	_, ok := source(v)
	return ok && v.Owner().Name() != "stablehlo.optimization_barrier"
}

// source returns the value that a value is of another shape, or behind an optimization barrier: some plugins remove
// these first.
func source(v mlir.Value) (of mlir.Value, ok bool) {
	switch {
	case !v.IsResult():
		return of, false
	case v.Owner().Name() == "stablehlo.optimization_barrier":
		return v.Owner().Operand(v.Index()), true
	case !slices.Contains(shaping, v.Owner().Name()):
		return of, false
	}
	of = v.Owner().Operand(0)
	n, _ := v.Type().NumElements()
	size, _ := of.Type().NumElements()
	return of, size == n
}

var shaping = []string{"stablehlo.reshape", "stablehlo.transpose", "stablehlo.broadcast_in_dim", "stablehlo.slice",
	"stablehlo.dynamic_slice", "stablehlo.gather", "stablehlo.pad", "stablehlo.reverse", "stablehlo.concatenate"}

// reshapes returns the uses of an array that give it another shape with as many elements.
func reshapes(v mlir.Value) (uses []mlir.Use) {
	n, _ := v.Type().NumElements()
	for use := range v.Uses() {
		if use.Operand == 0 && slices.Contains(shaping, use.Owner.Name()) {
			if size, _ := use.Owner.Result(0).Type().NumElements(); size == n {
				uses = append(uses, use)
			}
		}
	}
	return uses
}

// keepShape puts optimization barriers around an update.
func keepShape(op mlir.Operation) error {
	keep := func(v mlir.Value, uses []mlir.Use) error {
		e := mlir.NewBuilder(after(v), op.Location())
		kept := stablehlo.OptimizationBarrier(e, v).Result(0)
		if e.Err() != nil {
			return e.Err()
		}
		for _, use := range uses {
			use.Owner.SetOperand(use.Operand, kept)
		}
		return nil
	}
	if x := op.Operand(0); mayBeShaped(x) {
		if err := keep(x, slices.Collect(x.Uses())); err != nil {
			return err
		}
	}
	updated := op.Result(0)
	if uses := shapedUses(updated); len(uses) > 0 {
		return keep(updated, uses)
	}
	return nil
}

// after returns the first place behind a value.
func after(v mlir.Value) mlir.InsertionPoint {
	if v.IsArgument() {
		return mlir.AtStart(v.Block())
	}
	return mlir.After(v.Owner())
}

// chooseElements replaces an update by a choice, for each element, between the array and the update.
func chooseElements(op mlir.Operation) error {
	e := before(op)
	x, update := op.Operand(0), op.Operand(1)
	dims, _ := x.Type().Dims()
	sizes, _ := update.Type().Dims()
	around, none := make([]int64, len(dims)), make([]int64, len(dims))
	var starts []mlir.Value // of the array in the update with enough around it
	for d, v := range op.OperandValues()[2:] {
		around[d] = dims[d] - sizes[d]
		starts = append(starts, e.distance(v, around[d]))
	}
	place := func(v, filler mlir.Value) mlir.Value {
		padded := stablehlo.Pad(e.Builder, v, filler, around, around, none)
		return stablehlo.DynamicSlice(e.Builder, padded, starts, dims)
	}
	element, _ := x.Type().Element()
	boolean := e.Context().IntegerType(1, mlir.Signless)
	scalar := func(t mlir.Type) mlir.Type {
		t, err := e.Context().TensorType(t)
		e.Fail(err)
		return t
	}
	mask, err := withElement(update.Type(), boolean)
	if e.Fail(err); e.Err() != nil {
		return e.Err()
	}
	inside := place(e.filled(mask, 1), e.zeros(scalar(boolean)))
	chosen := stablehlo.Select(e.Builder, inside, place(update, e.zeros(scalar(element))), x)
	if e.Err() != nil {
		return e.Err()
	}
	op.Result(0).ReplaceAllUses(chosen)
	return op.Erase()
}

// distance returns how far an index is below a bound, which it is not above.
func (e emitter) distance(index mlir.Value, bound int64) mlir.Value {
	t := index.Type()
	element, _ := t.Element()
	if bits, sign, _ := element.IntegerWidth(); bits == 64 && sign == mlir.Unsigned {
		index = stablehlo.Minimum(e.Builder, index, (&powerExpander{e, t}).integer(big.NewInt(bound)))
	}
	wide, err := withElement(t, e.Context().IntegerType(64, mlir.Signless))
	e.Fail(err)
	p := &powerExpander{e, wide}
	most := p.integer(big.NewInt(bound))
	index = stablehlo.Clamp(e.Builder, p.splat(0), stablehlo.Convert(e.Builder, wide, index), most)
	return stablehlo.Subtract(e.Builder, most, index)
}
