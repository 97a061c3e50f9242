// Package optim has optimizers: functions of trees of builder values that return the next parameters. A tree of
// gradients, or of what an optimizer keeps, has the structure and the shapes of the parameters. A learning rate is a Go
// number, or a scalar value that a schedule computes.
package optim

import (
	"cmp"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/tensor"
)

// SGD returns params - rate·gradients.
func SGD[R builder.Operand, T any](rate R, params, gradients T) T {
	return builder.MapTrees(func(x ...builder.Value) builder.Value {
		return builder.Sub(x[0], builder.Mul(rate, x[1]))
	}, params, gradients)
}

// Momentum returns the next parameters and velocity: velocity = momentum·velocity + gradients, and
// params - rate·velocity. The first velocity is zero.
func Momentum[R builder.Operand, T any](rate R, momentum float64, params, velocity, gradients T) (T, T) {
	velocity = builder.MapTrees(func(x ...builder.Value) builder.Value {
		return builder.Add(builder.Mul(momentum, x[0]), x[1])
	}, velocity, gradients)
	return SGD(rate, params, velocity), velocity
}

// An AdamState is what Adam keeps. V is the type of a leaf of T.
type AdamState[T, V any] struct {
	Params, Mean, Variance T
	Step                   V // f32[]
}

// AdamOptions are the options of Adam. Zero values are the usual choices, in parentheses.
type AdamOptions struct {
	Beta1, Beta2 float64 // how much is kept of the mean (0.9) and of the variance (0.999)
	Epsilon      float64 // added to the root of the variance (1e-8)
	WeightDecay  float64 // how much of the parameters is subtracted, times the rate (0): AdamW
}

// NewAdam returns the state before the first step.
func NewAdam[T any](params T) AdamState[T, builder.Value] {
	var step builder.Value
	zeros := func() T {
		return builder.MapTrees(func(x ...builder.Value) builder.Value {
			step = builder.Scalar(x[0].Func(), float32(0))
			return builder.ZerosLike(x[0])
		}, params)
	}
	return AdamState[T, builder.Value]{Params: params, Mean: zeros(), Variance: zeros(), Step: step}
}

// Adam returns the state after a step, of Kingma and Ba, "Adam: a method for stochastic optimization" (2015), with the
// weight decay of Loshchilov and Hutter, "Decoupled weight decay regularization" (2019).
func Adam[R builder.Operand, T any](
	rate R, o AdamOptions, s AdamState[T, builder.Value], gradients T,
) AdamState[T, builder.Value] {
	beta1, beta2, epsilon := cmp.Or(o.Beta1, 0.9), cmp.Or(o.Beta2, 0.999), cmp.Or(o.Epsilon, 1e-8)
	s.Step = builder.Add(s.Step, 1)
	s.Mean = moment(beta1, s.Mean, gradients, func(g builder.Value) builder.Value { return g })
	s.Variance = moment(beta2, s.Variance, gradients, builder.Square)
	unbiased := func(x builder.Value, beta float64) builder.Value {
		rest := builder.Sub(1, builder.Pow(beta, s.Step))
		return builder.Div(x, builder.Convert(rest, x.Shape().DType))
	}
	s.Params = builder.MapTrees(func(x ...builder.Value) builder.Value {
		p, mean, variance := x[0], unbiased(x[1], beta1), unbiased(x[2], beta2)
		change := builder.Div(mean, builder.Add(builder.Sqrt(variance), epsilon))
		if o.WeightDecay != 0 {
			change = builder.Add(change, builder.Mul(p, o.WeightDecay))
		}
		return builder.Sub(p, builder.Mul(rate, change))
	}, s.Params, s.Mean, s.Variance)
	return s
}

// moment returns beta·old + (1 - beta)·of(gradients).
func moment[T any](beta float64, old, gradients T, of func(builder.Value) builder.Value) T {
	return builder.MapTrees(func(x ...builder.Value) builder.Value {
		return builder.Add(builder.Mul(beta, x[0]), builder.Mul(1-beta, of(x[1])))
	}, old, gradients)
}

// ClipByNorm returns the gradients, scaled so that the root of the sum of all their squares is at most limit.
func ClipByNorm[T any](limit float64, gradients T) T {
	var sum builder.Value
	some := false
	builder.MapTrees(func(x ...builder.Value) builder.Value {
		square := builder.Convert(builder.ReduceSum(builder.Square(x[0])), tensor.F32)
		if some {
			square = builder.Add(sum, square)
		}
		sum, some = square, true
		return x[0]
	}, gradients)
	if !some {
		return gradients
	}
	scale := builder.Min(builder.Div(limit, builder.Sqrt(sum)), 1)
	return builder.MapTrees(func(x ...builder.Value) builder.Value {
		return builder.Mul(x[0], builder.Convert(scale, x[0].Shape().DType))
	}, gradients)
}
