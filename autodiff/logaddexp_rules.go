package autodiff

import (
	"math"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// logAddExp is the logarithm of exp(x) + exp(y), as max(x, y) + log(1 + exp(-|x - y|)), which JAX and others write for
// softplus and logaddexp. Where x is y, the derivatives of these terms are conventions that do not add up to its own.
type logAddExp struct {
	x, y  mlir.Value
	scale float64 // the natural logarithm of the base, 1 for e
}

// asLogAddExp returns what an operation computes the logarithm of. That may be JAX's selection of x + y where x - y is
// NaN.
func asLogAddExp(op mlir.Operation) (r rule, ok bool) {
	if !transform.IsFloat(op.Result(0).Type()) {
		return r, false
	}
	var l logAddExp
	if op.Name() != "stablehlo.select" {
		l, ok = logOfSum(op.Result(0))
		return l.rule(op.Result(0)), ok
	}
	pred := op.Operand(0)
	if l, ok = logOfSum(op.Operand(2)); !ok || !isMadeBy(pred, "stablehlo.compare") {
		return r, false
	}
	c, _ := stablehlo.AsCompare(pred.Owner())
	isNaN := c.ComparisonDirection == stablehlo.CompareNE && c.LHS == c.RHS && l.joins("stablehlo.subtract", c.LHS)
	return l.rule(op.Result(0)), isNaN && l.joins("stablehlo.add", op.Operand(1))
}

func logOfSum(v mlir.Value) (l logAddExp, ok bool) {
	if !isMadeBy(v, "stablehlo.add") {
		return l, false
	}
	larger, rest := v.Owner().Operand(0), v.Owner().Operand(1)
	if !isMadeBy(larger, "stablehlo.maximum") {
		larger, rest = rest, larger
	}
	if !isMadeBy(larger, "stablehlo.maximum") {
		return l, false
	}
	l.x, l.y = larger.Owner().Operand(0), larger.Owner().Operand(1)
	rest, inverse := factor(rest)
	for i, name := range []string{"log_plus_one", "exponential", "negate", "abs"} {
		if !isMadeBy(rest, "stablehlo."+name) {
			return l, false
		}
		if rest = rest.Owner().Operand(0); i == 1 {
			rest, l.scale = factor(rest)
		}
	}
	return l, math.Abs(l.scale*inverse-1) < 0.01 && l.joins("stablehlo.subtract", rest) // the numbers may be bf16
}

// factor returns the operand and the number of a product with one, or 1.
func factor(v mlir.Value) (mlir.Value, float64) {
	if isMadeBy(v, "stablehlo.multiply") {
		for i, x := range v.Owner().Operands() {
			if c, ok := splat(x); ok {
				return v.Owner().Operand(1 - i), c
			}
		}
	}
	return v, 1
}

// joins reports whether a value is the sum or the difference of x and y, in any order.
func (l logAddExp) joins(operation string, v mlir.Value) bool {
	same := func(v, w mlir.Value) bool {
		x, ok := splat(v)
		y, both := splat(w)
		return v == w || ok && both && x == y
	}
	if same(v, l.x) && isZeros(l.y) || same(v, l.y) && isZeros(l.x) {
		return true
	}
	if !isMadeBy(v, operation) {
		return false
	}
	a, b := v.Owner().Operand(0), v.Owner().Operand(1)
	return same(a, l.x) && same(b, l.y) || same(a, l.y) && same(b, l.x)
}

func (l logAddExp) rule(z mlir.Value) rule {
	values := []mlir.Value{l.x, l.y}
	return sumOf(values, func(e *emitter, g mlir.Value, i int) mlir.Value { return e.mul(g, l.slope(e, values[i], z)) })
}

// slope returns the derivative of the result z with respect to v, exp(v - z). It is 1 where v is +Inf, and NaN where
// both operands are -Inf, as in JAX.
func (l logAddExp) slope(e *emitter, v, z mlir.Value) mlir.Value {
	infinite := e.Compare(stablehlo.CompareEQ, v, e.like(v, math.Inf(1)))
	d := e.Select(infinite, e.like(v, 0), e.sub(v, z))
	if l.scale != 1 {
		d = e.scale(d, l.scale)
	}
	return e.Unary(stablehlo.Exponential, d)
}
