package builder

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// CollectiveOptions say which devices take part in a collective operation.
type CollectiveOptions struct {
	// Groups holds the devices of each group, in the order of their contributions. The
	// entries are replica ids, or partition ids if Channel is set. If Groups is empty, all
	// devices are one group. AllGather and ReduceScatter need it, because the types of
	// their results depend on the size of a group.
	Groups [][]int
	// Channel lets devices of different partitions take part. It is a positive number that
	// is the same on all devices and differs from that of every other collective in the
	// program. 0 means no channel.
	Channel int
	// GlobalDeviceIDs makes the entries of Groups global ids: the replica id times the
	// number of partitions, plus the partition id. It needs Channel.
	GlobalDeviceIDs bool
}

// PartitionID returns the id of the partition that runs the program, u32[].
func PartitionID(f *Func) Value {
	s := f.begin("partition_id")
	return s.one(stablehlo.PartitionIDOp{})
}

// ReplicaID returns the id of the replica that runs the program, u32[].
func ReplicaID(f *Func) Value {
	s := f.begin("replica_id")
	return s.one(stablehlo.ReplicaIDOp{})
}

// AllReduce combines the x of all devices of a group with body, element by element, and
// returns the result on every one of them:
//
//	sum := builder.AllReduce(x, builder.Add, builder.CollectiveOptions{})
func AllReduce(x Value, body func(a, b Value) Value, o CollectiveOptions) Value {
	s := begin("all_reduce", x)
	region, ok := combine(&s, x, []Value{x}, body)
	if !ok {
		return s.none()
	}
	return s.one(stablehlo.AllReduceOp{
		Operands: []mlir.Value{x.v}, ReplicaGroups: o.groups(), ChannelHandle: o.channel(),
		UseGlobalDeviceIDs: o.GlobalDeviceIDs, Computation: region,
	})
}

// CollectiveReduce combines the x of all devices of a group with body, element by element, on the first device of the
// group. The others get zeros.
func CollectiveReduce(x Value, body func(a, b Value) Value, o CollectiveOptions) Value {
	s := begin("collective_reduce", x)
	region, ok := combine(&s, x, []Value{x}, body)
	if !ok {
		return s.none()
	}
	return s.one(stablehlo.CollectiveReduceOp{
		Operands: []mlir.Value{x.v}, ReplicaGroups: o.groups(), ChannelHandle: o.channel(),
		UseGlobalDeviceIDs: o.GlobalDeviceIDs, Computation: region,
	})
}

// AllGather joins the x of all devices of a group along an axis, and returns the result on
// every one of them.
func AllGather(x Value, axis int, o CollectiveOptions) Value {
	s := begin("all_gather", x)
	if !s.ok {
		return s.none()
	}
	n := o.size(&s)
	if !s.ok {
		return s.none()
	}
	axis = s.axis(axis, rankOf(x))
	return s.one(stablehlo.AllGatherOp{
		Operands: []mlir.Value{x.v}, AllGatherDim: int64(axis), ReplicaGroups: o.groups(), ChannelHandle: o.channel(),
		UseGlobalDeviceIDs: o.GlobalDeviceIDs,
		ResultTypes:        []mlir.Type{s.inferred(stablehlo.AllGatherType(x.v.Type(), int64(axis), n))},
	})
}

// ReduceScatter does an AllReduce and splits the result along an axis into one part for
// each device of a group. Every device gets its own part.
func ReduceScatter(x Value, axis int, body func(a, b Value) Value, o CollectiveOptions) Value {
	s := begin("reduce_scatter", x)
	if !s.ok {
		return s.none()
	}
	n := o.size(&s)
	if !s.ok {
		return s.none()
	}
	axis = s.axis(axis, rankOf(x))
	result := s.inferred(stablehlo.ReduceScatterType(x.v.Type(), int64(axis), n))
	region, ok := combine(&s, x, []Value{x}, body)
	if !ok {
		return s.none()
	}
	return s.one(stablehlo.ReduceScatterOp{
		Operand: x.v, ScatterDimension: int64(axis), ReplicaGroups: o.groups(), ChannelHandle: o.channel(),
		UseGlobalDeviceIDs: o.GlobalDeviceIDs, Computation: region, ResultType: result,
	})
}

// AllToAll splits x along splitAxis into count parts, one for each device of a group, sends
// the i-th part to the i-th device, and joins the received parts along concatAxis.
func AllToAll(x Value, splitAxis, concatAxis, count int, o CollectiveOptions) Value {
	s := begin("all_to_all", x)
	if !s.ok {
		return s.none()
	}
	rank := rankOf(x)
	return s.one(stablehlo.AllToAllOp{
		Operands: []mlir.Value{x.v}, SplitDimension: int64(s.axis(splitAxis, rank)),
		ConcatDimension: int64(s.axis(concatAxis, rank)),
		SplitCount:      int64(count), ReplicaGroups: o.groups(), ChannelHandle: o.channel(),
	})
}

// CollectivePermute sends the x of the first device of each pair to the second. A device
// that receives nothing gets zeros. Only the Channel of o is used.
func CollectivePermute(x Value, pairs [][2]int, o CollectiveOptions) Value {
	s := begin("collective_permute", x)
	if len(o.Groups) > 0 || o.GlobalDeviceIDs {
		return s.fail("Groups and GlobalDeviceIDs are not used: the pairs name the devices: leave both out")
	}
	return s.one(
		stablehlo.CollectivePermuteOp{Operand: x.v, SourceTargetPairs: pairs64(pairs), ChannelHandle: o.channel()})
}

// CollectiveBroadcast returns the x of the first device of a group on every device of the
// group.
func CollectiveBroadcast(x Value, o CollectiveOptions) Value {
	s := begin("collective_broadcast", x)
	return s.one(stablehlo.CollectiveBroadcastOp{Operand: x.v, ReplicaGroups: o.groups(), ChannelHandle: o.channel()})
}

func (o CollectiveOptions) groups() [][]int64 {
	out := make([][]int64, len(o.Groups))
	for i, g := range o.Groups {
		out[i] = int64s(g)
	}
	return out
}

func (o CollectiveOptions) channel() *stablehlo.ChannelHandle {
	if o.Channel == 0 {
		return nil
	}
	return &stablehlo.ChannelHandle{Handle: int64(o.Channel), Type: deviceToDevice}
}

// deviceToDevice is a kind of channel (XLA, xla_data.proto, ChannelHandle).
const deviceToDevice = 1

// size returns the number of devices in a group.
func (o CollectiveOptions) size(s *step) int64 {
	if len(o.Groups) == 0 || len(o.Groups[0]) == 0 {
		s.fail("the result's dimensions depend on the size of a group: set CollectiveOptions.Groups")
		return 1
	}
	return int64(len(o.Groups[0]))
}
