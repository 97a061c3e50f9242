package conformance

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	. "github.com/calliope-mlir/calliope/stablehlo"
)

// What is dynamic comes from constants, and the results have static types: neither the
// interpreter nor XLA takes more.
var dynamicSamples = slices.Concat(
	of("dynamic_broadcast_in_dim", func(b *body) []mlir.Value {
		return b.op(DynamicBroadcastInDimOp{Operand: b.In[0], OutputDimensions: b.constant("s32[2] 2 3"),
			BroadcastDimensions: []int64{1}, ResultType: b.likeElements(b.In[0], 2, 3)})
	}, in("f32[3] 1 -0 nan"), in("u8[1] 7")),
	[]sample{
		{op: "dynamic_conv", reference: true, notXLA: untranslated, build: func(b *body) []mlir.Value {
			c := ConvolutionOp{
				LHS: b.In[0], RHS: b.In[1], DimensionNumbers: nhwc, WindowStrides: []int64{1, 1},
				LHSDilation: []int64{1, 1}, RHSDilation: []int64{1, 1},
				Padding: [][2]int64{{1, 0}, {0, 2}}, FeatureGroupCount: 1, BatchGroupCount: 1,
			}
			return b.op(DynamicConvOp{
				LHS: c.LHS, RHS: c.RHS, Padding: b.constant("s64[2,2] 1 0 0 2"), DimensionNumbers: nhwc,
				WindowStrides: c.WindowStrides,
				LHSDilation:   c.LHSDilation, RHSDilation: c.RHSDilation, FeatureGroupCount: 1, BatchGroupCount: 1,
				ResultType: check.Must(ConvolutionType(c, mlir.Type{})),
			})
		}},
		{op: "dynamic_iota", in: in(), want: in("s32[2,3] 0 1 2 0 1 2"), build: func(b *body) []mlir.Value {
			return b.op(DynamicIotaOp{OutputShape: b.constant("s32[2] 2 3"), IotaDimension: 1,
				ResultType: b.Type("tensor<2x3xi32>")})
		}},
		{op: "dynamic_pad", in: in("f32[3] 1 -0 nan", "f32[] 7"), build: func(b *body) []mlir.Value {
			return b.op(DynamicPadOp{
				Operand: b.In[0], PaddingValue: b.In[1], EdgePaddingLow: b.constant("s32[1] -1"),
				EdgePaddingHigh: b.constant("s32[1] 2"),
				InteriorPadding: b.constant("s32[1] 1"), ResultType: b.likeElements(b.In[0], 6),
			})
		}},
		{op: "dynamic_reshape", in: in(matrix), build: func(b *body) []mlir.Value {
			return b.op(DynamicReshapeOp{Operand: b.In[0], OutputShape: b.constant("s32[2] 3 2"),
				ResultType: b.likeElements(b.In[0], 3, 2)})
		}},
		{op: "real_dynamic_slice", in: in("f32[5] 0 1 2 3 4"), notInterpreted: refused, want: in("f32[2] 1 3"),
			build: func(b *body) []mlir.Value {
				return b.op(RealDynamicSliceOp{
					Operand: b.In[0], StartIndices: b.constant("s32[1] 1"), LimitIndices: b.constant("s32[1] 5"),
					Strides:    b.constant("s32[1] 2"),
					ResultType: b.likeElements(b.In[0], 2),
				})
			}},
		{op: "set_dimension_size", in: in("f32[4] 1 2 4 8"), want: in("f32[] 7", "s32[] 3"), notInterpreted: refused,
			build: func(b *body) []mlir.Value {
				short := b.one(SetDimensionSizeOp{Operand: b.In[0], Size: b.constant("s32[] 3"), Dimension: 0})
				return slices.Concat(
					b.op(ReduceOp{Inputs: []mlir.Value{short}, InitValues: []mlir.Value{b.constant("f32[] 0")},
						Dimensions: []int64{0}, Body: b.fold("add", "tensor<f32>")}),
					b.op(GetDimensionSizeOp{Operand: short, Dimension: 0}))
			}},
	},
)
