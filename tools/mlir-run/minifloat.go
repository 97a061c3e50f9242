package main

import (
	"math"

	"github.com/calliope-mlir/calliope/tensor"
)

// minifloat is a floating point type of at most a byte (names as in LLVM's APFloat).
type minifloat struct {
	exponent, fraction int // number of bits
	bias               int
	kind               specials
}

// specials describes which bit patterns are not finite numbers.
type specials int

const (
	ieee      specials = iota // the highest exponent: infinities and NaNs
	oneNaN                    // "fn": all bits set is NaN, no infinities
	negZeroIs                 // "fnuz": minus zero is NaN, no infinities
	finite                    // every pattern is a finite number
)

var minifloats = map[tensor.DType]minifloat{
	tensor.F8E5M2:        {5, 2, 15, ieee},
	tensor.F8E4M3:        {4, 3, 7, ieee},
	tensor.F8E3M4:        {3, 4, 3, ieee},
	tensor.F8E4M3FN:      {4, 3, 7, oneNaN},
	tensor.F8E4M3B11FNUZ: {4, 3, 11, negZeroIs},
	tensor.F8E4M3FNUZ:    {4, 3, 8, negZeroIs},
	tensor.F8E5M2FNUZ:    {5, 2, 16, negZeroIs},
	tensor.F4E2M1FN:      {2, 1, 1, finite},
}

// value returns the number that the bits represent.
func (m minifloat) value(bits uint8) float32 {
	width := m.exponent + m.fraction
	magnitude := int(bits) & (1<<width - 1)
	negative := bits>>width&1 != 0
	exponent, fraction := magnitude>>m.fraction, magnitude&(1<<m.fraction-1)
	sign := 1.0
	if negative {
		sign = -1
	}
	switch {
	case m.kind == ieee && exponent == 1<<m.exponent-1:
		if fraction != 0 {
			return float32(math.NaN())
		}
		return float32(math.Inf(int(sign)))
	case m.kind == oneNaN && magnitude == 1<<width-1, m.kind == negZeroIs && negative && magnitude == 0:
		return float32(math.NaN())
	case exponent == 0: // subnormal, or zero
		return float32(math.Copysign(math.Ldexp(float64(fraction), 1-m.bias-m.fraction), sign))
	}
	return float32(sign * math.Ldexp(float64(1<<m.fraction+fraction), exponent-m.bias-m.fraction))
}

// e8m0 returns the value of an F8E8M0FNU: a power of two, or NaN.
func e8m0(bits uint8) float32 {
	if bits == 0xff {
		return float32(math.NaN())
	}
	return float32(math.Ldexp(1, int(bits)-127))
}
