package tensor

import "math"

// smallFloats are the floating-point types of eight bits and fewer. In their names, E and M
// are the numbers of exponent and fraction bits. (Sources: OCP 8-bit Floating Point
// Specification and OCP Microscaling Formats for those without UZ; StableHLO RFCs "FP8
// E4M3FNUZ and E5M2FNUZ" for those with.)
var smallFloats = map[DType]struct {
	exponent, fraction, bias int
	kind                     smallKind
}{
	F8E5M2:        {5, 2, 15, ieee},
	F8E4M3:        {4, 3, 7, ieee},
	F8E3M4:        {3, 4, 3, ieee},
	F8E4M3FN:      {4, 3, 7, nanAtEnd},
	F8E4M3B11FNUZ: {4, 3, 11, nanAtMinusZero},
	F8E5M2FNUZ:    {5, 2, 16, nanAtMinusZero},
	F8E4M3FNUZ:    {4, 3, 8, nanAtMinusZero},
	F4E2M1FN:      {2, 1, 1, finite},
}

// smallKind says which bit patterns are not numbers.
type smallKind uint8

const (
	ieee           smallKind = iota // all exponents of ones: infinity and NaN
	nanAtEnd                        // only all ones: NaN
	nanAtMinusZero                  // only the sign bit alone: NaN
	finite                          // none
)

// Float8 returns the exact value of an element of a floating-point type of eight bits or
// fewer. ok is false for other types.
func Float8(d DType, bits byte) (value float32, ok bool) {
	if d == F8E8M0FNU { // a power of two, without sign or zero
		if bits == 0xff {
			return float32(math.NaN()), true
		}
		return float32(math.Ldexp(1, int(bits)-127)), true
	}
	t, ok := smallFloats[d]
	if !ok {
		return 0, false
	}
	exponent := int(bits) >> t.fraction & (1<<t.exponent - 1)
	fraction := int(bits) & (1<<t.fraction - 1)
	negative := bits>>(t.exponent+t.fraction)&1 != 0
	nan := false
	switch last := exponent == 1<<t.exponent-1; t.kind {
	case ieee:
		nan = last && fraction != 0
		if last && fraction == 0 {
			value = float32(math.Inf(1))
		}
	case nanAtEnd:
		nan = last && fraction == 1<<t.fraction-1
	case nanAtMinusZero:
		nan = negative && exponent == 0 && fraction == 0
	}
	if nan {
		return float32(math.NaN()), true
	}
	if value == 0 {
		if exponent == 0 { // subnormal, or zero
			exponent = 1
		} else {
			fraction |= 1 << t.fraction
		}
		value = float32(math.Ldexp(float64(fraction), exponent-t.bias-t.fraction))
	}
	if negative {
		value = float32(math.Copysign(float64(value), -1))
	}
	return value, true
}
