package nn

import (
	"math"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/tensor"
)

// Key returns the state of random numbers that begins with a seed: a u64[2]. Initial values take a key and return the
// next one.
func Key(f *builder.Func, seed uint64) builder.Value { return builder.Const(f, []uint64{seed, 0}, 2) }

// Uniform returns random numbers from low to high.
func Uniform(key builder.Value, shape tensor.Shape, low, high float64) (next, x builder.Value) {
	next, x = builder.Uniform01(key, shape)
	return next, builder.Add(builder.Mul(x, high-low), low)
}

// Normal returns random numbers of a normal distribution with mean 0.
func Normal(key builder.Value, shape tensor.Shape, deviation float64) (next, x builder.Value) {
	next, x = builder.Uniform01(key, shape)
	// The inverse of the distribution function. ErfInv(-1) is -Inf, so the least number is half a step above 0.
	half := math.Ldexp(1, -min(shape.DType.Bits(), 53))
	x = builder.ErfInv(builder.Sub(builder.Mul(builder.Max(x, half), 2), 1))
	return next, builder.Mul(x, deviation*math.Sqrt2)
}

// Glorot returns uniform random numbers with the variance 2/(inputs + outputs) of Glorot and Bengio, "Understanding the
// difficulty of training deep feedforward neural networks" (2010). The last axis is that of the outputs, the one before
// it that of the inputs, and the others are those of a window.
func Glorot(key builder.Value, shape tensor.Shape) (next, x builder.Value) {
	in, out := fan(shape.Dims)
	limit := math.Sqrt(6 / float64(in+out))
	return Uniform(key, shape, -limit, limit)
}

// He returns normal random numbers with the variance 2/inputs of He et al., "Delving deep into rectifiers" (2015). The
// axes are those of Glorot. jax.nn.initializers.he_normal takes them from a truncated normal distribution of
// the same variance.
func He(key builder.Value, shape tensor.Shape) (next, x builder.Value) {
	in, _ := fan(shape.Dims)
	return Normal(key, shape, math.Sqrt(2/float64(in)))
}

func fan(dims []int) (in, out int) {
	in, out = 1, 1
	for i, d := range dims {
		if i != len(dims)-1 {
			in *= d
		}
		if i != len(dims)-2 {
			out *= d
		}
	}
	return in, out
}
