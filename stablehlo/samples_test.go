package stablehlo

import (
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

type body = mlirtest.Body

func of(name string, operands []string, make func(b *body) mlirtest.Made) mlirtest.Sample {
	return mlirtest.Sample{Name: dialect + name, Operand: operands, Make: make}
}

// quantized returns a sample that needs the quant dialect.
func quantized(name string, operands []string, make func(b *body) mlirtest.Made) mlirtest.Sample {
	s := of(name, operands, make)
	s.Needs = "quant"
	return s
}

type types = []string

// sum returns a region that adds its two arguments of one type.
func sum(b *body, typ string) mlir.Region {
	return b.Region(types{typ, typ}, func(block mlir.Block, in []mlir.Value) []mlir.Value {
		return []mlir.Value{check.Must(mlirtest.Create(block, AddOp{LHS: in[0], RHS: in[1]})).Result(0)}
	})
}

// less returns a region that compares the first two of its arguments.
func less(b *body, typ ...string) mlir.Region {
	return b.Region(typ, func(block mlir.Block, in []mlir.Value) []mlir.Value {
		return []mlir.Value{check.Must(
			mlirtest.Create(block, CompareOp{LHS: in[0], RHS: in[1], ComparisonDirection: CompareGE})).Result(0)}
	})
}

// samples has every generated operation, some of them both with and without optional parts.
var samples = []mlirtest.Sample{
	of("after_all", types{"!stablehlo.token", "!stablehlo.token"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(AfterAllOp{Inputs: b.In}, AsAfterAll)
	}),
	of("after_all", nil, func(b *body) mlirtest.Made { return mlirtest.Of(AfterAllOp{}, AsAfterAll) }),
	of("all_gather", types{"tensor<2x3xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(AllGatherOp{
			Operands: b.In, AllGatherDim: 1, ReplicaGroups: GroupsOf([]int64{0, 1}, []int64{2, 3}),
			ChannelHandle: &ChannelHandle{Handle: 1, Type: 1}, UseGlobalDeviceIDs: true,
			ResultTypes: b.Types("tensor<2x6xf32>"),
		}, AsAllGather)
	}),
	of("all_reduce", types{"tensor<4xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(AllReduceOp{Operands: b.In, ReplicaGroups: GroupsOf([]int64{0, 1}, []int64{2, -1}),
			Computation: sum(b, "tensor<f32>")}, AsAllReduce)
	}),
	of("all_reduce", types{"tensor<4xf32>", "tensor<2xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(AllReduceOp{
			Operands: b.In, ReplicaGroups: GroupsOf([]int64{0}), ChannelHandle: &ChannelHandle{2, 0},
			UseGlobalDeviceIDs: true,
			Computation:        sum(b, "tensor<f32>"),
		}, AsAllReduce)
	}),
	of("all_to_all", types{"tensor<2x4xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(AllToAllOp{Operands: b.In, SplitDimension: 1, ConcatDimension: 0, SplitCount: 2,
			ReplicaGroups: GroupsOf([]int64{0, 1}), ChannelHandle: &ChannelHandle{1, 1}}, AsAllToAll)
	}),
	of("async_done", types{"!stablehlo.future<tensor<4xf32>>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(AsyncDoneOp{Operand: b.In[0]}, AsAsyncDone)
	}),
	of("async_start", types{"tensor<4xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(AsyncStartOp{
			Operands: b.In,
			Body: b.Region(types{"tensor<4xf32>"}, func(block mlir.Block, in []mlir.Value) []mlir.Value {
				b := mlir.NewBuilder(block, mlir.Location{})
				return []mlir.Value{Slice(b, in[0], []int64{1}, []int64{3}, []int64{1})}
			}),
		}, AsAsyncStart)
	}),
	of("batch_norm_grad", types{"tensor<2x3xf32>", "tensor<3xf32>", "tensor<3xf32>", "tensor<3xf32>",
		"tensor<2x3xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(BatchNormGradOp{Operand: b.In[0], Scale: b.In[1], Mean: b.In[2], Variance: b.In[3],
			GradOutput: b.In[4], Epsilon: 0.5, FeatureIndex: 1}, AsBatchNormGrad)
	}),
	of("batch_norm_inference", types{"tensor<2x3xf32>", "tensor<3xf32>", "tensor<3xf32>", "tensor<3xf32>",
		"tensor<3xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(BatchNormInferenceOp{Operand: b.In[0], Scale: b.In[1], Offset: b.In[2], Mean: b.In[3],
			Variance: b.In[4], Epsilon: 1e-5, FeatureIndex: 1}, AsBatchNormInference)
	}),
	of("batch_norm_training", types{"tensor<2x3xf32>", "tensor<3xf32>", "tensor<3xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(BatchNormTrainingOp{Operand: b.In[0], Scale: b.In[1], Offset: b.In[2], Epsilon: 1e-5,
			FeatureIndex: 1}, AsBatchNormTraining)
	}),
	of("bitcast_convert", types{"tensor<2xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(BitcastConvertOp{Operand: b.In[0],
			ResultType: check.Must(BitcastConvertType(b.In[0].Type(), b.Type("i8")))}, AsBitcastConvert)
	}),
	of("broadcast_in_dim", types{"tensor<1x3xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(BroadcastInDimOp{Operand: b.In[0], BroadcastDimensions: []int64{2, 0},
			ResultType: check.Must(BroadcastInDimType(b.In[0].Type(), []int64{2, 0}, 3, 4, 5))}, AsBroadcastInDim)
	}),
	of("broadcast", types{"tensor<3xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(BroadcastOp{Operand: b.In[0], BroadcastSizes: []int64{1, 2}}, AsBroadcast)
	}),
	of("case", types{"tensor<i32>", "tensor<2xf32>"}, func(b *body) mlirtest.Made {
		branch := func() mlir.Region {
			return b.Region(nil, func(mlir.Block, []mlir.Value) []mlir.Value { return b.In[1:2] })
		}
		return mlirtest.Of(CaseOp{Index: b.In[0], Branches: []mlir.Region{branch(), branch(), branch()}}, AsCase)
	}),
	of("cholesky", types{"tensor<3x3xf32>"},
		func(b *body) mlirtest.Made { return mlirtest.Of(CholeskyOp{A: b.In[0], Lower: true}, AsCholesky) }),
	of("cholesky", types{"tensor<3x3xf32>"},
		func(b *body) mlirtest.Made { return mlirtest.Of(CholeskyOp{A: b.In[0]}, AsCholesky) }),
	of("clamp", types{"tensor<f32>", "tensor<3xf32>", "tensor<f32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(ClampOp{Min: b.In[0], Operand: b.In[1], Max: b.In[2]}, AsClamp)
	}),
	of("count_leading_zeros", types{"tensor<3xi32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(CountLeadingZerosOp{Operand: b.In[0]}, AsCountLeadingZeros)
	}),
	of("collective_broadcast", types{"tensor<3xi32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(CollectiveBroadcastOp{Operand: b.In[0], ReplicaGroups: GroupsOf([]int64{2, 1}),
			ChannelHandle: &ChannelHandle{}}, AsCollectiveBroadcast)
	}),
	of("collective_reduce", types{"tensor<4xf32>", "tensor<2xf32>", "tensor<2xi32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(CollectiveReduceOp{
			Operands: b.In, ReplicaGroups: GroupsOf([]int64{0, 1}, []int64{2, -1}), ChannelHandle: &ChannelHandle{2, 0},
			UseGlobalDeviceIDs: true, HasDynamicRoot: true, Computation: sum(b, "tensor<f32>"),
		}, AsCollectiveReduce)
	}),
	of("collective_permute", types{"tensor<3xi32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(CollectivePermuteOp{Operand: b.In[0], SourceTargetPairs: [][2]int64{{0, 1}, {1, 2}, {2, 3}},
			ChannelHandle: &ChannelHandle{}}, AsCollectivePermute)
	}),
	of("compare", types{"tensor<3xf32>", "tensor<3xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(CompareOp{LHS: b.In[0], RHS: b.In[1], ComparisonDirection: CompareLT,
			CompareType: CompareTotalOrder}, AsCompare)
	}),
	of("compare", types{"tensor<3xi32>", "tensor<3xi32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(CompareOp{LHS: b.In[0], RHS: b.In[1], ComparisonDirection: CompareEQ}, AsCompare)
	}),
	of("complex", types{"tensor<3xf32>", "tensor<3xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(ComplexOp{LHS: b.In[0], RHS: b.In[1]}, AsComplex)
	}),
	{
		Name: "stablehlo.composite", Operand: types{"tensor<2xf32>"},
		Around: "func.func private @decomposed(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }",
		Make: func(b *body) mlirtest.Made {
			return mlirtest.Of(CompositeOp{
				Inputs: b.In, Name: "my.op", CompositeAttributes: b.Attribute("{x = 1 : i32}"),
				Decomposition: "decomposed",
				Version:       new(int32(2)), ResultTypes: b.Types("tensor<2xf32>"),
			}, AsComposite)
		},
	},
	of("concatenate", types{"tensor<3x1xf32>", "tensor<3x4xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(ConcatenateOp{Inputs: b.In, Dimension: 1}, AsConcatenate)
	}),
	of("convert", types{"tensor<3xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(
			ConvertOp{Operand: b.In[0], ResultType: check.Must(ConvertType(b.In[0].Type(), b.Type("i8")))}, AsConvert)
	}),
	of("convolution", types{"tensor<1x8x8x4xf32>", "tensor<3x3x2x6xf32>"}, func(b *body) mlirtest.Made {
		o := ConvolutionOp{
			LHS: b.In[0], RHS: b.In[1], WindowStrides: []int64{2, 1}, Padding: [][2]int64{{1, 1}, {0, 2}},
			LHSDilation: []int64{1, 2}, RHSDilation: []int64{2, 1}, WindowReversal: []bool{true, false},
			DimensionNumbers: nhwc, FeatureGroupCount: 2, BatchGroupCount: 1,
			PrecisionConfig: []Precision{PrecisionHigh, PrecisionDefault},
		}
		o.ResultType = check.Must(ConvolutionType(o, mlir.Type{}))
		return mlirtest.Of(o, AsConvolution)
	}),
	of("convolution", types{"tensor<1x8x8x4xf32>", "tensor<3x3x4x6xf32>"}, func(b *body) mlirtest.Made {
		o := ConvolutionOp{LHS: b.In[0], RHS: b.In[1], DimensionNumbers: nhwc, FeatureGroupCount: 1, BatchGroupCount: 1}
		o.ResultType = check.Must(ConvolutionType(o, mlir.Type{}))
		return mlirtest.Of(o, AsConvolution)
	}),
	of("create_token", nil, func(b *body) mlirtest.Made { return mlirtest.Of(CreateTokenOp{}, AsCreateToken) }),
	of("cross-replica-sum", types{"tensor<3xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(CrossReplicaSumOp{Operand: b.In[0], ReplicaGroups: GroupsOf([]int64{0, 1})},
			AsCrossReplicaSum)
	}),
	of("dot_general", types{"tensor<2x3x4xf32>", "tensor<2x4x5xf32>"}, func(b *body) mlirtest.Made {
		d := DotDimensionNumbers{LHSBatchingDimensions: []int64{0}, RHSBatchingDimensions: []int64{0},
			LHSContractingDimensions: []int64{2}, RHSContractingDimensions: []int64{1}}
		return mlirtest.Of(DotGeneralOp{
			LHS: b.In[0], RHS: b.In[1], DotDimensionNumbers: d,
			PrecisionConfig: []Precision{PrecisionHighest, PrecisionHighest},
			ResultType:      check.Must(DotGeneralType(b.In[0].Type(), b.In[1].Type(), d, mlir.Type{})),
		}, AsDotGeneral)
	}),
	of("dot_general", types{"tensor<3xf32>", "tensor<3xf32>"}, func(b *body) mlirtest.Made {
		d := DotDimensionNumbers{LHSContractingDimensions: []int64{0}, RHSContractingDimensions: []int64{0}}
		return mlirtest.Of(DotGeneralOp{
			LHS: b.In[0], RHS: b.In[1], DotDimensionNumbers: d,
			Algorithm: &DotAlgorithm{
				LHSPrecisionType: b.Type("tf32"), RHSPrecisionType: b.Type("tf32"), AccumulationType: b.Type("f32"),
				LHSComponentCount: 1, RHSComponentCount: 1, NumPrimitiveOperations: 3,
			},
			ResultType: check.Must(DotGeneralType(b.In[0].Type(), b.In[1].Type(), d, mlir.Type{})),
		}, AsDotGeneral)
	}),
	of("dot", types{"tensor<3x2xf32>", "tensor<2xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(DotOp{LHS: b.In[0], RHS: b.In[1], PrecisionConfig: []Precision{PrecisionHigh, PrecisionHigh},
			ResultType: check.Must(DotType(b.In[0].Type(), b.In[1].Type(), mlir.Type{}))}, AsDot)
	}),
	of("dynamic_broadcast_in_dim", types{"tensor<?xf32>", "tensor<2xi32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(DynamicBroadcastInDimOp{
			Operand: b.In[0], OutputDimensions: b.In[1], BroadcastDimensions: []int64{1},
			KnownExpandingDimensions: []int64{0}, KnownNonexpandingDimensions: []int64{},
			ResultType: b.Type("tensor<?x?xf32>"),
		}, AsDynamicBroadcastInDim)
	}),
	of("dynamic_conv", types{"tensor<1x8x8x4xf32>", "tensor<3x3x4x6xf32>", "tensor<2x2xi64>"},
		func(b *body) mlirtest.Made {
			return mlirtest.Of(DynamicConvOp{
				LHS: b.In[0], RHS: b.In[1], Padding: b.In[2], WindowStrides: []int64{1, 1}, LHSDilation: []int64{1, 1},
				RHSDilation:    []int64{1, 1},
				WindowReversal: []bool{false, true}, DimensionNumbers: nhwc, FeatureGroupCount: 1, BatchGroupCount: 1,
				PrecisionConfig: []Precision{PrecisionDefault, PrecisionDefault},
				ResultType:      b.Type("tensor<1x?x?x6xf32>"),
			}, AsDynamicConv)
		}),
	of("dynamic_gather", types{"tensor<3x4xf32>", "tensor<2x1xi32>", "tensor<2xi32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(DynamicGatherOp{
			Operand: b.In[0], StartIndices: b.In[1], SliceSizes: b.In[2], DimensionNumbers: rows,
			IndicesAreSorted: true,
		}, AsDynamicGather)
	}),
	of("dynamic_iota", types{"tensor<2xi32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(DynamicIotaOp{OutputShape: b.In[0], IotaDimension: 1, ResultType: b.Type("tensor<?x?xf32>")},
			AsDynamicIota)
	}),
	of("dynamic_pad", types{"tensor<?xf32>", "tensor<f32>", "tensor<1xi32>", "tensor<1xi32>", "tensor<1xi32>"},
		func(b *body) mlirtest.Made {
			return mlirtest.Of(DynamicPadOp{Operand: b.In[0], PaddingValue: b.In[1], EdgePaddingLow: b.In[2],
				EdgePaddingHigh: b.In[3], InteriorPadding: b.In[4], ResultType: b.Type("tensor<?xf32>")}, AsDynamicPad)
		}),
	of("dynamic_reshape", types{"tensor<?xf32>", "tensor<2xi32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(DynamicReshapeOp{Operand: b.In[0], OutputShape: b.In[1],
			ResultType: b.Type("tensor<?x?xf32>")}, AsDynamicReshape)
	}),
	of("dynamic_slice", types{"tensor<3x4xf32>", "tensor<i32>", "tensor<i32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(DynamicSliceOp{Operand: b.In[0], StartIndices: b.In[1:], SliceSizes: []int64{1, 2}},
			AsDynamicSlice)
	}),
	of("dynamic_update_slice", types{"tensor<3x4xf32>", "tensor<1x2xf32>", "tensor<i32>", "tensor<i32>"},
		func(b *body) mlirtest.Made {
			return mlirtest.Of(DynamicUpdateSliceOp{Operand: b.In[0], Update: b.In[1], StartIndices: b.In[2:]},
				AsDynamicUpdateSlice)
		}),
	of("einsum", types{"tensor<2x3xf32>", "tensor<3x4xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(EinsumOp{LHS: b.In[0], RHS: b.In[1], EinsumConfig: "ij,jk->ik",
			ResultType: b.Type("tensor<2x4xf32>")}, AsEinsum)
	}),
	of("fft", types{"tensor<3x8xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(FftOp{Operand: b.In[0], FftType: FftReal, FftLength: []int64{8}}, AsFft)
	}),
	of("gather", types{"tensor<3x4xf32>", "tensor<2x1xi32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(GatherOp{Operand: b.In[0], StartIndices: b.In[1], DimensionNumbers: rows,
			SliceSizes: []int64{1, 4}, IndicesAreSorted: true}, AsGather)
	}),
	of("get_dimension_size", types{"tensor<3x?xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(GetDimensionSizeOp{Operand: b.In[0], Dimension: 1}, AsGetDimensionSize)
	}),
	of("get_tuple_element", types{"tuple<tensor<f32>, tensor<2xi32>>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(GetTupleElementOp{Operand: b.In[0], Index: 1}, AsGetTupleElement)
	}),
	of("if", types{"tensor<i1>", "tensor<2xf32>"}, func(b *body) mlirtest.Made {
		branch := func() mlir.Region {
			return b.Region(nil, func(mlir.Block, []mlir.Value) []mlir.Value { return []mlir.Value{b.In[1], b.In[0]} })
		}
		return mlirtest.Of(IfOp{Pred: b.In[0], TrueBranch: branch(), FalseBranch: branch()}, AsIf)
	}),
	of("imag", types{"tensor<2xcomplex<f32>>"},
		func(b *body) mlirtest.Made { return mlirtest.Of(ImagOp{Operand: b.In[0]}, AsImag) }),
	of("infeed", types{"!stablehlo.token"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(InfeedOp{Token: b.In[0], InfeedConfig: "x", Layout: b.Attribute("[[1, 0]]"),
			ResultTypes: b.Types("tensor<2x3xf32>", "!stablehlo.token")}, AsInfeed)
	}),
	of("iota", nil, func(b *body) mlirtest.Made {
		return mlirtest.Of(IotaOp{IotaDimension: 1, ResultType: check.Must(IotaType(b.Type("i32"), 1, 2, 3))}, AsIota)
	}),
	of("is_finite", types{"tensor<2xf32>"},
		func(b *body) mlirtest.Made { return mlirtest.Of(IsFiniteOp{X: b.In[0]}, AsIsFinite) }),
	of("map", types{"tensor<2x3xf32>", "tensor<2x3xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(MapOp{Inputs: b.In, Dimensions: []int64{0, 1}, Computation: sum(b, "tensor<f32>")}, AsMap)
	}),
	of("optimization_barrier", types{"tensor<2xf32>", "!stablehlo.token"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(OptimizationBarrierOp{Operand: b.In}, AsOptimizationBarrier)
	}),
	of("outfeed", types{"tensor<2xf32>", "!stablehlo.token"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(OutfeedOp{Inputs: b.In[:1], Token: b.In[1], OutfeedConfig: "x"}, AsOutfeed)
	}),
	of("pad", types{"tensor<3xf32>", "tensor<f32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(PadOp{Operand: b.In[0], PaddingValue: b.In[1], EdgePaddingLow: []int64{-1},
			EdgePaddingHigh: []int64{4}, InteriorPadding: []int64{1}}, AsPad)
	}),
	of("partition_id", nil, func(b *body) mlirtest.Made { return mlirtest.Of(PartitionIDOp{}, AsPartitionID) }),
	of("popcnt", types{"tensor<2xi8>"},
		func(b *body) mlirtest.Made { return mlirtest.Of(PopcntOp{Operand: b.In[0]}, AsPopcnt) }),
	of("real_dynamic_slice", types{"tensor<?xf32>", "tensor<1xi32>", "tensor<1xi32>", "tensor<1xi32>"},
		func(b *body) mlirtest.Made {
			return mlirtest.Of(RealDynamicSliceOp{Operand: b.In[0], StartIndices: b.In[1], LimitIndices: b.In[2],
				Strides: b.In[3], ResultType: b.Type("tensor<?xf32>")}, AsRealDynamicSlice)
		}),
	of("real", types{"tensor<2xcomplex<f32>>"},
		func(b *body) mlirtest.Made { return mlirtest.Of(RealOp{Operand: b.In[0]}, AsReal) }),
	of("recv", types{"!stablehlo.token"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(RecvOp{Token: b.In[0], ChannelHandle: ChannelHandle{5, 3}, IsHostTransfer: true,
			ResultTypes: b.Types("tensor<2xf32>", "!stablehlo.token")}, AsRecv)
	}),
	of("reduce", types{"tensor<3x4xf32>", "tensor<f32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(ReduceOp{Inputs: b.In[:1], InitValues: b.In[1:], Dimensions: []int64{1},
			Body: sum(b, "tensor<f32>")}, AsReduce)
	}),
	of("reduce", types{"tensor<3x4xf32>", "tensor<3x4xi32>", "tensor<f32>", "tensor<i32>"},
		func(b *body) mlirtest.Made {
			return mlirtest.Of(ReduceOp{
				Inputs: b.In[:2], InitValues: b.In[2:], Dimensions: []int64{0, 1},
				Body: b.Region(types{"tensor<f32>", "tensor<i32>", "tensor<f32>", "tensor<i32>"},
					func(_ mlir.Block, in []mlir.Value) []mlir.Value { return in[:2] }),
			}, AsReduce)
		}),
	of("reduce_precision", types{"tensor<2xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(ReducePrecisionOp{Operand: b.In[0], ExponentBits: 5, MantissaBits: 10}, AsReducePrecision)
	}),
	of("reduce_scatter", types{"tensor<2x8xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(ReduceScatterOp{
			Operand: b.In[0], ScatterDimension: 1, ReplicaGroups: GroupsOf([]int64{0, 1}),
			ChannelHandle: &ChannelHandle{1, 1}, UseGlobalDeviceIDs: true,
			Computation: sum(b, "tensor<f32>"), ResultType: check.Must(ReduceScatterType(b.In[0].Type(), 1, 2)),
		}, AsReduceScatter)
	}),
	of("reduce_window", types{"tensor<3x8xf32>", "tensor<f32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(ReduceWindowOp{
			Inputs: b.In[:1], InitValues: b.In[1:], WindowDimensions: []int64{1, 2}, WindowStrides: []int64{1, 2},
			BaseDilations: []int64{1, 2}, WindowDilations: []int64{1, 3}, Padding: [][2]int64{{0, 0}, {2, 1}},
			Body: sum(b, "tensor<f32>"),
		}, AsReduceWindow)
	}),
	of("reduce_window", types{"tensor<3x8xf32>", "tensor<f32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(ReduceWindowOp{Inputs: b.In[:1], InitValues: b.In[1:], WindowDimensions: []int64{1, 2},
			Body: sum(b, "tensor<f32>")}, AsReduceWindow)
	}),
	of("replica_id", nil, func(b *body) mlirtest.Made { return mlirtest.Of(ReplicaIDOp{}, AsReplicaID) }),
	of("reshape", types{"tensor<2x3xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(ReshapeOp{Operand: b.In[0], ResultType: check.Must(ReshapeType(b.In[0].Type(), 6, 1))},
			AsReshape)
	}),
	of("reverse", types{"tensor<2x3xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(ReverseOp{Operand: b.In[0], Dimensions: []int64{1}}, AsReverse)
	}),
	of("rng_bit_generator", types{"tensor<2xui64>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(RngBitGeneratorOp{
			InitialState: b.In[0], RngAlgorithm: RngThreeFry, OutputStateType: b.In[0].Type(),
			OutputType: b.Type("tensor<4xui32>"),
		}, AsRngBitGenerator)
	}),
	of("rng", types{"tensor<f32>", "tensor<f32>", "tensor<2xi64>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(RngOp{A: b.In[0], B: b.In[1], Shape: b.In[2], RngDistribution: RngUniform}, AsRng)
	}),
	of("scatter", types{"tensor<3x4xf32>", "tensor<2x1xi32>", "tensor<2x4xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(ScatterOp{
			Inputs: b.In[:1], ScatterIndices: b.In[1], Updates: b.In[2:], IndicesAreSorted: true, UniqueIndices: true,
			ScatterDimensionNumbers: ScatterDimensionNumbers{UpdateWindowDims: []int64{1},
				InsertedWindowDims: []int64{0}, ScatterDimsToOperandDims: []int64{0}, IndexVectorDim: 1},
			UpdateComputation: sum(b, "tensor<f32>"),
		}, AsScatter)
	}),
	of("select_and_scatter", types{"tensor<4x4xf32>", "tensor<2x2xf32>", "tensor<f32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(SelectAndScatterOp{
			Operand: b.In[0], Source: b.In[1], InitValue: b.In[2], WindowDimensions: []int64{2, 2},
			WindowStrides: []int64{2, 2}, Padding: [][2]int64{{0, 0}, {0, 0}},
			Select: less(b, "tensor<f32>", "tensor<f32>"), Scatter: sum(b, "tensor<f32>"),
		}, AsSelectAndScatter)
	}),
	of("select", types{"tensor<2xi1>", "tensor<2xf32>", "tensor<2xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(SelectOp{Pred: b.In[0], OnTrue: b.In[1], OnFalse: b.In[2]}, AsSelect)
	}),
	of("send", types{"tensor<2xf32>", "!stablehlo.token"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(
			SendOp{Inputs: b.In[:1], Token: b.In[1], ChannelHandle: ChannelHandle{5, 2}, IsHostTransfer: true}, AsSend)
	}),
	of("set_dimension_size", types{"tensor<2x?xf32, #stablehlo.bounds<?, 4>>", "tensor<i32>"},
		func(b *body) mlirtest.Made {
			return mlirtest.Of(SetDimensionSizeOp{Operand: b.In[0], Size: b.In[1], Dimension: 1}, AsSetDimensionSize)
		}),
	of("slice", types{"tensor<3x8xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(SliceOp{Operand: b.In[0], StartIndices: []int64{1, 2}, LimitIndices: []int64{3, 8},
			Strides: []int64{1, 3}}, AsSlice)
	}),
	of("sort", types{"tensor<3x8xf32>", "tensor<3x8xi32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(SortOp{Inputs: b.In, Dimension: new(int64(0)), IsStable: true,
			Comparator: less(b, "tensor<f32>", "tensor<f32>", "tensor<i32>", "tensor<i32>")}, AsSort)
	}),
	of("sort", types{"tensor<8xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(SortOp{Inputs: b.In, Comparator: less(b, "tensor<f32>", "tensor<f32>")}, AsSort)
	}),
	of("torch_index_select", types{"tensor<5x1x5xi32>", "tensor<2xi32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(TorchIndexSelectOp{Operand: b.In[0], Index: b.In[1], Dim: 0, BatchDims: 0,
			ResultType: b.Type("tensor<2x1x5xi32>")}, AsTorchIndexSelect)
	}),
	of("transpose", types{"tensor<2x3x4xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(TransposeOp{Operand: b.In[0], Permutation: []int64{2, 0, 1}}, AsTranspose)
	}),
	of("triangular_solve", types{"tensor<3x3xf32>", "tensor<3x2xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(TriangularSolveOp{A: b.In[0], B: b.In[1], LeftSide: true, Lower: true, UnitDiagonal: false,
			TransposeA: TransposeAdjoint}, AsTriangularSolve)
	}),
	of("tuple", types{"tensor<2xf32>", "!stablehlo.token"},
		func(b *body) mlirtest.Made { return mlirtest.Of(TupleOp{Val: b.In}, AsTuple) }),
	of("unary_einsum", types{"tensor<2x3xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(UnaryEinsumOp{Operand: b.In[0], EinsumConfig: "ij->i", ResultType: b.Type("tensor<2xf32>")},
			AsUnaryEinsum)
	}),
	of("while", types{"tensor<f32>", "tensor<f32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(WhileOp{
			Operand: b.In, Cond: less(b, "tensor<f32>", "tensor<f32>"),
			Body: b.Region(types{"tensor<f32>", "tensor<f32>"},
				func(_ mlir.Block, in []mlir.Value) []mlir.Value { return []mlir.Value{in[1], in[0]} }),
		}, AsWhile)
	}),
	quantized("uniform_quantize", types{"tensor<2xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(UniformQuantizeOp{Operand: b.In[0], ResultType: check.Must(
			ConvertType(b.In[0].Type(), b.Type("!quant.uniform<i8:f32, 5.000000e-01:3>")))}, AsUniformQuantize)
	}),
	quantized("uniform_dequantize", types{"tensor<2x!quant.uniform<i8:f32, 5.000000e-01:3>>"},
		func(b *body) mlirtest.Made {
			return mlirtest.Of(UniformDequantizeOp{Operand: b.In[0]}, AsUniformDequantize)
		}),
	quantized("dot_general", types{"tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01:3>>",
		"tensor<3x4x!quant.uniform<i8:f32, 5.000000e-01>>"}, func(b *body) mlirtest.Made {
		d := DotDimensionNumbers{LHSContractingDimensions: []int64{1}, RHSContractingDimensions: []int64{0}}
		return mlirtest.Of(DotGeneralOp{
			LHS: b.In[0], RHS: b.In[1], DotDimensionNumbers: d,
			ResultType: check.Must(
				DotGeneralType(b.In[0].Type(), b.In[1].Type(), d, b.Type("!quant.uniform<i32:f32, 2.500000e-01>"))),
		}, AsDotGeneral)
	}),
	quantized("bitcast_convert", types{"tensor<2x!quant.uniform<i8:f32, 5.000000e-01:3>>"},
		func(b *body) mlirtest.Made {
			return mlirtest.Of(BitcastConvertOp{Operand: b.In[0],
				ResultType: check.Must(BitcastConvertType(b.In[0].Type(), b.Type("i8")))}, AsBitcastConvert)
		}),
}

var (
	nhwc = ConvDimensionNumbers{
		InputBatchDimension: 0, InputFeatureDimension: 3, InputSpatialDimensions: []int64{1, 2},
		KernelInputFeatureDimension: 2, KernelOutputFeatureDimension: 3, KernelSpatialDimensions: []int64{0, 1},
		OutputBatchDimension: 0, OutputFeatureDimension: 3, OutputSpatialDimensions: []int64{1, 2},
	}
	rows = GatherDimensionNumbers{OffsetDims: []int64{1}, CollapsedSliceDims: []int64{0}, StartIndexMap: []int64{0},
		IndexVectorDim: 1}
)
