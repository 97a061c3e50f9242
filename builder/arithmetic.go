package builder

import (
	"strings"

	"github.com/calliope-mlir/calliope/stablehlo"
)

// Abs returns |x|, element by element. For a complex number it returns the magnitude.
func Abs(x Value) Value { return unary("stablehlo.abs", x) }

// Cbrt returns the cube root of x, element by element.
func Cbrt(x Value) Value { return unary("stablehlo.cbrt", x) }

// Ceil rounds x up to an integer, element by element.
func Ceil(x Value) Value { return unary("stablehlo.ceil", x) }

// Cos returns the cosine of x, element by element.
func Cos(x Value) Value { return unary("stablehlo.cosine", x) }

// Exp returns e to the power of x, element by element.
func Exp(x Value) Value { return unary("stablehlo.exponential", x) }

// Expm1 returns e to the power of x, minus 1, element by element. It is accurate for small
// x.
func Expm1(x Value) Value { return unary("stablehlo.exponential_minus_one", x) }

// Floor rounds x down to an integer, element by element.
func Floor(x Value) Value { return unary("stablehlo.floor", x) }

// Log returns the natural logarithm of x, element by element.
func Log(x Value) Value { return unary("stablehlo.log", x) }

// Log1p returns the natural logarithm of 1+x, element by element. It is accurate for small
// x.
func Log1p(x Value) Value { return unary("stablehlo.log_plus_one", x) }

// Neg returns -x, element by element.
func Neg(x Value) Value { return unary("stablehlo.negate", x) }

// Not returns the bitwise complement of x, element by element. For booleans it returns the
// logical negation.
func Not(x Value) Value { return unary("stablehlo.not", x) }

// Round rounds x to the nearest integer, element by element. Halves go to the even integer.
func Round(x Value) Value { return unary("stablehlo.round_nearest_even", x) }

// RoundAway rounds x to the nearest integer, element by element. Halves go away from zero.
func RoundAway(x Value) Value { return unary("stablehlo.round_nearest_afz", x) }

// Rsqrt returns 1 divided by the square root of x, element by element.
func Rsqrt(x Value) Value { return unary("stablehlo.rsqrt", x) }

// Sigmoid returns the logistic function 1/(1+exp(-x)), element by element.
func Sigmoid(x Value) Value { return unary("stablehlo.logistic", x) }

// Sign returns -1, 0 or 1, element by element, as x is negative, zero or positive. NaN
// stays NaN.
func Sign(x Value) Value { return unary("stablehlo.sign", x) }

// Sin returns the sine of x, element by element.
func Sin(x Value) Value { return unary("stablehlo.sine", x) }

// Sqrt returns the square root of x, element by element.
func Sqrt(x Value) Value { return unary("stablehlo.sqrt", x) }

// Tan returns the tangent of x, element by element.
func Tan(x Value) Value { return unary("stablehlo.tan", x) }

// Tanh returns the hyperbolic tangent of x, element by element.
func Tanh(x Value) Value { return unary("stablehlo.tanh", x) }

// Add returns x + y, element by element. For booleans it is the logical or.
func Add[X, Y Operand](x X, y Y) Value { return binary("stablehlo.add", x, y) }

// Sub returns x - y, element by element.
func Sub[X, Y Operand](x X, y Y) Value { return binary("stablehlo.subtract", x, y) }

// Mul returns x * y, element by element. For booleans it is the logical and.
func Mul[X, Y Operand](x X, y Y) Value { return binary("stablehlo.multiply", x, y) }

// Div returns x / y, element by element. Integer division truncates toward zero.
func Div[X, Y Operand](x X, y Y) Value { return binary("stablehlo.divide", x, y) }

// Rem returns the remainder of x / y, element by element. It has the sign of x.
func Rem[X, Y Operand](x X, y Y) Value { return binary("stablehlo.remainder", x, y) }

// Max returns the greater of x and y, element by element. If either is NaN, the result is
// NaN.
func Max[X, Y Operand](x X, y Y) Value { return binary("stablehlo.maximum", x, y) }

// Min returns the lesser of x and y, element by element. If either is NaN, the result is
// NaN.
func Min[X, Y Operand](x X, y Y) Value { return binary("stablehlo.minimum", x, y) }

// Pow returns x to the power of y, element by element.
func Pow[X, Y Operand](x X, y Y) Value { return binary("stablehlo.power", x, y) }

// Atan2 returns the angle of the point (y, x), element by element. It is the arc tangent of
// the first operand divided by the second.
func Atan2[X, Y Operand](y X, x Y) Value { return binary("stablehlo.atan2", y, x) }

// And returns the bitwise and of x and y, element by element.
func And[X, Y Operand](x X, y Y) Value { return binary("stablehlo.and", x, y) }

// Or returns the bitwise or of x and y, element by element.
func Or[X, Y Operand](x X, y Y) Value { return binary("stablehlo.or", x, y) }

// Xor returns the bitwise exclusive or of x and y, element by element.
func Xor[X, Y Operand](x X, y Y) Value { return binary("stablehlo.xor", x, y) }

// ShiftLeft shifts x left by y bits, element by element.
func ShiftLeft[X, Y Operand](x X, y Y) Value { return binary("stablehlo.shift_left", x, y) }

// ShiftRight shifts x right by y bits, element by element, and keeps the sign.
func ShiftRight[X, Y Operand](x X, y Y) Value {
	return binary("stablehlo.shift_right_arithmetic", x, y)
}

// ShiftRightLogical shifts x right by y bits, element by element, and fills with zeros.
func ShiftRightLogical[X, Y Operand](x X, y Y) Value {
	return binary("stablehlo.shift_right_logical", x, y)
}

// Square returns x * x, element by element.
func Square(x Value) Value { return binary("stablehlo.multiply", x, x) }

// CountLeadingZeros returns the number of leading zero bits of the integers x, element by
// element.
func CountLeadingZeros(x Value) Value {
	s := begin("count_leading_zeros", x)
	return s.one(stablehlo.CountLeadingZerosOp{Operand: x.v})
}

// PopCount returns the number of bits that are set in the integers x, element by element.
func PopCount(x Value) Value {
	s := begin("popcnt", x)
	return s.one(stablehlo.PopcntOp{Operand: x.v})
}

// IsFinite reports, element by element, whether x is neither NaN nor infinite.
func IsFinite(x Value) Value {
	s := begin("is_finite", x)
	return s.one(stablehlo.IsFiniteOp{X: x.v})
}

// Clamp limits x to the range from low to high, element by element.
func Clamp[L, H Operand](low L, x Value, high H) Value {
	s := begin("clamp", append(append(given(low), x), given(high)...)...)
	lowest, highest := other(&s, low, x), other(&s, high, x)
	return s.one(stablehlo.ClampOp{Min: lowest.v, Operand: x.v, Max: highest.v})
}

// ReducePrecision rounds x to the precision of a floating point number with the given
// numbers of exponent and mantissa bits, element by element. The element type stays the
// same.
func ReducePrecision(x Value, exponentBits, mantissaBits int) Value {
	s := begin("reduce_precision", x)
	if exponentBits != int(int32(exponentBits)) || mantissaBits != int(int32(mantissaBits)) {
		return s.fail("%d exponent bits and %d mantissa bits are out of range", exponentBits, mantissaBits)
	}
	return s.one(
		stablehlo.ReducePrecisionOp{Operand: x.v, ExponentBits: int32(exponentBits), MantissaBits: int32(mantissaBits)})
}

func unary(op string, x Value) Value {
	if v, ok := plainUnary(op, x); ok {
		return v
	}
	s := begin(short(op), x)
	return s.unary(op, x)
}

func binary[X, Y Operand](op string, x X, y Y) Value {
	if a, ok := any(x).(Value); ok {
		if b, ok := any(y).(Value); ok {
			if v, ok := plainBinary(op, a, b); ok {
				return v
			}
		}
	}
	s, a, b := begin2(short(op), x, y)
	return s.binary(op, a, b)
}

// short returns an operation's name without its dialect, for errors.
func short(op string) string { return strings.TrimPrefix(op, "stablehlo.") }
