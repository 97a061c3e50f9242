package builder

import "github.com/calliope-mlir/calliope/stablehlo"

// Cholesky is the triangular matrix whose product with its conjugate transpose is x, a
// Hermitian positive definite matrix, or a batch of them, [..., n, n]: the lower one, with
// L·Lᴴ = x, or the upper one, with Uᴴ·U = x. Only that triangle of x is read. What stands
// in the other triangle of the result is not defined.
func Cholesky(x Value, lower bool) Value {
	s := begin("cholesky", x)
	return s.one(stablehlo.Cholesky{A: x.v, Lower: lower})
}

// TriangularOptions say what TriangularSolve solves.
type TriangularOptions struct {
	Right        bool                    // X·A = B and not A·X = B
	Upper        bool                    // a is an upper triangle, and not a lower one
	UnitDiagonal bool                    // a's diagonal is taken for ones and not read
	Transpose    stablehlo.TransposeKind // "" is stablehlo.TransposeNone
}

// TriangularSolve is the X of A·X = B, where a is a triangular matrix, [..., n, n], and b
// [..., n, m]; its other triangle is not read.
func TriangularSolve(a, b Value, o TriangularOptions) Value {
	s := begin("triangular_solve", a, b)
	if o.Transpose == "" {
		o.Transpose = stablehlo.TransposeNone
	}
	return s.one(stablehlo.TriangularSolve{
		A: a.v, B: b.v, LeftSide: !o.Right, Lower: !o.Upper, UnitDiagonal: o.UnitDiagonal, TransposeA: o.Transpose,
	})
}

// BatchNormInference is (x - mean) / sqrt(variance + epsilon) * scale + offset for each
// feature: of the dimension of x at the axis are the four vectors.
func BatchNormInference(x, scale, offset, mean, variance Value, epsilon float32, axis int) Value {
	s := begin("batch_norm_inference", x, scale, offset, mean, variance)
	if !s.ok {
		return s.none()
	}
	return s.one(stablehlo.BatchNormInference{
		Operand: x.v, Scale: scale.v, Offset: offset.v, Mean: mean.v, Variance: variance.v,
		Epsilon: epsilon, FeatureIndex: int64(s.axis(axis, rankOf(x))),
	})
}

// BatchNormTraining is BatchNormInference with the mean and the variance of x itself, along
// all axes but that of the features, and gives those too.
func BatchNormTraining(x, scale, offset Value, epsilon float32, axis int) (y, mean, variance Value) {
	s := begin("batch_norm_training", x, scale, offset)
	if !s.ok {
		return s.none(), s.none(), s.none()
	}
	r := s.many(3, stablehlo.BatchNormTraining{
		Operand: x.v, Scale: scale.v, Offset: offset.v, Epsilon: epsilon, FeatureIndex: int64(s.axis(axis, rankOf(x))),
	})
	return r[0], r[1], r[2]
}

// BatchNormGrad are the gradients of BatchNormTraining's first result, by x, scale and
// offset, where gradient is that of what follows, of x's shape.
func BatchNormGrad(x, scale, mean, variance, gradient Value, epsilon float32, axis int) (dx, dscale, doffset Value) {
	s := begin("batch_norm_grad", x, scale, mean, variance, gradient)
	if !s.ok {
		return s.none(), s.none(), s.none()
	}
	r := s.many(3, stablehlo.BatchNormGrad{
		Operand: x.v, Scale: scale.v, Mean: mean.v, Variance: variance.v, GradOutput: gradient.v,
		Epsilon: epsilon, FeatureIndex: int64(s.axis(axis, rankOf(x))),
	})
	return r[0], r[1], r[2]
}
