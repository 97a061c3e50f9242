package conformance

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	. "github.com/calliope-mlir/calliope/stablehlo"
)

// Constants of every element type, as they come out again.
var constants = []string{
	"f32[4] 1 -0 nan inf", "f64[2] 0.1 -inf", "f16[2] 1.5 -0", "bf16[2] 1.5 nan", "s8[2] -128 127",
	"s16[2] -32768 32767",
	"s32[2,2] 1 2 3 4", "s64[1] -9223372036854775808", "u8[2] 0 255", "u16[1] 65535", "u32[1] 4294967295",
	"u64[1] 18446744073709551615",
	"pred[3] 1 0 1", "c64[2] 1,-2 nan,inf", "c128[1] 0.1,0.2", "f32[0]", "f32[]  7", "s4[3] -8 0 7", "u4[2] 0 15",
	"f8e5m2[2] 60 188", "f8e4m3fn[2] 56 127",
}

// conversions are from the elements of an array to a type. What does not fit into an
// integer has no defined result.
var conversions = []struct{ from, to string }{
	{"f32[5] 1.9 -1.9 0 100.5 -0", "i32"}, {"f32[4] 1.9 0 100.5 255", "ui8"}, {"f32[4] 0 -0 0.25 nan", "i1"},
	{"f32[5] 1.00390625 1.01171875 -0 nan inf", "bf16"}, {"f32[4] 65519 65520 1e-8 nan", "f16"},
	{"f32[3] 0.1 nan -inf", "f64"},
	{"f32[5] 1 448 0.0625 -0 1.0625", "f8E4M3FN"}, {"f32[2] 1 nan", "complex<f32>"}, {"f64[4] 1e300 0.1 -0 nan", "f32"},
	{"f64[2] 1e10 -3", "i64"},
	{"s32[4] 300 -1 128 0", "ui8"}, {"s32[4] 300 -1 128 0", "i8"}, {"s32[3] 16777217 -1 7", "f32"},
	{"s32[3] 2 0 -1", "i1"}, {"s32[2] -1 5", "i64"},
	{"u8[3] 255 0 128", "i8"}, {"u8[3] 255 0 128", "f32"}, {"u8[2] 255 1", "i32"}, {"pred[2] 1 0", "f32"},
	{"pred[2] 1 0", "i32"}, {"pred[2] 1 0", "complex<f32>"},
	{"bf16[3] 1.5 -0 nan", "f32"}, {"bf16[2] 1.5 -2.5", "i32"}, {"f8e5m2[4] 60 188 124 1", "f32"},
	{"f8e4m3fn[4] 56 127 1 254", "f32"},
	{"c64[2] 1,2 nan,0", "complex<f64>"}, {"s4[2] -8 7", "i8"}, {"s8[2] -8 7", "i4"},
}

// bits are reinterpretations of the bits of an array.
var bits = []struct{ from, to string }{
	{"f32[3] 1 -0 inf", "i32"}, {"s32[2] 1065353216 -1", "f32"}, {"s32[2] 67305985 -1", "ui8"},
	{"u8[2,4] 1 2 3 4 0 0 128 63", "f32"},
	{"bf16[2] 1 -2", "ui16"}, {"c64[1] 1,2", "complex<f32>"}, {"f64[1] 1", "i32"}, {"u8[2] 255 128", "i8"},
}

func conversionSamples() (list []sample) {
	for _, a := range constants {
		list = append(list,
			sample{op: "constant", about: typeOf(a), in: in(), want: in(a), build: func(b *body) []mlir.Value {
				return []mlir.Value{b.constant(a)}
			}})
	}
	for _, c := range conversions {
		list = append(list, sample{op: "convert", about: typeOf(c.from) + " to " + c.to, in: in(c.from),
			build: func(b *body) []mlir.Value {
				return b.op(
					ConvertOp{Operand: b.In[0], ResultType: check.Must(ConvertType(b.In[0].Type(), b.Type(c.to)))})
			}})
	}
	for _, c := range bits {
		list = append(list, sample{op: "bitcast_convert", about: typeOf(c.from) + " to " + c.to, in: in(c.from),
			build: func(b *body) []mlir.Value {
				return b.op(BitcastConvertOp{Operand: b.In[0],
					ResultType: check.Must(BitcastConvertType(b.In[0].Type(), b.Type(c.to)))})
			}})
	}
	for _, element := range []string{"f32", "i32", "ui8", "bf16", "complex<f32>", "f64"} {
		list = append(list, sample{op: "iota", about: element, in: in(), build: func(b *body) (all []mlir.Value) {
			for dimension := range int64(2) {
				all = append(all, b.op(IotaOp{IotaDimension: dimension,
					ResultType: check.Must(IotaType(b.Type(element), dimension, 2, 3))})...)
			}
			return all
		}})
	}
	return list
}

const (
	matrix  = "f32[2,3] 1 2 3 -0 nan inf"
	matrix8 = "u8[2,3] 1 2 3 4 5 255"
	preds   = "pred[2,3] 1 0 0 1 1 0"
	numbers = "s32[3,4] 0 1 2 3 4 5 6 7 8 9 10 11"
)

var shapeSamples = slices.Concat(conversionSamples(),
	of("broadcast_in_dim", func(b *body) []mlir.Value {
		return b.op(BroadcastInDimOp{Operand: b.In[0], BroadcastDimensions: []int64{1, 0},
			ResultType: check.Must(BroadcastInDimType(b.In[0].Type(), []int64{1, 0}, 3, 2, 2))})
	}, in(matrix), in(matrix8), in(preds)),
	of("broadcast_in_dim", func(b *body) []mlir.Value {
		return b.op(BroadcastInDimOp{Operand: b.In[0], BroadcastDimensions: []int64{1},
			ResultType: b.likeElements(b.In[0], 2, 3)})
	}, in("c64[1] 1,2"), in("f64[1] 7")),
	of("concatenate", func(b *body) []mlir.Value { return b.op(ConcatenateOp{Inputs: b.In, Dimension: 1}) },
		in("f32[2,1] 1 -0", "f32[2,0]", matrix), in(matrix8, "u8[2,1] 7 8"), in("c64[1,1] 1,2", "c64[1,1] 3,4"),
		in(preds, preds)),
	of("pad", func(b *body) []mlir.Value {
		return b.op(PadOp{Operand: b.In[0], PaddingValue: b.In[1], EdgePaddingLow: []int64{1, -1},
			EdgePaddingHigh: []int64{0, 2}, InteriorPadding: []int64{0, 2}})
	}, in(matrix, "f32[] -1"), in(matrix8, "u8[] 9"), in(preds, "pred[] 1")),
	of("reshape", func(b *body) []mlir.Value {
		return b.op(ReshapeOp{Operand: b.In[0], ResultType: b.likeElements(b.In[0], 3, 1, 2)})
	},
		in(matrix), in(matrix8), in(preds)),
	of("reverse", func(b *body) []mlir.Value { return b.op(ReverseOp{Operand: b.In[0], Dimensions: []int64{1, 0}}) },
		in(matrix), in(matrix8), in(preds)),
	of("slice", func(b *body) []mlir.Value {
		return b.op(
			SliceOp{Operand: b.In[0], StartIndices: []int64{1, 0}, LimitIndices: []int64{2, 3}, Strides: []int64{1, 2}})
	}, in(matrix), in(matrix8), in(preds), in("c64[2,3] 0,0 1,0 2,0 3,0 4,0 5,1")),
	of("slice", func(b *body) []mlir.Value {
		return b.op(SliceOp{Operand: b.In[0], StartIndices: []int64{1}, LimitIndices: []int64{1}, Strides: []int64{1}})
	}, in("f32[2] 1 2")),
	of("transpose",
		func(b *body) []mlir.Value { return b.op(TransposeOp{Operand: b.In[0], Permutation: []int64{2, 0, 1}}) },
		in("f32[2,1,3] 1 2 3 -0 nan inf"), in("u8[2,1,3] 1 2 3 4 5 6"), in("c64[1,2,1] 1,2 3,4")),
	of("dynamic_slice", func(b *body) []mlir.Value {
		return b.op(DynamicSliceOp{Operand: b.In[0], StartIndices: b.In[1:], SliceSizes: []int64{2, 3}})
	}, in(numbers, "s32[] 1", "s32[] 0"), in(numbers, "s32[] 9", "s32[] -5"), in(numbers, "u8[] 127", "u8[] 1")),
	of("dynamic_update_slice", func(b *body) []mlir.Value {
		return b.op(DynamicUpdateSliceOp{Operand: b.In[0], Update: b.In[1], StartIndices: b.In[2:]})
	}, in(numbers, "s32[2,2] -1 -2 -3 -4", "s32[] 1", "s32[] 0"),
		in(numbers, "s32[2,2] -1 -2 -3 -4", "s64[] 9", "s64[] -5"),
		in(matrix, "f32[1,2] 7 8", "s32[] 1", "s32[] 1")),
	of("get_dimension_size", func(b *body) []mlir.Value {
		return slices.Concat(b.op(GetDimensionSizeOp{Operand: b.In[0], Dimension: 0}),
			b.op(GetDimensionSizeOp{Operand: b.In[0], Dimension: 1}))
	}, in(matrix)),
	of("tuple", func(b *body) []mlir.Value {
		t := b.one(TupleOp{Val: b.In})
		return slices.Concat(b.op(GetTupleElementOp{Operand: t, Index: 1}),
			b.op(GetTupleElementOp{Operand: t, Index: 0}))
	}, in(matrix, "s32[] 7")),
	of("get_tuple_element", func(b *body) []mlir.Value {
		inner := b.one(TupleOp{Val: b.In[:1]})
		t := b.one(TupleOp{Val: []mlir.Value{b.In[1], inner}})
		return b.op(GetTupleElementOp{Operand: b.one(GetTupleElementOp{Operand: t, Index: 1}), Index: 0})
	}, in(matrix, "s32[] 7")),

	// Gather, scatter and their indices outside of the operand.
	of("gather", func(b *body) []mlir.Value {
		return b.op(GatherOp{
			Operand: b.In[0], StartIndices: b.In[1], SliceSizes: []int64{1, 2},
			DimensionNumbers: GatherDimensionNumbers{OffsetDims: []int64{1}, CollapsedSliceDims: []int64{0},
				StartIndexMap: []int64{0, 1}, IndexVectorDim: 1},
		})
	}, in(numbers, "s32[4,2] 0 0 2 1 1 3 -7 99"), in("f32[2,3] 1 2 3 -0 nan inf", "u8[2,2] 1 1 0 127")),
	of("gather", func(b *body) []mlir.Value {
		return b.op(GatherOp{
			Operand: b.In[0], StartIndices: b.In[1], SliceSizes: []int64{1, 2},
			DimensionNumbers: GatherDimensionNumbers{
				OffsetDims: []int64{1}, OperandBatchingDims: []int64{0}, StartIndicesBatchingDims: []int64{0},
				StartIndexMap: []int64{1}, IndexVectorDim: 1,
			},
		})
	}, in(numbers, "s32[3,1] 0 2 1")),
	of("dynamic_gather", func(b *body) []mlir.Value {
		return b.op(DynamicGatherOp{
			Operand: b.In[0], StartIndices: b.In[1], SliceSizes: b.constant("s32[2] 1 2"),
			DimensionNumbers: GatherDimensionNumbers{OffsetDims: []int64{1}, CollapsedSliceDims: []int64{0},
				StartIndexMap: []int64{0, 1}, IndexVectorDim: 1},
		})
	}, in(numbers, "s32[4,2] 0 0 2 1 1 3 -7 99")),
	of("scatter", func(b *body) []mlir.Value { return b.op(rowScatter(b, b.fold("add", scalarOf(b.In[0])))) },
		in("s32[3,2] 0 1 2 3 4 5", "s32[4,1] 0 2 0 9", "s32[4,2] 10 20 30 40 50 60 70 80"),
		in("f32[3,2] 0 1 2 3 4 5", "s32[1,1] -1", "f32[1,2] 10 20"),
		in("u8[3,2] 0 1 2 3 4 255", "u8[1,1] 2", "u8[1,2] 10 20")),
	[]sample{{op: "scatter", about: "that replaces",
		in: in("f32[3,2] 0 1 2 3 4 5", "s32[2,1] 2 0", "f32[2,2] 10 nan 30 -0"), build: func(b *body) []mlir.Value {
			s := rowScatter(b, b.Returns(1, "tensor<f32>", "tensor<f32>"))
			s.UniqueIndices = true
			return b.op(s)
		}}, {op: "scatter", about: "of two arrays", in: in("f32[4] 0 1 2 3", "s32[4] 0 1 2 3", "s32[2,1] 1 1",
		"f32[2] 10 20", "s32[2] 100 200"), build: func(b *body) []mlir.Value {
		types := []string{"tensor<f32>", "tensor<i32>", "tensor<f32>", "tensor<i32>"}
		return b.op(ScatterOp{
			Inputs: b.In[:2], ScatterIndices: b.In[2], Updates: b.In[3:],
			ScatterDimensionNumbers: ScatterDimensionNumbers{InsertedWindowDims: []int64{0},
				ScatterDimsToOperandDims: []int64{0}, IndexVectorDim: 1},
			UpdateComputation: b.region(types, func(block mlir.Block, in []mlir.Value) []mlir.Value {
				return slices.Concat(b.at(block, AddOp{LHS: in[0], RHS: in[2]}),
					b.at(block, MaximumOp{LHS: in[1], RHS: in[3]}))
			}),
		})
	}}},
	[]sample{
		{op: "torch_index_select", in: in(numbers, "s32[2] 3 0"), notInterpreted: refused,
			want: in("s32[3,2] 3 0 7 4 11 8"), build: func(b *body) []mlir.Value {
				return b.op(TorchIndexSelectOp{Operand: b.In[0], Index: b.In[1], Dim: 1,
					ResultType: b.likeElements(b.In[0], 3, 2)})
			}},
		{op: "broadcast", in: in(matrix), notInterpreted: refused,
			want: in("f32[2,2,3] 1 2 3 -0 nan inf 1 2 3 -0 nan inf"), build: func(b *body) []mlir.Value {
				return b.op(BroadcastOp{Operand: b.In[0], BroadcastSizes: []int64{2}})
			}},
	},
)

// rowScatter puts rows of In[2] into In[0] at the places that In[1] says.
func rowScatter(b *body, update mlir.Region) ScatterOp {
	return ScatterOp{
		Inputs: b.In[:1], ScatterIndices: b.In[1], Updates: b.In[2:], UpdateComputation: update,
		ScatterDimensionNumbers: ScatterDimensionNumbers{UpdateWindowDims: []int64{1}, InsertedWindowDims: []int64{0},
			ScatterDimsToOperandDims: []int64{0}, IndexVectorDim: 1},
	}
}

// scalarOf is the type of a scalar of v's elements.
func scalarOf(v mlir.Value) string { return "tensor<" + elementOf(v) + ">" }

func elementOf(v mlir.Value) string {
	e, _ := v.Type().Element()
	return e.String()
}
