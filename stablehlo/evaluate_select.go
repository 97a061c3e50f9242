package stablehlo

import (
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// The interpreter combines the initial value of a select_and_scatter with each element of the
// source again. So one that adds to an initial value that is not zero is rewritten to add to
// zero first. Others are refused, unless it makes no difference.

// repeats reports whether an operation is a select_and_scatter whose initial value counts each
// time it is used.
func repeats(op mlir.Operation) bool {
	s, ok := AsSelectAndScatter(op)
	if !ok || slices.Contains([]string{"maximum", "minimum", "and", "or"}, combination(s.Scatter)) {
		return false
	}
	return combination(s.Scatter) != "add" || !isZero(s.InitValue)
}

// combination returns the name of the operation that is all a region does with its two
// arguments, without the dialect, or "".
func combination(r mlir.Region) string {
	body := r.First()
	ops := slices.Collect(body.Operations())
	if len(ops) != 2 || !slices.Equal(ops[0].OperandValues(), []mlir.Value{body.Argument(0), body.Argument(1)}) ||
		!slices.Equal(ops[1].OperandValues(), ops[0].ResultValues()) {
		return ""
	}
	return strings.TrimPrefix(ops[0].Name(), dialect)
}

// addInitial makes a select_and_scatter that adds start at zero, and adds its initial value.
func addInitial(op mlir.Operation) error {
	s, _ := AsSelectAndScatter(op)
	result := op.Result(0)
	shape, err := ShapeOf(s.InitValue.Type())
	if err != nil {
		return err
	}
	before := mlir.NewBuilder(mlir.Before(op), op.Location())
	op.SetOperand(2, Constant(before, tensor.View{Shape: shape, Data: make([]byte, shape.NumBytes())}))
	after := before.At(mlir.After(op))
	sum := Add(after, result, BroadcastInDim(after, result.Type(), s.InitValue, nil))
	if err := after.Cause(); err != nil {
		return err
	}
	result.ReplaceAllUsesExcept(sum, sum.Owner())
	return nil
}
