package autodiff

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// collectives has the operations that exchange values between devices. The derivative is that of all devices
// together: each has its part of the tangents and of the cotangents.
var collectives = map[string]rule{
	"stablehlo.all_reduce": {
		jvp: jvpAllReduce,
		transpose: each(func(b *backward, op mlir.Operation, g mlir.Value, _ mlir.Type) mlir.Value {
			adds(op, op.Region(0)) // so that jvpAllReduce made it, or it has no transpose
			return b.exchange(op, g, g.Type())
		}),
	},
	"stablehlo.all_gather": {jvp: exchanged, transpose: each(transposeAllGather)},
	"stablehlo.reduce_scatter": {
		jvp: func(f *forward, op mlir.Operation) {
			adds(op, op.Region(0))
			exchanged(f, op)
		},
		transpose: each(func(b *backward, op mlir.Operation, g mlir.Value, of mlir.Type) mlir.Value {
			o := as(op, stablehlo.AsReduceScatter)
			return b.Do(stablehlo.AllGatherOp{
				Operands: []mlir.Value{g}, AllGatherDim: o.ScatterDimension, ReplicaGroups: o.ReplicaGroups,
				ChannelHandle: o.ChannelHandle, UseGlobalDeviceIDs: o.UseGlobalDeviceIDs, ResultTypes: []mlir.Type{of},
			})
		}),
	},
	"stablehlo.all_to_all": {
		jvp: exchanged,
		transpose: each(func(b *backward, op mlir.Operation, g mlir.Value, _ mlir.Type) mlir.Value {
			o := as(op, stablehlo.AsAllToAll)
			o.Operands, o.ResultTypes = []mlir.Value{g}, nil
			o.SplitDimension, o.ConcatDimension = o.ConcatDimension, o.SplitDimension
			return b.Do(o)
		}),
	},
	"stablehlo.collective_permute": {
		jvp: exchanged,
		transpose: each(func(b *backward, op mlir.Operation, g mlir.Value, _ mlir.Type) mlir.Value {
			o := as(op, stablehlo.AsCollectivePermute)
			pairs := slices.Clone(o.SourceTargetPairs)
			for i, p := range pairs {
				pairs[i] = [2]int64{p[1], p[0]}
			}
			o.Operand, o.SourceTargetPairs = g, pairs
			return b.Do(o)
		}),
	},
	"stablehlo.collective_broadcast": {jvp: exchanged, transpose: each(transposeCollectiveBroadcast)},
	"stablehlo.cross-replica-sum": {
		jvp: exchanged,
		transpose: each(func(b *backward, op mlir.Operation, g mlir.Value, _ mlir.Type) mlir.Value {
			return b.exchange(op, g, g.Type())
		}),
	},
	"stablehlo.partition_id": none, "stablehlo.replica_id": none,
}

// as returns a collective as its struct. It ends the transformation if the library has another form of it.
func as[T any](op mlir.Operation, read func(mlir.Operation) (T, bool)) T {
	o, ok := read(op)
	if !ok {
		transform.Fail(op, "its attributes have a form that is not known here")
	}
	return o
}

// exchange creates a copy of a collective for one array.
func (e *emitter) exchange(op mlir.Operation, x mlir.Value, result mlir.Type) mlir.Value {
	s := mlir.OperationState{Name: op.Name(), Location: e.Loc, Operands: []mlir.Value{x}, Results: []mlir.Type{result}}
	for name, a := range op.Attributes() {
		s.Attributes = append(s.Attributes, mlir.NamedAttribute{Name: name, Value: a})
	}
	copied := op.Clone()
	for _, r := range copied.Regions() {
		moved := e.Context.NewRegion()
		moved.TakeBody(r)
		s.Regions = append(s.Regions, moved)
	}
	transform.Check(copied.Erase())
	return transform.Must(mlir.Create(mlir.Before(e.Before), s)).Result(0)
}

// exchanged exchanges tangents like their values.
func exchanged(f *forward, op mlir.Operation) {
	for i, v := range op.Operands() {
		if g := f.tangent(v); !g.IsNil() {
			f.set(op.Result(i), f.exchange(op, g, op.Result(i).Type()))
		}
	}
}

// each is the transpose of an operation whose results belong to its operands one by one: f returns the cotangent
// of an operand, whose type is of, from that of its result.
func each(
	f func(b *backward, op mlir.Operation, g mlir.Value, of mlir.Type) mlir.Value,
) func(*backward, mlir.Operation) {
	return func(b *backward, op mlir.Operation) {
		for i, v := range op.Operands() {
			if g := b.cotangents[op.Result(i)]; !g.IsNil() && b.linear[v] {
				b.add(v, f(b, op, g, v.Type()))
			}
		}
	}
}

// adds ends the transformation if the computation of a collective does not add.
func adds(op mlir.Operation, computation mlir.Region) {
	if kind := combiner(computation); kind != "stablehlo.add" {
		transform.Fail(op, "its derivative is known if its computation adds: gather the values and reduce them on each device")
	}
}

// jvpAllReduce is linear for a sum. The devices whose element is the maximum or minimum share its tangent.
func jvpAllReduce(f *forward, op mlir.Operation) {
	o := as(op, stablehlo.AsAllReduce)
	if !isExtreme(combiner(o.Computation)) {
		adds(op, o.Computation)
		exchanged(f, op)
		return
	}
	for i, x := range op.Operands() {
		g := f.tangent(x)
		if g.IsNil() {
			continue
		}
		sum := func(v mlir.Value) mlir.Value {
			o.Operands, o.ResultTypes, o.Computation = []mlir.Value{v}, nil, f.adder(v)
			return f.Do(o)
		}
		chosen := f.convert(f.Compare(stablehlo.CompareEQ, x, op.Result(i)), x.Type())
		f.set(op.Result(i), f.div(sum(f.mul(g, chosen)), sum(chosen)))
	}
}

// transposeAllGather adds up what the devices have for a part, and gives the sum to the device of the part.
func transposeAllGather(b *backward, op mlir.Operation, g mlir.Value, of mlir.Type) mlir.Value {
	o := as(op, stablehlo.AsAllGather)
	return b.Do(stablehlo.ReduceScatterOp{
		Operand: g, ScatterDimension: o.AllGatherDim, ReplicaGroups: o.ReplicaGroups, ChannelHandle: o.ChannelHandle,
		UseGlobalDeviceIDs: o.UseGlobalDeviceIDs, Computation: b.adder(g), ResultType: of,
	})
}

// transposeCollectiveBroadcast adds up what the devices of a group have, and gives the sum to the first one.
func transposeCollectiveBroadcast(b *backward, op mlir.Operation, g mlir.Value, _ mlir.Type) mlir.Value {
	o := as(op, stablehlo.AsCollectiveBroadcast)
	partitions := o.ChannelHandle != nil && o.ChannelHandle.Handle > 0
	var id mlir.Value
	if partitions {
		for at := op; !at.IsNil(); at = at.Parent() {
			if a, ok := at.Attribute("mhlo.num_replicas"); ok {
				if n, _ := a.Int(); n > 1 {
					transform.Fail(op, "it is between the partitions of each of %d replicas: its derivative is known for one", n)
				}
			}
		}
		id = b.Do(stablehlo.PartitionIDOp{})
	} else {
		id = b.Do(stablehlo.ReplicaIDOp{})
	}
	sum := b.Do(stablehlo.AllReduceOp{ // which takes numbers for those of partitions only if they are global
		Operands: []mlir.Value{g}, ReplicaGroups: o.ReplicaGroups, ChannelHandle: o.ChannelHandle,
		UseGlobalDeviceIDs: partitions, Computation: b.adder(g),
	})
	groups, err := o.ReplicaGroups.Devices(op)
	if err != nil {
		transform.Fail(op, "%v", err)
	}
	var first mlir.Value
	for _, group := range groups {
		is := b.Compare(stablehlo.CompareEQ, id, b.Number(id.Type(), float64(group[0])))
		if !first.IsNil() {
			is = b.Binary(stablehlo.Or, first, is)
		}
		first = is
	}
	return b.Select(first, sum, b.Zero(g.Type()))
}
