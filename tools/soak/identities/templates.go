package identities

import "strings"

// The templates are expressions that simplifiers rewrite, and single operations. x, y and z are arrays of the
// type that is tried, p is one of booleans, and c is a constant. An operation has the element type of its
// operands, a conversion the one in its name: T is the type that is tried, W a wider one of its kind, N
// a narrower one, and F a floating-point one.

// forAll are for all types.
var forAll = list(`
add(x, y); subtract(x, y); multiply(x, y); divide(x, y); remainder(x, y); maximum(x, y); minimum(x, y); add(x, 0)
add(0, x); subtract(x, 0); subtract(0, x); subtract(x, x); multiply(x, 1); multiply(x, 0); multiply(x, x)
multiply(x, 2); multiply(x, c); divide(x, 1); divide(x, x); divide(x, c); divide(c, y); remainder(x, c)
remainder(x, x); remainder(x, 1); remainder(x, 8); add(add(x, c), c); subtract(add(x, c), c); add(subtract(x, c), c)
add(subtract(x, y), y); subtract(add(x, y), y); subtract(x, subtract(x, y)); add(multiply(x, c), multiply(y, c))
add(multiply(x, z), multiply(y, z)); add(multiply(x, y), x); subtract(multiply(x, y), multiply(y, x))
multiply(multiply(x, c), c); multiply(multiply(x, c), multiply(y, c)); multiply(divide(x, y), y)
multiply(x, divide(y, x)); divide(multiply(x, y), y); divide(multiply(x, c), c); divide(x, divide(y, x))
divide(divide(x, y), z); divide(divide(x, y), divide(z, x)); divide(divide(x, c), c); multiply(divide(x, c), c)
add(remainder(x, y), multiply(divide(x, y), y)); remainder(add(x, y), y); remainder(remainder(x, y), y)
remainder(multiply(x, c), c); compare_EQ(x, x); compare_NE(x, x); compare_LT(x, y); compare_LE(x, x)
compare_GE(multiply(x, x), 0); compare_LT(multiply(x, x), 0); compare_LT(add(x, c), y); compare_GT(add(x, c), c)
compare_LE(subtract(x, y), 0); compare_EQ(subtract(x, y), 0); compare_GT(x, add(x, 1)); compare_EQ(multiply(x, c), c)
compare_LT(maximum(x, y), x); compare_GE(maximum(x, y), x); compare_NE(minimum(x, y), x); not(compare_LT(x, y))
and(compare_LE(x, y), compare_GE(x, y)); or(compare_LT(x, y), compare_GE(x, y))
xor(compare_LT(x, y), compare_GT(x, y)); and(p, compare_EQ(x, x)); select(p, x, x); select(p, x, y)
select(not(p), x, y); select(compare_LT(x, y), x, y); select(compare_GT(x, y), x, y); select(compare_GE(x, y), y, x)
select(compare_NE(x, y), x, y); select(compare_EQ(x, 0), 0, x); select(p, select(p, x, y), z)
select(p, add(x, z), add(y, z)); select(p, x, select(p, y, z)); maximum(x, x); maximum(x, minimum(x, y))
minimum(maximum(x, c), c); maximum(minimum(x, c), c); maximum(maximum(x, y), y); maximum(maximum(x, c), c)
minimum(minimum(x, c), c); minimum(maximum(x, y), x); maximum(add(x, z), add(y, z)); maximum(add(x, c), add(y, c))
minimum(multiply(x, c), multiply(y, c)); clamp(x, y, z); clamp(0, x, 1); clamp(c, x, c); clamp(y, clamp(y, x, z), z)
maximum(clamp(c, x, c), c); convert_T(p); multiply(x, convert_T(p))
multiply(convert_T(p), convert_T(compare_LT(x, y))); divide(convert_T(p), y); compare_EQ(convert_T(p), 0)
convert_T(convert_W(x)); convert_W(convert_W(x)); convert_T(add(convert_W(x), convert_W(y)))
convert_T(multiply(convert_W(x), convert_W(y))); convert_W(add(x, y)); sum(x); maximum_of(x); minimum_of(x)
multiply_of(x); sum(broadcast(x)); sum(multiply(x, c)); sum(select(p, x, 0)); sum(convert_T(p))
maximum_of(broadcast(x)); minimum_of(reverse(x)); sum(reverse(x)); dot(x, y); dot(x, 1); dot(x, 0); dot(add(x, y), z)
outer(x, y); reverse(reverse(x)); reverse(add(x, reverse(y))); concatenate(slice(x)); pad(slice(x)); slice(pad(x))
slice(concatenate(x))
`)

// forIntegers are for all integers.
var forIntegers = list(`
and(x, y); or(x, y); xor(x, y); not(x); popcnt(x); count_leading_zeros(x); power(x, 2); power(x, 3); power(x, c)
power(x, y); divide(x, power(y, 3)); power(power(x, 2), 3); and(x, x); and(x, 0); or(x, 0); or(x, x); xor(x, x)
xor(xor(x, y), y); not(not(x)); and(not(x), not(y)); and(and(x, c), c); and(or(x, y), x); or(and(x, y), x)
add(x, not(x)); shift_left(x, c); shift_left(x, y); shift_right_logical(x, y); shift_right_arithmetic(x, y)
shift_right_logical(x, c); shift_right_arithmetic(x, c); shift_left(shift_right_logical(x, c), c)
shift_right_logical(shift_left(x, c), c); shift_right_arithmetic(shift_left(x, 8), 8); shift_left(shift_left(x, c), c)
shift_right_logical(shift_right_logical(x, c), c); shift_left(shift_right_logical(x, y), y)
and(shift_right_logical(x, c), c); multiply(shift_left(x, 3), y); divide(shift_left(x, 3), 8); divide(x, 8)
divide(x, shift_left(1, y)); remainder(x, shift_left(1, y)); remainder(x, 16); multiply(divide(x, 8), 8)
subtract(x, multiply(divide(x, 8), 8)); compare_EQ(remainder(x, 2), 0); compare_EQ(and(x, 1), 0)
compare_NE(and(x, y), 0); compare_LT(shift_right_logical(x, 1), 0); compare_EQ(popcnt(x), 0); compare_LT(popcnt(x), 0)
compare_LT(count_leading_zeros(x), 0); convert_T(convert_N(x)); convert_F(x); convert_F(add(x, y))
convert_N(add(x, y)); convert_N(multiply(x, y)); convert_N(shift_right_logical(x, 4)); convert_W(convert_N(x))
divide(add(x, x), 2); remainder(multiply(x, 4), 4); divide(x, multiply(y, y))
`)

// forSigned are for signed integers and floating-point numbers.
var forSigned = list(`
abs(x); negate(x); sign(x); abs(abs(x)); abs(negate(x)); abs(multiply(x, x)); abs(multiply(x, y)); abs(subtract(x, y))
abs(convert_T(p)); maximum(abs(x), 0); maximum(multiply(x, x), 0); compare_GE(abs(x), 0); compare_LT(abs(x), 0)
compare_EQ(abs(x), 0); compare_LE(negate(x), 0); compare_GT(negate(x), negate(y)); multiply(abs(x), abs(x))
multiply(abs(x), abs(y)); multiply(sign(x), abs(x)); multiply(sign(x), sign(x)); multiply(negate(x), negate(y))
multiply(negate(x), y); multiply(x, -1); divide(negate(x), y); divide(negate(x), negate(y)); divide(x, -1)
divide(abs(x), 4); remainder(negate(x), 8); remainder(abs(x), 8); remainder(abs(x), abs(y)); negate(negate(x))
negate(subtract(x, y)); negate(add(x, y)); negate(multiply(x, c)); add(x, negate(x)); add(x, negate(y))
add(negate(x), y); subtract(x, negate(y)); subtract(negate(x), y); select(compare_LT(x, 0), negate(x), x)
select(compare_GE(x, 0), x, negate(x)); select(compare_GT(x, 0), 1, -1); sign(multiply(x, x)); sign(multiply(x, y))
sign(negate(x)); abs(sign(x)); sum(negate(x)); maximum(negate(x), negate(y)); maximum(x, negate(x))
minimum(abs(x), x); abs(remainder(x, y)); abs(divide(x, y)); abs(maximum(x, 0)); abs(clamp(0, x, 5))
convert_W(abs(x)); abs(convert_W(x))
`)

// forFloats are for floating-point numbers.
var forFloats = list(`
sqrt(x); sqrt(abs(x)); multiply(sqrt(x), sqrt(x)); sqrt(multiply(x, x)); divide(x, sqrt(y)); divide(1, sqrt(x))
compare_GE(sqrt(x), 0); abs(sqrt(x)); floor(x); ceil(x); round_nearest_even(x); round_nearest_afz(x); floor(floor(x))
subtract(x, floor(x)); floor(add(x, 0.5)); convert_T(floor(x)); is_finite(x); is_finite(multiply(x, y))
is_finite(abs(x)); is_finite(exponential(x)); multiply(x, 0.5); divide(x, 3); divide(x, 10); divide(x, 2)
divide(x, 0); divide(0, x); multiply(x, 1.0e30); multiply(multiply(x, 1.0e30), 1.0e-30); add(add(x, 1.0e30), -1.0e30)
multiply(x, divide(1, y)); divide(1, divide(1, x)); divide(1, x); compare_LT(divide(1, x), 0)
compare_NE(add(x, y), add(x, y)); select(compare_NE(x, x), y, x); select(is_finite(x), x, 0); reduce_precision(x)
add(reduce_precision(x), reduce_precision(y)); convert_N(x); convert_T(convert_N(x)); convert_N(convert_W(x))
convert_N(multiply(x, y)); add(convert_T(convert_N(x)), y); convert_i32(clamp(-100, select(is_finite(x), x, 0), 100))
convert_T(convert_i32(clamp(-100, select(is_finite(x), x, 0), 100))); rsqrt(x); rsqrt(abs(x))
multiply(rsqrt(x), rsqrt(x)); multiply(x, rsqrt(x)); multiply(sqrt(x), rsqrt(x)); divide(x, rsqrt(y))
divide(1, rsqrt(x)); rsqrt(multiply(x, x)); exponential(x); log(x); log(exponential(x)); exponential(log(x))
multiply(exponential(x), exponential(y)); divide(exponential(x), exponential(y)); divide(x, exponential(y))
divide(1, exponential(x)); abs(exponential(x)); maximum(exponential(x), 0); exponential(multiply(x, c))
exponential(negate(x)); log(sqrt(x)); log(rsqrt(x)); log(multiply(x, x)); log(power(x, y)); log(power(x, 2))
log(cbrt(x)); log(divide(x, y)); log(divide(1, x)); log(add(x, 1)); log_plus_one(x); subtract(exponential(x), 1)
exponential_minus_one(x); logistic(x); divide(1, add(1, exponential(negate(x)))); tanh(x); tanh(negate(x)); sine(x)
cosine(x); cosine(negate(x)); tan(x); atan2(x, y); cbrt(x); power(x, 0); power(x, 1); power(x, 2); power(x, 3)
power(x, 4); power(x, -1); power(x, -2); power(x, 0.5); power(x, -0.5); power(x, 1.5); power(x, c); power(x, y)
power(1, x); power(2, x); power(0, x); power(abs(x), y); power(sqrt(x), 2); power(power(x, 2), 0.5)
power(power(x, 0.5), 2); power(power(x, 3), y); power(power(x, y), z); power(exponential(x), y)
power(exponential(x), 2); power(divide(1, x), 2); divide(x, power(y, z)); divide(x, power(y, 2))
multiply(power(x, y), power(x, z)); multiply(x, power(x, 2)); sqrt(power(x, 2)); sqrt(divide(x, y))
sqrt(exponential(x)); rsqrt(power(x, -2)); rsqrt(divide(1, x)); rsqrt(exponential(x)); sum(divide(x, 3))
divide(sum(x), 32)
`)

// list returns the templates of a text, in lines, or with semicolons between them.
func list(text string) []string {
	return strings.Split(strings.ReplaceAll(strings.TrimSpace(text), "\n", "; "), "; ")
}
