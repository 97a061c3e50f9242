package rewrite

import (
	"errors"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// ExpandCollectiveReduce replaces a collective_reduce by an all_reduce, of which devices that are not the root of their
// group take zeros.
func ExpandCollectiveReduce(op mlir.Operation) error {
	o, ok := stablehlo.AsCollectiveReduce(op)
	if !ok {
		return errors.New("its groups are in a form that is not known here")
	}
	groups, err := o.ReplicaGroups.Devices(op)
	if err != nil {
		return err
	}
	e := Before(op)
	var roots mlir.Value
	if o.HasDynamicRoot {
		last := len(o.Operands) - 1
		o.Operands, roots = o.Operands[:last], o.Operands[last]
	}
	computation := e.Context().NewRegion()
	computation.TakeBody(o.Computation)
	sums := stablehlo.AllReduceOp{
		Operands: o.Operands, ReplicaGroups: o.ReplicaGroups, ChannelHandle: o.ChannelHandle,
		UseGlobalDeviceIDs: o.UseGlobalDeviceIDs, Computation: computation, ResultTypes: o.ResultTypes,
	}.Create(e.Builder)
	KeepSharding(op, sums)
	place := e.placeInGroup(op, o, groups)
	for i, v := range sums.Results() {
		root := e.Zeros(place.Type())
		if o.HasDynamicRoot {
			at := int64(i)
			root = stablehlo.Slice(e.Builder, roots, []int64{at}, []int64{at + 1}, []int64{1})
			root = stablehlo.Reshape(e.Builder, place.Type(), root)
		}
		isRoot := stablehlo.Compare(e.Builder, place, root, stablehlo.CompareEQ)
		op.Result(i).ReplaceAllUses(stablehlo.Select(e.Builder, isRoot, v, e.Zeros(v.Type())))
	}
	return errors.Join(e.Cause(), op.Erase())
}

// placeInGroup returns the place of the device in its group, an i32.
func (e Emitter) placeInGroup(op mlir.Operation, o stablehlo.CollectiveReduceOp, groups [][]int64) mlir.Value {
	scalar := e.Array(tensor.ShapeOf(tensor.S32))
	number := func(id mlir.Value) mlir.Value { return stablehlo.Convert(e.Builder, scalar, id) }
	times := func(x mlir.Value, n int64) mlir.Value {
		return stablehlo.Multiply(e.Builder, x, stablehlo.Constant(e.Builder, tensor.Scalar(int32(n))))
	}
	add := func(x, y mlir.Value) mlir.Value { return stablehlo.Add(e.Builder, x, y) }
	id := number(stablehlo.ReplicaID(e.Builder))
	if o.ChannelHandle == nil || o.ChannelHandle.Handle <= 0 {
		return e.lookUp(groups, id, id, place)
	}
	partition := number(stablehlo.PartitionID(e.Builder))
	if o.UseGlobalDeviceIDs {
		id = add(times(id, devices(op, "mhlo.num_partitions")), partition)
		return e.lookUp(groups, id, id, place)
	}
	// A group has the replicas of each partition, one partition after the other.
	replicas := stablehlo.Constant(e.Builder, tensor.Scalar(int32(devices(op, "mhlo.num_replicas"))))
	sizes := e.lookUp(groups, id, replicas, func(_ int, group []int64) int32 { return int32(len(group)) })
	return add(stablehlo.Multiply(e.Builder, partition, sizes), e.lookUp(groups, id, id, place))
}

func place(i int, _ []int64) int32 { return int32(i) }

// lookUp returns what of has for the place of a device in a group, and all where there are no groups, so that all
// devices are one.
func (e Emitter) lookUp(groups [][]int64, id, all mlir.Value, of func(i int, group []int64) int32) mlir.Value {
	if len(groups) == 0 {
		return all
	}
	last := slices.Max(append(slices.Concat(groups...), 0))
	table := make([]int32, last+1)
	for _, group := range groups {
		group = slices.DeleteFunc(slices.Clone(group), func(n int64) bool { return n < 0 }) // -1 fills a group
		for i, device := range group {
			table[device] = of(i, group)
		}
	}
	list := stablehlo.Constant(e.Builder, tensor.Vector(table...))
	at := stablehlo.DynamicSlice(e.Builder, list, []mlir.Value{id}, []int64{1})
	return stablehlo.Reshape(e.Builder, id.Type(), at)
}

// devices returns an attribute of the module of an operation, or 1.
func devices(op mlir.Operation, name string) int64 {
	for !op.Parent().IsNil() {
		op = op.Parent()
	}
	if a, ok := op.Attribute(name); ok {
		if n, isInt := a.Int(); isInt {
			return n
		}
	}
	return 1
}
