package rewrite

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

// ConstantOf returns the value that all elements of an integer array have, if a constant says so.
func ConstantOf(v mlir.Value) (int64, bool) {
	element, ok := SplatElement(v)
	if !ok {
		return 0, false
	}
	if b, ok := element.Bool(); ok {
		if b {
			return 1, true
		}
		return 0, true
	}
	return element.Int()
}

// SplatElement returns what all elements of a constant are, or of one that is broadcast or reshaped.
func SplatElement(v mlir.Value) (mlir.Attribute, bool) {
	for v.IsResult() && (v.Owner().Name() == "stablehlo.broadcast_in_dim" || v.Owner().Name() == "stablehlo.reshape") {
		v = v.Owner().Operand(0)
	}
	if !v.IsResult() || v.Owner().Name() != "stablehlo.constant" && v.Owner().Name() != "arith.constant" {
		return mlir.Attribute{}, false
	}
	value, ok := v.Owner().Attribute("value")
	if !ok || !value.IsSplat() {
		return mlir.Attribute{}, false
	}
	dims, _ := v.Type().Dims()
	return value.ElementAt(make([]int64, len(dims))...)
}

// IsPlain reports whether a function has one block, which ends in an operation that the library knows.
func IsPlain(f mlir.Operation) bool {
	return f.Region(0).NumBlocks() == 1 && !f.Region(0).First().Terminator().IsNil()
}

// CalledFunction returns the name of the function that a call or a composite calls.
func CalledFunction(op mlir.Operation) (string, bool) {
	if op.Name() == "stablehlo.composite" {
		if a, ok := op.Attribute("decomposition"); ok {
			return a.Symbol()
		}
	}
	return function.Callee(op)
}

// IsZeroSized reports whether a type is an array without elements.
func IsZeroSized(t mlir.Type) bool {
	dims, ok := t.Dims()
	return ok && t.IsRankedTensor() && slices.Contains(dims, 0)
}
