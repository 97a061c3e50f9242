package builder_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

type (
	value  = builder.Value
	shapes = []tensor.Shape
)

func f32(dims ...int) tensor.Shape  { return tensor.ShapeOf(tensor.F32, dims...) }
func s32(dims ...int) tensor.Shape  { return tensor.ShapeOf(tensor.S32, dims...) }
func pred(dims ...int) tensor.Shape { return tensor.ShapeOf(tensor.Pred, dims...) }

func two(x, y value) []value      { return []value{x, y} }
func three(x, y, z value) []value { return []value{x, y, z} }

// TestOperations builds each operation, verifies it, and compares its printed form.
func TestOperations(t *testing.T) {
	b := func(x ...value) []value { return x }
	tests := []struct {
		name   string
		params shapes
		build  func(f *builder.Func, x []value) []value
		want   string
	}{
		{"abs", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Abs(x[0])) },
			`%0 = stablehlo.abs %arg0 : tensor<4xf32>`},
		{"cbrt", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Cbrt(x[0])) },
			`%0 = stablehlo.cbrt %arg0 : tensor<4xf32>`},
		{"ceil", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Ceil(x[0])) },
			`%0 = stablehlo.ceil %arg0 : tensor<4xf32>`},
		{"cos", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Cos(x[0])) },
			`%0 = stablehlo.cosine %arg0 : tensor<4xf32>`},
		{"exp", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Exp(x[0])) },
			`%0 = stablehlo.exponential %arg0 : tensor<4xf32>`},
		{"expm1", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Expm1(x[0])) },
			`%0 = stablehlo.exponential_minus_one %arg0 : tensor<4xf32>`},
		{"floor", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Floor(x[0])) },
			`%0 = stablehlo.floor %arg0 : tensor<4xf32>`},
		{"log", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Log(x[0])) },
			`%0 = stablehlo.log %arg0 : tensor<4xf32>`},
		{"log1p", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Log1p(x[0])) },
			`%0 = stablehlo.log_plus_one %arg0 : tensor<4xf32>`},
		{"neg", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Neg(x[0])) },
			`%0 = stablehlo.negate %arg0 : tensor<4xf32>`},
		{"not", shapes{pred(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Not(x[0])) },
			`%0 = stablehlo.not %arg0 : tensor<4xi1>`},
		{"round", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Round(x[0])) },
			`%0 = stablehlo.round_nearest_even %arg0 : tensor<4xf32>`},
		{"round away", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.RoundAway(x[0])) },
			`%0 = stablehlo.round_nearest_afz %arg0 : tensor<4xf32>`},
		{"rsqrt", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Rsqrt(x[0])) },
			`%0 = stablehlo.rsqrt %arg0 : tensor<4xf32>`},
		{"sigmoid", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Sigmoid(x[0])) },
			`%0 = stablehlo.logistic %arg0 : tensor<4xf32>`},
		{"sign", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Sign(x[0])) },
			`%0 = stablehlo.sign %arg0 : tensor<4xf32>`},
		{"sin", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Sin(x[0])) },
			`%0 = stablehlo.sine %arg0 : tensor<4xf32>`},
		{"sqrt", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Sqrt(x[0])) },
			`%0 = stablehlo.sqrt %arg0 : tensor<4xf32>`},
		{"tan", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Tan(x[0])) },
			`%0 = stablehlo.tan %arg0 : tensor<4xf32>`},
		{"tanh", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Tanh(x[0])) },
			`%0 = stablehlo.tanh %arg0 : tensor<4xf32>`},
		{"square", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Square(x[0])) },
			`%0 = stablehlo.multiply %arg0, %arg0 : tensor<4xf32>`},
		{"count leading zeros", shapes{s32(4)}, func(_ *builder.Func, x []value) []value {
			return b(builder.CountLeadingZeros(x[0]))
		}, `%0 = stablehlo.count_leading_zeros %arg0 : tensor<4xi32>`},
		{"popcount", shapes{s32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.PopCount(x[0])) },
			`%0 = stablehlo.popcnt %arg0 : tensor<4xi32>`},
		{"is finite", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.IsFinite(x[0])) },
			`%0 = stablehlo.is_finite %arg0 : (tensor<4xf32>) -> tensor<4xi1>`},
		{"reduce precision", shapes{f32(4)},
			func(_ *builder.Func, x []value) []value { return b(builder.ReducePrecision(x[0], 5, 10)) },
			`%0 = stablehlo.reduce_precision %arg0, format = e5m10 : tensor<4xf32>`},
		{"clamp", shapes{f32(4), f32(), f32(4)},
			func(_ *builder.Func, x []value) []value { return b(builder.Clamp(x[1], x[0], x[2])) }, `
			%0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<4xf32>
			%1 = stablehlo.clamp %0, %arg0, %arg2 : tensor<4xf32>`},
		{"clamp numbers", shapes{s32(4)},
			func(_ *builder.Func, x []value) []value { return b(builder.Clamp(-1, x[0], 7)) }, `
			%c = stablehlo.constant dense<-1> : tensor<4xi32>
			%c_0 = stablehlo.constant dense<7> : tensor<4xi32>
			%0 = stablehlo.clamp %c, %arg0, %c_0 : tensor<4xi32>`},
		{"add", shapes{f32(4), f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Add(x[0], x[1])) },
			`%0 = stablehlo.add %arg0, %arg1 : tensor<4xf32>`},
		{"sub", shapes{f32(4), f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Sub(x[0], x[1])) },
			`%0 = stablehlo.subtract %arg0, %arg1 : tensor<4xf32>`},
		{"mul", shapes{f32(4), f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Mul(x[0], x[1])) },
			`%0 = stablehlo.multiply %arg0, %arg1 : tensor<4xf32>`},
		{"div", shapes{f32(4), f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Div(x[0], x[1])) },
			`%0 = stablehlo.divide %arg0, %arg1 : tensor<4xf32>`},
		{"rem", shapes{f32(4), f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Rem(x[0], x[1])) },
			`%0 = stablehlo.remainder %arg0, %arg1 : tensor<4xf32>`},
		{"max", shapes{f32(4), f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Max(x[0], x[1])) },
			`%0 = stablehlo.maximum %arg0, %arg1 : tensor<4xf32>`},
		{"min", shapes{f32(4), f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Min(x[0], x[1])) },
			`%0 = stablehlo.minimum %arg0, %arg1 : tensor<4xf32>`},
		{"pow", shapes{f32(4), f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Pow(x[0], x[1])) },
			`%0 = stablehlo.power %arg0, %arg1 : tensor<4xf32>`},
		{"atan2", shapes{f32(4), f32(4)}, func(_ *builder.Func, x []value) []value {
			return b(builder.Atan2(x[0], x[1]))
		}, `%0 = stablehlo.atan2 %arg0, %arg1 : tensor<4xf32>`},
		{"and", shapes{pred(4), pred(4)}, func(_ *builder.Func, x []value) []value {
			return b(builder.And(x[0], x[1]))
		}, `%0 = stablehlo.and %arg0, %arg1 : tensor<4xi1>`},
		{"or", shapes{pred(4), pred(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Or(x[0], x[1])) },
			`%0 = stablehlo.or %arg0, %arg1 : tensor<4xi1>`},
		{"xor", shapes{s32(4), s32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Xor(x[0], x[1])) },
			`%0 = stablehlo.xor %arg0, %arg1 : tensor<4xi32>`},
		{"shift left", shapes{s32(4), s32(4)}, func(_ *builder.Func, x []value) []value {
			return b(builder.ShiftLeft(x[0], x[1]))
		}, `%0 = stablehlo.shift_left %arg0, %arg1 : tensor<4xi32>`},
		{"shift right", shapes{s32(4), s32(4)}, func(_ *builder.Func, x []value) []value {
			return b(
				builder.ShiftRight(x[0], x[1]))
		}, `%0 = stablehlo.shift_right_arithmetic %arg0, %arg1 : tensor<4xi32>`},
		{"shift right logical", shapes{s32(4), s32(4)},
			func(_ *builder.Func, x []value) []value { return b(builder.ShiftRightLogical(x[0], x[1])) },
			`%0 = stablehlo.shift_right_logical %arg0, %arg1 : tensor<4xi32>`},
		{"number right", shapes{f32(2, 2)}, func(_ *builder.Func, x []value) []value { return b(builder.Add(x[0], 1)) },
			`
			%cst = stablehlo.constant dense<1.000000e+00> : tensor<2x2xf32>
			%0 = stablehlo.add %arg0, %cst : tensor<2x2xf32>`},
		{"number left", shapes{f32(2, 2)},
			func(_ *builder.Func, x []value) []value { return b(builder.Sub(0.5, x[0])) }, `
			%cst = stablehlo.constant dense<5.000000e-01> : tensor<2x2xf32>
			%0 = stablehlo.subtract %cst, %arg0 : tensor<2x2xf32>`},
		{"number of an integer", shapes{s32(3)},
			func(_ *builder.Func, x []value) []value { return b(builder.Mul(x[0], -2.0)) }, `
			%c = stablehlo.constant dense<-2> : tensor<3xi32>
			%0 = stablehlo.multiply %arg0, %c : tensor<3xi32>`},
		{"number of a boolean", shapes{pred(3)},
			func(_ *builder.Func, x []value) []value { return b(builder.Xor(x[0], true)) }, `
			%c = stablehlo.constant dense<true> : tensor<3xi1>
			%0 = stablehlo.xor %arg0, %c : tensor<3xi1>`},
		{"number of a complex", shapes{tensor.ShapeOf(tensor.C64, 2)},
			func(_ *builder.Func, x []value) []value { return b(builder.Mul(x[0], 1-2i)) }, `
			%cst = stablehlo.constant dense<(1.000000e+00,-2.000000e+00)> : tensor<2xcomplex<f32>>
			%0 = stablehlo.multiply %arg0, %cst : tensor<2xcomplex<f32>>`},
		{"number of an f8", shapes{tensor.ShapeOf(tensor.F8E4M3FN, 2)}, func(_ *builder.Func, x []value) []value {
			return b(builder.Full(x[0].Func(), tensor.ShapeOf(tensor.F8E4M3FN, 2), 0.1))
		}, `%cst = stablehlo.constant dense<1.015630e-01> : tensor<2xf8E4M3FN>`},
		{"number of a u64", shapes{tensor.ShapeOf(tensor.U64)},
			func(_ *builder.Func, x []value) []value { return b(builder.Add(x[0], uint64(math.MaxUint64))) }, `
			%c = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
			%0 = stablehlo.add %arg0, %c : tensor<ui64>`},
		{"number of an s4", shapes{tensor.ShapeOf(tensor.S4, 2)},
			func(_ *builder.Func, x []value) []value { return b(builder.Add(x[0], -8)) }, `
			%c = stablehlo.constant dense<-8> : tensor<2xi4>
			%0 = stablehlo.add %arg0, %c : tensor<2xi4>`},
		{"infinity and NaN", shapes{f32(2)}, func(_ *builder.Func, x []value) []value {
			return b(builder.Max(x[0], math.Inf(-1)), builder.Add(x[0], math.NaN()))
		}, `
			%cst = stablehlo.constant dense<0xFF800000> : tensor<2xf32>
			%0 = stablehlo.maximum %arg0, %cst : tensor<2xf32>
			%cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<2xf32>
			%1 = stablehlo.add %arg0, %cst_0 : tensor<2xf32>`},
		{"unknown dimension and one of 1", shapes{f32(-1, 2), f32(1, 2)},
			func(_ *builder.Func, x []value) []value { return b(builder.Add(x[0], x[1])) }, `
			%0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
			%1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
			%2 = stablehlo.get_dimension_size %arg0, dim = 1 : (tensor<?x2xf32>) -> tensor<i32>
			%3 = stablehlo.reshape %2 : (tensor<i32>) -> tensor<1xi32>
			%4 = stablehlo.concatenate %1, %3, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
			%5 = stablehlo.dynamic_broadcast_in_dim %arg1, %4, dims = [0, 1] : (tensor<1x2xf32>, tensor<2xi32>) -> tensor<?x2xf32>
			%6 = stablehlo.add %arg0, %5 : tensor<?x2xf32>`},
		{"axis for unknown dimensions", shapes{f32(-1)},
			func(_ *builder.Func, x []value) []value { return b(builder.ExpandDims(x[0], -1)) }, `
			%0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?xf32>) -> tensor<i32>
			%1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
			%c = stablehlo.constant dense<1> : tensor<1xi32>
			%2 = stablehlo.concatenate %1, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
			%3 = stablehlo.dynamic_reshape %arg0, %2 : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x1xf32>`},
		{"number of unknown dimensions", shapes{f32(-1, 2)},
			func(_ *builder.Func, x []value) []value { return b(builder.Add(x[0], 1)) }, `
			%cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
			%0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
			%1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
			%2 = stablehlo.get_dimension_size %arg0, dim = 1 : (tensor<?x2xf32>) -> tensor<i32>
			%3 = stablehlo.reshape %2 : (tensor<i32>) -> tensor<1xi32>
			%4 = stablehlo.concatenate %1, %3, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
			%5 = stablehlo.dynamic_broadcast_in_dim %cst, %4, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x2xf32>
			%6 = stablehlo.add %arg0, %5 : tensor<?x2xf32>`},
		{"scalar stretched", shapes{f32(2, 3), f32()},
			func(_ *builder.Func, x []value) []value { return b(builder.Mul(x[1], x[0])) }, `
			%0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
			%1 = stablehlo.multiply %0, %arg0 : tensor<2x3xf32>`},
		{"scalar stretched to unknown", shapes{f32(-1), f32()},
			func(_ *builder.Func, x []value) []value { return b(builder.Mul(x[0], x[1])) }, `
			%0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?xf32>) -> tensor<i32>
			%1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
			%2 = stablehlo.concatenate %1, dim = 0 : (tensor<1xi32>) -> tensor<1xi32>
			%3 = stablehlo.dynamic_broadcast_in_dim %arg1, %2, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
			%4 = stablehlo.multiply %arg0, %3 : tensor<?xf32>`},
		{"dimension of 1 stretched", shapes{f32(2, 1), f32(1, 3)},
			func(_ *builder.Func, x []value) []value { return b(builder.Add(x[0], x[1])) }, `
			%0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x3xf32>
			%1 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<2x3xf32>
			%2 = stablehlo.add %0, %1 : tensor<2x3xf32>`},
		{"acos", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Acos(x[0])) },
			`%0 = chlo.acos %arg0 : tensor<4xf32> -> tensor<4xf32>`},
		{"acosh", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Acosh(x[0])) },
			`%0 = chlo.acosh %arg0 : tensor<4xf32> -> tensor<4xf32>`},
		{"asin", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Asin(x[0])) },
			`%0 = chlo.asin %arg0 : tensor<4xf32> -> tensor<4xf32>`},
		{"asinh", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Asinh(x[0])) },
			`%0 = chlo.asinh %arg0 : tensor<4xf32> -> tensor<4xf32>`},
		{"atan", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Atan(x[0])) },
			`%0 = chlo.atan %arg0 : tensor<4xf32> -> tensor<4xf32>`},
		{"atanh", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Atanh(x[0])) },
			`%0 = chlo.atanh %arg0 : tensor<4xf32> -> tensor<4xf32>`},
		{"bessel", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.BesselI1e(x[0])) },
			`%0 = chlo.bessel_i1e %arg0 : tensor<4xf32> -> tensor<4xf32>`},
		{"conj", shapes{tensor.ShapeOf(tensor.C64, 4)}, func(_ *builder.Func, x []value) []value {
			return b(builder.Conj(x[0]))
		}, `%0 = chlo.conj %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>`},
		{"cosh", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Cosh(x[0])) },
			`%0 = chlo.cosh %arg0 : tensor<4xf32> -> tensor<4xf32>`},
		{"digamma", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Digamma(x[0])) },
			`%0 = chlo.digamma %arg0 : tensor<4xf32> -> tensor<4xf32>`},
		{"erf", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Erf(x[0])) },
			`%0 = chlo.erf %arg0 : tensor<4xf32> -> tensor<4xf32>`},
		{"erf inv", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.ErfInv(x[0])) },
			`%0 = chlo.erf_inv %arg0 : tensor<4xf32> -> tensor<4xf32>`},
		{"erfc", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Erfc(x[0])) },
			`%0 = chlo.erfc %arg0 : tensor<4xf32> -> tensor<4xf32>`},
		{"is inf", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.IsInf(x[0])) },
			`%0 = chlo.is_inf %arg0 : tensor<4xf32> -> tensor<4xi1>`},
		{"is pos inf", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.IsPosInf(x[0])) },
			`%0 = chlo.is_pos_inf %arg0 : tensor<4xf32> -> tensor<4xi1>`},
		{"is neg inf", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.IsNegInf(x[0])) },
			`%0 = chlo.is_neg_inf %arg0 : tensor<4xf32> -> tensor<4xi1>`},
		{"lgamma", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Lgamma(x[0])) },
			`%0 = chlo.lgamma %arg0 : tensor<4xf32> -> tensor<4xf32>`},
		{"sinh", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Sinh(x[0])) },
			`%0 = chlo.sinh %arg0 : tensor<4xf32> -> tensor<4xf32>`},
		{"next after", shapes{f32(4), f32(4)}, func(_ *builder.Func, x []value) []value {
			return b(builder.NextAfter(
				x[0], x[1]))
		}, `%0 = chlo.next_after %arg0, %arg1 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>`},
		{"polygamma", shapes{f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Polygamma(2, x[0])) },
			`
			%cst = stablehlo.constant dense<2.000000e+00> : tensor<4xf32>
			%0 = chlo.polygamma %cst, %arg0 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>`},
		{"zeta", shapes{f32(4), f32(4)}, func(_ *builder.Func, x []value) []value {
			return b(
				builder.Zeta(x[0], x[1]))
		}, `%0 = chlo.zeta %arg0, %arg1 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>`},
		{"eq", shapes{f32(4), f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Eq(x[0], x[1])) }, `%0 = stablehlo.compare EQ, %arg0, %arg1, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>`},
		{"ne", shapes{tensor.ShapeOf(tensor.C64, 4)},
			func(_ *builder.Func, x []value) []value { return b(builder.Ne(x[0], 1i)) }, `
			%cst = stablehlo.constant dense<(0.000000e+00,1.000000e+00)> : tensor<4xcomplex<f32>>
			%0 = stablehlo.compare NE, %arg0, %cst, FLOAT : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>`},
		{"lt", shapes{s32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Lt(x[0], 3)) }, `
			%c = stablehlo.constant dense<3> : tensor<4xi32>
			%0 = stablehlo.compare LT, %arg0, %c, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>`},
		{"le", shapes{tensor.ShapeOf(tensor.U8, 4)},
			func(_ *builder.Func, x []value) []value { return b(builder.Le(x[0], 3)) }, `
			%c = stablehlo.constant dense<3> : tensor<4xui8>
			%0 = stablehlo.compare LE, %arg0, %c, UNSIGNED : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xi1>`},
		{"gt", shapes{pred(4), pred(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Gt(x[0], x[1])) }, `%0 = stablehlo.compare GT, %arg0, %arg1, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>`},
		{"ge", shapes{tensor.ShapeOf(tensor.BF16, 4)},
			func(_ *builder.Func, x []value) []value { return b(builder.Ge(0, x[0])) }, `
			%cst = stablehlo.constant dense<0.000000e+00> : tensor<4xbf16>
			%0 = stablehlo.compare GE, %cst, %arg0, FLOAT : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xi1>`},
		{"total order", shapes{f32(4), f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.TotalOrderLt(x[0], x[1])) }, `%0 = stablehlo.compare LT, %arg0, %arg1, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>`},
		{"select", shapes{pred(4), f32(4), f32(4)}, func(_ *builder.Func, x []value) []value {
			return b(builder.Select(
				x[0], x[1], x[2]))
		}, `%0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4xi1>, tensor<4xf32>`},
		{"select number", shapes{pred(2), f32(2)},
			func(_ *builder.Func, x []value) []value { return b(builder.Select(x[0], x[1], math.Inf(-1))) }, `
			%cst = stablehlo.constant dense<0xFF800000> : tensor<2xf32>
			%0 = stablehlo.select %arg0, %arg1, %cst : tensor<2xi1>, tensor<2xf32>`},
		{"select scalars", shapes{pred(2), f32()},
			func(_ *builder.Func, x []value) []value { return b(builder.Select(x[0], 1, x[1])) }, `
			%0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<2xf32>
			%cst = stablehlo.constant dense<1.000000e+00> : tensor<2xf32>
			%1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<2xf32>
			%2 = stablehlo.select %arg0, %cst, %1 : tensor<2xi1>, tensor<2xf32>`},
		{"select whole", shapes{pred(), f32(2)},
			func(_ *builder.Func, x []value) []value { return b(builder.Select(x[0], 0, x[1])) }, `
			%cst = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
			%0 = stablehlo.select %arg0, %cst, %arg1 : tensor<i1>, tensor<2xf32>`},
		{"scalar", shapes{}, func(f *builder.Func, _ []value) []value { return b(builder.Scalar(f, float32(2))) },
			`%cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>`},
		{"const", shapes{}, func(f *builder.Func, _ []value) []value {
			return b(builder.Const(f, []int64{1, 2, 3}), builder.Const(f, []float32{1, 2, 3, 4, 5, 6}, 2, 3))
		}, `
			%c = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi64>
			%cst = stablehlo.constant dense<[[1.000000e+00, 2.000000e+00, 3.000000e+00], [4.000000e+00, 5.000000e+00, 6.000000e+00]]> : tensor<2x3xf32>`},
		{"const NaN", shapes{}, func(f *builder.Func, _ []value) []value {
			return b(builder.Const(f, []float32{float32(math.NaN()), float32(math.Inf(1))}))
		}, `%cst = stablehlo.constant dense<[0x7FC00000, 0x7F800000]> : tensor<2xf32>`},
		{"full", shapes{}, func(f *builder.Func, _ []value) []value { return b(builder.Full(f, f32(2, 3), 0.5)) },
			`%cst = stablehlo.constant dense<5.000000e-01> : tensor<2x3xf32>`},
		{"zeros", shapes{}, func(f *builder.Func, _ []value) []value {
			return b(builder.Zeros(f, f32(2)), builder.Zeros(f, pred(2)))
		}, `
			%cst = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
			%c = stablehlo.constant dense<false> : tensor<2xi1>`},
		{"ones", shapes{}, func(f *builder.Func, _ []value) []value {
			return b(builder.Ones(f, s32(2)), builder.Ones(f, tensor.ShapeOf(tensor.C128)))
		}, `
			%c = stablehlo.constant dense<1> : tensor<2xi32>
			%cst = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f64>>`},
		{"like", shapes{pred(2), f32(2)}, func(_ *builder.Func, x []value) []value {
			return b(builder.ZerosLike(x[0]), builder.OnesLike(x[0]), builder.FullLike(x[1], 3))
		}, `
			%c = stablehlo.constant dense<false> : tensor<2xi1>
			%c_0 = stablehlo.constant dense<true> : tensor<2xi1>
			%cst = stablehlo.constant dense<3.000000e+00> : tensor<2xf32>`},
		{"iota", shapes{}, func(f *builder.Func, _ []value) []value { return b(builder.Iota(f, s32(2, 3), -1)) },
			`%0 = stablehlo.iota dim = 1 : tensor<2x3xi32>`},
		{"eye", shapes{}, func(f *builder.Func, _ []value) []value { return b(builder.Eye(f, tensor.F32, 3)) }, `
			%0 = stablehlo.iota dim = 0 : tensor<3x3xi32>
			%1 = stablehlo.iota dim = 1 : tensor<3x3xi32>
			%2 = stablehlo.compare EQ, %0, %1, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
			%3 = stablehlo.convert %2 : (tensor<3x3xi1>) -> tensor<3x3xf32>`},
		{"complex", shapes{f32(2), f32(2)}, func(_ *builder.Func, x []value) []value {
			return b(builder.Complex(x[0], x[1]))
		}, `%0 = stablehlo.complex %arg0, %arg1 : tensor<2xcomplex<f32>>`},
		{"real and imag", shapes{tensor.ShapeOf(tensor.C64, 2)},
			func(_ *builder.Func, x []value) []value { return b(builder.Real(x[0]), builder.Imag(x[0])) }, `
			%0 = stablehlo.real %arg0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
			%1 = stablehlo.imag %arg0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>`},
		{"convert", shapes{f32(2)}, func(_ *builder.Func, x []value) []value {
			return b(
				builder.Convert(x[0], tensor.BF16))
		}, `%0 = stablehlo.convert %arg0 : (tensor<2xf32>) -> tensor<2xbf16>`},
		{"bitcast same", shapes{f32(2)}, func(_ *builder.Func, x []value) []value {
			return b(builder.Bitcast(x[0],
				tensor.U32))
		}, `%0 = stablehlo.bitcast_convert %arg0 : (tensor<2xf32>) -> tensor<2xui32>`},
		{"bitcast narrower", shapes{f32(2)}, func(_ *builder.Func, x []value) []value {
			return b(builder.Bitcast(x[0],
				tensor.U8))
		}, `%0 = stablehlo.bitcast_convert %arg0 : (tensor<2xf32>) -> tensor<2x4xui8>`},
		{"bitcast wider", shapes{tensor.ShapeOf(tensor.U8, 2, 4)},
			func(_ *builder.Func, x []value) []value { return b(builder.Bitcast(x[0], tensor.F32)) },
			`%0 = stablehlo.bitcast_convert %arg0 : (tensor<2x4xui8>) -> tensor<2xf32>`},
		{"reshape", shapes{f32(2, 6)}, func(_ *builder.Func, x []value) []value {
			return b(
				builder.Reshape(x[0], 3, -1))
		}, `%0 = stablehlo.reshape %arg0 : (tensor<2x6xf32>) -> tensor<3x4xf32>`},
		{"flatten", shapes{f32(2, 6)}, func(_ *builder.Func, x []value) []value { return b(builder.Flatten(x[0])) },
			`%0 = stablehlo.reshape %arg0 : (tensor<2x6xf32>) -> tensor<12xf32>`},
		{"expand dims", shapes{f32(2, 3)}, func(_ *builder.Func, x []value) []value {
			return b(builder.ExpandDims(x[0],
				0, -1))
		}, `%0 = stablehlo.reshape %arg0 : (tensor<2x3xf32>) -> tensor<1x2x3x1xf32>`},
		{"squeeze", shapes{f32(1, 2, 1)},
			func(_ *builder.Func, x []value) []value { return b(builder.Squeeze(x[0]), builder.Squeeze(x[0], -1)) }, `
			%0 = stablehlo.reshape %arg0 : (tensor<1x2x1xf32>) -> tensor<2xf32>
			%1 = stablehlo.reshape %arg0 : (tensor<1x2x1xf32>) -> tensor<1x2xf32>`},
		{"transpose", shapes{f32(2, 3, 4)}, func(_ *builder.Func, x []value) []value {
			return b(builder.Transpose(x[0]), builder.Transpose(x[0], 0, -1, 1))
		}, `
			%0 = stablehlo.transpose %arg0, dims = [2, 1, 0] : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
			%1 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>`},
		{"broadcast to", shapes{f32(3, 1)}, func(_ *builder.Func, x []value) []value { return b(builder.BroadcastTo(x[0], 2, 3, 4)) }, `%0 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<3x1xf32>) -> tensor<2x3x4xf32>`},
		{"broadcast in dim", shapes{f32(2)},
			func(_ *builder.Func, x []value) []value { return b(builder.BroadcastInDim(x[0], []int{2, 3}, 0)) },
			`%0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>`},
		{"slice", shapes{f32(5, 6)}, func(_ *builder.Func, x []value) []value {
			return b(builder.Slice(x[0], []int{1, 0}, []int{4, 6}), builder.Slice(x[0], []int{0, 0}, []int{5, 6}, 2, 3))
		}, `
			%0 = stablehlo.slice %arg0 [1:4, 0:6] : (tensor<5x6xf32>) -> tensor<3x6xf32>
			%1 = stablehlo.slice %arg0 [0:5:2, 0:6:3] : (tensor<5x6xf32>) -> tensor<3x2xf32>`},
		{"slice axis", shapes{f32(5, 6)}, func(_ *builder.Func, x []value) []value {
			return b(builder.SliceAxis(x[0],
				-1, -2, 6))
		}, `%0 = stablehlo.slice %arg0 [0:5, 4:6] : (tensor<5x6xf32>) -> tensor<5x2xf32>`},
		{"split", shapes{f32(4, 3)},
			func(_ *builder.Func, x []value) []value { return b(builder.Split(x[0], 2, 0)...) }, `
			%0 = stablehlo.slice %arg0 [0:2, 0:3] : (tensor<4x3xf32>) -> tensor<2x3xf32>
			%1 = stablehlo.slice %arg0 [2:4, 0:3] : (tensor<4x3xf32>) -> tensor<2x3xf32>`},
		{"concat", shapes{f32(2, 1), f32(2, 3)}, func(_ *builder.Func, x []value) []value { return b(builder.Concat(1, x[0], x[1])) }, `%0 = stablehlo.concatenate %arg0, %arg1, dim = 1 : (tensor<2x1xf32>, tensor<2x3xf32>) -> tensor<2x4xf32>`},
		{"stack", shapes{f32(2), f32(2)},
			func(_ *builder.Func, x []value) []value { return b(builder.Stack(-1, x[0], x[1])) }, `
			%0 = stablehlo.reshape %arg0 : (tensor<2xf32>) -> tensor<2x1xf32>
			%1 = stablehlo.reshape %arg1 : (tensor<2xf32>) -> tensor<2x1xf32>
			%2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>`},
		{"pad", shapes{f32(2, 3)}, func(_ *builder.Func, x []value) []value {
			return b(builder.Pad(x[0], 0, builder.Padding{Low: 1, High: -1}, builder.Padding{Interior: 2}))
		}, `
			%cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
			%0 = stablehlo.pad %arg0, %cst, low = [1, 0], high = [-1, 0], interior = [0, 2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x7xf32>`},
		{"pad value", shapes{f32(2), f32()}, func(_ *builder.Func, x []value) []value { return b(builder.Pad(x[0], x[1], builder.Padding{High: 1})) }, `%0 = stablehlo.pad %arg0, %arg1, low = [0], high = [1], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<3xf32>`},
		{"reverse", shapes{f32(2, 3)}, func(_ *builder.Func, x []value) []value { return b(builder.Reverse(x[0], -1)) },
			`%0 = stablehlo.reverse %arg0, dims = [1] : tensor<2x3xf32>`},
		{"dynamic slice", shapes{f32(4, 5), s32(), s32()}, func(_ *builder.Func, x []value) []value { return b(builder.DynamicSlice(x[0], x[1:], 2, 3)) }, `%0 = stablehlo.dynamic_slice %arg0, %arg1, %arg2, sizes = [2, 3] : (tensor<4x5xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>`},
		{"dynamic update slice", shapes{f32(4, 5), f32(1, 2), s32(), s32()}, func(_ *builder.Func, x []value) []value { return b(builder.DynamicUpdateSlice(x[0], x[1], x[2:]...)) }, `%0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2, %arg3 : (tensor<4x5xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x5xf32>`},
		{"dynamic index", shapes{f32(4, 5), s32()},
			func(_ *builder.Func, x []value) []value { return b(builder.DynamicIndex(x[0], x[1], 1)) }, `
			%c = stablehlo.constant dense<0> : tensor<i32>
			%0 = stablehlo.dynamic_slice %arg0, %c, %arg1, sizes = [4, 1] : (tensor<4x5xf32>, tensor<i32>, tensor<i32>) -> tensor<4x1xf32>
			%1 = stablehlo.reshape %0 : (tensor<4x1xf32>) -> tensor<4xf32>`},
		{"dynamic update index", shapes{f32(4, 5), f32(4), s32()},
			func(_ *builder.Func, x []value) []value { return b(builder.DynamicUpdateIndex(x[0], x[1], x[2], -1)) }, `
			%c = stablehlo.constant dense<0> : tensor<i32>
			%0 = stablehlo.reshape %arg1 : (tensor<4xf32>) -> tensor<4x1xf32>
			%1 = stablehlo.dynamic_update_slice %arg0, %0, %c, %arg2 : (tensor<4x5xf32>, tensor<4x1xf32>, tensor<i32>, tensor<i32>) -> tensor<4x5xf32>`},
		{"dynamic reshape", shapes{f32(-1, 4), s32(2)}, func(_ *builder.Func, x []value) []value { return b(builder.DynamicReshape(x[0], x[1], 2, -1)) }, `%0 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<?x4xf32>, tensor<2xi32>) -> tensor<2x?xf32>`},
		{"dynamic broadcast in dim", shapes{f32(2), s32(2)}, func(_ *builder.Func, x []value) []value {
			return b(builder.DynamicBroadcastInDim(x[0], x[1], []int{-1, 2}, 1))
		}, `%0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [1] : (tensor<2xf32>, tensor<2xi32>) -> tensor<?x2xf32>`},
		{"dynamic iota", shapes{s32(2)}, func(_ *builder.Func, x []value) []value {
			return b(builder.DynamicIota(x[0],
				s32(-1, 4), 1))
		}, `%0 = stablehlo.dynamic_iota %arg0, dim = 1 : (tensor<2xi32>) -> tensor<?x4xi32>`},
		{"dynamic pad", shapes{f32(2), f32(), s32(1), s32(1), s32(1)}, func(_ *builder.Func, x []value) []value {
			return b(builder.DynamicPad(x[0], x[1], x[2], x[3], x[4], -1))
		}, `%0 = stablehlo.dynamic_pad %arg0, %arg1, %arg2, %arg3, %arg4 : (tensor<2xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>`},
		{"real dynamic slice", shapes{f32(5), s32(1), s32(1), s32(1)}, func(_ *builder.Func, x []value) []value {
			return b(builder.RealDynamicSlice(x[0], x[1], x[2], x[3], -1))
		}, `%0 = stablehlo.real_dynamic_slice %arg0, %arg1, %arg2, %arg3 : (tensor<5xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>`},
		{"dynamic gather", shapes{f32(5, 6), s32(3), s32(2)}, func(_ *builder.Func, x []value) []value {
			return b(builder.DynamicGather(x[0], x[1], x[2], builder.GatherOptions{}))
		}, `%0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<5x6xf32>, tensor<3xi32>, tensor<2xi32>) -> tensor<3x?xf32>`},
		{"dynamic conv", shapes{f32(1, 8, 8, 2), f32(3, 3, 2, 4), s32(2, 2)}, func(_ *builder.Func, x []value) []value {
			return b(builder.DynamicConv(x[0], x[1], x[2], builder.ConvOptions{}, 1, -1, -1, 4))
		}, `%0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi32>) -> tensor<1x?x?x4xf32>`},
		{"dimension size", shapes{f32(-1, 3)},
			func(_ *builder.Func, x []value) []value { return b(builder.GetDimensionSize(x[0], -2)) },
			`%0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>`},
		{"set dimension size", shapes{f32(8), s32()}, func(_ *builder.Func, x []value) []value { return b(builder.SetDimensionSize(x[0], x[1], 0)) }, `%0 = stablehlo.set_dimension_size %arg0, %arg1, dim = 0 : (tensor<8xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>>`},
		{"dot vectors", shapes{f32(4), f32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.Dot(x[0], x[1])) }, `%0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>`},
		{"dot matrices", shapes{f32(2, 3), f32(3, 4)}, func(_ *builder.Func, x []value) []value { return b(builder.Dot(x[0], x[1])) }, `%0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>`},
		{"dot batch", shapes{f32(7, 2, 3), f32(7, 3, 4)}, func(_ *builder.Func, x []value) []value { return b(builder.Dot(x[0], x[1])) }, `%0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<7x2x3xf32>, tensor<7x3x4xf32>) -> tensor<7x2x4xf32>`},
		{"dot matrix of many", shapes{f32(7, 2, 3), f32(3, 4)}, func(_ *builder.Func, x []value) []value { return b(builder.Dot(x[0], x[1])) }, `%0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [0] : (tensor<7x2x3xf32>, tensor<3x4xf32>) -> tensor<7x2x4xf32>`},
		{"dot unknown", shapes{f32(-1, 3), f32(3, 4)}, func(_ *builder.Func, x []value) []value { return b(builder.Dot(x[0], x[1])) }, `%0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<?x3xf32>, tensor<3x4xf32>) -> tensor<?x4xf32>`},
		{"dot general", shapes{tensor.ShapeOf(tensor.S8, 2, 3, 4), tensor.ShapeOf(tensor.S8, 4, 2, 3)},
			func(_ *builder.Func, x []value) []value {
				return b(builder.DotGeneral(x[0], x[1], builder.DotOptions{Batch: [][2]int{{0, 1}},
					Contract: [][2]int{{-1, 0}}, Result: tensor.S32, Precision: stablehlo.PrecisionHighest}))
			}, `%0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [1], contracting_dims = [2] x [0], precision = [HIGHEST, HIGHEST] : (tensor<2x3x4xi8>, tensor<4x2x3xi8>) -> tensor<2x3x3xi32>`},
		{"einsum", shapes{f32(2, 3, 4), f32(2, 5, 4)},
			func(_ *builder.Func, x []value) []value { return b(builder.Einsum("bqd, bkd -> bkq", x[0], x[1])) }, `
			%0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x3x5xf32>
			%1 = stablehlo.transpose %0, dims = [0, 2, 1] : (tensor<2x3x5xf32>) -> tensor<2x5x3xf32>`},
		{"einsum sum", shapes{f32(2, 3, 4)},
			func(_ *builder.Func, x []value) []value { return b(builder.Einsum("abc->ca", x[0])) }, `
			%cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
			%0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x4xf32>
			%1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>`},
		{"conv", shapes{f32(1, 8, 8, 2), f32(3, 3, 2, 4)}, func(_ *builder.Func, x []value) []value { return b(builder.Conv(x[0], x[1], builder.ConvOptions{})) }, `%0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x6x6x4xf32>`},
		{"conv same", shapes{f32(1, 8, 8, 4), f32(3, 3, 2, 4)}, func(_ *builder.Func, x []value) []value {
			return b(builder.Conv(x[0], x[1], builder.ConvOptions{Strides: []int{2, 3}, Same: true, Groups: 2}))
		}, `%0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 3], pad = [[0, 1], [0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x2x4xf32>) -> tensor<1x4x3x4xf32>`},
		{"conv layout", shapes{f32(1, 2, 8), f32(4, 2, 3)}, func(_ *builder.Func, x []value) []value {
			return b(builder.Conv(x[0], x[1], builder.ConvOptions{Input: "NCW", Kernel: "OIW", Output: "NWC",
				Padding: [][2]int{{1, 2}}, KernelDilation: []int{2}, InputDilation: []int{3}}))
		}, `%0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, 0, f], window = {pad = [[1, 2]], lhs_dilate = [3], rhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x8xf32>, tensor<4x2x3xf32>) -> tensor<1x21x4xf32>`},
		{"gather", shapes{f32(5, 6), s32(3)}, func(_ *builder.Func, x []value) []value {
			return b(builder.Gather(x[0], x[1], builder.GatherOptions{}))
		}, `%0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<5x6xf32>, tensor<3xi32>) -> tensor<3x6xf32>`},
		{"gather in full", shapes{f32(5, 6), s32(3, 2)}, func(_ *builder.Func, x []value) []value {
			return b(builder.Gather(x[0], x[1], builder.GatherOptions{StartIndexMap: []int{0, 1}, IndexVectorDim: 1,
				OffsetDims: []int{1}, CollapsedSliceDims: []int{0}, SliceSizes: []int{1, 2}, Sorted: true}))
		}, `%0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 2>}> : (tensor<5x6xf32>, tensor<3x2xi32>) -> tensor<3x2xf32>`},
		{"take", shapes{f32(2, 3, 4), s32(5, 6)}, func(_ *builder.Func, x []value) []value { return b(builder.Take(x[0], x[1], 1)) }, `%0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 3], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 2, 1, 4>}> : (tensor<2x3x4xf32>, tensor<5x6xi32>) -> tensor<2x5x6x4xf32>`},
		{"torch index select", shapes{f32(2, 3, 4), s32(2, 5)}, func(_ *builder.Func, x []value) []value { return b(builder.TorchIndexSelect(x[0], x[1], 1, 1)) }, `%0 = "stablehlo.torch_index_select"(%arg0, %arg1) <{batch_dims = 1 : i64, dim = 1 : i64}> : (tensor<2x3x4xf32>, tensor<2x5xi32>) -> tensor<2x5x4xf32>`},
		{"scatter", shapes{f32(5, 6), s32(3), f32(3, 6)}, func(_ *builder.Func, x []value) []value {
			return b(builder.Scatter(x[0], x[1], x[2], builder.Max, builder.ScatterOptions{Unique: true}))
		}, `
			%0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
			^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
			  %1 = stablehlo.maximum %arg3, %arg4 : tensor<f32>
			  stablehlo.return %1 : tensor<f32>
			}) : (tensor<5x6xf32>, tensor<3xi32>, tensor<3x6xf32>) -> tensor<5x6xf32>`},
		{"scatter add", shapes{f32(5), s32(3, 1), f32(3)}, func(_ *builder.Func, x []value) []value {
			return b(builder.ScatterAdd(x[0], x[1], x[2], builder.ScatterOptions{ScatterDimsToOperandDims: []int{0},
				IndexVectorDim: 1, InsertedWindowDims: []int{0}}))
		}, `
			%0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
			^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
			  %1 = stablehlo.add %arg3, %arg4 : tensor<f32>
			  stablehlo.return %1 : tensor<f32>
			}) : (tensor<5xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<5xf32>`},
		{"reduce", shapes{f32(2, 3), f32()}, func(_ *builder.Func, x []value) []value { return b(builder.Reduce(x[0], x[1], builder.Mul, 1)) }, `%0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.multiply across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>`},
		{"reduce tree", shapes{f32(2), s32(2), f32(), s32()}, func(_ *builder.Func, x []value) []value {
			return b(builder.Reduce(x[:2], x[2:],
				func(a, e []value) []value { return b(builder.Add(a[0], e[0]), builder.Max(a[1], e[1])) })...)
		}, `
			%0:2 = stablehlo.reduce(%arg0 init: %arg2), (%arg1 init: %arg3) across dimensions = [0] : (tensor<2xf32>, tensor<2xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
			 reducer(%arg4: tensor<f32>, %arg6: tensor<f32>) (%arg5: tensor<i32>, %arg7: tensor<i32>)  {
			  %1 = stablehlo.add %arg4, %arg6 : tensor<f32>
			  %2 = stablehlo.maximum %arg5, %arg7 : tensor<i32>
			  stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
			}`},
		{"reduce with constant", shapes{f32(2), f32()}, func(_ *builder.Func, x []value) []value {
			return b(builder.Reduce(x[0], x[1], func(a, e value) value { return builder.Add(a, builder.Mul(e, 2)) }))
		}, `
			%0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
			 reducer(%arg2: tensor<f32>, %arg3: tensor<f32>)  {
			  %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
			  %1 = stablehlo.multiply %arg3, %cst : tensor<f32>
			  %2 = stablehlo.add %arg2, %1 : tensor<f32>
			  stablehlo.return %2 : tensor<f32>
			}`},
		{"reduce sum", shapes{f32(2, 3)},
			func(_ *builder.Func, x []value) []value { return b(builder.ReduceSum(x[0], -1)) }, `
			%cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
			%0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>`},
		{"reduce prod", shapes{s32(2, 3)},
			func(_ *builder.Func, x []value) []value { return b(builder.ReduceProd(x[0], 0)) }, `
			%c = stablehlo.constant dense<1> : tensor<i32>
			%0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.multiply across dimensions = [0] : (tensor<2x3xi32>, tensor<i32>) -> tensor<3xi32>`},
		{"reduce max", shapes{f32(2), tensor.ShapeOf(tensor.S8, 2), tensor.ShapeOf(tensor.U64, 2)},
			func(_ *builder.Func, x []value) []value {
				return b(builder.ReduceMax(x[0]), builder.ReduceMax(x[1]), builder.ReduceMax(x[2]))
			}, `
			%cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
			%0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
			%c = stablehlo.constant dense<-128> : tensor<i8>
			%1 = stablehlo.reduce(%arg1 init: %c) applies stablehlo.maximum across dimensions = [0] : (tensor<2xi8>, tensor<i8>) -> tensor<i8>
			%c_0 = stablehlo.constant dense<0> : tensor<ui64>
			%2 = stablehlo.reduce(%arg2 init: %c_0) applies stablehlo.maximum across dimensions = [0] : (tensor<2xui64>, tensor<ui64>) -> tensor<ui64>`},
		{"reduce min", shapes{f32(2), tensor.ShapeOf(tensor.S64, 2), tensor.ShapeOf(tensor.U8, 2)},
			func(_ *builder.Func, x []value) []value {
				return b(builder.ReduceMin(x[0]), builder.ReduceMin(x[1]), builder.ReduceMin(x[2]))
			}, `
			%cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
			%0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.minimum across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
			%c = stablehlo.constant dense<9223372036854775807> : tensor<i64>
			%1 = stablehlo.reduce(%arg1 init: %c) applies stablehlo.minimum across dimensions = [0] : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
			%c_0 = stablehlo.constant dense<255> : tensor<ui8>
			%2 = stablehlo.reduce(%arg2 init: %c_0) applies stablehlo.minimum across dimensions = [0] : (tensor<2xui8>, tensor<ui8>) -> tensor<ui8>`},
		{"reduce all and any", shapes{pred(2, 3)}, func(_ *builder.Func, x []value) []value {
			return b(builder.ReduceAll(x[0], 0), builder.ReduceAny(x[0]))
		}, `
			%c = stablehlo.constant dense<true> : tensor<i1>
			%0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.and across dimensions = [0] : (tensor<2x3xi1>, tensor<i1>) -> tensor<3xi1>
			%c_0 = stablehlo.constant dense<false> : tensor<i1>
			%1 = stablehlo.reduce(%arg0 init: %c_0) applies stablehlo.or across dimensions = [0, 1] : (tensor<2x3xi1>, tensor<i1>) -> tensor<i1>`},
		{"reduce mean", shapes{f32(2, 3)},
			func(_ *builder.Func, x []value) []value { return b(builder.ReduceMean(x[0])) }, `
			%cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
			%0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
			%cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
			%1 = stablehlo.divide %0, %cst_0 : tensor<f32>`},
		{"reduce mean of a narrow type", shapes{tensor.ShapeOf(tensor.BF16, 300)},
			func(_ *builder.Func, x []value) []value { return b(builder.ReduceMean(x[0])) }, `
			%0 = stablehlo.convert %arg0 : (tensor<300xbf16>) -> tensor<300xf32>
			%cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
			%1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<300xf32>, tensor<f32>) -> tensor<f32>
			%cst_0 = stablehlo.constant dense<3.000000e+02> : tensor<f32>
			%2 = stablehlo.divide %1, %cst_0 : tensor<f32>
			%3 = stablehlo.convert %2 : (tensor<f32>) -> tensor<bf16>`},
		{"arg max", shapes{f32(2, 3)}, func(_ *builder.Func, x []value) []value { return b(builder.ArgMax(x[0], 1)) }, `
			%0 = stablehlo.iota dim = 1 : tensor<2x3xi32>
			%cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
			%c = stablehlo.constant dense<0> : tensor<i32>
			%1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
			 reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
			  %2 = stablehlo.compare GT, %arg3, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
			  %3 = stablehlo.compare EQ, %arg3, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
			  %4 = stablehlo.compare NE, %arg3, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
			  %5 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
			  %6 = stablehlo.not %5 : tensor<i1>
			  %7 = stablehlo.and %4, %6 : tensor<i1>
			  %8 = stablehlo.or %2, %7 : tensor<i1>
			  %9 = stablehlo.and %4, %5 : tensor<i1>
			  %10 = stablehlo.or %3, %9 : tensor<i1>
			  %11 = stablehlo.compare LT, %arg4, %arg2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
			  %12 = stablehlo.and %10, %11 : tensor<i1>
			  %13 = stablehlo.or %8, %12 : tensor<i1>
			  %14 = stablehlo.select %8, %arg3, %arg1 : tensor<i1>, tensor<f32>
			  %15 = stablehlo.select %13, %arg4, %arg2 : tensor<i1>, tensor<i32>
			  stablehlo.return %14, %15 : tensor<f32>, tensor<i32>
			}`},
		{"arg min of integers", shapes{s32(3)},
			func(_ *builder.Func, x []value) []value { return b(builder.ArgMin(x[0], 0)) }, `
			%0 = stablehlo.iota dim = 0 : tensor<3xi32>
			%c = stablehlo.constant dense<2147483647> : tensor<i32>
			%c_0 = stablehlo.constant dense<0> : tensor<i32>
			%1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [0] : (tensor<3xi32>, tensor<3xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
			 reducer(%arg1: tensor<i32>, %arg3: tensor<i32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
			  %2 = stablehlo.compare LT, %arg3, %arg1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
			  %3 = stablehlo.compare EQ, %arg3, %arg1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
			  %4 = stablehlo.compare LT, %arg4, %arg2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
			  %5 = stablehlo.and %3, %4 : tensor<i1>
			  %6 = stablehlo.or %2, %5 : tensor<i1>
			  %7 = stablehlo.select %2, %arg3, %arg1 : tensor<i1>, tensor<i32>
			  %8 = stablehlo.select %6, %arg4, %arg2 : tensor<i1>, tensor<i32>
			  stablehlo.return %7, %8 : tensor<i32>, tensor<i32>
			}`},
		{"map", shapes{f32(2, 3), f32(2, 3)}, func(_ *builder.Func, x []value) []value {
			return b(builder.Map(func(e []value) value { return builder.Add(e[0], builder.Mul(e[1], 2)) }, x...))
		}, `
			%0 = "stablehlo.map"(%arg0, %arg1) <{dimensions = array<i64: 0, 1>}> ({
			^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
			  %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
			  %1 = stablehlo.multiply %arg3, %cst : tensor<f32>
			  %2 = stablehlo.add %arg2, %1 : tensor<f32>
			  stablehlo.return %2 : tensor<f32>
			}) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>`},
		{"reduce window", shapes{f32(1, 4), f32()}, func(_ *builder.Func, x []value) []value {
			return b(builder.ReduceWindow(x[0], x[1], builder.Add,
				builder.WindowOptions{Dims: []int{1, 2}, Padding: [][2]int{{0, 0}, {1, 0}}, Dilations: []int{1, 2}}))
		}, `
			%0 = "stablehlo.reduce_window"(%arg0, %arg1) <{padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 2>, window_dimensions = array<i64: 1, 2>}> ({
			^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
			  %1 = stablehlo.add %arg2, %arg3 : tensor<f32>
			  stablehlo.return %1 : tensor<f32>
			}) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x3xf32>`},
		{"max pool", shapes{f32(1, 5)}, func(_ *builder.Func, x []value) []value {
			return b(builder.MaxPool(x[0], builder.WindowOptions{Dims: []int{1, 2}, Strides: []int{1, 2}, Same: true}))
		}, `
			%cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
			%0 = "stablehlo.reduce_window"(%arg0, %cst) <{padding = dense<[[0, 0], [0, 1]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
			^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
			  %1 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
			  stablehlo.return %1 : tensor<f32>
			}) : (tensor<1x5xf32>, tensor<f32>) -> tensor<1x3xf32>`},
		{"avg pool", shapes{f32(1, 4)}, func(_ *builder.Func, x []value) []value {
			return b(builder.AvgPool(x[0], builder.WindowOptions{Dims: []int{1, 2}}))
		}, `
			%cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
			%0 = "stablehlo.reduce_window"(%arg0, %cst) <{window_dimensions = array<i64: 1, 2>}> ({
			^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
			  %3 = stablehlo.add %arg1, %arg2 : tensor<f32>
			  stablehlo.return %3 : tensor<f32>
			}) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x3xf32>
			%cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<1x4xf32>
			%cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
			%1 = "stablehlo.reduce_window"(%cst_0, %cst_1) <{window_dimensions = array<i64: 1, 2>}> ({
			^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
			  %3 = stablehlo.add %arg1, %arg2 : tensor<f32>
			  stablehlo.return %3 : tensor<f32>
			}) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x3xf32>
			%2 = stablehlo.divide %0, %1 : tensor<1x3xf32>`},
		{"cumsum", shapes{s32(2, 3)}, func(_ *builder.Func, x []value) []value { return b(builder.Cumsum(x[0], -1)) }, `
			%c = stablehlo.constant dense<0> : tensor<i32>
			%0 = "stablehlo.reduce_window"(%arg0, %c) <{padding = dense<[[0, 0], [2, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 3>}> ({
			^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
			  %1 = stablehlo.add %arg1, %arg2 : tensor<i32>
			  stablehlo.return %1 : tensor<i32>
			}) : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>`},
		{"select and scatter", shapes{f32(1, 4), f32(1, 2), f32()}, func(_ *builder.Func, x []value) []value {
			return b(builder.SelectAndScatter(x[0], x[1], x[2], builder.Ge, builder.Add,
				builder.WindowOptions{Dims: []int{1, 2}, Strides: []int{1, 2}}))
		}, `
			%0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
			^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
			  %1 = stablehlo.compare GE, %arg3, %arg4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
			  stablehlo.return %1 : tensor<i1>
			}, {
			^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
			  %1 = stablehlo.add %arg3, %arg4 : tensor<f32>
			  stablehlo.return %1 : tensor<f32>
			}) : (tensor<1x4xf32>, tensor<1x2xf32>, tensor<f32>) -> tensor<1x4xf32>`},
		{"sort", shapes{f32(2, 3), s32(2, 3)}, func(_ *builder.Func, x []value) []value {
			return b(builder.Sort(x, func(a, c []value) value { return builder.Lt(a[0], c[0]) },
				builder.SortOptions{Axis: -1, Stable: true})...)
		}, `
			%0:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 1 : i64, is_stable = true}> ({
			^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<i32>, %arg5: tensor<i32>):
			  %1 = stablehlo.compare LT, %arg2, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
			  stablehlo.return %1 : tensor<i1>
			}) : (tensor<2x3xf32>, tensor<2x3xi32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)`},
		{"sort ascending", shapes{s32(4)},
			func(_ *builder.Func, x []value) []value { return b(builder.SortAscending(x[0], 0)) }, `
			%0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
			^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
			  %1 = stablehlo.compare LT, %arg1, %arg2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
			  stablehlo.return %1 : tensor<i1>
			}) : (tensor<4xi32>) -> tensor<4xi32>`},
		{"sort descending", shapes{f32(4)},
			func(_ *builder.Func, x []value) []value { return b(builder.SortDescending(x[0], 0)) }, `
			%0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
			^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
			  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
			  %1 = stablehlo.compare EQ, %arg2, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
			  %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
			  %2 = stablehlo.select %1, %cst_0, %arg2 : tensor<i1>, tensor<f32>
			  %3 = stablehlo.compare NE, %2, %2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
			  %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
			  %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<f32>
			  %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
			  %5 = stablehlo.compare EQ, %arg1, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
			  %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
			  %6 = stablehlo.select %5, %cst_3, %arg1 : tensor<i1>, tensor<f32>
			  %7 = stablehlo.compare NE, %6, %6, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
			  %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
			  %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<f32>
			  %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
			  stablehlo.return %9 : tensor<i1>
			}) : (tensor<4xf32>) -> tensor<4xf32>`},
		{"arg sort", shapes{s32(4)}, func(_ *builder.Func, x []value) []value { return b(builder.ArgSort(x[0], 0)) }, `
			%0 = stablehlo.iota dim = 0 : tensor<4xi32>
			%1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 0 : i64, is_stable = true}> ({
			^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<i32>):
			  %2 = stablehlo.compare LT, %arg1, %arg2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
			  stablehlo.return %2 : tensor<i1>
			}) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)`},
		{"top k", shapes{f32(2, 5)}, func(_ *builder.Func, x []value) []value { return b(two(builder.TopK(x[0], 2))...) }, `%values, %indices = chlo.top_k(%arg0, k = 2) : tensor<2x5xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)`},
		{"rng bit generator", shapes{tensor.ShapeOf(tensor.U64, 2)}, func(_ *builder.Func, x []value) []value {
			return b(two(builder.RngBitGenerator(x[0], tensor.ShapeOf(tensor.U32, 4), stablehlo.RngPhilox))...)
		}, `%output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)`},
		{"uniform", shapes{tensor.ShapeOf(tensor.U64, 2)},
			func(_ *builder.Func, x []value) []value { return b(two(builder.Uniform01(x[0], f32(3)))...) }, `
			%output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
			%c = stablehlo.constant dense<9> : tensor<3xui32>
			%0 = stablehlo.shift_right_logical %output, %c : tensor<3xui32>
			%c_0 = stablehlo.constant dense<1065353216> : tensor<3xui32>
			%1 = stablehlo.or %0, %c_0 : tensor<3xui32>
			%2 = stablehlo.bitcast_convert %1 : (tensor<3xui32>) -> tensor<3xf32>
			%cst = stablehlo.constant dense<1.000000e+00> : tensor<3xf32>
			%3 = stablehlo.subtract %2, %cst : tensor<3xf32>`},
		{"rng uniform", shapes{f32(), f32()},
			func(_ *builder.Func, x []value) []value { return b(builder.RngUniform(x[0], x[1], 2, 3)) }, `
			%c = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
			%0 = stablehlo.rng %arg0, %arg1, %c, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>`},
		{"rng normal", shapes{f32(), f32()},
			func(_ *builder.Func, x []value) []value { return b(builder.RngNormal(x[0], x[1])) }, `
			%c = stablehlo.constant dense<> : tensor<0xi64>
			%0 = stablehlo.rng %arg0, %arg1, %c, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<0xi64>) -> tensor<f32>`},
		{"all reduce", shapes{f32(4)}, func(_ *builder.Func, x []value) []value {
			return b(builder.AllReduce(x[0], builder.Add,
				builder.CollectiveOptions{Groups: [][]int{{0, 1}, {2, 3}}, Channel: 1, GlobalDeviceIDs: true}))
		}, `
			%0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
			^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
			  %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
			  stablehlo.return %1 : tensor<f32>
			}) : (tensor<4xf32>) -> tensor<4xf32>`},
		{"collective reduce", shapes{f32(4)}, func(_ *builder.Func, x []value) []value {
			return b(builder.CollectiveReduce(x[0], builder.Max, builder.CollectiveOptions{Groups: [][]int{{0, 1}}}))
		}, `
			%0 = "stablehlo.collective_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
			^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
			  %1 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
			  stablehlo.return %1 : tensor<f32>
			}) : (tensor<4xf32>) -> tensor<4xf32>`},
		{"async", shapes{f32(4)}, func(_ *builder.Func, x []value) []value {
			return b(builder.AsyncDone(builder.AsyncStart(func(x []value) value {
				return builder.AllGather(x[0], 0, builder.CollectiveOptions{Groups: [][]int{{0, 1}}})
			}, x...)))
		}, `
			%0 = "stablehlo.async_start"(%arg0) ({
			^bb0(%arg1: tensor<4xf32>):
			  %2 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
			  stablehlo.return %2 : tensor<8xf32>
			}) : (tensor<4xf32>) -> !stablehlo.future<tensor<8xf32>>
			%1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<8xf32>>) -> tensor<8xf32>`},
		{"all gather", shapes{f32(4)}, func(_ *builder.Func, x []value) []value {
			return b(builder.AllGather(x[0], 0, builder.CollectiveOptions{Groups: [][]int{{0, 1}}}))
		}, `%0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>`},
		{"all to all", shapes{f32(4, 2)}, func(_ *builder.Func, x []value) []value {
			return b(builder.AllToAll(x[0], 0, 1, 2, builder.CollectiveOptions{Groups: [][]int{{0, 1}}}))
		}, `%0 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x2xf32>) -> tensor<2x4xf32>`},
		{"reduce scatter", shapes{f32(4)}, func(_ *builder.Func, x []value) []value {
			return b(builder.ReduceScatter(x[0], 0, builder.Add, builder.CollectiveOptions{Groups: [][]int{{0, 1}}}))
		}, `
			%0 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
			^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
			  %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
			  stablehlo.return %1 : tensor<f32>
			}) : (tensor<4xf32>) -> tensor<2xf32>`},
		{"collective permute", shapes{f32(4)}, func(_ *builder.Func, x []value) []value {
			return b(builder.CollectivePermute(x[0], [][2]int{{0, 1}, {1, 0}}, builder.CollectiveOptions{Channel: 2}))
		}, `%0 = "stablehlo.collective_permute"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>`},
		{"collective broadcast", shapes{f32(4)}, func(_ *builder.Func, x []value) []value {
			return b(builder.CollectiveBroadcast(x[0], builder.CollectiveOptions{Groups: [][]int{{0, 1}}}))
		}, `%0 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>`},
		{"ids", shapes{},
			func(f *builder.Func, _ []value) []value { return b(builder.PartitionID(f), builder.ReplicaID(f)) }, `
			%0 = stablehlo.partition_id : tensor<ui32>
			%1 = stablehlo.replica_id : tensor<ui32>`},
		{"optimization barrier", shapes{f32(4), s32()},
			func(_ *builder.Func, x []value) []value { return b(builder.OptimizationBarrier(x)...) },
			`%0:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<4xf32>, tensor<i32>`},
		{"tuple", shapes{f32(4), s32()},
			func(_ *builder.Func, x []value) []value { return b(builder.GetTupleElement(builder.Tuple(x...), 1)) }, `
			%0 = stablehlo.tuple %arg0, %arg1 : tuple<tensor<4xf32>, tensor<i32>>
			%1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<i32>`},
		{"fft", shapes{tensor.ShapeOf(tensor.C64, 2, 8)},
			func(_ *builder.Func, x []value) []value { return b(builder.FFT(x[0], 8), builder.IFFT(x[0], 2, 8)) }, `
			%0 = stablehlo.fft %arg0, type = FFT, length = [8] : (tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>>
			%1 = stablehlo.fft %arg0, type = IFFT, length = [2, 8] : (tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>>`},
		{"rfft", shapes{f32(2, 8)}, func(_ *builder.Func, x []value) []value {
			return b(builder.RFFT(x[0], 8), builder.IRFFT(builder.RFFT(x[0], 8), 8))
		}, `
			%0 = stablehlo.fft %arg0, type = RFFT, length = [8] : (tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>>
			%1 = stablehlo.fft %arg0, type = RFFT, length = [8] : (tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>>
			%2 = stablehlo.fft %1, type = IRFFT, length = [8] : (tensor<2x5xcomplex<f32>>) -> tensor<2x8xf32>`},
		{"cholesky", shapes{f32(3, 3)}, func(_ *builder.Func, x []value) []value {
			return b(builder.Cholesky(x[0], true))
		}, `%0 = stablehlo.cholesky %arg0, lower = true : tensor<3x3xf32>`},
		{"triangular solve", shapes{f32(3, 3), f32(3, 2)}, func(_ *builder.Func, x []value) []value {
			return b(builder.TriangularSolve(x[0], x[1],
				builder.TriangularOptions{Upper: true, Transpose: stablehlo.TransposePlain}))
		}, `%0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>`},
		{"batch norm inference", shapes{f32(2, 3), f32(3), f32(3), f32(3), f32(3)},
			func(_ *builder.Func, x []value) []value {
				return b(builder.BatchNormInference(x[0], x[1], x[2], x[3], x[4], 0.001, -1))
			}, `%0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg2, %arg3, %arg4) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>`},
		{"batch norm training", shapes{f32(2, 3), f32(3), f32(3)}, func(_ *builder.Func, x []value) []value {
			return b(three(builder.BatchNormTraining(x[0], x[1], x[2], 0.001, 1))...)
		}, `%output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)`},
		{"batch norm grad", shapes{f32(2, 3), f32(3), f32(3), f32(3), f32(2, 3)},
			func(_ *builder.Func, x []value) []value {
				return b(three(builder.BatchNormGrad(x[0], x[1], x[2], x[3], x[4], 0.001, 1))...)
			}, `%grad_operand, %grad_scale, %grad_offset = "stablehlo.batch_norm_grad"(%arg0, %arg1, %arg2, %arg3, %arg4) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := newBuilder(t)
			f := m.Func("main", test.params...)
			var params []value
			for i := range test.params {
				params = append(params, f.Param(i))
			}
			f.Return(test.build(f, params)...)
			// The lines between the function's first line and its return.
			_, body, _ := strings.Cut(finish(t, m).String(), "{\n    ")
			var got []string
			for line := range strings.SplitSeq(body, "\n") {
				if strings.HasPrefix(line, "    return") {
					break
				}
				got = append(got, strings.TrimPrefix(line, "    "))
			}
			if diff := cmp.Diff(strings.Split(strings.Trim(strings.ReplaceAll(test.want, "\t", ""), "\n"), "\n"),
				got); diff != "" {
				t.Errorf("operations (-want +got):\n%s", diff)
			}
		})
	}
}
