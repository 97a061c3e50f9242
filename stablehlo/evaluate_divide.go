package stablehlo

import (
	"github.com/calliope-mlir/calliope/mlir"
)

// The interpreter divides integers as the processor does, which ends the process for a divisor of zero, and may for the
// least integer by -1. So such a division is by 1 there, and the result is what XLA and package jit return: all bits
// set for x / 0, x for the remainder, and the least integer and 0 for its division by -1.

// divides reports whether an operation divides integers.
func divides(op mlir.Operation) bool {
	if op.Name() != "stablehlo.divide" && op.Name() != "stablehlo.remainder" {
		return false
	}
	element, _ := op.Result(0).Type().Element()
	_, _, ok := element.IntegerWidth()
	return ok
}

// divideSafely keeps the divisor of an operation from zero and -1.
func divideSafely(op mlir.Operation) error {
	x, y, result := op.Operand(0), op.Operand(1), op.Result(0)
	t := result.Type()
	element, _ := t.Element()
	_, sign, _ := element.IntegerWidth()
	b := mlir.NewBuilder(mlir.Before(op), op.Location())
	is := func(n int64) mlir.Value {
		return CompareOp{LHS: y, RHS: splat(b, t, n), ComparisonDirection: CompareEQ}.Create(b).Result(0)
	}
	pick := func(b *mlir.Builder, p, v, otherwise mlir.Value) mlir.Value {
		return SelectOp{Pred: p, OnTrue: v, OnFalse: otherwise}.Create(b).Result(0)
	}
	one, zero := splat(b, t, 1), is(0)
	y = pick(b, zero, one, y)
	byZero := x
	if op.Name() == "stablehlo.divide" {
		byZero = NotOp{Operand: splat(b, t, 0)}.Create(b).Result(0)
	}
	var minus, negated mlir.Value
	if sign != mlir.Unsigned {
		y = op.Operand(1)
		minus = is(-1)
		y = pick(b, minus, one, pick(b, zero, one, y))
		negated = NegateOp{Operand: x}.Create(b).Result(0)
	}
	if err := b.Err(); err != nil {
		return err
	}
	op.SetOperand(1, y)
	after := b.At(mlir.After(op))
	v := result
	if sign != mlir.Unsigned && op.Name() == "stablehlo.divide" {
		v = pick(after, minus, negated, v)
	}
	v = pick(after, zero, byZero, v)
	if err := after.Err(); err != nil {
		return err
	}
	first := v.Owner()
	if v.Owner().Operand(2) != result {
		first = v.Owner().Operand(2).Owner()
	}
	result.ReplaceAllUsesExcept(v, first)
	return nil
}
