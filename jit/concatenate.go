package jit

import (
	"github.com/calliope-mlir/calliope/jit/internal/lower"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/tensor"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// concatenate makes copies of concatenations. StableHLO's lowering chooses the operand for each element.
func concatenate(m *mlir.Module, _ *Executable) error {
	for op := range m.Operation().Index().Named("stablehlo.concatenate") {
		o, ok := stablehlo.AsConcatenate(op)
		if !ok {
			continue
		}
		b := mlir.NewBuilder(mlir.Before(op), op.Location())
		plain, _ := bufferOf(b, op.Result(0).Type())
		whole := tensor.Empty(b, plain)
		dims, _ := plain.Dims()
		at := make([]int64, len(dims))
		for _, v := range o.Inputs {
			dims, _ := v.Type().Dims()
			from, _ := bufferOf(b, v.Type())
			if b.Err() == nil && !isEmpty(v.Type()) {
				whole = tensor.InsertSlice(b, cast(b, v, from), whole, mlir.FixedSizes(at...),
					mlir.FixedSizes(dims...), nil)
			}
			at[o.Dimension] += dims[o.Dimension]
		}
		if b.Err() != nil {
			return lower.Refuse(op, lower.Reason(b.Err()))
		}
		op.Result(0).ReplaceAllUses(cast(b, whole, op.Result(0).Type()))
		if err := op.Erase(); err != nil {
			return err
		}
	}
	return nil
}
