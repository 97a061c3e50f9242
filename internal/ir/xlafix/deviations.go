package xlafix

import (
	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// A Deviation is an operation of which XLA's CPU compiler makes something else than the module says. Prepare mends it.
type Deviation struct {
	Op    mlir.Operation
	About string // what XLA makes of it, such as "XLA reads only the low six bits of the exponent"
	// Operand is the index of the operand that XLA overwrites although the module returns it, or -1.
	Operand int
}

// Deviations returns the deviations that are certain, or that depend on values which are computed. Prepare assumes the
// worst and changes more: see KeepValues. The index lists the operations of m.
func Deviations(m *mlir.Module, index *mlir.Index) (found []Deviation) {
	add := func(op mlir.Operation, about string) { found = append(found, Deviation{op, about, -1}) }
	calls := index.Has(rewrite.EffectNames...)
	if calls && index.Has("stablehlo.if", "stablehlo.case") {
		for _, w := range overwritten(m) {
			found = append(found, Deviation{w.op,
				"a computation returns the operand, and XLA returns what is written over it", w.operand})
		}
	}
	if calls && index.Has("stablehlo.while") {
		for _, op := range droppedConditions(m) {
			if startsFromConstants(op) {
				add(op, "XLA knows how often the loop runs, and does not evaluate its condition: the calls in it are lost")
			}
		}
		list, functions := function.Defined(m)
		effects := &sideEffects{functions: functions, state: map[string]reading{}}
		for _, op := range emptyLoops(list, effects) {
			if effects.outlives(op) {
				add(op, "the loop runs zero times, and XLA's compiler reads freed memory of the loop whose result it uses")
			}
		}
	}
	if index.Has("stablehlo.while") {
		for _, c := range counters(m) {
			switch reads, _ := c.reading(); reads {
			case tripCountRounded:
				add(c.loop, "the step does not divide the distance of the constant bounds, and XLA loses the last step")
			case tripCountWrong:
				add(c.loop, "the counter wraps between constant bounds, and XLA takes another number of steps")
			case tripCountFatal:
				add(c.loop, "XLA's compiler ends the process on a counter of ui64 that counts down from a constant")
			}
		}
	}
	for _, u := range shiftedUpdates(m, index, true) {
		add(u.op, "the update is computed of the array itself, and XLA reads elements that it has written already")
	}
	for op := range index.Named(branches...) {
		for i, r := range op.Results() {
			if !forwarded(op, i).IsNil() && r.HasUses() {
				add(op, "all branches return one value, and XLA may write over its buffer while it reads the result")
				break
			}
		}
	}
	for op := range index.Named("stablehlo.einsum") {
		from, _ := op.Operand(0).Type().Element()
		if to, _ := op.Result(0).Type().Element(); !to.Equal(from) {
			add(op, "XLA gives the result the element type of the operands")
		}
	}
	for op := range index.Named("stablehlo.bitcast_convert") {
		if joinsBitcasts(op) {
			add(op, "XLA makes one conversion of two, and refuses it, because the bits have another shape")
		}
	}
	for op := range index.Named(reductions...) {
		switch {
		case !losesInitialValue(op):
		case scattersNothing(op):
			add(op, "XLA folds it to zeros, or compiles without end, because there are no windows")
		case op.Name() == "stablehlo.select_and_scatter":
			add(op, "XLA's compiler ends the process on an array without dimensions")
		case trimsElements(op):
			add(op, "XLA's compiler ends the process on windows of one element and padding that removes some")
		case !isUnclear(op):
			add(op, "XLA loses the initial value, or leaves it out around the array")
		}
	}
	for op := range index.Named(indexed...) {
		if losesIndices(op) {
			add(op, "XLA takes constants of unsigned indices for signed ones, and counts in their type, which is too narrow")
		}
	}
	for _, w := range nestedSlices(m, index, true) {
		add(w.op, "XLA makes one slice of two, and adds their starts before it clamps them")
	}
	for op := range index.Named("stablehlo.scatter") {
		switch o, ok := stablehlo.AsScatter(op); {
		case !ok || !isStatic(op):
		case losesUpdates(o):
			add(op, "XLA makes one of the updates, of those whose indices have no numbers")
		case !hasNoIndices(o) && marginsOf(op, o) != nil:
			add(op, "XLA leaves out a window that is partly outside of the array, and not only what is outside")
		}
	}
	for op := range index.Named(arctangents...) {
		if mixesElements(op) {
			add(op, "XLA's vectors of arctangents mix elements, and read memory that is not initialized")
		}
		if isAngleOfZeros(op) {
			add(op, "an exact compile folds the angle of two zeros to NaN")
		}
	}
	for op := range index.Named(onSmallElements...) {
		if takesSmallElements(op) && computesSmallElements(op) {
			add(op, "XLA sorts elements of 2 bits wrongly, cannot join them, and has no code for others of fewer than 8 bits")
		}
	}
	for op := range index.Named("stablehlo.convert") {
		if saturates(op) {
			add(op, "XLA makes the largest integer of the largest number of 4 bits")
		}
		if losesWrap(op) {
			add(op, "XLA computes integers of 4 bits in 8 bits, and leaves out the conversion to 8 bits that would wrap them")
		}
		if roundsTwice(op) && !takesExact(index, op.Operand(0)) {
			add(op, "XLA rounds the numbers to f32 first, so that those next to the middle of two results are wrong")
		}
	}
	for op := range index.Named("stablehlo.round_nearest_afz", "stablehlo.round_nearest_even") {
		if element, _ := op.Result(0).Type().Element(); isF8E3M4(element) && isConstant(op.Operand(0)) {
			add(op, "XLA folds each rounding of a constant of f8E3M4 to NaN")
		}
	}
	for op := range index.Named("stablehlo.sqrt") {
		if element, _ := op.Result(0).Type().Element(); isF8E3M4(element) {
			add(op, "XLA rounds a root of f8E3M4 to f16 first, so that one next to the middle of two numbers is wrong")
		}
	}
	if hasFloat8s(m, index) {
		for op := range float8Chains(index, longChain) {
			add(op, "XLA compiles chains of operations on numbers of 8 bits in a time that grows exponentially with their length")
		}
	}
	for op := range index.Named(divisions...) {
		if dividesByZero(op) {
			add(op, "some plugins end the process where they fold a quotient by 0")
		}
	}
	for op := range index.Named("stablehlo.popcnt") {
		element, _ := op.Result(0).Type().Element()
		if bits, sign, ok := element.IntegerWidth(); ok && bits < 8 && sign != mlir.Unsigned {
			add(op, "XLA counts the bits of a wider integer")
		}
	}
	for op := range index.Named("stablehlo.add", "chlo.broadcast_add") {
		if addsBooleans(op) {
			add(op, "XLA folds the sum of true and true to false")
		}
	}
	for op := range index.Named("stablehlo.rng_bit_generator") {
		if isSignedGenerator(op) {
			add(op, "XLA returns random bits as unsigned integers")
		}
	}
	for op := range index.Named("stablehlo.power", "chlo.broadcast_power") {
		switch {
		case !ofIntegers(op):
		case divides(op.Result(0)):
			add(op, "XLA takes the quotient by a power of integers for a product with a negative power, which is 0")
		case !hasSixBits(op.Operand(1)):
			add(op, "XLA reads only the low six bits of the exponent of an integer")
		}
	}
	return found
}

// overwritten returns the writes over a value that a computation returns alone: main, or a branch. XLA removes the copy
// for a write in a branch inside the computation.
func overwritten(m *mlir.Module) (found []write) {
	list, functions := function.Defined(m)
	effects := &sideEffects{functions: functions, state: map[string]reading{}}
	for _, f := range list {
		name, _ := f.Symbol()
		if effects.read(name) == callsItself || f.Region(0).NumBlocks() != 1 {
			return nil // XLA refuses the module
		}
	}
	s := readStorage(list, functions, true)
	returned := map[mlir.Value]bool{} // sets
	for _, end := range s.ends {
		around := end.Parent()
		if around.Name() == "func.func" || isBranch(around) && s.computedIn(end.Operand(0), end.Block().Region()) {
			returned[s.values.find(end.Operand(0))] = true
		}
	}
	for _, w := range s.writes {
		v := w.op.Operand(w.operand)
		if (w.op.Name() == "stablehlo.custom_call" || w.op.Name() == "stablehlo.while") && effects.hasEffects(w.op) &&
			returned[s.values.find(v)] && !s.isToken(v) && s.fromOutside(v, w.op) && canRenew(v) {
			found = append(found, w)
		}
	}
	return found
}

// computedIn reports whether a region computes a value, and no call passes it in.
func (s *storage) computedIn(v mlir.Value, region mlir.Region) bool {
	root := s.values.find(v)
	for _, v := range append(s.members[root], root) {
		if !within(v, region) {
			return false
		}
	}
	return true
}

// startsFromConstants reports whether a condition depends at first only on constants.
func startsFromConstants(loop mlir.Operation) bool {
	test := loop.Region(0).First()
	seen := map[mlir.Value]bool{}
	var constant func(v mlir.Value) bool
	constant = func(v mlir.Value) bool {
		if v.IsArgument() {
			if v.Block() != test {
				return false
			}
			v = loop.Operand(v.Index())
			_, ok := rewrite.ConstantOf(v)
			return ok
		}
		if _, ok := rewrite.ConstantOf(v); ok || seen[v] {
			return true
		}
		seen[v] = true
		if v.Owner().Block() != test || v.Owner().NumOperands() == 0 || isEffect(v.Owner()) {
			return false
		}
		for _, operand := range v.Owner().Operands() {
			if !constant(operand) {
				return false
			}
		}
		return true
	}
	return constant(test.Terminator().Operand(0))
}

// outlives reports whether a loop with side effects is all that uses another loop, without side effects: XLA removes
// both while it looks at the first one.
func (r *sideEffects) outlives(loop mlir.Operation) (found bool) {
	if !r.hasEffects(loop) {
		return false
	}
	loop.Walk(func(op mlir.Operation) mlir.WalkAction {
		for _, v := range op.Operands() {
			found = found || v.IsResult() && v.Owner().Name() == "stablehlo.while" && !loop.Encloses(v) &&
				!r.hasEffects(v.Owner()) && usedIn(v.Owner(), loop)
		}
		if found {
			return mlir.WalkStop
		}
		return mlir.WalkContinue
	})
	return found
}

// usedIn reports whether nothing but another operation, and those in it, uses the results of an operation.
func usedIn(op, other mlir.Operation) bool {
	for _, v := range op.Results() {
		for use := range v.Uses() {
			user := use.Owner
			for !user.Equal(other) {
				if user = user.Parent(); user.IsNil() {
					return false
				}
			}
		}
	}
	return true
}

// divides reports whether a value is the divisor of a quotient.
func divides(v mlir.Value) bool {
	for use := range v.Uses() {
		if use.Owner.Name() == "stablehlo.divide" && use.Operand == 1 {
			return true
		}
	}
	return false
}
