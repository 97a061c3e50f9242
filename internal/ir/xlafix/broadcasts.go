package xlafix

import (
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stablehlo/chlo"
)

// expandBroadcasts replaces CHLO's operations that broadcast their operands by broadcasts, and the operations on arrays
// of one shape, which the other steps of Prepare know. It leaves arrays whose shape is not static, and refuses types
// that the operations do not take: see stablehlo.CheckElements. It returns the number of operations that it replaced.
func expandBroadcasts(_ *mlir.Module, index *mlir.Index) (int, error) {
	if err := stablehlo.CheckElements(index); err != nil {
		return 0, err
	}
	var list []mlir.Operation
	for name := range index.Names() {
		if !strings.HasPrefix(name, "chlo.broadcast_") {
			continue
		}
		for op := range index.Named(name) {
			if isStatic(op) {
				list = append(list, op)
			}
		}
	}
	for _, op := range list {
		e := before(op)
		made, err := e.expandBroadcast(op)
		if err != nil {
			return 0, err
		}
		op.Result(0).ReplaceAllUses(made)
		if err := op.Erase(); err != nil {
			return 0, err
		}
	}
	return len(list), nil
}

// isStatic reports whether the sizes of the operands and results of an operation are known.
func isStatic(op mlir.Operation) bool {
	for _, v := range append(op.OperandValues(), op.ResultValues()...) {
		if _, static := v.Type().NumElements(); !static {
			return false
		}
	}
	return true
}

// expandBroadcast returns the result of an operation of CHLO that broadcasts its operands.
func (e emitter) expandBroadcast(op mlir.Operation) (mlir.Value, error) {
	name := strings.TrimPrefix(op.Name(), "chlo.broadcast_")
	state := mlir.OperationState{Name: "stablehlo." + name, Results: mlir.TypesOf(op.ResultValues())}
	switch name {
	case "next_after", "polygamma", "zeta":
		state.Name = "chlo." + name
	}
	dims, _ := op.Result(0).Type().Dims()
	var stated []int64 // of the operand of lower rank
	if a, ok := op.Attribute("broadcast_dimensions"); ok {
		stated, _ = a.Int64s()
	}
	for _, v := range op.OperandValues() {
		of, _ := v.Type().Dims()
		to := make([]int64, len(of))
		for i := range to {
			to[i] = int64(len(dims) - len(of) + i)
		}
		if len(stated) == len(of) {
			to = stated
		}
		element, _ := v.Type().Element()
		t, err := withElement(op.Result(0).Type(), element)
		if err != nil {
			return mlir.Value{}, err
		}
		if !t.Equal(v.Type()) {
			v = stablehlo.BroadcastInDim(e.Builder, t, v, to)
		}
		state.Operands = append(state.Operands, v)
	}
	for key, a := range op.Attributes() {
		switch key {
		case "broadcast_dimensions":
			continue
		case "comparison_direction":
			direction, _ := chlo.AsComparisonDirection(a)
			var err error
			if a, err = stablehlo.ComparisonDirection(direction).Attribute(op.Context()); err != nil {
				return mlir.Value{}, err
			}
		case "compare_type":
			kind, _ := chlo.AsComparisonType(a)
			var err error
			if a, err = stablehlo.ComparisonType(kind).Attribute(op.Context()); err != nil {
				return mlir.Value{}, err
			}
		}
		state.Attributes = append(state.Attributes, mlir.NamedAttribute{Name: key, Value: a})
	}
	made := e.Create(state)
	if e.Cause() != nil {
		return mlir.Value{}, e.Cause()
	}
	return made.Result(0), nil
}
