package xlafix

import (
	"math/big"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// KeepShiftedUpdates protects an array that is updated by what is computed of itself, such as a shifted slice, if it
// may only get another shape before or after that. XLA computes the update in place, and reads elements that it has
// written already. KeepShiftedUpdates puts an optimization barrier between the shapes: after any operation that makes
// the array, because XLA has shapes of its own for some, and before its next shape. If the update is computed of the
// array with another shape than the one that is updated, KeepShiftedUpdates chooses each element of the result, which
// XLA does not do in place. It returns the number of updates that it protected.
func KeepShiftedUpdates(m *mlir.Module) (int, error) {
	return keepShiftedUpdates(m, m.Operation().Index())
}

func keepShiftedUpdates(m *mlir.Module, index *mlir.Index) (int, error) {
	list := shiftedUpdates(m, index, false)
	for _, u := range list {
		keep := u.keepShape
		if u.ofShaped {
			keep = func() error { return chooseElements(u.op) }
		}
		if err := keep(); err != nil {
			return 0, err
		}
	}
	return len(list), nil
}

// A shiftedUpdate is an update that XLA may compute in place though it must not.
type shiftedUpdate struct {
	op               mlir.Operation
	ofShaped         bool // it is computed of the array that another shape is given to before
	shaped, reshaped bool // the array may have had another shape, and the result may get one
}

// shiftedUpdates returns the updates that XLA may compute in place though it must not. If certain is true, it leaves
// out those for which no plugin is known to do that.
func shiftedUpdates(m *mlir.Module, index *mlir.Index, certain bool) (list []shiftedUpdate) {
	if !index.Has(update) {
		return nil
	}
	s := readSame(m, index)
	s.certain = certain
	for op := range index.Named(update) {
		if isSeparate(op.Result(0)) {
			continue
		}
		x := op.Operand(0)
		u := shiftedUpdate{op, s.isOfShaped(op), s.isShaped(x), s.isReshaped(op.Result(0))}
		if u.ofShaped || (u.shaped || u.reshaped) && s.isOf(op.Operand(1), x, nil) {
			list = append(list, u)
		}
	}
	return list
}

const (
	update  = "stablehlo.dynamic_update_slice"
	barrier = "stablehlo.optimization_barrier"
)

// same tells which values of functions are the same because a function gets or returns them: XLA inlines all functions.
type same struct {
	certain bool // only what XLA is known to compute in another shape is
	sets    sets
	members map[mlir.Value][]mlir.Value // of a set, without the value that stands for it, by this one
}

func readSame(m *mlir.Module, index *mlir.Index) same {
	s := same{sets: sets{}, members: map[mlir.Value][]mlir.Value{}}
	_, functions := function.Defined(m)
	for op := range index.Named("func.call", "call") {
		name, _ := function.Callee(op)
		f, ok := functions[name]
		if !ok {
			continue
		}
		for _, end := range returnsOf(f) {
			for i, v := range end.Operands() {
				s.join(v, op.Result(i))
			}
		}
		for i, v := range f.Region(0).First().Arguments() {
			s.join(v, op.Operand(i))
		}
	}
	return s
}

// join makes two values the same.
func (s same) join(a, b mlir.Value) {
	from, to := s.sets.find(a), s.sets.find(b)
	if from == to {
		return
	}
	s.sets.join(from, to)
	s.members[to] = append(append(s.members[to], from), s.members[from]...)
	delete(s.members, from)
}

// of returns the values that are the same as v, with v.
func (s same) of(v mlir.Value) []mlir.Value {
	root := s.sets.find(v)
	return append(slices.Clone(s.members[root]), root)
}

// isOf reports whether a value is computed of another one, in one block of each function, or of very many. What was
// seen is left out.
func (s same) isOf(v, of mlir.Value, seen map[mlir.Value]bool) bool {
	if seen == nil {
		seen = map[mlir.Value]bool{}
	}
	root := s.sets.find(v)
	if root == s.sets.find(of) || len(seen) > 1000 {
		return true
	}
	if seen[root] {
		return false
	}
	seen[root] = true
	for _, v := range s.of(v) {
		if !v.IsResult() {
			continue
		}
		for _, operand := range v.Owner().Operands() {
			if s.isOf(operand, of, seen) {
				return true
			}
		}
	}
	return false
}

// isOfShaped reports whether an update is computed of the array that another shape is given to before the update.
func (s same) isOfShaped(op mlir.Operation) bool {
	x := op.Operand(0)
	seen := map[mlir.Value]bool{}
	var search func(v mlir.Value, shaped bool) bool
	search = func(v mlir.Value, shaped bool) bool {
		root := s.sets.find(v)
		if seen[root] {
			return false
		}
		seen[root] = true
		for _, v := range s.of(v) {
			from, ok := source(v)
			if !ok {
				continue
			}
			shaped := shaped || v.Owner().Name() != barrier
			past := map[mlir.Value]bool{s.sets.find(x): true}
			if shaped && s.isOf(op.Operand(1), from, past) || search(from, shaped) {
				return true
			}
		}
		return false
	}
	return search(x, false)
}

// isShaped reports whether XLA may compute a value in another shape, and then give it its own.
func (s same) isShaped(v mlir.Value) bool {
	return slices.ContainsFunc(s.of(v), func(v mlir.Value) bool { return v.IsResult() && s.mayReshape(v.Owner()) })
}

// mayReshape reports whether XLA may make a reshape of an operation, or compute it in another shape. Unless that is to
// be certain, it may do so with any operation: it moves reshapes over others.
func (s same) mayReshape(op mlir.Operation) bool {
	name := op.Name()
	if slices.Contains(shaping, name) || name == "stablehlo.reduce_window" { // of one dimension: XLA adds one
		return true
	}
	_, isCall := function.Callee(op) // what it returns tells
	return !s.certain && !isCall && name != barrier && name != "stablehlo.constant"
}

// source returns the value that a value is in another shape, also as what XLA makes nothing of, such as a slice that is
// the whole, or behind an optimization barrier: some plugins remove these first.
func source(v mlir.Value) (of mlir.Value, ok bool) {
	switch {
	case !v.IsResult():
		return of, false
	case v.Owner().Name() == barrier:
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

// reshaping are further operations to whose operands XLA may give a shape of its own, as it adds a dimension to that of
// a reduce_window of one.
var reshaping = []string{"stablehlo.cholesky", "stablehlo.convolution", "stablehlo.dot", "stablehlo.dot_general",
	"stablehlo.dynamic_slice", "stablehlo.fft", "stablehlo.gather", "stablehlo.reduce", "stablehlo.scatter",
	"stablehlo.select_and_scatter", "stablehlo.triangular_solve"}

// isReshaped reports whether an array is given another shape with as many elements.
func (s same) isReshaped(v mlir.Value) bool {
	n, _ := v.Type().NumElements()
	for _, v := range s.of(v) {
		for use := range v.Uses() {
			name := use.Owner.Name()
			if name == "stablehlo.reduce_window" || !s.certain && slices.Contains(reshaping, name) {
				return true
			}
			if use.Operand == 0 && slices.Contains(shaping, name) {
				if size, _ := use.Owner.Result(0).Type().NumElements(); size == n {
					return true
				}
			}
		}
	}
	return false
}

// keepShape puts optimization barriers around the update.
func (u shiftedUpdate) keepShape() error {
	if u.shaped {
		if err := keep(u.op.Operand(0), u.op); err != nil {
			return err
		}
	}
	if u.reshaped {
		return keep(u.op.Result(0), u.op)
	}
	return nil
}

// isProtected reports whether an optimization barrier is between a value and its uses, or makes it.
func isProtected(v mlir.Value) bool {
	if v.IsResult() && v.Owner().Name() == barrier {
		return true
	}
	uses := slices.Collect(v.Uses())
	return len(uses) == 1 && uses[0].Owner.Name() == barrier
}

// keep puts an optimization barrier between a value and its uses, unless one is there.
func keep(v mlir.Value, op mlir.Operation) error {
	if isProtected(v) {
		return nil
	}
	uses := slices.Collect(v.Uses())
	e := mlir.NewBuilder(mlir.AfterValue(v), op.Location())
	kept := stablehlo.OptimizationBarrier(e, v).Result(0)
	if e.Cause() != nil {
		return e.Cause()
	}
	for _, use := range uses {
		use.Owner.SetOperand(use.Operand, kept)
	}
	return nil
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
	if e.Fail(err); e.Cause() != nil {
		return e.Cause()
	}
	inside := place(e.Filled(mask, 1), e.Zeros(scalar(boolean)))
	chosen := stablehlo.Select(e.Builder, inside, place(update, e.Zeros(scalar(element))), x)
	if e.Cause() != nil {
		return e.Cause()
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
