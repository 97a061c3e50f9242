package autodiff

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// A keeper gives the transposed step of a loop the values of the loop that it uses: those that are the same in each
// step, those that it can compute again at no cost, and the others from an array with one element for each step.
type keeper struct {
	*backward
	op     mlir.Operation // the loop
	count  trips
	loop   []mlir.Value // the values that the loop carries
	yields []mlir.Value // those after a step
	body   mlir.Block
	to     mlir.Block // the transposed step
	first  *backward  // at its begin

	index mlir.Value                // of the step in the transposed one, once it is needed
	last  mlir.Value                // stands for the number of the last step until it is known
	same  map[mlir.Value]mlir.Value // the values that do not change, before the transposed loop; nil for others
	again map[mlir.Value]mlir.Value // what the transposed step computes again
}

func (b *backward) keeperOf(op mlir.Operation, count trips, yields []mlir.Value, to mlir.Block) *keeper {
	k := &keeper{backward: b, op: op, count: count, loop: op.OperandValues(), yields: yields,
		body: op.Region(1).First(), to: to, first: b.within(to.First()),
		same: map[mlir.Value]mlir.Value{}, again: map[mlir.Value]mlir.Value{}}
	k.first.Loc = b.Loc
	return k
}

// keep replaces the loop by what is not linear in it, which also stores what the transposed step needs. It returns the
// number of steps.
func (k *keeper) keep(known []bool) (total mlir.Value) {
	var stored []mlir.Value
	for _, v := range residuals(k.body, k.to) {
		if with, ok := k.recompute(v); ok {
			replaceIn(k.to, v, with)
		} else {
			stored = append(stored, v)
		}
	}
	stored, derived := k.derive(stored)
	operands, taken := k.store(transform.Filter(k.loop, known), stored)

	held, heldDerived := hold(k.to, stored), hold(k.to, derived)
	for i := len(known) - 1; i >= 0; i-- {
		if !known[i] {
			eraseLinear(k.op.Region(0).First(), i)
			eraseLinear(k.body, i)
		}
	}
	made := k.Remake(k.op, operands, mlir.TypesOf(operands))
	transform.Replace(transform.Filter(k.op.ResultValues(), known), made.ResultValues())
	transform.Check(k.op.Erase())
	k.read(made.ResultValues()[len(operands)-len(stored):], stored, held, derived, heldDerived)
	if !k.count.bounded {
		return k.Number(k.counter(), float64(k.count.n))
	}
	total = made.Result(taken)
	if !k.last.IsNil() {
		release(k.to, []mlir.Value{k.last}, []mlir.Value{k.sub(total, k.Number(k.counter(), 1))})
	}
	return total
}

// step returns the number of the step of the loop in the transposed one.
func (k *keeper) step() mlir.Value {
	if k.index.IsNil() {
		var last mlir.Value
		if k.count.bounded {
			k.last = k.to.AddArgument(k.counter(), k.Loc)
			last = k.last
		} else {
			last = k.first.Number(k.counter(), float64(k.count.n-1))
		}
		k.index = k.first.sub(last, k.to.Argument(0))
	}
	return k.index
}

// invariant returns a value that is the same in each step as it is before the transposed loop. It returns false for
// others.
func (k *keeper) invariant(v mlir.Value) (mlir.Value, bool) {
	with, ok := k.same[v]
	switch {
	case ok:
		return with, !with.IsNil()
	case transform.Home(v) != k.body:
		return v, true
	case v.IsArgument():
		return k.loop[v.Index()], k.yields[v.Index()] == v
	case !transform.IsPure(v.Owner()) || v.Owner().NumRegions() > 0 || v.Owner().Name() == "stablehlo.custom_call":
		return v, false
	}
	k.same[v] = mlir.Value{}
	operands, ok := operandsBy(v.Owner(), k.invariant)
	if !ok {
		return v, false
	}
	k.same[v] = k.Clone(v.Owner(), operands...).Result(v.Index())
	return k.same[v], true
}

// recompute returns a value in the transposed step that costs nothing to compute there. It returns false for others.
func (k *keeper) recompute(v mlir.Value) (mlir.Value, bool) {
	if with, ok := k.again[v]; ok {
		return with, true
	}
	if transform.Home(v) != k.body {
		return v, true
	}
	with, ok := k.invariant(v)
	switch {
	case ok:
	case v.IsArgument() && v.Index() == k.count.variable:
		with = k.first.convert(k.step(), v.Type())
		if k.count.step != 1 {
			with = k.first.scale(with, float64(k.count.step))
		}
		if k.count.start != 0 {
			with = k.first.emitter.add(with, k.first.Number(v.Type(), float64(k.count.start)))
		}
	case v.IsArgument() || !isCheap(v.Owner()):
		return v, false
	default:
		operands, ok := operandsBy(v.Owner(), k.recompute)
		if !ok {
			return v, false
		}
		with = k.first.Clone(v.Owner(), operands...).Result(v.Index())
	}
	k.again[v] = with
	return with, true
}

// operandsBy returns what f returns for the operands of an operation, or false if f does for one.
func operandsBy(op mlir.Operation, f func(mlir.Value) (mlir.Value, bool)) (list []mlir.Value, ok bool) {
	for _, o := range op.Operands() {
		o, ok := f(o)
		if !ok {
			return nil, false
		}
		list = append(list, o)
	}
	return list, true
}

// store lets the loop carry an array for each value, after the operands, and write the value of each step to it. It
// returns all operands, and the place of the number of steps among them, if that is bounded.
func (k *keeper) store(operands, values []mlir.Value) (all []mlir.Value, taken int) {
	at := &emitter{k.source.Within(k.body.Terminator())}
	at.Loc = k.Loc
	steps := k.body.Terminator().OperandValues()
	var number mlir.Value
	carry := func(initial mlir.Value) mlir.Value {
		operands = append(operands, initial)
		k.op.Region(0).First().AddArgument(initial.Type(), k.Loc)
		return k.body.AddArgument(initial.Type(), k.Loc)
	}
	switch {
	case k.count.bounded, len(values) > 0 && (k.count.start != 0 || k.count.step != 1):
		number = carry(at.Zero(k.counter()))
		steps = append(steps, at.add(number, at.Number(k.counter(), 1)))
	case len(values) > 0:
		number = k.body.Argument(k.count.variable)
	}
	taken = len(operands) - 1
	for _, v := range values {
		shape := append([]int64{max(k.count.n, 1)}, transform.Dims(v)...)
		array := carry(at.Zero(transform.Must(k.Context.TensorType(transform.Element(v.Type()), shape...))))
		shape[0] = 1
		steps = append(steps, at.Do(stablehlo.DynamicUpdateSliceOp{
			Operand: array, StartIndices: at.startAt(number, v), Update: at.Reshape(v, shape...),
		}))
	}
	k.body.Terminator().SetOperands(steps...)
	return operands, taken
}

// startAt returns where the element of a step is in an array of values like v.
func (e *emitter) startAt(number, v mlir.Value) []mlir.Value {
	return append([]mlir.Value{number}, slices.Repeat([]mlir.Value{e.Zero(number.Type())}, transform.Rank(v))...)
}

// read gives the transposed step the stored values from the arrays, and those that are derived from them.
func (k *keeper) read(arrays, stored, held, derived, heldDerived []mlir.Value) {
	reads := map[mlir.Value]mlir.Value{}
	for i, v := range held {
		read := k.first.Do(stablehlo.DynamicSliceOp{
			Operand: arrays[i], StartIndices: k.first.startAt(k.step(), v),
			SliceSizes: append([]int64{1}, transform.Dims(v)...),
		})
		reads[stored[i]] = k.first.Reshape(read, transform.Dims(v)...)
		release(k.to, []mlir.Value{v}, []mlir.Value{reads[stored[i]]})
	}
	for i, v := range derived {
		operands, _ := operandsBy(v.Owner(), func(o mlir.Value) (mlir.Value, bool) {
			with, ok := reads[o]
			if !ok {
				with, _ = k.recompute(o)
			}
			return with, true
		})
		release(k.to, heldDerived[i:i+1], []mlir.Value{k.first.Clone(v.Owner(), operands...).Result(0)})
	}
}

// derive splits values that are to be stored into those that must be, and those that are a sum, a difference or a
// product of the others and of what can be computed again.
func (k *keeper) derive(values []mlir.Value) (stored, derived []mlir.Value) {
	left, needed := map[mlir.Value]bool{}, map[mlir.Value]bool{}
	for _, v := range values {
		left[v] = true
	}
	for _, v := range values {
		cheap := !needed[v] && v.IsResult() && isArithmetic(v.Owner()) &&
			!slices.ContainsFunc(v.Owner().OperandValues(), func(o mlir.Value) bool {
				_, again := k.recompute(o)
				return !left[o] && !again
			})
		if !cheap {
			stored = append(stored, v)
			continue
		}
		derived = append(derived, v)
		delete(left, v)
		for _, o := range v.Owner().Operands() {
			needed[o] = true
		}
	}
	return stored, derived
}

// isArithmetic reports whether an operation adds, subtracts, multiplies or negates elements.
func isArithmetic(op mlir.Operation) bool {
	switch op.Name() {
	case "stablehlo.add", "stablehlo.subtract", "stablehlo.multiply", "stablehlo.negate":
		return true
	}
	return false
}

// isCheap reports whether it costs less to compute the result of an operation again than to store it.
func isCheap(op mlir.Operation) bool {
	switch op.Name() {
	case "stablehlo.constant", "stablehlo.iota", "stablehlo.broadcast_in_dim", "stablehlo.reshape",
		"stablehlo.dynamic_slice":
		return true
	}
	return op.NumRegions() == 0 && op.NumResults() == 1 && transform.Rank(op.Result(0)) == 0 && transform.IsPure(op) &&
		op.Name() != "stablehlo.custom_call"
}
