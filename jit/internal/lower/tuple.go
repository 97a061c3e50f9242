package lower

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// Tuples replaces the elements of tuples by what the tuples are made of. Functions that pass tuples must be inlined
// before.
func Tuples(m *mlir.Module) error {
	var tuples []mlir.Operation
	for op := range m.Operation().Index().Named("stablehlo.tuple", "stablehlo.get_tuple_element") {
		element, ok := stablehlo.AsGetTupleElement(op)
		if !ok {
			tuples = append(tuples, op)
			continue
		}
		if element.Operand.IsArgument() || element.Operand.Owner().Name() != "stablehlo.tuple" {
			return Refuse(op, "its tuple is not one that stablehlo.tuple makes: pass the elements")
		}
		op.Result(0).ReplaceAllUses(element.Operand.Owner().Operand(int(element.Index)))
		if err := op.Erase(); err != nil {
			return err
		}
	}
	for _, op := range slices.Backward(tuples) { // one in another one is before it
		if op.Result(0).HasUses() {
			return Refuse(op, "the tuple as a whole is used: pass its elements")
		}
		if err := op.Erase(); err != nil {
			return err
		}
	}
	return nil
}
