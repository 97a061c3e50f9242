package main

import (
	"encoding/binary"
	"math"

	"github.com/calliope-mlir/calliope/tensor"
)

// steps returns how far two floating point elements are apart, in steps between adjacent numbers of
// their type: 0 if they are equal or both NaN, and the highest number if one is finite and the other is
// not. For complex numbers it is that of the part that differs more.
func steps(got, expected tensor.View, i int) uint64 {
	d := got.Shape.DType
	size, bits := d.Size(), d.Bits()
	g, e := toComplex(element(got, i)), toComplex(element(expected, i))
	parts := [][2]float64{{real(g), real(e)}}
	if isComplex(d) {
		size, bits = size/2, bits/2
		parts = append(parts, [2]float64{imag(g), imag(e)})
	}
	worst := uint64(0)
	for part, values := range parts {
		n := uint64(math.MaxUint64)
		switch at := (len(parts)*i + part) * size; {
		case apart(values[0], values[1]) == 0:
			n = 0
		case isFinite(values[0]) && isFinite(values[1]):
			a, b := rank(got.Data[at:at+size], bits), rank(expected.Data[at:at+size], bits)
			n = uint64(max(a, b)) - uint64(min(a, b))
		}
		worst = max(worst, n)
	}
	return worst
}

func isComplex(d tensor.DType) bool { return d == tensor.C64 || d == tensor.C128 }

func isFinite(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }

// rank returns the place of a finite number among those of its type: 0 for zero, 1 for the least
// positive one, and -1 for the greatest negative one.
func rank(data []byte, bits int) int64 {
	var word [8]byte
	copy(word[:], data)
	n := binary.LittleEndian.Uint64(word[:])
	sign := uint64(1) << (bits - 1)
	if n&sign != 0 {
		return -int64(n &^ sign)
	}
	return int64(n)
}
