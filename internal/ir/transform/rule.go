package transform

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// The composites that state derivatives and batches, and checkpoints: see packages autodiff and vmap.
const (
	StopGradient = "calliope.stop_gradient"
	CustomJVP    = "calliope.custom_jvp"
	CustomVJP    = "calliope.custom_vjp"
	CustomBatch  = "calliope.custom_batch"
	Checkpoint   = "calliope.checkpoint"
)

// CheckpointOf reports whether a call or a composite is a checkpoint, and returns its policy, which may be nil.
func CheckpointOf(call mlir.Operation) (policy mlir.Attribute, ok bool) {
	policy, ok = call.Attribute(Checkpoint)
	if o, composite := stablehlo.AsComposite(call); composite {
		policy, _ = entry(o, "policy")
		ok = o.Name == Checkpoint
	}
	return policy, ok
}

// HasRule reports whether an operation is a composite that states its derivative or its batch.
func HasRule(op mlir.Operation) bool {
	o, ok := stablehlo.AsComposite(op)
	return ok && slices.Contains([]string{StopGradient, CustomJVP, CustomVJP, CustomBatch}, o.Name)
}

// NumArguments returns the number of operands of a composite with which its rule is, or -1 if it is wrong.
func NumArguments(o stablehlo.CompositeOp) int {
	if o.Name == StopGradient {
		return len(o.Inputs)
	}
	if a, ok := entry(o, "arguments"); ok {
		if n, ok := a.Int(); ok && n >= 0 && n <= int64(len(o.Inputs)) {
			return int(n)
		}
	}
	return -1
}

// FunctionOf returns the name of the function that a composite attribute has as a symbol or, after an artifact, as a
// string. "" is none.
func FunctionOf(o stablehlo.CompositeOp, attribute string) string {
	a, ok := entry(o, attribute)
	if !ok {
		return ""
	}
	name, ok := a.Symbol()
	if !ok {
		name, _ = a.Text()
	}
	return name
}

func entry(o stablehlo.CompositeOp, key string) (a mlir.Attribute, ok bool) {
	if o.CompositeAttributes.IsNil() {
		return a, false
	}
	return o.CompositeAttributes.Entry(key)
}
