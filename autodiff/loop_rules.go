package autodiff

import (
	"math"
	"slices"

	"github.com/calliope-mlir/calliope/internal/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// jvpLoop adds to the values that a loop carries the tangents of those that may have one.
func jvpLoop(f *forward, op mlir.Operation) {
	l := reach{}
	for _, v := range transform.Uses(op) {
		if !f.tangent(v).IsNil() {
			l[v] = true
		}
	}
	l.loop(op)
	active := make([]bool, op.NumResults())
	for i, v := range op.Results() {
		active[i] = l[v]
	}
	cond, body := op.Region(0).First(), op.Region(1).First()
	if !slices.Contains(active, true) {
		f.block(body) // for the tangents of values in it that stay in it
		return
	}
	operands := op.OperandValues()
	for i, v := range op.OperandValues() {
		if active[i] {
			operands = append(operands, f.full(v))
			cond.AddArgument(v.Type(), op.Location())
			f.set(body.Argument(i), body.AddArgument(v.Type(), op.Location()))
		}
	}
	f.block(body)
	f.Loc = op.Location()
	f.appendTangents(body.Terminator(), active)
	f.withTangents(op, operands, active)
}

// transposeLoop replaces a loop by what is not linear in it, which also stores for each step the values
// that the transpose needs, and creates a loop over the steps from the last to the first.
func transposeLoop(b *backward, op mlir.Operation) {
	count, ok := countTrips(op)
	if !ok {
		if count = b.boundTrips(op); count.n == 0 {
			transform.Fail(op, "the reverse derivative of a loop needs a constant number of steps, to store values of each: "+
				"count the steps up to a constant with add and compare, as builder.Loop does, give the most steps in "+
				"Options.MaxSteps or as the loop's attribute %s (LoopOptions of builder), or use the forward derivative", MaxSteps)
		}
	}
	loop := op.OperandValues()
	known, carried := make([]bool, len(loop)), []mlir.Value{}
	body := op.Region(1).First()
	counter := b.counter()
	types, initial := []mlir.Type{counter}, []mlir.Value{b.Zero(counter)}
	for i, v := range op.Results() {
		if known[i] = !b.linear[v]; !known[i] {
			carried = append(carried, body.Argument(i))
			types = append(types, v.Type())
			initial = append(initial, b.orZero(b.cotangents[v], v.Type()))
		}
	}

	// The transposed step.
	region, to := b.Region(types...)
	part := b.within(to.Terminator())
	yields := body.Terminator().OperandValues()
	body.Terminator().SetOperands(transform.Filter(yields, known)...)
	next := 1
	written := map[int]bool{}
	for i, v := range yields {
		if known[i] {
			continue
		}
		if g := to.Argument(next); count.writes(body, v, body.Argument(i)) {
			written[next] = true
			o, _ := stablehlo.AsDynamicUpdateSlice(v.Owner())
			read := stablehlo.DynamicSliceOp{Operand: g, StartIndices: o.StartIndices,
				SliceSizes: transform.Dims(o.Update)}
			part.add(o.Update, part.Do(read))
			transform.Check(v.Owner().Erase())
		} else {
			part.add(v, g)
		}
		next++
	}
	part.block(body)
	b.recompute(body, to)
	steps := []mlir.Value{part.emitter.add(to.Argument(0), part.Number(counter, 1))}
	for i, v := range carried {
		if written[i+1] {
			steps = append(steps, to.Argument(i+1))
		} else {
			steps = append(steps, part.orZero(part.cotangents[v], v.Type()))
		}
	}
	external := part.outside(body)
	for _, v := range external {
		initial = append(initial, b.Zero(v.Type()))
		steps = append(steps, part.emitter.add(to.AddArgument(v.Type(), b.Loc), part.cotangents[v]))
	}
	to.Terminator().SetOperands(steps...)

	total := b.keep(op, count, known, yields, body, to)

	condition, at := b.Region(mlir.TypesOf(initial)...)
	test := b.within(at.Terminator())
	at.Terminator().SetOperands(test.Compare(stablehlo.CompareLT, at.Argument(0), total))
	transposed := b.Op(stablehlo.WhileOp{Operand: initial, Cond: condition, Body: region})
	result := transposed.Result
	if count.bounded {
		transposed.SetAttribute(MaxSteps, b.count(int(count.n)))
		within := b.Compare(stablehlo.CompareLE, total, b.Number(counter, float64(count.n)))
		result = func(i int) mlir.Value {
			v := transposed.Result(i)
			return b.Select(within, v, b.notANumber(v.Type()))
		}
	}
	next = 1
	for i, v := range loop {
		if !known[i] {
			if !written[next] {
				b.add(v, result(next))
			}
			next++
		}
	}
	for i, v := range external {
		b.add(v, result(next+i))
	}
}

// notANumber returns an array of type t whose elements are all NaN.
func (e *emitter) notANumber(t mlir.Type) mlir.Value {
	if !transform.IsComplex(t) {
		return e.Number(t, math.NaN())
	}
	part := e.notANumber(e.real(e.Zero(t)).Type())
	return e.complex(part, part)
}

// The attributes of a loop that say what Options say, for this loop.
const (
	// MaxSteps is an integer: see Options.MaxSteps.
	MaxSteps = "calliope.max_steps"
	// SqrtSteps is a unit attribute: see Options.SqrtLoops.
	SqrtSteps = "calliope.sqrt_steps"
)

// boundTrips describes a loop whose number of steps is not constant, but at most a number, by the loop's attribute
// or the settings. n is 0 if neither has it.
func (s *settings) boundTrips(op mlir.Operation) trips {
	n := s.maxSteps
	if a, ok := op.Attribute(MaxSteps); ok {
		n, _ = a.Int()
	}
	return trips{n: max(n, 0), variable: -1, bounded: true}
}

// keep replaces a loop by what is not linear in it, and gives the transposed step the values that it
// uses: those that are the same in each step, those that it can compute again at no cost, and the others from an array
// with one element for each step. It returns the number of steps.
func (b *backward) keep(
	op mlir.Operation, count trips, known []bool, yields []mlir.Value, body, to mlir.Block,
) (total mlir.Value) {
	loop := op.OperandValues()
	cond := op.Region(0).First()
	index := mlir.Value{} // of the step in the transposed one
	first := b.within(to.First())
	first.Loc = b.Loc
	counter := to.Argument(0).Type()
	var last mlir.Value // stands for the number of the last step until it is known
	step := func() mlir.Value {
		if index.IsNil() {
			if count.bounded {
				last = to.AddArgument(counter, b.Loc)
				index = first.sub(last, to.Argument(0))
			} else {
				index = first.sub(first.Number(counter, float64(count.n-1)), to.Argument(0))
			}
		}
		return index
	}
	same := map[mlir.Value]mlir.Value{} // the values that do not change, before the transposed loop; nil for others
	var invariant func(v mlir.Value) (mlir.Value, bool)
	invariant = func(v mlir.Value) (mlir.Value, bool) {
		with, ok := same[v]
		switch {
		case ok:
			return with, !with.IsNil()
		case transform.Home(v) != body:
			return v, true
		case v.IsArgument():
			return loop[v.Index()], yields[v.Index()] == v
		case !transform.IsPure(v.Owner()) || v.Owner().NumRegions() > 0 || v.Owner().Name() == "stablehlo.custom_call":
			return v, false
		}
		same[v] = mlir.Value{}
		var operands []mlir.Value
		for _, o := range v.Owner().Operands() {
			o, ok := invariant(o)
			if !ok {
				return v, false
			}
			operands = append(operands, o)
		}
		same[v] = b.Clone(v.Owner(), operands...).Result(v.Index())
		return same[v], true
	}
	again := map[mlir.Value]mlir.Value{}
	var recompute func(v mlir.Value) (mlir.Value, bool)
	recompute = func(v mlir.Value) (mlir.Value, bool) {
		if with, ok := again[v]; ok || transform.Home(v) != body {
			if !ok {
				return v, true
			}
			return with, true
		}
		with, ok := invariant(v)
		switch {
		case ok:
		case v.IsArgument() && v.Index() == count.variable:
			with = first.convert(step(), v.Type())
			if count.step != 1 {
				with = first.scale(with, float64(count.step))
			}
			if count.start != 0 {
				with = first.emitter.add(with, first.Number(v.Type(), float64(count.start)))
			}
		case v.IsArgument() || !isCheap(v.Owner()):
			return v, false
		default:
			var operands []mlir.Value
			for _, o := range v.Owner().Operands() {
				o, ok := recompute(o)
				if !ok {
					return v, false
				}
				operands = append(operands, o)
			}
			with = first.Clone(v.Owner(), operands...).Result(v.Index())
		}
		again[v] = with
		return with, true
	}
	operands := transform.Filter(loop, known)
	var stored []mlir.Value
	for _, v := range residuals(body, to) {
		if with, ok := recompute(v); ok {
			replaceIn(to, v, with)
		} else {
			stored = append(stored, v)
		}
	}
	stored, derived := derive(stored, recompute)

	// The loop that stores them.
	at := &emitter{b.source.Within(body.Terminator())}
	at.Loc = b.Loc
	steps := body.Terminator().OperandValues()
	var number mlir.Value
	carry := func(initial mlir.Value) mlir.Value {
		operands = append(operands, initial)
		cond.AddArgument(initial.Type(), b.Loc)
		return body.AddArgument(initial.Type(), b.Loc)
	}
	switch {
	case count.bounded, len(stored) > 0 && (count.start != 0 || count.step != 1):
		number = carry(at.Zero(counter))
		steps = append(steps, at.add(number, at.Number(counter, 1)))
	case len(stored) > 0:
		number = body.Argument(count.variable)
	}
	taken := len(operands) - 1 // the steps, if they are bounded
	arrays := len(operands)
	for _, v := range stored {
		shape := append([]int64{max(count.n, 1)}, transform.Dims(v)...)
		array := carry(at.Zero(transform.Must(b.Context.TensorType(transform.Element(v.Type()), shape...))))
		start := append([]mlir.Value{number}, slices.Repeat([]mlir.Value{at.Zero(number.Type())}, transform.Rank(v))...)
		shape[0] = 1
		steps = append(steps, at.Do(stablehlo.DynamicUpdateSliceOp{
			Operand: array, Update: at.Reshape(v, shape...), StartIndices: start,
		}))
	}
	body.Terminator().SetOperands(steps...)
	held, heldDerived := hold(to, stored), hold(to, derived)
	for i := len(known) - 1; i >= 0; i-- {
		if !known[i] {
			eraseLinear(cond, i)
			eraseLinear(body, i)
		}
	}
	made := b.Remake(op, operands, mlir.TypesOf(operands))
	transform.Replace(transform.Filter(op.ResultValues(), known), made.ResultValues())
	transform.Check(op.Erase())
	reads := map[mlir.Value]mlir.Value{}
	for i, v := range held {
		shape := append([]int64{1}, transform.Dims(v)...)
		start := append([]mlir.Value{step()}, slices.Repeat([]mlir.Value{first.Zero(counter)}, transform.Rank(v))...)
		read := first.Do(
			stablehlo.DynamicSliceOp{Operand: made.Result(arrays + i), StartIndices: start, SliceSizes: shape})
		reads[stored[i]] = first.Reshape(read, transform.Dims(v)...)
		release(to, []mlir.Value{v}, []mlir.Value{reads[stored[i]]})
	}
	for i, v := range derived {
		var operands []mlir.Value
		for _, o := range v.Owner().Operands() {
			with, ok := reads[o]
			if !ok {
				with, _ = recompute(o)
			}
			operands = append(operands, with)
		}
		release(to, heldDerived[i:i+1], []mlir.Value{first.Clone(v.Owner(), operands...).Result(0)})
	}
	if !count.bounded {
		return b.Number(counter, float64(count.n))
	}
	total = made.Result(taken)
	if !last.IsNil() {
		release(to, []mlir.Value{last}, []mlir.Value{b.sub(total, b.Number(counter, 1))})
	}
	return total
}

// expandLoop replaces a loop by one whose steps are loops of as many steps, of which reverse mode computes all but
// the first values again.
func expandLoop(f *forward, op mlir.Operation) []mlir.Value {
	count, ok := countTrips(op)
	_, own := op.Attribute(SqrtSteps)
	_, part := op.Attribute(recomputed)
	if !f.reverse || !f.sqrtLoops && !own || !ok || count.n < 4 || part || f.split[op] {
		return nil
	}
	body := op.Region(1).First()
	yields := body.Terminator().OperandValues()
	var moving []int // which values change: the steps need not store the others
	for i, v := range body.Arguments() {
		if yields[i] != v {
			moving = append(moving, i)
		}
	}
	all := func(v []mlir.Value) []mlir.Value {
		list := op.OperandValues()
		for k, i := range moving {
			list[i] = v[k]
		}
		return list
	}
	step := func(e *emitter, v []mlir.Value) (next []mlir.Value) {
		var m mlir.Mapping
		for i, v := range all(v) {
			m.Map(body.Argument(i), v)
		}
		for _, op := range transform.Operations(body) {
			e.Before.Block().InsertBefore(e.Before, op.CloneWith(&m))
		}
		for _, i := range moving {
			v := yields[i]
			if with, ok := m.Value(v); ok {
				v = with
			}
			next = append(next, v)
		}
		return next
	}
	var initial []mlir.Value
	for _, i := range moving {
		initial = append(initial, op.Operand(i))
	}
	inner := int64(math.Ceil(math.Sqrt(float64(count.n))))
	outer := f.repeat(count.n/inner, initial, func(e *emitter, v []mlir.Value) []mlir.Value {
		steps := e.repeat(inner, v, step)
		steps.SetAttribute(recomputed, f.tag(e.Context, NothingSaveable))
		return steps.ResultValues()[1:]
	})
	if f.split == nil {
		f.split = map[mlir.Operation]bool{}
	}
	f.split[outer] = true
	if rest := count.n % inner; rest > 0 {
		outer = f.repeat(rest, outer.ResultValues()[1:], step)
		f.split[outer] = true
	}
	return all(outer.ResultValues()[1:])
}

// repeat creates a loop of n steps, which carries their number and values.
func (e *emitter) repeat(
	n int64, values []mlir.Value, step func(e *emitter, v []mlir.Value) []mlir.Value,
) mlir.Operation {
	return e.repeatTo(func(e *emitter) mlir.Value { return e.Number(e.counter(), float64(n)) }, values, step)
}

// repeatTo is repeat with a number of steps that is computed.
func (e *emitter) repeatTo(
	n func(e *emitter) mlir.Value, values []mlir.Value, step func(e *emitter, v []mlir.Value) []mlir.Value,
) mlir.Operation {
	values = append([]mlir.Value{e.Zero(e.counter())}, values...)
	cond, test := e.Region(mlir.TypesOf(values)...)
	body, next := e.Region(mlir.TypesOf(values)...)
	in := &emitter{e.Within(test.Terminator())}
	test.Terminator().SetOperands(in.Compare(stablehlo.CompareLT, test.Argument(0), n(in)))
	in = &emitter{e.Within(next.Terminator())}
	carried := step(in, next.ArgumentValues()[1:])
	one := in.Number(e.counter(), 1)
	next.Terminator().SetOperands(append([]mlir.Value{in.add(next.Argument(0), one)}, carried...)...)
	return e.Op(stablehlo.WhileOp{Operand: values, Cond: cond, Body: body})
}

// counter returns the type of the number of a step.
func (e *emitter) counter() mlir.Type {
	return transform.Must(e.Context.TensorType(e.Context.IntegerType(32, mlir.Signless)))
}

// derive splits values that are to be stored into those that must be, and those that are a sum, a difference or a
// product of the others and of what can be computed again.
func derive(values []mlir.Value, recompute func(mlir.Value) (mlir.Value, bool)) (stored, derived []mlir.Value) {
	left, needed := map[mlir.Value]bool{}, map[mlir.Value]bool{}
	for _, v := range values {
		left[v] = true
	}
	for _, v := range values {
		cheap := !needed[v] && v.IsResult() && isArithmetic(v.Owner()) &&
			!slices.ContainsFunc(v.Owner().OperandValues(), func(o mlir.Value) bool {
				_, again := recompute(o)
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

// trips describes a loop that counts steps: a carried variable has the value start + i·step in step i of n.
type trips struct {
	n           int64
	variable    int
	start, step int64
	bounded     bool // the loop takes at most n steps, and no variable is known
}

// mirrored has the comparison of the operands in the other order.
var mirrored = map[stablehlo.ComparisonDirection]stablehlo.ComparisonDirection{
	stablehlo.CompareLT: stablehlo.CompareGT, stablehlo.CompareLE: stablehlo.CompareGE,
	stablehlo.CompareGT: stablehlo.CompareLT, stablehlo.CompareGE: stablehlo.CompareLE,
	stablehlo.CompareNE: stablehlo.CompareNE, stablehlo.CompareEQ: stablehlo.CompareEQ,
}

// countTrips returns the number of steps of a loop, if it is constant.
func countTrips(op mlir.Operation) (t trips, ok bool) {
	cond, body := op.Region(0).First(), op.Region(1).First()
	test := cond.Terminator().Operand(0)
	if !test.IsResult() {
		return t, false
	}
	c, ok := stablehlo.AsCompare(test.Owner())
	if !ok {
		return t, false
	}
	variable, bound, direction := c.LHS, c.RHS, c.ComparisonDirection
	if !variable.IsArgument() || variable.Block() != cond || isInvariant(op, variable.Index()) {
		variable, bound = bound, variable
		direction = mirrored[direction]
	}
	if !variable.IsArgument() || variable.Block() != cond {
		return t, false
	}
	t.variable = variable.Index()
	if bound.IsArgument() && bound.Block() == cond && isInvariant(op, bound.Index()) {
		bound = op.Operand(bound.Index())
	}
	limit, okLimit := integer(bound)
	start, okStart := integer(op.Operand(t.variable))
	step, okStep := increment(body.Terminator().Operand(t.variable), body.Argument(t.variable))
	for _, n := range []int64{limit, start, step} {
		okLimit = okLimit && -1<<61 < n && n < 1<<61 // so that nothing below overflows
	}
	if !okLimit || !okStart || !okStep || step == 0 {
		return t, false
	}
	t.start, t.step = start, step
	switch distance := limit - start; {
	case direction == stablehlo.CompareLT && step > 0, direction == stablehlo.CompareGT && step < 0:
		t.n = ceil(distance, step)
	case direction == stablehlo.CompareLE && step > 0:
		t.n = ceil(distance+1, step)
	case direction == stablehlo.CompareGE && step < 0:
		t.n = ceil(distance-1, step)
	case direction == stablehlo.CompareNE && distance%step == 0 && distance/step >= 0:
		t.n = distance / step
	default:
		return t, false
	}
	// Where the variable wraps around, the loop goes on.
	end := start + t.n*step
	return t, least(variable.Type()) <= end && end <= greatest(variable.Type())
}

// ceil returns the least number of steps that cover a distance, or 0 for one in the other direction.
func ceil(distance, step int64) int64 {
	if n := distance / step; distance%step == 0 || (distance < 0) != (step < 0) {
		return max(n, 0)
	} else {
		return n + 1
	}
}

// isInvariant reports whether a loop carries a value that it does not change.
func isInvariant(op mlir.Operation, i int) bool {
	body := op.Region(1).First()
	return body.Terminator().Operand(i) == body.Argument(i)
}

// increment returns what is added to a variable.
func increment(next, variable mlir.Value) (int64, bool) {
	if !next.IsResult() {
		return 0, false
	}
	op := next.Owner()
	switch op.Name() {
	case "stablehlo.add":
		if op.Operand(1) == variable {
			return integer(op.Operand(0))
		}
		if op.Operand(0) == variable {
			return integer(op.Operand(1))
		}
	case "stablehlo.subtract":
		if n, ok := integer(op.Operand(1)); ok && op.Operand(0) == variable {
			return -n, true
		}
	}
	return 0, false
}

// writes reports whether a loop carries an array and v after a step, which writes another element of the first
// dimension, all of them in the end. Then nothing is left of the initial value.
func (t trips) writes(body mlir.Block, v, array mlir.Value) bool {
	if t.bounded || t.start != 0 || t.step != 1 || !isMadeBy(v, "stablehlo.dynamic_update_slice") ||
		transform.Home(v) != body || v.HasUses() {
		return false
	}
	o, ok := stablehlo.AsDynamicUpdateSlice(v.Owner())
	if !ok || o.Operand != array || array.NumUses() != 1 || transform.Dims(o.Operand)[0] != t.n ||
		transform.Dims(o.Update)[0] != 1 {
		return false
	}
	for k, n := range transform.Dims(o.Update)[1:] {
		if zero, ok := integer(o.StartIndices[k+1]); n != transform.Dims(o.Operand)[k+1] || !ok || zero != 0 {
			return false
		}
	}
	at := o.StartIndices[0]
	if isMadeBy(at, "stablehlo.subtract") { // from the last one to the first
		last, ok := integer(at.Owner().Operand(0))
		if !ok || last != t.n-1 {
			return false
		}
		at = at.Owner().Operand(1)
	}
	return at == body.Argument(t.variable)
}

// integer returns the value of a constant that is one integer.
func integer(v mlir.Value) (int64, bool) {
	if !v.IsResult() || v.Owner().Name() != "stablehlo.constant" || transform.Rank(v) != 0 {
		return 0, false
	}
	a, _ := v.Owner().Attribute("value")
	e, ok := a.ElementAt()
	if !ok {
		return 0, false
	}
	if n, ok := e.Int(); ok {
		return n, true
	}
	n, ok := e.Uint()
	return int64(n), ok
}
