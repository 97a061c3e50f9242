package lower

import (
	"errors"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// lowerIdentity replaces an operation by its operands.
func lowerIdentity(e *emitter) error { return e.replace(e.operands()) }

// annotations are the targets of custom calls that say where an array is, or how devices share it.
var annotations = []string{"LayoutConstraint", "MoveToDevice", "MoveToHost", "SPMDFullToShardShape",
	"SPMDShardToFullShape", "Sharding", "annotate_device_placement",
	"xla.sdy.FuncResultSharding", "xla.sdy.PropagationBarrier", "xla.sdy.ShardingGroup"}

// lowerAnnotation replaces a custom call of annotations by its operands.
func lowerAnnotation(e *emitter) error {
	in, out := e.op.OperandValues(), e.op.ResultValues()
	if len(out) > len(in) {
		return errMalformed
	}
	for i, r := range out {
		if !r.Type().Equal(in[i].Type()) {
			return ErrDevices
		}
	}
	return lowerIdentity(e)
}

// lowerGetDimensionSize replaces a get_dimension_size, which is known.
func lowerGetDimensionSize(e *emitter) error {
	op, ok := stablehlo.AsGetDimensionSize(e.op)
	if !ok {
		return errMalformed
	}
	size := dims(op.Operand)[op.Dimension]
	if size < 0 {
		return errors.New("the size is not known before it runs")
	}
	return e.replace([]mlir.Value{e.scalar(32, size)})
}

// lowerDeviceNumber replaces the number of a replica or partition, of which there is one.
func lowerDeviceNumber(e *emitter) error {
	if err := oneDevice(e.op); err != nil {
		return err
	}
	return e.replace([]mlir.Value{e.scalar(32, 0)})
}

// scalar returns a constant of rank 0.
func (e *emitter) scalar(bits int, n int64) mlir.Value {
	return e.pack(arith.ConstantInt(e.Builder, e.integer(bits), n))
}

// lowerCollective replaces a collective operation by its operands, if each device is alone in its group.
func lowerCollective(e *emitter) error {
	a, _ := e.op.Attribute("replica_groups")
	groups, ok := stablehlo.AsGroups(a)
	if !ok {
		return errMalformed
	}
	lists, err := groups.Devices(e.op)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(lists, func(group []int64) bool { return len(group) > 1 }) {
		return ErrDevices
	}
	if err := oneDevice(e.op); err != nil {
		return err
	}
	return e.replace(e.operands())
}

// lowerCollectivePermute replaces a collective_permute of one device by its operand, or by zeros if nothing is sent.
func lowerCollectivePermute(e *emitter) error {
	if err := oneDevice(e.op); err != nil {
		return err
	}
	op, ok := stablehlo.AsCollectivePermute(e.op)
	if !ok {
		return errMalformed
	}
	switch {
	case len(op.SourceTargetPairs) == 0:
		return errors.New("nothing is sent: use a constant of zeros")
	case slices.ContainsFunc(op.SourceTargetPairs, func(pair [2]int64) bool { return pair != [2]int64{} }):
		return ErrDevices
	}
	return e.replace(e.operands())
}

// oneDevice returns an error if a module is for several devices.
func oneDevice(op mlir.Operation) error {
	for !op.Parent().IsNil() {
		op = op.Parent()
	}
	for _, name := range []string{"mhlo.num_replicas", "mhlo.num_partitions"} {
		if n, ok := op.Attribute(name); ok {
			if count, isInt := n.Int(); isInt && count > 1 {
				return ErrDevices
			}
		}
	}
	return nil
}

// ErrDevices is why an operation of several devices cannot be compiled.
var ErrDevices = errors.New("it is for several devices: use XLA, or one device")
