package autodiff

import (
	"math"
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
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

	total := b.keeperOf(op, count, yields, to).keep(known)

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
