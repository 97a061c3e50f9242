package builder

import (
	"strings"

	"github.com/calliope-mlir/calliope/stablehlo"
)

// Abs is |x|, element by element; the magnitude of a complex number.
func Abs(x Value) Value { return unary(stablehlo.Abs, x) }

// Cbrt is the cube root of x, element by element.
func Cbrt(x Value) Value { return unary(stablehlo.Cbrt, x) }

// Ceil is the least whole number not below x, element by element.
func Ceil(x Value) Value { return unary(stablehlo.Ceil, x) }

// Cos is the cosine of x, element by element.
func Cos(x Value) Value { return unary(stablehlo.Cosine, x) }

// Exp is e to the power of x, element by element.
func Exp(x Value) Value { return unary(stablehlo.Exponential, x) }

// Expm1 is e to the power of x, less 1, element by element; exact where x is small.
func Expm1(x Value) Value { return unary(stablehlo.ExponentialMinus1, x) }

// Floor is the greatest whole number not above x, element by element.
func Floor(x Value) Value { return unary(stablehlo.Floor, x) }

// Log is the natural logarithm of x, element by element.
func Log(x Value) Value { return unary(stablehlo.Log, x) }

// Log1p is the natural logarithm of 1+x, element by element; exact where x is small.
func Log1p(x Value) Value { return unary(stablehlo.Log1p, x) }

// Neg is -x, element by element.
func Neg(x Value) Value { return unary(stablehlo.Negate, x) }

// Not is the complement of x, bit by bit; of booleans, the other one.
func Not(x Value) Value { return unary(stablehlo.Not, x) }

// Round is x rounded to a whole number, element by element; halves go to the even one.
func Round(x Value) Value { return unary(stablehlo.RoundNearestEven, x) }

// RoundAway is x rounded to a whole number, element by element; halves go away from zero.
func RoundAway(x Value) Value { return unary(stablehlo.RoundNearestAfz, x) }

// Rsqrt is 1 divided by the square root of x, element by element.
func Rsqrt(x Value) Value { return unary(stablehlo.Rsqrt, x) }

// Sigmoid is 1/(1+exp(-x)), the logistic function, element by element.
func Sigmoid(x Value) Value { return unary(stablehlo.Logistic, x) }

// Sign is -1, 0 or 1 as x is below, at or above zero, element by element; NaN stays NaN.
func Sign(x Value) Value { return unary(stablehlo.Sign, x) }

// Sin is the sine of x, element by element.
func Sin(x Value) Value { return unary(stablehlo.Sine, x) }

// Sqrt is the square root of x, element by element.
func Sqrt(x Value) Value { return unary(stablehlo.Sqrt, x) }

// Tan is the tangent of x, element by element.
func Tan(x Value) Value { return unary(stablehlo.Tan, x) }

// Tanh is the hyperbolic tangent of x, element by element.
func Tanh(x Value) Value { return unary(stablehlo.Tanh, x) }

// Add is x + y, element by element; of booleans, or.
func Add[X, Y Operand](x X, y Y) Value { return binary(stablehlo.Add, x, y) }

// Sub is x - y, element by element.
func Sub[X, Y Operand](x X, y Y) Value { return binary(stablehlo.Subtract, x, y) }

// Mul is x * y, element by element; of booleans, and.
func Mul[X, Y Operand](x X, y Y) Value { return binary(stablehlo.Multiply, x, y) }

// Div is x / y, element by element; of integers, towards zero.
func Div[X, Y Operand](x X, y Y) Value { return binary(stablehlo.Divide, x, y) }

// Rem is the remainder of x / y, element by element, with the sign of x.
func Rem[X, Y Operand](x X, y Y) Value { return binary(stablehlo.Remainder, x, y) }

// Max is the greater of x and y, element by element; NaN where one of them is.
func Max[X, Y Operand](x X, y Y) Value { return binary(stablehlo.Maximum, x, y) }

// Min is the lesser of x and y, element by element; NaN where one of them is.
func Min[X, Y Operand](x X, y Y) Value { return binary(stablehlo.Minimum, x, y) }

// Pow is x to the power of y, element by element.
func Pow[X, Y Operand](x X, y Y) Value { return binary(stablehlo.Power, x, y) }

// Atan2 is the angle of the point (y, x), element by element: the arc tangent of its first operand divided by the second.
func Atan2[X, Y Operand](y X, x Y) Value { return binary(stablehlo.Atan2, y, x) }

// And is x and y, bit by bit.
func And[X, Y Operand](x X, y Y) Value { return binary(stablehlo.And, x, y) }

// Or is x or y, bit by bit.
func Or[X, Y Operand](x X, y Y) Value { return binary(stablehlo.Or, x, y) }

// Xor is x exclusive or y, bit by bit.
func Xor[X, Y Operand](x X, y Y) Value { return binary(stablehlo.Xor, x, y) }

// ShiftLeft is x moved left by y bits, element by element.
func ShiftLeft[X, Y Operand](x X, y Y) Value { return binary(stablehlo.ShiftLeft, x, y) }

// ShiftRight is x moved right by y bits, element by element; the sign stays.
func ShiftRight[X, Y Operand](x X, y Y) Value { return binary(stablehlo.ShiftRightArithmetic, x, y) }

// ShiftRightLogical is x moved right by y bits, element by element; zeros come in.
func ShiftRightLogical[X, Y Operand](x X, y Y) Value {
	return binary(stablehlo.ShiftRightLogical, x, y)
}

// Square is x * x, element by element.
func Square(x Value) Value { return binary(stablehlo.Multiply, x, x) }

// CountLeadingZeros is the number of zero bits above the highest one that is set, of
// integers, element by element.
func CountLeadingZeros(x Value) Value {
	s := begin("count_leading_zeros", x)
	return s.one(stablehlo.CountLeadingZeros{Operand: x.v})
}

// PopCount is the number of bits that are set, of integers, element by element.
func PopCount(x Value) Value {
	s := begin("popcnt", x)
	return s.one(stablehlo.Popcnt{Operand: x.v})
}

// IsFinite tells, element by element, what is neither NaN nor infinite.
func IsFinite(x Value) Value {
	s := begin("is_finite", x)
	return s.one(stablehlo.IsFinite{X: x.v})
}

// Clamp is x held between low and high, element by element.
func Clamp[L, H Operand](low L, x Value, high H) Value {
	s := begin("clamp", append(append(given(low), x), given(high)...)...)
	lowest, highest := other(&s, low, x), other(&s, high, x)
	return s.one(stablehlo.Clamp{Min: lowest.v, Operand: x.v, Max: highest.v})
}

// ReducePrecision rounds x to what a floating point number of so many bits could hold,
// element by element; the element type stays.
func ReducePrecision(x Value, exponentBits, mantissaBits int) Value {
	s := begin("reduce_precision", x)
	if exponentBits != int(int32(exponentBits)) || mantissaBits != int(int32(mantissaBits)) {
		return s.fail("no number has %d bits of exponent and %d of mantissa", exponentBits, mantissaBits)
	}
	return s.one(stablehlo.ReducePrecision{Operand: x.v, ExponentBits: int32(exponentBits), MantissaBits: int32(mantissaBits)})
}

func unary(op stablehlo.UnaryOp, x Value) Value {
	if v, ok := plainUnary(op, x); ok {
		return v
	}
	s := begin(short(string(op)), x)
	return s.unary(op, x)
}

func binary[X, Y Operand](op stablehlo.BinaryOp, x X, y Y) Value {
	if a, ok := any(x).(Value); ok {
		if b, ok := any(y).(Value); ok {
			if v, ok := plainBinary(op, a, b); ok {
				return v
			}
		}
	}
	s, a, b := begin2(short(string(op)), x, y)
	return s.binary(op, a, b)
}

// short is an operation's name as errors have it, without its dialect.
func short(op string) string { return strings.TrimPrefix(op, "stablehlo.") }
