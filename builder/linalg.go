package builder

import (
	"cmp"

	"github.com/calliope-mlir/calliope/stablehlo"
)

// Cholesky returns the triangular factor of x, a Hermitian positive definite matrix or a
// batch of them, [..., n, n]. If lower is set, it is the lower one, with L·Lᴴ = x.
// Otherwise it is the upper one, with Uᴴ·U = x. Only that triangle of x is read. The other
// triangle of the result is undefined.
func Cholesky(x Value, lower bool) Value {
	s := begin("cholesky", x)
	return s.one(stablehlo.CholeskyOp{A: x.v, Lower: lower})
}

// TriangularOptions are the options of TriangularSolve.
type TriangularOptions struct {
	Right        bool                    // solve X·A = B, not A·X = B
	Upper        bool                    // a is upper triangular, not lower triangular
	UnitDiagonal bool                    // the diagonal of a is not read and counts as ones
	Transpose    stablehlo.TransposeKind // "" means stablehlo.TransposeNone
}

// TriangularSolve returns the X of A·X = B. a is a triangular matrix, [..., n, n], and b is
// [..., n, m]. The other triangle of a is not read.
func TriangularSolve(a, b Value, o TriangularOptions) Value {
	s := begin("triangular_solve", a, b)
	o.Transpose = cmp.Or(o.Transpose, stablehlo.TransposeNone)
	return s.one(stablehlo.TriangularSolveOp{
		A: a.v, B: b.v, LeftSide: !o.Right, Lower: !o.Upper, UnitDiagonal: o.UnitDiagonal, TransposeA: o.Transpose,
	})
}

// BatchNormInference returns (x - mean) / sqrt(variance + epsilon) * scale + offset for
// each feature. The features are along axis; the four vectors have that dimension.
func BatchNormInference(x, scale, offset, mean, variance Value, epsilon float32, axis int) Value {
	s := begin("batch_norm_inference", x, scale, offset, mean, variance)
	if !s.ok {
		return s.none()
	}
	return s.one(stablehlo.BatchNormInferenceOp{
		Operand: x.v, Scale: scale.v, Offset: offset.v, Mean: mean.v, Variance: variance.v,
		Epsilon: epsilon, FeatureIndex: int64(s.axis(axis, rankOf(x))),
	})
}

// BatchNormTraining is BatchNormInference with the mean and variance of x itself, along all
// axes except that of the features. It also returns the mean and the variance.
func BatchNormTraining(x, scale, offset Value, epsilon float32, axis int) (y, mean, variance Value) {
	s := begin("batch_norm_training", x, scale, offset)
	if !s.ok {
		return s.none(), s.none(), s.none()
	}
	r := s.many(3, stablehlo.BatchNormTrainingOp{
		Operand: x.v, Scale: scale.v, Offset: offset.v, Epsilon: epsilon, FeatureIndex: int64(s.axis(axis, rankOf(x))),
	})
	return r[0], r[1], r[2]
}

// BatchNormGrad returns the gradients of BatchNormTraining's first result with respect to
// x, scale and offset. gradient is the incoming gradient, of x's shape.
func BatchNormGrad(x, scale, mean, variance, gradient Value, epsilon float32, axis int) (dx, dscale, doffset Value) {
	s := begin("batch_norm_grad", x, scale, mean, variance, gradient)
	if !s.ok {
		return s.none(), s.none(), s.none()
	}
	r := s.many(3, stablehlo.BatchNormGradOp{
		Operand: x.v, Scale: scale.v, Mean: mean.v, Variance: variance.v, GradOutput: gradient.v,
		Epsilon: epsilon, FeatureIndex: int64(s.axis(axis, rankOf(x))),
	})
	return r[0], r[1], r[2]
}
