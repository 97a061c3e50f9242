package builder

import (
	"math"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// RngBitGenerator returns an array of random bits, of an unsigned integer type, and the
// state for the next call. The same state gives the same bits. The state of
// stablehlo.RngThreeFry is u64[2], that of stablehlo.RngPhilox u64[2] or u64[3]. The
// compiler chooses the algorithm and the state of stablehlo.RngDefault.
func RngBitGenerator(state Value, shape tensor.Shape, algorithm stablehlo.RngAlgorithm) (next, bits Value) {
	s := begin("rng_bit_generator", state)
	return s.randomBits(state, shape, algorithm)
}

func (s *step) randomBits(state Value, shape tensor.Shape, algorithm stablehlo.RngAlgorithm) (next, bits Value) {
	if !s.ok {
		return s.none(), s.none()
	}
	if dtypeOf(state) != tensor.U64 || rankOf(state) != 1 {
		return s.none(), s.fail("the state must be a vector of u64, such as u64[2]")
	}
	results := s.many(2, stablehlo.RngBitGeneratorOp{
		InitialState: state.v, RngAlgorithm: algorithm, OutputStateType: state.v.Type(), OutputType: s.tensor(shape),
	})
	return results[0], results[1]
}

// Uniform01 returns an array of random numbers from 0 to 1, excluding 1, and the state for
// the next call. The state is a u64[2]. The same state gives the same numbers on every
// device; the algorithm is ThreeFry. The element type is f16, bf16, f32 or f64.
func Uniform01(state Value, shape tensor.Shape) (next, x Value) {
	s := begin("uniform01", state)
	return s.uniform01(state, shape)
}

func (s *step) uniform01(state Value, shape tensor.Shape) (next, x Value) {
	// The bits of the fraction with the exponent of 1 are a number from 1 to 2.
	bits, float, fraction := tensor.U32, tensor.F32, 23
	switch shape.DType {
	case tensor.F16, tensor.F32:
		if shape.DType == tensor.F16 {
			bits, float, fraction = tensor.U16, tensor.F16, 10
		}
	case tensor.BF16:
		bits, float, fraction = tensor.U16, tensor.BF16, 7
	case tensor.F64:
		bits, float, fraction = tensor.U64, tensor.F64, 52
	default:
		return s.none(), s.fail("the type %s is not supported: use f16, bf16, f32 or f64", shape.DType)
	}
	next, random := s.randomBits(state, tensor.Shape{DType: bits, Dims: shape.Dims}, stablehlo.RngThreeFry)
	if !s.ok {
		return next, s.none()
	}
	random = s.binary("stablehlo.shift_right_logical", random, s.numberLike(bits.Bits()-fraction, random))
	random = s.binary("stablehlo.or", random, s.numberLike(oneBits(float), random))
	x = s.one(stablehlo.BitcastConvertOp{Operand: random.v, ResultType: s.tensor(shape)})
	return next, s.binary("stablehlo.subtract", x, s.numberLike(1, x))
}

// oneBits returns the bits of the floating point number 1.
func oneBits(d tensor.DType) uint64 {
	switch d {
	case tensor.F16:
		return 0x3c00
	case tensor.BF16:
		return 0x3f80
	case tensor.F64:
		return math.Float64bits(1)
	}
	return uint64(math.Float32bits(1))
}

// RngUniform returns an array of random numbers from low to high, excluding high. low and
// high are scalars of the result's type. The compiler keeps the state: the numbers cannot
// be predicted, and on some devices they are the same in each run.
func RngUniform(low, high Value, dims ...int) Value {
	return rng("rng_uniform", low, high, stablehlo.RngUniform, dims)
}

// RngNormal returns an array of random numbers of a normal distribution. mean and deviation
// are scalars of the result's floating point type. The state is as for RngUniform.
func RngNormal(mean, deviation Value, dims ...int) Value {
	return rng("rng_normal", mean, deviation, stablehlo.RngNormal, dims)
}

func rng(name string, a, b Value, distribution stablehlo.RngDistribution, dims []int) Value {
	s := begin(name, a, b)
	if !s.ok {
		return s.none()
	}
	if !isStatic(dims) {
		return s.fail("the dimensions %v must be known and not negative", dims)
	}
	value, err := mlir.NewDense(s.tensor(tensor.ShapeOf(tensor.S64, len(dims))), int64s(dims))
	if err != nil {
		return s.fail("%w", err)
	}
	return s.one(stablehlo.RngOp{A: a.v, B: b.v, Shape: s.constant(value).v, RngDistribution: distribution})
}
