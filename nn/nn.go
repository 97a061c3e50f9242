// Package nn has functions of machine learning on values of package builder: activations, losses, normalizations and
// random initial values. Their names are those of JAX (jax.nn), and so are their defaults, but for Gelu and He.
package nn

import (
	"fmt"
	"math"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/tensor"
)

// Relu returns max(x, 0).
func Relu(x builder.Value) builder.Value { return builder.Max(x, 0) }

// Silu returns x · sigmoid(x), which is also called swish.
func Silu(x builder.Value) builder.Value { return builder.Mul(x, builder.Sigmoid(x)) }

// Gelu returns the Gaussian error linear unit x · Φ(x), by the error function, as jax.nn.gelu(x, approximate=False).
// The default of JAX is an approximation by tanh.
func Gelu(x builder.Value) builder.Value {
	return builder.Mul(builder.Mul(x, 0.5), builder.Add(builder.Erf(builder.Mul(x, 1/math.Sqrt2)), 1))
}

// Softplus returns log(1 + exp(x)), without overflow.
func Softplus(x builder.Value) builder.Value {
	return builder.Add(builder.Max(x, 0), builder.Log1p(builder.Exp(builder.Neg(builder.Abs(x)))))
}

// LogSumExp returns the logarithm of the sum of exponentials along an axis, which the result lacks. It does not
// overflow. It is -Inf for elements that all are.
func LogSumExp(x builder.Value, axis int) builder.Value {
	greatest := finite(builder.ReduceMax(x, axis))
	sum := builder.ReduceSum(builder.Exp(builder.Sub(x, along(x, greatest, axis))), axis)
	return builder.Add(builder.Log(sum), greatest)
}

// Softmax returns exp(x) divided by its sum along an axis. It does not overflow.
func Softmax(x builder.Value, axis int) builder.Value {
	e := builder.Exp(builder.Sub(x, along(x, finite(builder.ReduceMax(x, axis)), axis)))
	return builder.Div(e, along(x, builder.ReduceSum(e, axis), axis))
}

// LogSoftmax returns the logarithm of Softmax.
func LogSoftmax(x builder.Value, axis int) builder.Value {
	// first: the logarithm is small beside large x
	x = builder.Sub(x, along(x, finite(builder.ReduceMax(x, axis)), axis))
	return builder.Sub(x, along(x, builder.Log(builder.ReduceSum(builder.Exp(x), axis)), axis))
}

// finite returns 0 in place of infinite elements, whose difference would be NaN.
func finite(x builder.Value) builder.Value {
	return builder.Select(builder.Eq(builder.Abs(x), math.Inf(1)), builder.ZerosLike(x), x)
}

// along returns a reduced value with the axis that it lacks, of dimension 1.
func along(x, reduced builder.Value, axis int) builder.Value {
	if axis < 0 {
		axis += len(x.Shape().Dims)
	}
	return builder.ExpandDims(reduced, axis)
}

// OneHot returns arrays of n elements, along a new last axis, that are 1 at the index and 0 elsewhere, and all 0 for an
// index that is negative or not less than n.
func OneHot(indices builder.Value, n int, d tensor.DType) builder.Value {
	if indices.Shape().DType.Size() < 4 { // it need not count to n
		indices = builder.Convert(indices, tensor.S32)
	}
	shape := indices.Shape()
	dims := append(append([]int{}, shape.Dims...), n)
	at := builder.Iota(indices.Func(), tensor.ShapeOf(shape.DType, dims...), len(dims)-1)
	return builder.Convert(builder.Eq(builder.ExpandDims(indices, -1), at), d)
}

// CrossEntropy returns the mean of the cross entropies between rows of logits and the indices of the right classes. The
// logits are f[…, classes], and the labels integers of their shape without the last axis.
func CrossEntropy(logits, labels builder.Value) builder.Value {
	dims := logits.Shape().Dims
	if len(dims) == 0 {
		logits.Func().Builder().Fail("cross entropy",
			fmt.Errorf("the logits have no axis of classes: they are %s", logits.Shape()))
		return logits
	}
	right := OneHot(labels, dims[len(dims)-1], tensor.Pred)
	// a product would be NaN for -Inf
	chosen := builder.Select(right, LogSoftmax(logits, -1), builder.ZerosLike(logits))
	return builder.Neg(builder.ReduceMean(builder.ReduceSum(chosen, -1)))
}

// LayerNorm returns x with a mean of 0 and a variance of 1 along its last axis, times scale, plus shift. These are
// f[features]. epsilon is added to the variance.
func LayerNorm(x, scale, shift builder.Value, epsilon float64) builder.Value {
	centered := builder.Sub(x, along(x, builder.ReduceMean(x, -1), -1))
	variance := builder.ReduceMean(builder.Square(centered), -1)
	y := builder.Mul(centered, along(x, builder.Rsqrt(builder.Add(variance, epsilon)), -1))
	return builder.Add(builder.Mul(y, features(x, scale)), features(x, shift))
}

// RMSNorm returns x divided by the root of the mean square along its last axis, times scale, which is f[features].
func RMSNorm(x, scale builder.Value, epsilon float64) builder.Value {
	square := builder.ReduceMean(builder.Square(x), -1)
	return builder.Mul(builder.Mul(x, along(x, builder.Rsqrt(builder.Add(square, epsilon)), -1)), features(x, scale))
}

// features returns v as an array of the rank of x whose other dimensions are 1.
func features(x, v builder.Value) builder.Value {
	for range len(x.Shape().Dims) - len(v.Shape().Dims) {
		v = builder.ExpandDims(v, 0)
	}
	return v
}
