package stages

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// replaceTokens makes the tokens of a module arrays without elements, which can cross. Between stages they order
// callbacks like other values. Inside of a stage nothing is left that they could order.
func (c *cutter) replaceTokens(main mlir.Operation) error {
	var uses []mlir.Operation
	main.Walk(func(op mlir.Operation) mlir.WalkAction {
		if usesTokens(op) {
			uses = append(uses, op)
		}
		return mlir.WalkContinue
	})
	if len(uses) == 0 || !c.cutsTokens(main) {
		return nil
	}
	array, err := stablehlo.TensorType(main.Context(), stablehlo.RuntimeTokenShape())
	if err != nil {
		return err
	}
	replace := func(v mlir.Value) {
		if stablehlo.IsToken(v.Type()) {
			v.SetType(array)
		}
	}
	for _, op := range uses {
		if err := c.keepsTokens(op); err != nil {
			return err
		}
	}
	for _, op := range uses {
		for _, v := range op.Results() {
			replace(v)
		}
		for _, r := range op.Regions() {
			for _, v := range r.First().Arguments() {
				replace(v)
			}
		}
	}
	for _, op := range uses {
		if op.Name() == "stablehlo.create_token" || op.Name() == "stablehlo.after_all" {
			if err := replaceJoin(op); err != nil {
				return err
			}
		}
	}
	return nil
}

// usesTokens reports whether an operand, a result or an argument of a region is a token.
func usesTokens(op mlir.Operation) bool {
	isToken := func(v mlir.Value) bool { return stablehlo.IsToken(v.Type()) }
	if slices.ContainsFunc(op.OperandValues(), isToken) || slices.ContainsFunc(op.ResultValues(), isToken) {
		return true
	}
	for _, r := range op.Regions() {
		if r.NumBlocks() == 0 {
			continue
		}
		for _, v := range r.First().Arguments() {
			if isToken(v) {
				return true
			}
		}
	}
	return false
}

// cutsTokens reports whether a token would cross.
func (c *cutter) cutsTokens(main mlir.Operation) bool {
	if usesTokens(main) {
		return true
	}
	for op := range c.boundaries {
		if usesTokens(op) {
			return true
		}
	}
	return false
}

// keepsTokens returns an error for an operation that needs tokens of its type.
func (c *cutter) keepsTokens(op mlir.Operation) error {
	switch op.Name() {
	case "func.func", "func.return", "stablehlo.return", "stablehlo.while", "stablehlo.if", "stablehlo.case",
		"stablehlo.optimization_barrier", "stablehlo.create_token", "stablehlo.after_all":
		return nil
	}
	if _, cut := c.boundaries[op]; cut {
		return nil
	}
	return cutError(op, "it is ordered by tokens that also order callbacks between stages, or that main takes: cut at all such callbacks, or at none")
}

// replaceJoin replaces an operation that makes a token of others.
func replaceJoin(op mlir.Operation) error {
	var made mlir.Value
	b := mlir.NewBuilder(mlir.Before(op), op.Location())
	switch op.NumOperands() {
	case 0:
		made = stablehlo.Constant(b, tensor.View{Shape: stablehlo.RuntimeTokenShape()})
	case 1:
		made = op.Operand(0)
	default:
		made = stablehlo.ConcatenateOp{Inputs: op.OperandValues()}.Create(b).Result(0)
	}
	if err := b.Cause(); err != nil {
		return err
	}
	op.Result(0).ReplaceAllUses(made)
	return op.Erase()
}
