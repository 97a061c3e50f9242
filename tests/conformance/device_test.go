package conformance

import (
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	. "github.com/calliope-mlir/calliope/stablehlo"
)

// alone is why the interpreter does not run operations among devices: the C API runs a
// module on one.
const alone = "the interpreter has one device"

var (
	both     = GroupsOf([]int64{0, 1})
	channel1 = &ChannelHandle{Handle: 1, Type: 1}
)

// Collective operations, on two devices unless they say otherwise, and what only the
// host or another device could answer.
var deviceSamples = []sample{
	{op: "all_gather", replicas: 2, notInterpreted: alone, in: in("f32[1,2] 1 2", "f32[1,2] 3 4"),
		want: in("f32[2,2] 1 2 3 4", "f32[2,2] 1 2 3 4"), build: func(b *body) []mlir.Value {
			return b.op(AllGatherOp{Operands: b.In, AllGatherDim: 0, ReplicaGroups: both,
				ResultTypes: []mlir.Type{check.Must(AllGatherType(b.In[0].Type(), 0, 2))}})
		}},
	{op: "all_reduce", replicas: 2, notInterpreted: alone, in: in("f32[2] 1 2", "f32[2] 3 4"),
		want: in("f32[2] 4 6", "f32[2] 4 6"), build: func(b *body) []mlir.Value {
			return b.op(AllReduceOp{Operands: b.In, ReplicaGroups: both, Computation: b.fold("add", "tensor<f32>")})
		}},
	{op: "all_reduce", about: "in groups, with a channel", replicas: 4, notInterpreted: alone,
		in:   in("s32[1] 1", "s32[1] 2", "s32[1] 3", "s32[1] 4"),
		want: in("s32[1] 3", "s32[1] 4", "s32[1] 3", "s32[1] 4"), build: func(b *body) []mlir.Value {
			return b.op(AllReduceOp{
				Operands: b.In, ReplicaGroups: GroupsOf([]int64{0, 2}, []int64{1, 3}), ChannelHandle: channel1,
				UseGlobalDeviceIDs: true, Computation: b.fold("maximum", "tensor<i32>"),
			})
		}},
	{op: "all_to_all", replicas: 2, notInterpreted: alone, in: in("f32[2,2] 1 2 3 4", "f32[2,2] 5 6 7 8"),
		want: in("f32[1,4] 1 2 5 6", "f32[1,4] 3 4 7 8"), build: func(b *body) []mlir.Value {
			return b.op(
				AllToAllOp{Operands: b.In, SplitDimension: 0, ConcatDimension: 1, SplitCount: 2, ReplicaGroups: both})
		}},
	{op: "collective_broadcast", replicas: 2, notInterpreted: alone, notXLA: noCode, in: in("f32[2] 1 2", "f32[2] 3 4"),
		build: func(b *body) []mlir.Value {
			return b.op(CollectiveBroadcastOp{Operand: b.In[0], ReplicaGroups: GroupsOf([]int64{1, 0})})
		}},
	{op: "collective_permute", replicas: 4, notInterpreted: alone, in: in("f32[1] 1", "f32[1] 2", "f32[1] 3",
		"f32[1] 4"), want: in("f32[1] 0", "f32[1] 1", "f32[1] 4", "f32[1] 3"), build: func(b *body) []mlir.Value {
		return b.op(CollectivePermuteOp{Operand: b.In[0], SourceTargetPairs: [][2]int64{{0, 1}, {3, 2}, {2, 3}}})
	}},
	{op: "collective_reduce", replicas: 4, prepared: true, notInterpreted: alone,
		in:   in("f32[2] 1 2", "f32[2] 3 4", "f32[2] 5 6", "f32[2] 7 8"),
		want: in("f32[2] 0 0", "f32[2] 10 12", "f32[2] 6 8", "f32[2] 0 0"), build: func(b *body) []mlir.Value {
			return b.op(CollectiveReduceOp{
				Operands: b.In, ReplicaGroups: GroupsOf([]int64{1, 3}, []int64{2, 0}),
				Computation: b.fold("add", "tensor<f32>"),
			})
		}},
	{op: "async_start", about: "and async_done of an all_reduce", replicas: 2, prepared: true, notInterpreted: refused,
		in: in("f32[2] 1 2", "f32[2] 3 4"), want: in("f32[2] 4 6", "f32[2] 4 6"),
		build: func(b *body) []mlir.Value { return b.op(AsyncDoneOp{Operand: started(b)}) }},
	{op: "async_done", replicas: 2, prepared: true, notInterpreted: refused,
		in: in("f32[2] 1 2", "f32[2] 3 4"), want: in("f32[2] 4 6", "f32[2] 4 6"),
		build: func(b *body) []mlir.Value { return b.op(AsyncDoneOp{Operand: started(b)}) }},
	{op: "reduce_scatter", replicas: 2, notInterpreted: alone, in: in("f32[4] 1 2 3 4", "f32[4] 10 20 30 40"),
		want: in("f32[2] 11 22", "f32[2] 33 44"), build: func(b *body) []mlir.Value {
			return b.op(ReduceScatterOp{
				Operand: b.In[0], ScatterDimension: 0, ReplicaGroups: both, Computation: b.fold("add", "tensor<f32>"),
				ResultType: check.Must(ReduceScatterType(b.In[0].Type(), 0, 2)),
			})
		}},
	{op: "cross-replica-sum", replicas: 2, notInterpreted: alone, in: in("f32[2] 1 2", "f32[2] 3 4"),
		want: in("f32[2] 4 6", "f32[2] 4 6"), build: func(b *body) []mlir.Value {
			return b.op(CrossReplicaSumOp{Operand: b.In[0], ReplicaGroups: both})
		}},
	{op: "replica_id", replicas: 4, notInterpreted: alone, want: in("u32[] 0", "u32[] 1", "u32[] 2", "u32[] 3"),
		build: func(b *body) []mlir.Value { return b.op(ReplicaIDOp{}) }},
	{op: "partition_id", notInterpreted: alone, want: in("u32[] 0"),
		build: func(b *body) []mlir.Value { return b.op(PartitionIDOp{}) }},
	{op: "custom_call", notInterpreted: refused, in: in("f32[3] 1 -2 inf"), want: in("f32[3] 2 -4 inf"),
		build: func(b *body) []mlir.Value { return b.op(doubled(b)) }},

	{op: "infeed", notInterpreted: refused, notXLA: hosts, build: func(b *body) []mlir.Value {
		return b.op(
			InfeedOp{Token: b.one(CreateTokenOp{}), ResultTypes: b.Types("tensor<2xf32>", "!stablehlo.token")})[:1]
	}},
	{op: "outfeed", notInterpreted: refused, notXLA: hosts, in: in("f32[2] 1 2"), build: func(b *body) []mlir.Value {
		b.op(OutfeedOp{Inputs: b.In, Token: b.one(CreateTokenOp{})})
		return b.In
	}},
	{op: "send", notInterpreted: refused, notXLA: noCode, in: in("f32[2] 1 2"), build: func(b *body) []mlir.Value {
		b.op(SendOp{Inputs: b.In, Token: b.one(CreateTokenOp{}), ChannelHandle: ChannelHandle{Handle: 5, Type: 2},
			IsHostTransfer: true})
		return b.In
	}},
	{op: "recv", notInterpreted: refused, notXLA: noCode, build: func(b *body) []mlir.Value {
		return b.op(RecvOp{Token: b.one(CreateTokenOp{}), ChannelHandle: ChannelHandle{Handle: 6, Type: 3},
			IsHostTransfer: true, ResultTypes: b.Types("tensor<2xf32>", "!stablehlo.token")})[:1]
	}},
}

// started is the future of an all_reduce.
func started(b *body) mlir.Value {
	return b.one(AsyncStartOp{Operands: b.In, Body: b.Region([]string{"tensor<2xf32>"},
		func(block mlir.Block, in []mlir.Value) []mlir.Value {
			return AllReduceOp{
				Operands: in, ReplicaGroups: both, Computation: b.fold("add", "tensor<f32>"),
			}.Create(mlir.NewBuilder(block, mlir.Location{})).ResultValues()
		})})
}

// Why XLA does not run an operation.
const (
	untranslated = "XLA does not translate it"
	noCode       = "XLA CPU has no code for it"
	hosts        = "XLA CPU compiles it, but the host's end of the transfer is not part of PJRT's interface; callbacks take its place"
)
