package xlafix

import (
	"iter"
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/kept"
	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// origins tells to which other values a value may be equal. It assumes that XLA simplifies all that it knows how to.
type origins struct {
	functions map[string]mlir.Operation
	arguments map[mlir.Value][]int // the arguments to which what a function returns may be equal
	folded    map[mlir.Value]bool  // whether a value is computed of constants
}

// sources returns an iterator over the values to which v, in a region of op, may be equal: those from outside of op,
// and the arguments of the region.
func (o origins) sources(v mlir.Value, op mlir.Operation) iter.Seq[mlir.Value] {
	return func(yield func(mlir.Value) bool) {
		seen := map[mlir.Value]bool{}
		var search func(v mlir.Value) bool
		search = func(v mlir.Value) bool {
			if v.IsNil() || seen[v] {
				return true
			}
			seen[v] = true
			if !op.Encloses(v) {
				return yield(v)
			}
			if v.IsArgument() {
				around := v.Block().Parent()
				if around.Equal(op) {
					return yield(v)
				}
				return around.Name() != while || search(around.Operand(v.Index()))
			}
			for _, same := range o.maybeSame(v) {
				if !search(same) {
					return false
				}
			}
			return true
		}
		search(v)
	}
}

// hasSource reports whether v, in a region of op, has any source.
func (o origins) hasSource(v mlir.Value, op mlir.Operation) bool {
	for range o.sources(v, op) {
		return true
	}
	return false
}

// maybeSame returns the values to which a result may be equal, by what XLA knows of its operation.
func (o origins) maybeSame(v mlir.Value) (list []mlir.Value) {
	op, result := v.Owner(), v.Index()
	operands := op.OperandValues()
	switch op.Name() {
	case while, "stablehlo.case", "stablehlo.if":
		for _, region := range op.Regions() {
			list = append(list, returned(region, result))
		}
		if op.Name() == while {
			list[0] = operands[result]
		}
		return list
	case barrier:
		return operands[result : result+1]
	case update: // an update of some elements is never left out
		if operands[1].Type().Equal(v.Type()) {
			return operands[1:2]
		}
		if n, _ := operands[1].Type().NumElements(); n == 0 {
			return operands[:1]
		}
		return nil
	case "stablehlo.select":
		if kept.Is(v) {
			return nil
		}
		return operands[1:]
	case "stablehlo.custom_call": // XLA removes some that only it serves
		if _, typed := stablehlo.TypedConfig(op); typed {
			return nil
		}
		return operands
	case "stablehlo.convolution", "stablehlo.dot_general", "stablehlo.dot", "stablehlo.scatter", "stablehlo.sort":
		return nil
	}
	if name, ok := rewrite.CalledFunction(op); ok {
		for _, i := range o.passed(name, result) {
			list = append(list, operands[i])
		}
		return list
	}
	if len(operands) != 2 || !operands[0].Type().Equal(v.Type()) || !operands[1].Type().Equal(v.Type()) {
		return operands
	}
	// Arithmetic may leave a number as it is if the other one is a constant, and some if it is the same.
	for _, operand := range operands {
		if !o.folds(operand) {
			list = append(list, operand)
		}
	}
	if len(list) == 2 && !(list[0].Equal(list[1]) && slices.Contains(idempotent, op.Name())) {
		return nil
	}
	return list
}

// idempotent are the operations that make x of x and x. Of booleans, a sum and a product are among them.
var idempotent = []string{
	"stablehlo.add", "stablehlo.and", "stablehlo.maximum", "stablehlo.minimum", "stablehlo.multiply", "stablehlo.or",
}

// passed returns the arguments of a function to which a result may be equal.
func (o origins) passed(name string, result int) (list []int) {
	f, ok := o.functions[name]
	if !ok {
		return nil
	}
	v := returned(f.Region(0), result)
	if known, ok := o.arguments[v]; ok {
		return known
	}
	o.arguments[v] = nil // if it calls itself
	for argument := range o.sources(v, f) {
		list = append(list, argument.Index())
	}
	o.arguments[v] = list
	return list
}

// folds reports whether a value is computed of constants only.
func (o origins) folds(v mlir.Value) bool {
	if known, ok := o.folded[v]; ok || v.IsArgument() {
		return known
	}
	op := v.Owner()
	folds := op.NumRegions() == 0 && op.NumOperands() > 0
	for _, operand := range op.Operands() {
		folds = folds && o.folds(operand)
	}
	folds = folds || op.Name() == "stablehlo.constant" || op.Name() == "stablehlo.iota"
	o.folded[v] = folds
	return folds
}
