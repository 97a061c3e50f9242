package operations

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/tensor"
)

// An element is the type of a value's elements. Arrays on the host have none of f6 and quantized numbers: such values
// are made of the type that carries them, and results are made that again.
type element struct {
	tensor.DType        // on the host
	text         string // in MLIR, "" if the host's type says it
}

func (e element) MLIR() string {
	if e.text != "" {
		return e.text
	}
	return e.DType.MLIR()
}

func (e element) isQuantized() bool { return strings.HasPrefix(e.text, "!quant") }

// class returns a letter for the kind of type: p is boolean, s a signed and u an unsigned integer, f a floating-point
// number, 8 one of 8 bits or fewer, c complex and q quantized.
func (e element) class() byte {
	switch d := e.DType; {
	case e.isQuantized():
		return 'q'
	case e.text != "":
		return '8'
	case d == tensor.Pred:
		return 'p'
	case d >= tensor.S2 && d <= tensor.S64:
		return 's'
	case d >= tensor.U2 && d <= tensor.U64:
		return 'u'
	case d == tensor.C64 || d == tensor.C128:
		return 'c'
	case d.Bits() <= 8:
		return '8'
	}
	return 'f'
}

// is reports whether the class is one of some.
func (e element) is(classes string) bool { return strings.IndexByte(classes, e.class()) >= 0 }

// isRounded reports whether results of this type are rounded.
func (e element) isRounded() bool { return e.is("f8cq") }

// elements are all that there are.
var elements = slices.Concat(of(tensor.DTypes()...), []element{
	{tensor.F32, "f6E2M3FN"}, {tensor.F32, "f6E3M2FN"},
	{tensor.F32, "!quant.uniform<i8:f32, 0.5:3>"}, {tensor.F32, "!quant.uniform<u8:f32, 0.25>"},
})

func of(types ...tensor.DType) (list []element) {
	for _, t := range types {
		list = append(list, element{DType: t})
	}
	return list
}

// common are the types that most programs have.
var common = of(tensor.Pred, tensor.S8, tensor.S16, tensor.S32, tensor.S32, tensor.S64, tensor.U8, tensor.U16,
	tensor.U32, tensor.U64, tensor.F16, tensor.BF16, tensor.F32, tensor.F32, tensor.F64, tensor.C64, tensor.C128)

// indexTypes are those of indices.
var indexTypes = of(tensor.S32, tensor.S32, tensor.S64, tensor.S8, tensor.S16, tensor.U8, tensor.U8, tensor.U16,
	tensor.U32, tensor.U64, tensor.S4, tensor.U4, tensor.S2, tensor.U2)

// scalarOf returns the type of an element that is added, multiplied and so on, and the real one of a complex number.
func (e element) real() element {
	switch e.DType {
	case tensor.C64:
		return element{DType: tensor.F32}
	case tensor.C128:
		return element{DType: tensor.F64}
	}
	return e
}

// Values of floating-point numbers.
var (
	specials = []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 0.5, -0.5, 1.5, 2.5,
		-2.5,
		127, 128, 255, 256, 32767, 32768, 65504, 65536, 2147483647, -2147483648, 4294967296, 9223372036854775808,
		18446744073709551616, 1e10, -1e10, 1e30, -1e30, 1e300, 3.4028234663852886e38, math.MaxFloat64, 1e-3, 1e-7,
		1e-30,
		// These are next to the middle of two numbers of bf16 or f16, and in the middle for f32.
		1 + 0x1p-8 + 0x1p-40, -1 - 0x1p-11 - 0x1p-40, 1<<30 + 1<<22 + 1, -1<<62 - 1<<54 - 1<<20}
	denormals = []float64{1e-40, -1e-40, 1e-45, 5e-324, -1e-310, 6e-8, 1e-5, 0x1p-126, 0x1p-1022, 0x1p-14}
	tame      = []float64{0, 1, -1, 2, 0, 1, -1, 3}
	tiny      = []float64{0, 1, -1, 0, 1} // for types whose sums are rounded soon
	huge      = []float64{math.Inf(1), math.Inf(-1), math.NaN()}
)

// wide returns an integer that is often at the edges of a type.
func wide(r *rand.Rand, bits int) int64 {
	switch r.IntN(7) {
	case 6: // next to the middle of two numbers of bf16
		return int64(uint64(1)<<max(bits-2, 0) + uint64(1)<<max(bits-10, 0) + 1)
	case 0:
		return int64(r.Uint64())
	case 1:
		return int64(uint64(1)<<(bits-1)) - int64(r.IntN(2)) // the least and the largest signed one
	case 2:
		return -1 - int64(r.IntN(2))
	case 3:
		return int64(r.IntN(3))
	}
	return int64(r.IntN(2*bits+4)) - 4 // around the width, for shifts
}
