package tensor

import "math"

// Float16 holds the bits of an IEEE 754 half-precision number.
type Float16 uint16

// BFloat16 holds the upper half of the bits of a float32.
type BFloat16 uint16

// Float32 returns the exact value.
func (b BFloat16) Float32() float32 { return math.Float32frombits(uint32(b) << 16) }

// ToBFloat16 rounds to the nearest value, and to even in a tie. A NaN stays a NaN.
func ToBFloat16(f float32) BFloat16 {
	bits := math.Float32bits(f)
	if f != f {
		return BFloat16(bits>>16 | 0x40) // quiet, and not an infinity
	}
	return BFloat16((bits + 0x7fff + bits>>16&1) >> 16)
}

// Float32 returns the exact value.
func (h Float16) Float32() float32 {
	sign := uint32(h) >> 15 << 31
	exponent := uint32(h) >> 10 & 0x1f
	fraction := uint32(h) & 0x3ff
	switch {
	case exponent == 0x1f:
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	case exponent != 0:
		return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
	}
	f := float32(fraction) * 0x1p-24 // subnormal, or zero
	return math.Float32frombits(sign | math.Float32bits(f))
}

// ToFloat16 rounds to the nearest value, and to even in a tie. A value that is too large
// becomes an infinity. A NaN stays a NaN.
func ToFloat16(f float32) Float16 {
	bits := math.Float32bits(f)
	sign := Float16(bits >> 16 & 0x8000)
	magnitude := bits &^ (1 << 31)
	switch {
	case magnitude > 0xff<<23:
		return sign | 0x7e00
	case magnitude >= 0x477ff000: // 65520, halfway to the value after the largest
		return sign | 0x7c00
	case magnitude >= 0x38800000: // 2^-14, the smallest normal value
		rounded := magnitude + 0xfff + magnitude>>13&1
		return sign | Float16((rounded-112<<23)>>13)
	}
	// Adding 0.5 puts the last bit of the subnormal at the last bit of the sum, so the
	// addition itself rounds.
	sum := math.Float32frombits(magnitude) + 0.5
	return sign | Float16(math.Float32bits(sum)-0x3f000000)
}
