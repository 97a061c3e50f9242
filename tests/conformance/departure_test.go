package conformance

import (
	"github.com/calliope-mlir/calliope/mlir"
	. "github.com/calliope-mlir/calliope/stablehlo"
)

// departureSamples are those in which the interpreter or XLA is known not to do what the
// specification says.
var departureSamples = []sample{
	{op: "maximum", about: "of complex numbers with one real part", in: in("c64[1] 1,2", "c64[1] 1,3"),
		want: in("c64[1] 1,3"), xlaSays: in("c64[1] 1,2"),
		departs: "XLA CPU looks at the real parts only",
		build:   func(b *body) []mlir.Value { return b.op(MaximumOp{LHS: b.In[0], RHS: b.In[1]}) }},
	{op: "compare", about: "in total order", in: in("f32[5] -0 0 nan nan 1", "f32[5] 0 -0 nan inf nan"),
		want: in("pred[5] 0 0 1 0 0", "pred[5] 1 0 0 0 1", "pred[5] 0 1 1 1 0"),
		build: func(b *body) (list []mlir.Value) {
			for _, d := range []ComparisonDirection{CompareEQ, CompareLT, CompareGE} {
				list = append(list, b.op(
					CompareOp{LHS: b.In[0], RHS: b.In[1], ComparisonDirection: d, CompareType: CompareTotalOrder})...)
			}
			return list
		}},
	{op: "sort", about: "in total order", in: in("f32[6] nan 1 -inf 0 inf -5"), want: in("f32[6] -inf -5 0 1 inf nan"),
		build: func(b *body) []mlir.Value {
			return b.op(SortOp{Inputs: b.In, Comparator: b.region([]string{"tensor<f32>", "tensor<f32>"},
				func(block mlir.Block, in []mlir.Value) []mlir.Value {
					return b.at(block, CompareOp{LHS: in[0], RHS: in[1], ComparisonDirection: CompareLT,
						CompareType: CompareTotalOrder})
				})})
		}},
	{op: "dynamic_slice", about: "at large unsigned indices", in: in(numbers, "u8[] 255", "u8[] 1"),
		want: in("s32[2,3] 5 6 7 9 10 11"),
		build: func(b *body) []mlir.Value {
			return b.op(DynamicSliceOp{Operand: b.In[0], StartIndices: b.In[1:], SliceSizes: []int64{2, 3}})
		}},
	{op: "gather", about: "at large unsigned indices", in: in(numbers, "u8[1,2] 0 255"), want: in("s32[1,2] 2 3"),
		build: func(b *body) []mlir.Value {
			return b.op(GatherOp{
				Operand: b.In[0], StartIndices: b.In[1], SliceSizes: []int64{1, 2},
				DimensionNumbers: GatherDimensionNumbers{OffsetDims: []int64{1}, CollapsedSliceDims: []int64{0},
					StartIndexMap: []int64{0, 1}, IndexVectorDim: 1},
			})
		}},
	{op: "divide", about: "by zero and -1", in: in("s32[3] 7 -2147483648 -2147483648", "s32[3] 0 0 -1"),
		want:  in("s32[3] -1 -1 -2147483648"),
		build: func(b *body) []mlir.Value { return b.op(DivideOp{LHS: b.In[0], RHS: b.In[1]}) }},
	{op: "remainder", about: "by zero and -1", in: in("s32[3] 7 -2147483648 -2147483648", "s32[3] 0 0 -1"),
		want:  in("s32[3] 7 -2147483648 0"),
		build: func(b *body) []mlir.Value { return b.op(RemainderOp{LHS: b.In[0], RHS: b.In[1]}) }},
	{op: "divide", about: "unsigned by zero", in: in("u8[2] 7 255", "u8[2] 0 255"), want: in("u8[2] 255 1"),
		build: func(b *body) []mlir.Value { return b.op(DivideOp{LHS: b.In[0], RHS: b.In[1]}) }},
	{op: "scatter", about: "at large unsigned indices", in: in("s32[4] 0 1 2 3", "u8[2,1] 255 1", "s32[2] 7 8"),
		want: in("s32[4] 0 8 2 3"),
		build: func(b *body) []mlir.Value {
			return b.op(ScatterOp{Inputs: b.In[:1], ScatterIndices: b.In[1], Updates: b.In[2:],
				ScatterDimensionNumbers: ScatterDimensionNumbers{InsertedWindowDims: []int64{0},
					ScatterDimsToOperandDims: []int64{0}, IndexVectorDim: 1},
				UpdateComputation: b.region([]string{"tensor<i32>", "tensor<i32>"},
					func(_ mlir.Block, in []mlir.Value) []mlir.Value { return in[1:] })})
		}},
	{op: "dynamic_update_slice", about: "at large unsigned indices", in: in("s32[4] 0 1 2 3", "s32[1] 9",
		"u16[] 65535"), want: in("s32[4] 0 1 2 9"),
		build: func(b *body) []mlir.Value {
			return b.op(DynamicUpdateSliceOp{Operand: b.In[0], Update: b.In[1], StartIndices: b.In[2:]})
		}},
	nothing,
}

// nothing multiplies matrices without elements.
var nothing = func() sample {
	s := dotGeneral("of nothing", matmul, "", "f32[2,0]", "f32[0,3]")
	s.want, s.notInterpreted = in("f32[2,3] 0 0 0 0 0 0"),
		"the interpreter does not support a contracting dimension of size 0"
	return s
}()
