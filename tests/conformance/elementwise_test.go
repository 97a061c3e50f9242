package conformance

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	. "github.com/calliope-mlir/calliope/stablehlo"
)

// unary is a sample for each of the arrays.
func unary(op string, ulps float64, arrays ...string) (list []sample) {
	for _, a := range arrays {
		list = append(list, sample{op: op, about: typeOf(a), in: in(a), ulps: ulps, build: func(b *body) []mlir.Value {
			return b.op(elementwise{op, b.In})
		}})
	}
	return list
}

// pairwise is a sample for each pair of arrays.
func pairwise(op string, ulps float64, pairs ...[2]string) (list []sample) {
	for _, p := range pairs {
		list = append(list,
			sample{op: op, about: typeOf(p[0]), in: p[:], ulps: ulps, build: func(b *body) []mlir.Value {
				return b.op(elementwise{op, b.In})
			}})
	}
	return list
}

const (
	// Values at which functions of one number are interesting.
	f32s  = "f32[12] 0 -0 0.5 -0.5 1 -1 2.5 -3.75 100.25 inf -inf nan"
	f64s  = "f64[12] 0 -0 0.5 -0.5 1 -1 2.5 -3.75 100.25 inf -inf nan"
	f16s  = "f16[10] 0 -0 0.5 -0.5 1.5 -1.5 2.5 inf -inf nan"
	bf16s = "bf16[10] 0 -0 0.5 -0.5 1.5 -1.5 2.5 inf -inf nan"
	c64s  = "c64[4] 1,2 -0.5,0.25 0.125,-1.5 2,0.5"
	c128s = "c128[3] 1,2 -0.5,0.25 0.125,-1.5"
	u8s   = "u8[4] 0 1 128 255"
	s32s  = "s32[6] 0 1 -1 7 2147483647 -2147483648"
)

var elementwiseSamples = slices.Concat(
	unary("abs", 0, f32s, f64s, bf16s, c64s, "s32[4] 0 -7 2147483647 -2147483648", "s8[3] 5 -5 -128"),
	unary("cbrt", 0, f32s, "f64[3] 8 -27 0.125"),
	unary("ceil", 0, f32s, f64s, bf16s),
	unary("cosine", 0, "f32[5] 0 -0 1 -2.5 nan", "f64[3] 0 1 -2.5", "bf16[3] 0 1 -2.5", c64s),
	unary("exponential", 0, f32s, f64s, f16s, c64s),
	unary("exponential_minus_one", 0, "f32[6] 0 1e-7 -0.5 2.5 -inf nan", "f64[3] 1e-12 1 -2", c64s),
	unary("floor", 0, f32s, f64s, bf16s),
	unary("log", 0, f32s, f64s, c64s),
	unary("log_plus_one", 0, "f32[7] 0 1e-7 -0.5 -1 2.5 inf nan", "f64[3] 1e-12 1 -0.5", c64s),
	unary("logistic", 0, f32s, "f64[3] 0 1 -2", c64s),
	unary("negate", 0, f32s, s32s, "u8[3] 0 1 255", c64s),
	unary("not", 0, "pred[2] 0 1", s32s, u8s),
	unary("round_nearest_afz", 0, "f32[9] 0.5 -0.5 1.5 2.5 -2.5 -0 inf -inf nan",
		"f64[3] 2.5 -3.5 0.49999999999999994"),
	unary("round_nearest_even", 0, "f32[9] 0.5 -0.5 1.5 2.5 -2.5 -0 inf -inf nan",
		"f64[3] 2.5 -3.5 0.49999999999999994"),
	unary("rsqrt", 0, "f32[7] 4 0.25 0 -0 -1 inf nan", "f64[2] 4 2", c64s),
	unary("sign", 0, f32s, bf16s, s32s, "c64[2] 3,4 0,0"),
	unary("sine", 0, "f32[5] 0 -0 1 -2.5 nan", "f64[3] 0 1 -2.5", c64s),
	unary("sqrt", 0, "f32[7] 4 0.25 0 -0 -1 inf nan", "f64[2] 4 2", c64s),
	unary("tan", 0, "f32[5] 0 -0 1 -1.25 nan", "f64[3] 0 1 -2.5", c64s),
	unary("tanh", 0, f32s, f64s, c64s),

	pairwise("add", 0,
		[2]string{"f32[6] 1 inf inf -0 nan 3e38", "f32[6] 2 1 -inf -0 1 3e38"},
		[2]string{"f64[2] 0.1 1e308", "f64[2] 0.2 1e308"}, [2]string{"bf16[3] 1 256 -0", "bf16[3] 2 1 0"},
		[2]string{"s32[3] 1 2147483647 -2147483648", "s32[3] 2 1 -1"}, [2]string{"u8[2] 1 255", "u8[2] 2 1"},
		[2]string{"pred[4] 0 0 1 1", "pred[4] 0 1 0 1"}, [2]string{c64s, c64s},
		[2]string{"f8e4m3fn[2] 56 64", "f8e4m3fn[2] 56 56"}),
	pairwise("and", 0, [2]string{"pred[4] 0 0 1 1", "pred[4] 0 1 0 1"}, [2]string{"s32[3] 12 -1 5", "s32[3] 10 7 -8"},
		[2]string{"u8[2] 240 15", "u8[2] 60 60"}),
	pairwise("atan2", 0,
		[2]string{"f32[10] 1 1 -1 -1 0 -0 0 -0 inf nan", "f32[10] 1 -1 1 -1 1 1 -1 -1 -inf 1"},
		[2]string{"f64[2] 1 -3", "f64[2] 2 -4"}, [2]string{"c64[2] 1,2 0.5,0.25", "c64[2] 2,1 1,0.5"}),
	pairwise("divide", 0,
		[2]string{"f32[7] 1 1 -1 0 inf nan 3", "f32[7] 3 0 0 0 inf 1 -0"}, [2]string{"f64[2] 1 2", "f64[2] 3 -7"},
		[2]string{"s32[4] 7 -7 7 -7", "s32[4] 2 2 -2 -2"}, [2]string{"u8[2] 255 7", "u8[2] 2 8"},
		[2]string{c64s, "c64[4] 1,1 2,0 0,1 -1,0.5"}),
	pairwise("maximum", 0,
		[2]string{"f32[4] 1 nan nan inf", "f32[4] 2 1 nan -inf"}, [2]string{"s32[2] -1 5", "s32[2] 1 -5"},
		[2]string{"u8[2] 255 1", "u8[2] 1 128"},
		[2]string{"pred[2] 0 1", "pred[2] 1 1"}, [2]string{"c64[2] 1,2 2,0", "c64[2] 0,9 1,5"}),
	pairwise("minimum", 0,
		[2]string{"f32[4] 1 nan nan inf", "f32[4] 2 1 nan -inf"}, [2]string{"s32[2] -1 5", "s32[2] 1 -5"},
		[2]string{"u8[2] 255 1", "u8[2] 1 128"},
		[2]string{"pred[2] 0 1", "pred[2] 1 1"}, [2]string{"c64[2] 1,2 2,0", "c64[2] 0,9 1,5"}),
	pairwise("multiply", 0,
		[2]string{"f32[5] 3 0 -0 nan 1e30", "f32[5] -2 inf 1 1 1e30"}, [2]string{"bf16[2] 1.5 3", "bf16[2] 1.5 -0"},
		[2]string{"s32[2] 65536 -3", "s32[2] 65536 7"}, [2]string{"u8[2] 16 255", "u8[2] 16 255"},
		[2]string{"pred[2] 0 1", "pred[2] 1 1"}, [2]string{c64s, c64s}),
	pairwise("or", 0, [2]string{"pred[4] 0 0 1 1", "pred[4] 0 1 0 1"}, [2]string{"s32[3] 12 -1 5", "s32[3] 10 7 -8"},
		[2]string{"u8[2] 240 15", "u8[2] 60 60"}),
	pairwise("power", 0,
		[2]string{"f32[10] 2 -2 0 0 -0 4 -8 inf nan 1", "f32[10] 10 3 0 -1 -3 0.5 0.333 -1 0 nan"},
		[2]string{"f64[2] 2 10", "f64[2] 0.5 -3"},
		[2]string{"s32[8] 2 -3 0 5 1 -1 -1 2", "s32[8] 10 3 0 0 -7 -3 -4 -1"}, [2]string{"u8[2] 2 3", "u8[2] 8 4"},
		[2]string{"c64[2] 1,2 0.5,0.25", "c64[2] 2,0 0.5,1"}),
	pairwise("remainder", 0,
		[2]string{"f32[7] 7 -7 7 5.5 1 inf 3", "f32[7] 3 3 -3 2 0 1 inf"},
		[2]string{"s32[4] 7 -7 7 -7", "s32[4] 3 3 -3 -3"}, [2]string{"u8[2] 255 7", "u8[2] 2 8"}),
	pairwise("shift_left", 0, [2]string{"s32[5] 1 -1 1 1 3", "s32[5] 4 31 32 33 -1"},
		[2]string{"u8[4] 1 255 255 1", "u8[4] 7 1 8 255"}),
	pairwise("shift_right_arithmetic", 0, [2]string{"s32[6] 16 -16 -1 -5 5 -5", "s32[6] 2 2 31 32 33 -1"},
		[2]string{"u8[3] 255 128 128", "u8[3] 1 7 8"}),
	pairwise("shift_right_logical", 0, [2]string{"s32[6] 16 -16 -1 -5 5 -5", "s32[6] 2 2 31 32 33 -1"},
		[2]string{"u8[3] 255 128 128", "u8[3] 1 7 8"}),
	pairwise("subtract", 0,
		[2]string{"f32[5] 1 inf 0 -0 nan", "f32[5] 2 inf 0 0 1"}, [2]string{"s32[2] -2147483648 5", "s32[2] 1 7"},
		[2]string{"u8[2] 0 255", "u8[2] 1 1"}, [2]string{c64s, "c64[4] 1,1 2,0 0,1 -1,0.5"}),
	pairwise("xor", 0, [2]string{"pred[4] 0 0 1 1", "pred[4] 0 1 0 1"}, [2]string{"s32[3] 12 -1 5", "s32[3] 10 7 -8"},
		[2]string{"u8[2] 240 15", "u8[2] 60 60"}),

	of("clamp", func(b *body) []mlir.Value { return b.op(ClampOp{Min: b.In[0], Operand: b.In[1], Max: b.In[2]}) },
		in("f32[3] 0 0 0", "f32[3] -1 0.5 7", "f32[3] 1 1 1"),
		in("s32[] -2", "s32[3] -5 0 9", "s32[] 3"),
		in("u8[3] 1 1 1", "u8[3] 0 5 255", "u8[3] 9 9 9")),
	of("compare", func(b *body) (list []mlir.Value) {
		for _, d := range []ComparisonDirection{CompareEQ, CompareNE, CompareLT, CompareLE, CompareGT, CompareGE} {
			list = append(list, b.op(CompareOp{LHS: b.In[0], RHS: b.In[1], ComparisonDirection: d})...)
		}
		return list
	},
		in("f32[7] 1 2 2 -0 nan nan inf", "f32[7] 2 1 2 0 nan 1 inf"),
		in("s32[3] -1 5 5", "s32[3] 1 -5 5"),
		in("u8[3] 255 1 7", "u8[3] 1 128 7"),
		in("pred[4] 0 0 1 1", "pred[4] 0 1 0 1")),
	of("compare", func(b *body) (list []mlir.Value) {
		for _, d := range []ComparisonDirection{CompareEQ, CompareNE} {
			list = append(list, b.op(CompareOp{LHS: b.In[0], RHS: b.In[1], ComparisonDirection: d})...)
		}
		return list
	}, in("c64[3] 1,2 1,2 nan,0", "c64[3] 1,2 1,3 nan,0")),
	of("complex", func(b *body) []mlir.Value { return b.op(ComplexOp{LHS: b.In[0], RHS: b.In[1]}) },
		in("f32[3] 1 -0 nan", "f32[3] 2 inf 0"), in("f64[1] 1", "f64[1] -1")),
	of("count_leading_zeros", func(b *body) []mlir.Value { return b.op(CountLeadingZerosOp{Operand: b.In[0]}) },
		in("s32[4] 0 1 -1 65536"), in("u8[3] 0 1 255"), in("s64[2] 1 0")),
	of("imag", func(b *body) []mlir.Value { return b.op(ImagOp{Operand: b.In[0]}) }, in(c64s), in("f32[2] 1 nan")),
	of("real", func(b *body) []mlir.Value { return b.op(RealOp{Operand: b.In[0]}) }, in(c64s), in(c128s),
		in("f32[2] 1 -0")),
	of("is_finite", func(b *body) []mlir.Value { return b.op(IsFiniteOp{X: b.In[0]}) }, in(f32s), in(f64s), in(f16s),
		in(bf16s)),
	of("popcnt", func(b *body) []mlir.Value { return b.op(PopcntOp{Operand: b.In[0]}) }, in("s32[3] 0 -1 5"),
		in("u8[2] 255 129"), in("s64[1] -1")),
	of("reduce_precision", func(b *body) []mlir.Value {
		return b.op(ReducePrecisionOp{Operand: b.In[0], ExponentBits: 5, MantissaBits: 10})
	},
		in("f32[8] 1.0001 -0 65519 65520 1e-9 inf nan 0.1"), in("f64[2] 0.1 1e300")),
	of("select", func(b *body) []mlir.Value { return b.op(SelectOp{Pred: b.In[0], OnTrue: b.In[1], OnFalse: b.In[2]}) },
		in("pred[3] 1 0 1", "f32[3] 1 2 nan", "f32[3] 4 -0 6"), in("pred[] 0", "s32[2] 1 2", "s32[2] 3 4"),
		in("pred[2] 0 1", "c64[2] 1,2 3,4", "c64[2] 5,6 7,8")),
)

// of is a sample for each list of arguments, named after the type of the last.
func of(op string, build func(b *body) []mlir.Value, arguments ...[]string) (list []sample) {
	for _, a := range arguments {
		list = append(list, sample{op: op, about: typeOf(a[len(a)-1]), in: a, build: build})
	}
	return list
}
