package stablehlo

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// A PlacementKind is the kind of a [Placement].
type PlacementKind int

const (
	// PlacedCall is a custom call that returns its operand, in a memory: of
	// annotate_device_placement, which JAX's device_put writes, of MoveToHost or MoveToDevice.
	PlacedCall PlacementKind = iota
	// PlacedBuffer is the frontend attribute _xla_buffer_placement of another operation.
	PlacedBuffer
	// PlacedCompute is the frontend attribute _xla_compute_type, which JAX's compute_on writes.
	PlacedCompute
	// PlacedStream is the frontend attribute _xla_stream_annotation, likewise.
	PlacedStream
	// PlacedParameter and PlacedResult are the attribute mhlo.memory_kind of a parameter and of
	// a result of a function.
	PlacedParameter
	PlacedResult
)

// A Placement is a hint to the compiler: in which memory a value is, or what computes it. It
// does not change what a module computes, and on CPU, which has one memory, it has no effect.
type Placement struct {
	Op    mlir.Operation // the operation that has the hint; valid as long as the module is
	Kind  PlacementKind
	Where string // the memory, such as "pinned_host" or "device"; what computes, such as "host"; or the stream
	Index int    // of the parameter or the result
}

// String returns what the hint says, and that it has no effect on CPU.
func (p Placement) String() string { return p.says() + ", which has no effect on CPU" }

func (p Placement) says() string {
	switch p.Kind {
	case PlacedCall:
		target, _ := p.Op.Attribute("call_target_name")
		name, _ := target.Text()
		if p.Where == "" {
			return name + " places its operand in a memory that it does not name"
		}
		return fmt.Sprintf("%s places its operand in the memory %q", name, p.Where)
	case PlacedBuffer:
		return fmt.Sprintf("%s = %q places the result of %s in that memory", bufferPlacement, p.Where, p.Op.Name())
	case PlacedCompute:
		return fmt.Sprintf("%s = %q has %s computed there", computeType, p.Where, p.Op.Name())
	case PlacedStream:
		return fmt.Sprintf("%s = %q has %s computed on that stream", streamAnnotation, p.Where, p.Op.Name())
	}
	name, _ := p.Op.Attribute("sym_name")
	function, _ := name.Text()
	what := "parameter"
	if p.Kind == PlacedResult {
		what = "result"
	}
	return fmt.Sprintf("%s = %q places %s %d of @%s in that memory", memoryKind, p.Where, what, p.Index, function)
}

const (
	frontendAttributes = "mhlo.frontend_attributes"
	bufferPlacement    = "_xla_buffer_placement"
	computeType        = "_xla_compute_type"
	streamAnnotation   = "_xla_stream_annotation"
	memoryKind         = "mhlo.memory_kind"
)

// placedTargets are the targets of a PlacedCall, with the memory of those that name it.
var placedTargets = map[string]string{"annotate_device_placement": "", "MoveToHost": "host", "MoveToDevice": "device"}

// Placements returns the placement hints of a module, in the order of its text.
func Placements(m *mlir.Module) (list []Placement) {
	m.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		list = append(list, PlacementsOf(op)...)
		return mlir.WalkContinue
	})
	return list
}

// PlacementsOf returns the placement hints of one operation, without those in its regions.
func PlacementsOf(op mlir.Operation) (list []Placement) {
	attributes, _ := op.Attribute(frontendAttributes)
	hint := func(key string) (string, bool) {
		if attributes.IsNil() || !attributes.IsDictionary() {
			return "", false
		}
		a, ok := attributes.Entry(key)
		if !ok {
			return "", false
		}
		return a.Text()
	}
	where, buffer := hint(bufferPlacement)
	if call, memory := placedCall(op); call {
		if !buffer {
			where = memory
		}
		list = append(list, Placement{Op: op, Kind: PlacedCall, Where: where})
	} else if buffer {
		list = append(list, Placement{Op: op, Kind: PlacedBuffer, Where: where})
	}
	if where, ok := hint(computeType); ok {
		list = append(list, Placement{Op: op, Kind: PlacedCompute, Where: where})
	}
	if where, ok := hint(streamAnnotation); ok {
		list = append(list, Placement{Op: op, Kind: PlacedStream, Where: where})
	}
	if op.Name() != "func.func" {
		return list
	}
	for kind, name := range map[PlacementKind]string{PlacedParameter: "arg_attrs", PlacedResult: "res_attrs"} {
		all, _ := op.Attribute(name)
		if all.IsNil() {
			continue
		}
		each, _ := all.Elements()
		for i, a := range each {
			if a, ok := a.Entry(memoryKind); ok {
				where, _ := a.Text()
				list = append(list, Placement{op, kind, where, i})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Placement) int { return int(a.Kind) - int(b.Kind) })
	return list
}

// placedCall reports whether op is a PlacedCall, and which memory its target names.
func placedCall(op mlir.Operation) (bool, string) {
	if op.Name() != "stablehlo.custom_call" || op.NumOperands() != 1 || op.NumResults() != 1 ||
		!op.Operand(0).Type().Equal(op.Result(0).Type()) {
		return false, ""
	}
	a, _ := op.Attribute("call_target_name")
	target, _ := a.Text()
	memory, ok := placedTargets[target]
	return ok, memory
}

// erasePlacement replaces the results of calls that only place a value by their operands.
func erasePlacement(m *mlir.Module) error {
	for _, op := range placedCalls(m) {
		op.Result(0).ReplaceAllUses(op.Operand(0))
		if err := op.Erase(); err != nil {
			return err
		}
	}
	return nil
}

func placedCalls(m *mlir.Module) (list []mlir.Operation) {
	m.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		if is, _ := placedCall(op); is {
			list = append(list, op)
		}
		return mlir.WalkContinue
	})
	return list
}
