package xlafix

import (
	"math/big"

	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// CorrectTripCounts makes XLA run loops as often as they say. XLA reads from constants how often a loop runs, whose
// condition compares one counter, and whose body adds a constant to it. It then runs the body so often, or folds the
// loop. It gets the number wrong
//
//   - of a step above 1 that does not divide the distance: CorrectTripCounts rounds the bound up, so that it does,
//   - of a counter that wraps, as an unsigned one does that counts down, and of a comparison that holds until the
//     counter wraps: CorrectTripCounts adds in the integers of the other signedness, which costs nothing, and which XLA
//     does not read.
//
// It adds so, too, where XLA may find constants that CorrectTripCounts does not, and in counters that are unsigned or
// narrower than 32 bits, where their last value is used, on which a plugin ends the process. It leaves others with a
// step of 1 that are below the bound, and signed ones that count down. It returns the number of loops that it changed.
func CorrectTripCounts(m *mlir.Module) (int, error) {
	n := 0
	for _, c := range counters(m) {
		reads, final := c.reading()
		if reads == tripCountRight {
			continue
		}
		if reads == tripCountRounded {
			n++
			if err := c.round(final); err != nil {
				return n, err
			}
		} else if !hidesStep(c.update) { // of a function that two loops call
			n++
			if err := c.hide(); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// A counter is the value of a loop that alone decides how often it runs.
type counter struct {
	loop   mlir.Operation
	index  int            // of the operand
	test   mlir.Value     // whether the loop goes on
	update mlir.Operation // an addition or a subtraction, perhaps in a function that the body calls
}

// counters returns those of all loops that have one.
func counters(m *mlir.Module) (found []counter) {
	list, functions := function.Defined(m)
	for _, f := range list {
		f.Walk(func(op mlir.Operation) mlir.WalkAction {
			if op.Name() == "stablehlo.while" {
				if c, ok := counterOf(op, functions); ok {
					found = append(found, c)
				}
			}
			return mlir.WalkContinue
		})
	}
	return found
}

func counterOf(loop mlir.Operation, functions map[string]mlir.Operation) (c counter, ok bool) {
	test, body := loop.Region(0).First().Terminator(), loop.Region(1).First().Terminator()
	if test.IsNil() || body.IsNil() || test.NumOperands() != 1 || body.NumOperands() != loop.NumOperands() {
		return c, false
	}
	c = counter{loop: loop, index: -1, test: test.Operand(0)}
	if !c.decides(c.test, map[mlir.Value]bool{}) || c.index < 0 {
		return c, false
	}
	v := body.Operand(c.index)
	for range 64 { // functions that call one another
		if !v.IsResult() {
			return c, false
		}
		name, called := function.Callee(v.Owner())
		if !called {
			break
		}
		callee, defined := functions[name]
		if !defined || !rewrite.IsPlain(callee) {
			return c, false
		}
		v = callee.Region(0).First().Terminator().Operand(v.Index())
	}
	if _, _, integer := integerScalar(v); !integer || v.IsArgument() {
		return c, false
	}
	c.update = v.Owner()
	return c, c.update.Name() == "stablehlo.add" || c.update.Name() == "stablehlo.subtract" || hidesStep(c.update)
}

// decides reports whether a value in the condition depends on one operand of the loop that changes, and sets its index.
// The value must consist of scalars, because XLA reads no others.
func (c *counter) decides(v mlir.Value, seen map[mlir.Value]bool) bool {
	if seen[v] || !c.loop.Encloses(v) {
		return true
	}
	seen[v] = true
	if v.IsArgument() {
		switch {
		case invariant(c.loop, v.Index()) || v.Index() == c.index:
			return true
		case c.index >= 0 || !v.Block().Equal(c.loop.Region(0).First()):
			return false
		}
		c.index = v.Index()
		_, _, integer := integerScalar(v)
		return integer
	}
	op := v.Owner()
	if dims, ranked := v.Type().Dims(); !ranked || len(dims) > 0 || op.NumRegions() > 0 || isEffect(op) {
		return false
	}
	for _, operand := range op.Operands() {
		if !c.decides(operand, seen) {
			return false
		}
	}
	return true
}

// invariant reports whether the body of a loop returns an operand as it is.
func invariant(loop mlir.Operation, index int) bool {
	v := loop.Region(1).First().Terminator().Operand(index)
	return v.IsArgument() && v.Block().Equal(loop.Region(1).First()) && v.Index() == index
}

// integerScalar returns the width and the signedness of a scalar, and whether it is an integer that XLA may read.
func integerScalar(v mlir.Value) (bits int, unsigned, ok bool) {
	element, _ := v.Type().Element()
	dims, ranked := v.Type().Dims()
	bits, sign, isInteger := element.IntegerWidth()
	return bits, sign == mlir.Unsigned, ranked && len(dims) == 0 && isInteger && bits > 1 && bits <= 64
}

// integerOf returns an integer that constants state, perhaps through operands of loops that do not change.
func integerOf(v mlir.Value) (*big.Int, bool) {
	for v.IsArgument() {
		around := v.Block().Parent()
		if around.IsNil() || around.Name() != "stablehlo.while" || !invariant(around, v.Index()) {
			return nil, false
		}
		v = around.Operand(v.Index())
	}
	n, ok := rewrite.ConstantOf(v)
	if !ok {
		return nil, false
	}
	if _, unsigned, _ := integerScalar(v); unsigned {
		return new(big.Int).SetUint64(uint64(n)), true
	}
	return big.NewInt(n), true
}

// A tripCount is how XLA reads the number of steps of a loop.
type tripCount int

const (
	tripCountRight   tripCount = iota // or not at all
	tripCountRounded                  // wrong, and right with another bound
	tripCountDoubtful
	tripCountWrong
	tripCountFatal // XLA's compiler ends the process
)

// reading returns how XLA reads the number of steps, and the first value of the counter that is not below the bound, if
// that is to be the bound.
func (c *counter) reading() (reads tripCount, final *big.Int) {
	if hidesStep(c.update) {
		return tripCountRight, nil
	}
	step, known := c.step()
	if !known || c.addsTwice() {
		return tripCountDoubtful, nil
	}
	if step.Sign() <= 0 {
		return tripCountRight, nil // XLA tries all steps
	}
	first, firstKnown := integerOf(c.loop.Operand(c.index))
	if !step.IsInt64() {
		if firstKnown && first.IsInt64() {
			return tripCountFatal, nil
		}
		return tripCountDoubtful, nil
	}
	direction, bound, plain := c.comparison()
	bits, unsigned, _ := integerScalar(c.update.Result(0))
	// A plugin ends the process where it computes the last value of such a counter.
	used := (unsigned || bits < 32) && c.loop.Result(c.index).HasUses()
	if !plain {
		return tripCountDoubtful, nil
	}
	last, lastKnown := integerOf(bound)
	known = firstKnown && lastKnown
	switch direction {
	case stablehlo.CompareEQ, stablehlo.CompareNE:
		if used { // XLA may know that the counter is below the bound
			return tripCountDoubtful, nil
		}
		return tripCountRight, nil // XLA tries all steps
	case stablehlo.CompareGT, stablehlo.CompareGE:
		return c.readUpwards(direction == stablehlo.CompareGT, first, last, step, known), nil
	}
	one := big.NewInt(1)
	switch {
	case used && step.Cmp(one) == 0:
		return tripCountDoubtful, nil
	case step.Cmp(one) == 0 && (direction == stablehlo.CompareLT || !lastKnown || last.Cmp(c.largest()) < 0):
		return tripCountRight, nil
	case !known:
		return tripCountDoubtful, nil
	case direction == stablehlo.CompareLE:
		last = new(big.Int).Add(last, one)
	}
	distance := new(big.Int).Sub(last, first)
	steps, rest := new(big.Int).DivMod(distance, step, new(big.Int))
	if rest.Sign() > 0 {
		steps.Add(steps, one)
	}
	final = steps.Mul(steps, step).Add(steps, first)
	switch {
	case distance.Sign() <= 0:
		return tripCountDoubtful, nil
	case final.Cmp(c.largest()) > 0:
		return tripCountWrong, nil
	case used:
		return tripCountDoubtful, nil
	case rest.Sign() > 0 && direction == stablehlo.CompareLT:
		return tripCountRounded, final
	}
	return tripCountRight, nil
}

// readUpwards is reading for a counter that is above the bound and goes up, until it wraps. XLA takes it for one below
// the bound.
func (c *counter) readUpwards(strict bool, first, last, step *big.Int, known bool) tripCount {
	if _, unsigned, _ := integerScalar(c.update.Result(0)); !known || unsigned {
		return tripCountDoubtful
	}
	runs := first.Cmp(last) >= 0
	if strict {
		runs = first.Cmp(last) > 0
		last = new(big.Int).Sub(last, big.NewInt(1))
	}
	rest := new(big.Int).Sub(last, first)
	if rest.Mod(rest, step); runs && first.Sign() >= 0 && last.Cmp(rest) >= 0 {
		return tripCountWrong
	}
	return tripCountDoubtful
}

// step returns what XLA takes for the step: a number that is added, which is positive if the counter is unsigned. A
// step of 0 stands for an update that XLA does not read.
func (c *counter) step() (*big.Int, bool) {
	n, known := integerOf(c.update.Operand(1))
	if !known && c.update.Name() == "stablehlo.add" {
		n, known = integerOf(c.update.Operand(0))
	} else if !known {
		_, known = integerOf(c.update.Operand(0))
		return new(big.Int), known // c - i
	}
	if !known || c.update.Name() == "stablehlo.add" {
		return n, known
	}
	bits, unsigned, _ := integerScalar(c.update.Result(0))
	n = new(big.Int).Neg(n)
	if modulus := new(big.Int).Lsh(big.NewInt(1), uint(bits)); unsigned {
		n.Mod(n, modulus)
	} else if n.Cmp(c.largest()) > 0 {
		n.Sub(n, modulus)
	}
	return n, true
}

// addsTwice reports whether what is updated is a sum already, of which XLA may make one.
func (c *counter) addsTwice() bool {
	for _, v := range c.update.Operands() {
		if v.IsResult() && (v.Owner().Name() == "stablehlo.add" || v.Owner().Name() == "stablehlo.subtract") {
			return true
		}
	}
	return false
}

// largest returns the largest value of the counter's type.
func (c *counter) largest() *big.Int {
	bits, unsigned, _ := integerScalar(c.update.Result(0))
	if !unsigned {
		bits--
	}
	n := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	return n.Sub(n, big.NewInt(1))
}

// comparison returns the comparison of the counter with the bound, the counter first, and whether the condition is one.
func (c *counter) comparison() (d stablehlo.ComparisonDirection, bound mlir.Value, plain bool) {
	if c.test.IsArgument() {
		return d, bound, false
	}
	compare, ok := stablehlo.AsCompare(c.test.Owner())
	isCounter := func(v mlir.Value) bool {
		return v.IsArgument() && v.Block().Equal(c.loop.Region(0).First()) && v.Index() == c.index
	}
	switch {
	case ok && isCounter(compare.LHS) && !isCounter(compare.RHS):
		return compare.ComparisonDirection, compare.RHS, true
	case ok && isCounter(compare.RHS) && !isCounter(compare.LHS):
		reversed := map[stablehlo.ComparisonDirection]stablehlo.ComparisonDirection{
			stablehlo.CompareLT: stablehlo.CompareGT, stablehlo.CompareLE: stablehlo.CompareGE,
			stablehlo.CompareGT: stablehlo.CompareLT, stablehlo.CompareGE: stablehlo.CompareLE,
			stablehlo.CompareEQ: stablehlo.CompareEQ, stablehlo.CompareNE: stablehlo.CompareNE,
		}
		return reversed[compare.ComparisonDirection], compare.LHS, true
	}
	return d, bound, false
}

// round makes final the bound.
func (c *counter) round(final *big.Int) error {
	compare := c.test.Owner()
	bound := 1
	if _, v, _ := c.comparison(); v.Equal(compare.Operand(0)) {
		bound = 0
	}
	e := &powerExpander{before(compare), compare.Operand(bound).Type()}
	v := e.integer(final)
	if e.Cause() == nil {
		compare.SetOperand(bound, v)
	}
	return e.Cause()
}

// hide updates the counter in the integers of the other signedness.
func (c *counter) hide() error {
	t := c.update.Result(0).Type()
	bits, unsigned, _ := integerScalar(c.update.Result(0))
	sign := mlir.Unsigned
	if unsigned {
		sign = mlir.Signless
	}
	other, err := withElement(t, t.Context().IntegerType(bits, sign))
	if err != nil {
		return err
	}
	e := before(c.update)
	x := stablehlo.Convert(e.Builder, other, c.update.Operand(0))
	y := stablehlo.Convert(e.Builder, other, c.update.Operand(1))
	if c.update.Name() == "stablehlo.add" {
		x = stablehlo.Add(e.Builder, x, y)
	} else {
		x = stablehlo.Subtract(e.Builder, x, y)
	}
	updated := stablehlo.Convert(e.Builder, t, x)
	if e.Cause() != nil {
		return e.Cause()
	}
	for name, a := range c.update.Attributes() { // shardings
		updated.Owner().SetAttribute(name, a)
	}
	c.update.Result(0).ReplaceAllUses(updated)
	return c.update.Erase()
}

// hidesStep reports whether an operation is the last that hide adds.
func hidesStep(op mlir.Operation) bool {
	if op.Name() != "stablehlo.convert" || !op.Operand(0).IsResult() {
		return false
	}
	sum := op.Operand(0).Owner()
	return sum.Name() == "stablehlo.add" || sum.Name() == "stablehlo.subtract"
}
