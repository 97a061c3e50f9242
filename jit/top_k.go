package jit

import (
	"errors"
	"slices"

	"github.com/calliope-mlir/calliope/jit/internal/lower"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// expandTopK makes a custom call of XLA's target ApproxTopK, to which JAX lowers approx_max_k, a sort whose first
// elements are the results. The target allows that they are exact.
func expandTopK(m *mlir.Module, _ *Executable) error {
	for op := range m.Operation().Index().Named("stablehlo.custom_call") {
		if target, _ := op.Attribute("call_target_name"); target.String() != `"ApproxTopK"` {
			continue
		}
		n := op.NumResults() // of as many arrays, after which come the initial values of a reduction
		config, _ := op.Attribute("mhlo.backend_config")
		value, _ := config.Entry("reduction_dim")
		dimension, known := value.Int()
		called := append(stablehlo.ReadCustomCall(op).CalledComputations, "")
		comparator, found := m.SymbolTable().Lookup(called[0])
		if !known || !found || op.NumOperands() != 2*n {
			return lower.Refuse(op, "its comparator and reduction_dim cannot be read: write them as JAX does")
		}
		region, copied := m.Context().NewRegion(), comparator.Clone()
		region.TakeBody(copied.Region(0))
		end := region.First().Terminator()
		b := mlir.NewBuilder(mlir.Before(end), end.Location())
		stablehlo.Return(b, end.OperandValues()...)
		if err := errors.Join(b.Err(), end.Erase(), copied.Erase()); err != nil {
			return err
		}
		b = mlir.NewBuilder(mlir.Before(op), op.Location())
		sorted := stablehlo.SortOp{
			Inputs: op.OperandValues()[:n], Dimension: &dimension, IsStable: true, Comparator: region,
		}.Create(b)
		if b.Err() != nil {
			return b.Err()
		}
		for i, r := range op.ResultValues() {
			limits, _ := r.Type().Dims()
			r.ReplaceAllUses(stablehlo.Slice(b, sorted.Result(i), make([]int64, len(limits)), limits,
				slices.Repeat([]int64{1}, len(limits))))
		}
		if err := op.Erase(); err != nil {
			return err
		}
	}
	return nil
}
