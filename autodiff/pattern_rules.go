package autodiff

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// patterns has by the name of their last operation what operations compute together, for which JAX has a rule: at some
// points the rules of the single operations are conventions, or not defined.
var patterns map[string][]func(op mlir.Operation) (r rule, ok bool)

func init() { // the rules refer to the table
	patterns = map[string][]func(mlir.Operation) (rule, bool){
		"stablehlo.custom_call": {asSolve},
		"stablehlo.add":         {asLogAddExp, asMaclaurin, asGamma},
		"stablehlo.divide":      {asReciprocalPower},
		"stablehlo.dot_general": {asPseudoinverse},
		"stablehlo.log":         {asLogit},
		"stablehlo.multiply":    {asDeterminant, asGamma},
		"stablehlo.select":      {asLogAddExp, asProductWithLog, asLog1MExp, asLogDeterminant, asLogGamma},
	}
}

// known returns the rule of an operation, or of what it computes together with others.
func known(op mlir.Operation) rule {
	for _, pattern := range patterns[op.Name()] {
		if r, ok := pattern(op); ok {
			return r
		}
	}
	return ruleFor(op)
}

// sumOf is the rule of a result whose tangent is a sum with a part for the tangent g of each of some values, which
// multiplies each element of g by a number.
func sumOf(values []mlir.Value, part func(e *emitter, g mlir.Value, i int) mlir.Value) rule {
	return rule{
		jvp: func(f *forward, op mlir.Operation) {
			for i, v := range values {
				if g := f.tangent(v); !g.IsNil() {
					f.accumulate(op.Result(0), part(f.emitter, g, i))
				}
			}
		},
		vjp: func(b *backward, op mlir.Operation) {
			for i, v := range values {
				if b.linear[v] {
					b.add(v, part(b.emitter, b.cotangent(op), i))
				}
			}
		},
	}
}

// madeFrom returns what a chain of operations of one operand, the last one first, is applied to.
func madeFrom(v mlir.Value, names ...string) (x mlir.Value, ok bool) {
	for _, name := range names {
		if !isMadeBy(v, "stablehlo."+name) {
			return x, false
		}
		v = v.Owner().Operand(0)
	}
	return v, true
}

// asProductWithLog knows x·log(y) and x·log(1 + y) with 0 where x is 0, unless y is NaN: xlogy and xlog1py of JAX.
func asProductWithLog(op mlir.Operation) (r rule, ok bool) {
	is, product := op.Operand(0), op.Operand(1)
	if !transform.IsFloat(op.Result(0).Type()) || !isMadeBy(is, "stablehlo.or") ||
		!isMadeBy(product, "stablehlo.multiply") ||
		!isZeros(op.Operand(2)) {
		return r, false
	}
	x, log := product.Owner().Operand(0), product.Owner().Operand(1)
	isX, of := unspread(is.Owner().Operand(0), x)
	isY, inner := unspread(is.Owner().Operand(1), log)
	y, plain := madeFrom(inner, "log")
	if !plain {
		if y, ok = madeFrom(inner, "log_plus_one"); !ok {
			return r, false
		}
	}
	if !isUnequal(isX, of, isZeros) || !isUnequal(isY, y, func(v mlir.Value) bool { return v == y }) {
		return r, false
	}
	if inner != log { // one y for several x: the derivative of the logarithm comes next
		values := []mlir.Value{x, log}
		return sumOf(values, func(e *emitter, g mlir.Value, i int) mlir.Value { return e.mul(g, values[1-i]) }), true
	}
	if x == y && plain { // in one part, because x/x is not defined at 0
		return sumOf([]mlir.Value{x}, func(e *emitter, g mlir.Value, _ int) mlir.Value {
			return e.mul(g, e.add(log, e.like(x, 1)))
		}), true
	}
	return sumOf([]mlir.Value{x, y}, func(e *emitter, g mlir.Value, i int) mlir.Value {
		if i == 0 {
			return e.mul(g, log)
		}
		by := y
		if !plain {
			by = e.add(y, e.like(y, 1))
		}
		return e.div(e.mul(g, x), by)
	}), true
}

// unspread returns what v and w are broadcast from, if both are, in the same way. Otherwise it returns v and w.
func unspread(v, w mlir.Value) (mlir.Value, mlir.Value) {
	const name, key = "stablehlo.broadcast_in_dim", "broadcast_dimensions"
	if !isMadeBy(v, name) || !isMadeBy(w, name) {
		return v, w
	}
	a, _ := v.Owner().Attribute(key)
	b, _ := w.Owner().Attribute(key)
	if x, y := v.Owner().Operand(0), w.Owner().Operand(0); a == b &&
		slices.Equal(transform.Dims(x), transform.Dims(y)) {
		return x, y
	}
	return v, w
}

// isUnequal reports whether a value says where x is not another value that is accepted.
func isUnequal(v, x mlir.Value, accepts func(v mlir.Value) bool) bool {
	if !isMadeBy(v, "stablehlo.compare") {
		return false
	}
	c, _ := stablehlo.AsCompare(v.Owner())
	return c.ComparisonDirection == stablehlo.CompareNE && c.LHS == x && accepts(c.RHS)
}

// asLog1MExp knows log(1 - exp(-x)) by two formulas, as JAX's log1mexp.
func asLog1MExp(op mlir.Operation) (r rule, ok bool) {
	x, ok1 := madeFrom(op.Operand(1), "log", "negate", "exponential_minus_one", "negate")
	y, ok2 := madeFrom(op.Operand(2), "log_plus_one", "negate", "exponential", "negate")
	if !ok1 || !ok2 || x != y {
		return r, false
	}
	return sumOf([]mlir.Value{x}, func(e *emitter, g mlir.Value, _ int) mlir.Value {
		return e.div(g, e.Unary(stablehlo.ExponentialMinusOne, x))
	}), true
}

// asLogit knows log(x/(1 - x)).
func asLogit(op mlir.Operation) (r rule, ok bool) {
	odds := op.Operand(0)
	if !isMadeBy(odds, "stablehlo.divide") {
		return r, false
	}
	x, rest := odds.Owner().Operand(0), odds.Owner().Operand(1)
	if !isMadeBy(rest, "stablehlo.subtract") || !isOne(rest.Owner().Operand(0)) || rest.Owner().Operand(1) != x {
		return r, false
	}
	return sumOf([]mlir.Value{x}, func(e *emitter, g mlir.Value, _ int) mlir.Value {
		return e.div(g, e.mul(x, rest))
	}), true
}

// asReciprocalPower knows c/xⁿ, where xⁿ is a product, as JAX writes powers. That of the quotient is not defined where
// the power is infinite.
func asReciprocalPower(op mlir.Operation) (r rule, ok bool) {
	c, constant := splat(op.Operand(0))
	power := op.Operand(1)
	x, n := asPower(power, 6)
	if !constant || n < 2 {
		return r, false
	}
	return sumOf([]mlir.Value{x}, func(e *emitter, g mlir.Value, _ int) mlir.Value {
		return e.mul(g, e.div(e.like(x, -float64(n)*c), e.mul(power, x)))
	}), true
}

// asPower returns x and n of a value that is xⁿ by products in a depth at most.
func asPower(v mlir.Value, depth int) (x mlir.Value, n int) {
	if depth > 0 && isMadeBy(v, "stablehlo.multiply") {
		a, b := v.Owner().Operand(0), v.Owner().Operand(1)
		x, n := asPower(a, depth-1)
		if a == b {
			return x, 2 * n
		}
		if y, m := asPower(b, depth-1); x == y {
			return x, n + m
		}
	}
	return v, 1
}

// asMaclaurin knows the derivative of sin(x)/x at 0 of an order, which is a number, as 0·x plus the number. JAX adds
// the product so that it depends on x.
func asMaclaurin(op mlir.Operation) (r rule, ok bool) {
	a, ok := op.Attribute(transform.Sinc)
	if !ok || !isMadeBy(op.Operand(0), "stablehlo.multiply") {
		return r, false
	}
	order, _ := a.Int()
	x := op.Operand(0).Owner().Operand(0)
	return sumOf([]mlir.Value{x}, func(e *emitter, g mlir.Value, _ int) mlir.Value {
		number := 0. // of the next order
		switch order % 4 {
		case 1:
			number = -1 / float64(order+2)
		case 3:
			number = 1 / float64(order+2)
		}
		i64 := e.Context.IntegerType(64, mlir.Signless)
		sum := e.add(e.scale(x, 0), e.like(x, number))
		sum.Owner().SetAttribute(transform.Sinc, e.Context.IntegerAttribute(i64, order+1))
		return e.mul(g, sum)
	}), true
}
