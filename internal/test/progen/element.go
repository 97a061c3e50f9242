package progen

import (
	"math"

	"github.com/calliope-mlir/calliope/tensor"
)

// IsFloat reports whether elements are floating-point numbers of 16 bits or more.
func IsFloat(d tensor.DType) bool {
	switch d {
	case tensor.F64, tensor.F32, tensor.F16, tensor.BF16:
		return true
	}
	return false
}

// IsComplex reports whether elements are complex numbers.
func IsComplex(d tensor.DType) bool { return d == tensor.C64 || d == tensor.C128 }

// IsSigned reports whether elements are signed integers.
func IsSigned(d tensor.DType) bool { return d >= tensor.S2 && d <= tensor.S64 }

// IsUnsigned reports whether elements are unsigned integers.
func IsUnsigned(d tensor.DType) bool { return d >= tensor.U2 && d <= tensor.U64 }

// IsInteger reports whether elements are integers. Booleans are none.
func IsInteger(d tensor.DType) bool { return IsSigned(d) || IsUnsigned(d) }

// Number returns the floating-point number of 16 bits or more that has some bits.
func Number(d tensor.DType, bits uint64) float64 {
	switch d {
	case tensor.F64:
		return math.Float64frombits(bits)
	case tensor.F32:
		return float64(math.Float32frombits(uint32(bits)))
	case tensor.F16:
		return float64(tensor.Float16(bits).Float32())
	case tensor.BF16:
		return float64(tensor.BFloat16(bits).Float32())
	}
	panic(d)
}

// Bits returns those of the number of a floating-point type that is nearest to f.
func Bits(d tensor.DType, f float64) uint64 {
	switch d {
	case tensor.F64:
		return math.Float64bits(f)
	case tensor.F32:
		return uint64(math.Float32bits(float32(f)))
	case tensor.F16:
		return uint64(tensor.ToFloat16(float32(f)))
	case tensor.BF16:
		return uint64(tensor.ToBFloat16(float32(f)))
	}
	return uint64(nearest(d, f))
}

// nearest returns the bits of a number of 8 bits or fewer that is near a value.
func nearest(d tensor.DType, value float64) (best byte) {
	least := math.Inf(1)
	for bits := range 1 << d.Bits() {
		f, ok := tensor.Float8(d, byte(bits))
		x := float64(f)
		switch {
		case !ok:
			return 0
		case x == value && math.Signbit(x) == math.Signbit(value), x != x && value != value:
			return byte(bits)
		case math.Abs(x-value) < least:
			best, least = byte(bits), math.Abs(x-value)
		}
	}
	return best
}

// Floats decodes an element of floating-point or complex numbers: its value, or those of its real and imaginary parts.
// It returns zeros for other types.
func Floats(v tensor.View, i int) [2]float64 {
	switch x := v.At(i).(type) {
	case float32:
		return [2]float64{float64(x)}
	case float64:
		return [2]float64{x}
	case complex64:
		return [2]float64{float64(real(x)), float64(imag(x))}
	case complex128:
		return [2]float64{real(x), imag(x)}
	}
	if f, ok := tensor.Float8(v.Shape.DType, v.Data[i]); ok {
		return [2]float64{float64(f)}
	}
	return [2]float64{}
}

// SetFloat sets an element of floating-point or complex numbers to the nearest value of the type.
func SetFloat(v tensor.View, i int, re, im float64) {
	switch size := v.Shape.DType.Size(); v.Shape.DType {
	case tensor.C64:
		put(v.Data[i*size:i*size+4], Bits(tensor.F32, re))
		put(v.Data[i*size+4:(i+1)*size], Bits(tensor.F32, im))
	case tensor.C128:
		put(v.Data[i*size:i*size+8], Bits(tensor.F64, re))
		put(v.Data[i*size+8:(i+1)*size], Bits(tensor.F64, im))
	default:
		SetBits(v, i, Bits(v.Shape.DType, re))
	}
}

// SetInteger sets an element of integers, or of booleans, to the value that the type has for x.
func SetInteger(v tensor.View, i int, x int64) {
	d := v.Shape.DType
	bits := uint64(x)
	switch {
	case d == tensor.Pred:
		bits &= 1
	case d == tensor.U2 || d == tensor.U4:
		bits &= 1<<d.Bits() - 1
	case d == tensor.S2 || d == tensor.S4:
		bits = uint64(x << (64 - d.Bits()) >> (64 - d.Bits()))
	}
	SetBits(v, i, bits)
}

// SetBits sets the bytes of an element.
func SetBits(v tensor.View, i int, bits uint64) {
	size := v.Shape.DType.Size()
	put(v.Data[i*size:(i+1)*size], bits)
}

func put(at []byte, bits uint64) {
	for i := range at {
		at[i] = byte(bits >> (8 * i))
	}
}

// Tolerance has the relative errors of results that libraries round in their own ways. Operations of half the bits are
// rounded at other places, too.
var Tolerance = map[tensor.DType]float64{tensor.F64: 1e-9, tensor.C128: 1e-9, tensor.F32: 1e-3, tensor.C64: 1e-3,
	tensor.BF16: 0.1, tensor.F16: 0.02}
