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
	// Mesh and Axes take the place of Groups: the devices of a group differ along these axes of a mesh that
	// Builder.Mesh made, and contribute in the order of the axes, the last one the fastest.
	Mesh string
	Axes []string
	// Channel lets devices of different partitions take part. It is a positive number that
	// is the same on all devices and differs from that of every other collective in the
	// program. 0 means no channel.
	Channel int
	// GlobalDeviceIDs makes the entries of Groups, or the devices of Mesh, global ids: the replica id times the
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
	groups, _ := o.groups(&s)
	region, ok := combine(&s, x, []Value{x}, body)
	if !ok {
		return s.none()
	}
	return s.one(stablehlo.AllReduceOp{
		Operands: []mlir.Value{x.v}, ReplicaGroups: groups, ChannelHandle: o.channel(),
		UseGlobalDeviceIDs: o.GlobalDeviceIDs, Computation: region,
	})
}

// CollectiveReduce combines the x of all devices of a group with body, element by element, on the first device of the
// group. The others get zeros.
func CollectiveReduce(x Value, body func(a, b Value) Value, o CollectiveOptions) Value {
	s := begin("collective_reduce", x)
	groups, _ := o.groups(&s)
	region, ok := combine(&s, x, []Value{x}, body)
	if !ok {
		return s.none()
	}
	return s.one(stablehlo.CollectiveReduceOp{
		Operands: []mlir.Value{x.v}, ReplicaGroups: groups, ChannelHandle: o.channel(),
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
	groups, n := o.groups(&s)
	if n == 0 {
		return s.fail("the result's dimensions depend on the size of a group: set Groups or Mesh of CollectiveOptions")
	}
	axis = s.axis(axis, rankOf(x))
	return s.one(stablehlo.AllGatherOp{
		Operands: []mlir.Value{x.v}, AllGatherDim: int64(axis), ReplicaGroups: groups, ChannelHandle: o.channel(),
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
	groups, n := o.groups(&s)
	if n == 0 {
		return s.fail("the result's dimensions depend on the size of a group: set Groups or Mesh of CollectiveOptions")
	}
	axis = s.axis(axis, rankOf(x))
	result := s.inferred(stablehlo.ReduceScatterType(x.v.Type(), int64(axis), n))
	region, ok := combine(&s, x, []Value{x}, body)
	if !ok {
		return s.none()
	}
	return s.one(stablehlo.ReduceScatterOp{
		Operand: x.v, ScatterDimension: int64(axis), ReplicaGroups: groups, ChannelHandle: o.channel(),
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
	groups, _ := o.groups(&s)
	return s.one(stablehlo.AllToAllOp{
		Operands: []mlir.Value{x.v}, SplitDimension: int64(s.axis(splitAxis, rank)),
		ConcatDimension: int64(s.axis(concatAxis, rank)),
		SplitCount:      int64(count), ReplicaGroups: groups, ChannelHandle: o.channel(),
	})
}

// CollectivePermute sends the x of the first device of each pair to the second. A device
// that receives nothing gets zeros. Only the Channel of o is used.
func CollectivePermute(x Value, pairs [][2]int, o CollectiveOptions) Value {
	s := begin("collective_permute", x)
	if len(o.Groups) > 0 || o.Mesh != "" || o.GlobalDeviceIDs {
		return s.fail("Groups, Mesh and GlobalDeviceIDs are not used: the pairs name the devices: leave them out")
	}
	return s.one(
		stablehlo.CollectivePermuteOp{Operand: x.v, SourceTargetPairs: pairs64(pairs), ChannelHandle: o.channel()})
}

// CollectiveBroadcast returns the x of the first device of a group on every device of the
// group.
func CollectiveBroadcast(x Value, o CollectiveOptions) Value {
	s := begin("collective_broadcast", x)
	groups, _ := o.groups(&s)
	return s.one(stablehlo.CollectiveBroadcastOp{Operand: x.v, ReplicaGroups: groups, ChannelHandle: o.channel()})
}

// groups returns the groups and the number of devices in the first one, or 0 if there are none.
func (o CollectiveOptions) groups(s *step) (groups stablehlo.Groups, size int64) {
	if o.Mesh == "" {
		groups.Lists = make([][]int64, len(o.Groups))
		for i, g := range o.Groups {
			groups.Lists[i] = int64s(g)
		}
		if len(o.Groups) > 0 {
			size = int64(len(o.Groups[0]))
		}
		if len(o.Axes) > 0 {
			s.fail("Axes of CollectiveOptions needs Mesh")
		}
		return groups, size
	}
	if len(o.Groups) > 0 {
		s.fail("Groups and Mesh of CollectiveOptions exclude each other")
	}
	groups.Mesh, size = &stablehlo.Mesh{Name: o.Mesh}, 1
	for _, axis := range o.Axes {
		n, ok := s.f.b.sizeOf(o.Mesh, axis)
		if !ok {
			s.fail("there is no mesh %q with an axis %q: make it with Builder.Mesh first", o.Mesh, axis)
		}
		groups.Axes, size = append(groups.Axes, stablehlo.AxisRef{Name: axis}), size*int64(n)
	}
	return groups, size
}

func (o CollectiveOptions) channel() *stablehlo.ChannelHandle {
	if o.Channel == 0 {
		return nil
	}
	return &stablehlo.ChannelHandle{Handle: int64(o.Channel), Type: deviceToDevice}
}

// deviceToDevice is a kind of channel (XLA, xla_data.proto, ChannelHandle).
const deviceToDevice = 1
