package builder

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// CollectiveOptions say which devices work together.
type CollectiveOptions struct {
	// Groups are the devices of each group, in the order of what they give: replica ids,
	// or partition ids where Channel is set. Empty, all are one group; AllGather and
	// ReduceScatter, whose results depend on the size of a group, do not take that.
	Groups [][]int
	// Channel is a number above zero that all devices give, and no other collective of the
	// program; it makes devices of different partitions work together. Zero is none.
	Channel int
	// GlobalDeviceIDs has Groups count replicas and partitions in one: replica id times
	// the number of partitions, and partition id. It needs Channel.
	GlobalDeviceIDs bool
}

// PartitionID is the number of the partition that runs the program, u32[].
func PartitionID(f *Func) Value {
	s := f.begin("partition_id")
	return s.one(stablehlo.PartitionID{})
}

// ReplicaID is the number of the replica that runs the program, u32[].
func ReplicaID(f *Func) Value {
	s := f.begin("replica_id")
	return s.one(stablehlo.ReplicaID{})
}

// AllReduce gives every device of a group what body makes of the x of all of them,
// element by element:
//
//	sum := builder.AllReduce(x, builder.Add, builder.CollectiveOptions{})
func AllReduce(x Value, body func(a, b Value) Value, o CollectiveOptions) Value {
	s := begin("all_reduce", x)
	region, ok := combine(&s, x, []Value{x}, body)
	if !ok {
		return s.none()
	}
	return s.one(stablehlo.AllReduce{
		Operands: []mlir.Value{x.v}, ReplicaGroups: o.groups(), ChannelHandle: o.channel(),
		UseGlobalDeviceIDs: o.GlobalDeviceIDs, Computation: region,
	})
}

// AllGather gives every device of a group the x of all of them, joined along an axis.
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
	return s.one(stablehlo.AllGather{
		Operands: []mlir.Value{x.v}, AllGatherDim: int64(axis), ReplicaGroups: o.groups(), ChannelHandle: o.channel(),
		UseGlobalDeviceIDs: o.GlobalDeviceIDs,
		Results:            []mlir.Type{s.inferred(stablehlo.AllGatherType(x.v.Type(), int64(axis), n))},
	})
}

// ReduceScatter is AllReduce, cut along an axis into as many parts as there are devices in
// a group: each gets its own.
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
	return s.one(stablehlo.ReduceScatter{
		Operand: x.v, ScatterDimension: int64(axis), ReplicaGroups: o.groups(), ChannelHandle: o.channel(),
		UseGlobalDeviceIDs: o.GlobalDeviceIDs, Computation: region, Result: result,
	})
}

// AllToAll cuts x along splitAxis into count parts, as many as there are devices in a
// group, gives the i-th to the i-th device, and joins what comes along concatAxis.
func AllToAll(x Value, splitAxis, concatAxis, count int, o CollectiveOptions) Value {
	s := begin("all_to_all", x)
	if !s.ok {
		return s.none()
	}
	rank := rankOf(x)
	return s.one(stablehlo.AllToAll{
		Operands: []mlir.Value{x.v}, SplitDimension: int64(s.axis(splitAxis, rank)), ConcatDimension: int64(s.axis(concatAxis, rank)),
		SplitCount: int64(count), ReplicaGroups: o.groups(), ChannelHandle: o.channel(),
	})
}

// CollectivePermute sends the x of the first device of each pair to the second. A device
// that nothing is sent to gets zeros. Of o only Channel is used.
func CollectivePermute(x Value, pairs [][2]int, o CollectiveOptions) Value {
	s := begin("collective_permute", x)
	if len(o.Groups) > 0 || o.GlobalDeviceIDs {
		return s.fail("the pairs say which devices work together: Groups and GlobalDeviceIDs are not used")
	}
	return s.one(stablehlo.CollectivePermute{Operand: x.v, SourceTargetPairs: pairs64(pairs), ChannelHandle: o.channel()})
}

// CollectiveBroadcast gives every device of a group the x of the first one in it.
func CollectiveBroadcast(x Value, o CollectiveOptions) Value {
	s := begin("collective_broadcast", x)
	return s.one(stablehlo.CollectiveBroadcast{Operand: x.v, ReplicaGroups: o.groups(), ChannelHandle: o.channel()})
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

// deviceToDevice is the kind of a channel (XLA, xla_data.proto, ChannelHandle).
const deviceToDevice = 1

// size is the number of devices in a group.
func (o CollectiveOptions) size(s *step) int64 {
	if len(o.Groups) == 0 || len(o.Groups[0]) == 0 {
		s.fail("the result's dimensions depend on how many devices work together: set CollectiveOptions.Groups")
		return 1
	}
	return int64(len(o.Groups[0]))
}
