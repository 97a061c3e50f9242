package conformance

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	. "github.com/calliope-mlir/calliope/stablehlo"
)

// nhwc is the order of dimensions that most convolutions have.
var nhwc = ConvDimensionNumbers{
	InputBatchDimension: 0, InputFeatureDimension: 3, InputSpatialDimensions: []int64{1, 2},
	KernelInputFeatureDimension: 2, KernelOutputFeatureDimension: 3, KernelSpatialDimensions: []int64{0, 1},
	OutputBatchDimension: 0, OutputFeatureDimension: 3, OutputSpatialDimensions: []int64{1, 2},
}

// nfw has one spatial dimension, behind the features.
var nfw = ConvDimensionNumbers{
	InputBatchDimension: 0, InputFeatureDimension: 1, InputSpatialDimensions: []int64{2},
	KernelInputFeatureDimension: 1, KernelOutputFeatureDimension: 0, KernelSpatialDimensions: []int64{2},
	OutputBatchDimension: 0, OutputFeatureDimension: 1, OutputSpatialDimensions: []int64{2},
}

const (
	image  = "f32[1,4,4,1] 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"
	kernel = "f32[2,2,1,1] 1 -1 0.5 2"
)

func convolve(about string, c ConvolutionOp, element string, arrays ...string) sample {
	return sample{op: "convolution", about: about, in: arrays, build: func(b *body) []mlir.Value {
		c := c
		c.LHS, c.RHS = b.In[0], b.In[1]
		c.FeatureGroupCount, c.BatchGroupCount = max(1, c.FeatureGroupCount), max(1, c.BatchGroupCount)
		result := mlir.Type{}
		if element != "" {
			result = b.Type(element)
		}
		c.ResultType = check.Must(ConvolutionType(c, result))
		return b.op(c)
	}}
}

func dotGeneral(about string, d DotGeneralOp, element string, arrays ...string) sample {
	return sample{op: "dot_general", about: about, in: arrays, build: func(b *body) []mlir.Value {
		d := d
		d.LHS, d.RHS = b.In[0], b.In[1]
		result := mlir.Type{}
		if element != "" {
			result = b.Type(element)
		}
		d.ResultType = check.Must(DotGeneralType(d.LHS.Type(), d.RHS.Type(), d.DotDimensionNumbers, result))
		return b.op(d)
	}}
}

var (
	matmul = DotGeneralOp{DotDimensionNumbers: DotDimensionNumbers{LHSContractingDimensions: []int64{1},
		RHSContractingDimensions: []int64{0}}}
	batched = DotGeneralOp{DotDimensionNumbers: DotDimensionNumbers{
		LHSBatchingDimensions: []int64{0}, RHSBatchingDimensions: []int64{2}, LHSContractingDimensions: []int64{2},
		RHSContractingDimensions: []int64{0},
	}}
)

var productSamples = slices.Concat([]sample{
	convolve("plain", ConvolutionOp{DimensionNumbers: nhwc}, "", image, kernel),
	convolve("with strides and padding", ConvolutionOp{DimensionNumbers: nhwc, WindowStrides: []int64{2, 1},
		Padding: [][2]int64{{1, 0}, {-1, 2}}}, "", image, kernel),
	convolve("with dilations and reversal", ConvolutionOp{
		DimensionNumbers: nhwc, LHSDilation: []int64{1, 2}, RHSDilation: []int64{2, 1},
		WindowReversal: []bool{true, false},
	}, "", image, kernel),
	convolve("in groups of features", ConvolutionOp{DimensionNumbers: nfw, FeatureGroupCount: 2}, "",
		"f32[1,2,3] 1 2 3 4 5 6", "f32[4,1,2] 1 2 3 4 5 6 7 8"),
	convolve("in groups of the batch", ConvolutionOp{DimensionNumbers: nfw, BatchGroupCount: 2}, "",
		"f32[2,1,3] 1 2 3 4 5 6", "f32[4,1,2] 1 2 3 4 5 6 7 8"),
	convolve("f64", ConvolutionOp{DimensionNumbers: nfw}, "", "f64[1,2,3] 1 2 3 4 5 6", "f64[1,2,2] 0.1 0.2 0.3 0.4"),
	convolve("s32", ConvolutionOp{DimensionNumbers: nfw}, "", "s32[1,2,3] 1 2 3 4 5 6", "s32[1,2,2] 1 -2 3 -4"),
	convolve("bf16 to f32", ConvolutionOp{DimensionNumbers: nfw}, "f32", "bf16[1,2,3] 1 2 3 4 5 6",
		"bf16[1,2,2] 0.5 -2 3 -4"),
	convolve("c64", ConvolutionOp{DimensionNumbers: nfw}, "", "c64[1,1,3] 1,1 2,0 3,-1", "c64[1,1,2] 0,1 1,0"),

	dotGeneral("f32", matmul, "", "f32[2,3] 1 2 3 4 5 6", "f32[3,2] 1 -1 0.5 0 2 3"),
	dotGeneral("f64", matmul, "", "f64[2,3] 1 2 3 4 5 6", "f64[3,2] 0.1 -1 0.5 0 2 3"),
	dotGeneral("s32 overflow", matmul, "", "s32[1,2] 65536 1", "s32[2,1] 65536 7"),
	dotGeneral("u8", matmul, "", "u8[1,2] 16 200", "u8[2,1] 16 2"),
	dotGeneral("s8 to s32", matmul, "i32", "s8[1,2] 127 -128", "s8[2,1] 127 -128"),
	dotGeneral("bf16 to f32", matmul, "f32", "bf16[2,2] 1 2 3 4", "bf16[2,1] 0.5 257"),
	dotGeneral("c64", matmul, "", "c64[1,2] 1,1 0,2", "c64[2,1] 2,-1 0,1"),
	dotGeneral("batched", batched, "", "f32[2,2,3] 1 2 3 4 5 6 7 8 9 10 11 12", "f32[3,2,2] 1 0 0 1 2 0 0 2 3 0 0 3"),
	{op: "dot", about: "of matrices", in: in("f32[2,3] 1 2 3 4 5 6", "f32[3,2] 1 -1 0.5 0 2 3"),
		notInterpreted: refused, want: in("f32[2,2] 8 8 18.5 14"), build: dot},
	{op: "dot", about: "of vectors", in: in("s32[3] 1 2 3", "s32[3] 4 5 6"), notInterpreted: refused,
		want: in("s32[] 32"), build: dot},
	{op: "einsum", in: in("f32[2,3] 1 2 3 4 5 6", "f32[3,2] 1 -1 0.5 0 2 3"), notInterpreted: refused,
		want: in("f32[2,2] 8 8 18.5 14"), build: func(b *body) []mlir.Value {
			return b.op(EinsumOp{LHS: b.In[0], RHS: b.In[1], EinsumConfig: "ij,jk->ik",
				ResultType: b.likeElements(b.In[0], 2, 2)})
		}},
	{op: "unary_einsum", in: in("f32[2,3] 1 2 3 4 5 6"), notInterpreted: refused, notXLA: untranslated,
		build: func(b *body) []mlir.Value {
			return b.op(UnaryEinsumOp{Operand: b.In[0], EinsumConfig: "ij->i", ResultType: b.likeElements(b.In[0], 2)})
		}},
},
	judged("cholesky", []string{"f32 lower", "f64 lower", "c64 lower"},
		func(b *body) []mlir.Value { return b.op(CholeskyOp{A: b.In[0], Lower: true}) }),
	judged("cholesky", []string{"f32 upper"}, func(b *body) []mlir.Value { return b.op(CholeskyOp{A: b.In[0]}) }),
	judged("triangular_solve", []string{"f32 lower", "f64 lower", "c64 lower"}, func(b *body) []mlir.Value {
		return b.op(TriangularSolveOp{A: b.In[0], B: b.In[1], LeftSide: true, Lower: true, TransposeA: TransposeNone})
	}),
	judged("triangular_solve", []string{"f32 upper from the right, transposed"}, func(b *body) []mlir.Value {
		return b.op(TriangularSolveOp{A: b.In[0], B: b.In[1], TransposeA: TransposePlain})
	}),
	judged("triangular_solve", []string{"c64 adjoint, unit diagonal"}, func(b *body) []mlir.Value {
		return b.op(TriangularSolveOp{A: b.In[0], B: b.In[1], LeftSide: true, Lower: true, UnitDiagonal: true,
			TransposeA: TransposeAdjoint})
	}),
	judged("fft", []string{"forward c64", "forward c128", "two dimensions c64"}, func(b *body) []mlir.Value {
		s := check.Must(ShapeOf(b.In[0].Type()))
		var length []int64
		for _, d := range s.Dims {
			length = append(length, int64(d))
		}
		return b.op(FftOp{Operand: b.In[0], FftType: FftForward, FftLength: length})
	}),
	judged("fft", []string{"inverse c64"}, func(b *body) []mlir.Value {
		return b.op(FftOp{Operand: b.In[0], FftType: FftInverse, FftLength: []int64{5}})
	}),
	judged("fft", []string{"real f32", "real f64"}, func(b *body) []mlir.Value {
		return b.op(FftOp{Operand: b.In[0], FftType: FftReal, FftLength: []int64{6}})
	}),
	judged("fft", []string{"real inverse c64"}, func(b *body) []mlir.Value {
		return b.op(FftOp{Operand: b.In[0], FftType: FftRealInverse, FftLength: []int64{6}})
	}),
	judged("batch_norm_inference", []string{"f32", "f64"}, func(b *body) []mlir.Value {
		return b.op(BatchNormInferenceOp{Operand: b.In[0], Scale: b.In[1], Offset: b.In[2], Mean: b.In[3],
			Variance: b.In[4], Epsilon: 0.125, FeatureIndex: 1})
	}),
	judged("batch_norm_training", []string{"f32", "f64"}, func(b *body) []mlir.Value {
		return b.op(
			BatchNormTrainingOp{Operand: b.In[0], Scale: b.In[1], Offset: b.In[2], Epsilon: 0.125, FeatureIndex: 1})
	}),
	judged("batch_norm_grad", []string{"f32", "f64"}, func(b *body) []mlir.Value {
		return b.op(BatchNormGradOp{Operand: b.In[0], Scale: b.In[1], Mean: b.In[2], Variance: b.In[3],
			GradOutput: b.In[4], Epsilon: 0.125, FeatureIndex: 1})
	}),
	judged("rng_bit_generator", []string{"three fry"}, func(b *body) []mlir.Value {
		return b.op(RngBitGeneratorOp{InitialState: b.In[0], RngAlgorithm: RngThreeFry, OutputStateType: b.In[0].Type(),
			OutputType: b.Type("tensor<6xui32>")})
	}),
	judged("rng_bit_generator", []string{"philox"}, func(b *body) []mlir.Value {
		return b.op(RngBitGeneratorOp{InitialState: b.In[0], RngAlgorithm: RngPhilox, OutputStateType: b.In[0].Type(),
			OutputType: b.Type("tensor<4xui64>")})
	}),
	[]sample{
		{op: "uniform_quantize", quantized: true, in: in("f32[6] 1 -1.3 0.75 0.25 1000 -1000"),
			want: in("s8[6] 5 0 4 4 127 -128"), build: func(b *body) []mlir.Value {
				return b.op(UniformQuantizeOp{Operand: b.In[0],
					ResultType: check.Must(ConvertType(b.In[0].Type(), b.Type(half)))})
			}},
		{op: "uniform_dequantize", quantized: true, in: in("f32[6] 1 -1.3 0.75 0.25 1000 -1000"),
			want: in("f32[6] 1 -1.5 0.5 0.5 62 -65.5"), build: func(b *body) []mlir.Value {
				q := b.one(UniformQuantizeOp{Operand: b.In[0],
					ResultType: check.Must(ConvertType(b.In[0].Type(), b.Type(half)))})
				return b.op(UniformDequantizeOp{Operand: q})
			}},
		{op: "rng", about: "uniform f32", in: in("f32[] -2", "f32[] 3"), notInterpreted: refused,
			want: in("pred[] 1", "pred[] 1"), build: func(b *body) []mlir.Value {
				r := b.one(RngOp{A: b.In[0], B: b.In[1], Shape: b.constant("s64[1] 64"), RngDistribution: RngUniform})
				return slices.Concat(
					b.all(CompareOp{LHS: r, RHS: b.filled(b.In[0], 64), ComparisonDirection: CompareGE}),
					b.all(CompareOp{LHS: r, RHS: b.filled(b.In[1], 64), ComparisonDirection: CompareLT}))
			}},
		{op: "rng", about: "uniform s32", in: in("s32[] -2", "s32[] 3"), notInterpreted: refused,
			want: in("pred[] 1", "pred[] 1"), build: func(b *body) []mlir.Value {
				r := b.one(RngOp{A: b.In[0], B: b.In[1], Shape: b.constant("s64[1] 64"), RngDistribution: RngUniform})
				return slices.Concat(
					b.all(CompareOp{LHS: r, RHS: b.filled(b.In[0], 64), ComparisonDirection: CompareGE}),
					b.all(CompareOp{LHS: r, RHS: b.filled(b.In[1], 64), ComparisonDirection: CompareLT}))
			}},
		{op: "rng", about: "normal f32", in: in("f32[] 100", "f32[] 1"), notInterpreted: refused, want: in("pred[] 1"),
			build: func(b *body) []mlir.Value {
				// Nobody sees a number twenty standard deviations away.
				r := b.one(RngOp{A: b.In[0], B: b.In[1], Shape: b.constant("s64[1] 64"), RngDistribution: RngNormal})
				far := b.one(AbsOp{Operand: b.one(SubtractOp{LHS: r, RHS: b.filled(b.In[0], 64)})})
				return b.all(
					CompareOp{LHS: far, RHS: b.filled(b.constant("f32[] 20"), 64), ComparisonDirection: CompareLT})
			}},
	},
)

// half stores numbers in steps of 0.5; 3 stands for zero.
const half = "!quant.uniform<i8:f32, 0.5:3>"

func dot(b *body) []mlir.Value {
	return b.op(
		DotOp{LHS: b.In[0], RHS: b.In[1], ResultType: check.Must(DotType(b.In[0].Type(), b.In[1].Type(), mlir.Type{}))})
}

// filled is a vector that holds a scalar everywhere.
func (b *body) filled(scalar mlir.Value, n int) mlir.Value {
	return b.one(BroadcastInDimOp{Operand: scalar, ResultType: b.likeElements(scalar, n)})
}

// all says whether a vector of booleans is true everywhere.
func (b *body) all(vector mlirtest.Operation) []mlir.Value {
	return b.op(ReduceOp{Inputs: b.op(vector), InitValues: []mlir.Value{b.constant("pred[] 1")}, Dimensions: []int64{0},
		Body: b.fold("and", "tensor<i1>")})
}

// judged are samples that the interpreter does not take, with references.
func judged(op string, abouts []string, build func(b *body) []mlir.Value) (list []sample) {
	for _, about := range abouts {
		list = append(list,
			sample{op: op, about: about, reference: true, notInterpreted: refused, ulps: 32, build: build})
	}
	return list
}
