package builder

import (
	"strings"

	"github.com/calliope-mlir/calliope/stablehlo"
)

// Abs is |x|, element by element.
func Abs(x Value) Value { return unary(stablehlo.Abs, x) }

// Cos is the cosine of x, element by element.
func Cos(x Value) Value { return unary(stablehlo.Cosine, x) }

// Exp is e to the power of x, element by element.
func Exp(x Value) Value { return unary(stablehlo.Exponential, x) }

// Log is the natural logarithm of x, element by element.
func Log(x Value) Value { return unary(stablehlo.Log, x) }

// Neg is -x, element by element.
func Neg(x Value) Value { return unary(stablehlo.Negate, x) }

// Not is the complement of x, bit by bit.
func Not(x Value) Value { return unary(stablehlo.Not, x) }

// Sin is the sine of x, element by element.
func Sin(x Value) Value { return unary(stablehlo.Sine, x) }

// Sqrt is the square root of x, element by element.
func Sqrt(x Value) Value { return unary(stablehlo.Sqrt, x) }

// Tanh is the hyperbolic tangent of x, element by element.
func Tanh(x Value) Value { return unary(stablehlo.Tanh, x) }

// Add is x + y, element by element. Both have one type.
func Add(x, y Value) Value { return binary(stablehlo.Add, x, y) }

// Sub is x - y, element by element. Both have one type.
func Sub(x, y Value) Value { return binary(stablehlo.Subtract, x, y) }

// Mul is x * y, element by element. Both have one type.
func Mul(x, y Value) Value { return binary(stablehlo.Multiply, x, y) }

// Div is x / y, element by element. Both have one type.
func Div(x, y Value) Value { return binary(stablehlo.Divide, x, y) }

// Max is the greater of x and y, element by element. Both have one type.
func Max(x, y Value) Value { return binary(stablehlo.Maximum, x, y) }

// Min is the lesser of x and y, element by element. Both have one type.
func Min(x, y Value) Value { return binary(stablehlo.Minimum, x, y) }

// Pow is x to the power of y, element by element. Both have one type.
func Pow(x, y Value) Value { return binary(stablehlo.Power, x, y) }

func unary(op stablehlo.UnaryOp, x Value) Value {
	if v, ok := plainUnary(op, x); ok {
		return v
	}
	name := short(string(op))
	f := mustFuncOf(name, x)
	return f.add(f.b.here(), name, []Value{x}, stablehlo.Unary{Op: op, Operand: x.v})
}

func binary(op stablehlo.BinaryOp, x, y Value) Value {
	if v, ok := plainBinary(op, x, y); ok {
		return v
	}
	name := short(string(op))
	f := mustFuncOf(name, x, y)
	return f.add(f.b.here(), name, []Value{x, y}, stablehlo.Binary{Op: op, LHS: x.v, RHS: y.v})
}

// short is an operation's name as errors have it, without its dialect.
func short(op string) string { return strings.TrimPrefix(op, "stablehlo.") }
