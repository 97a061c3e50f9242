package passes

import (
	"github.com/calliope-mlir/calliope/mlir"
)

// AddBooleans replaces the additions of booleans by or, which the specification says they are, also in the bodies of
// reductions: the folding of constants adds modulo 2. It returns the number of additions that it replaced.
func AddBooleans(m *mlir.Module) (int, error) { return addBooleans(m, m.Operation().Index()) }

func addBooleans(_ *mlir.Module, index *mlir.Index) (int, error) {
	var list []mlir.Operation
	for op := range index.Named("stablehlo.add") {
		if addsBooleans(op) {
			list = append(list, op)
		}
	}
	for _, op := range list {
		e := before(op)
		state := mlir.OperationState{Name: "stablehlo.or", Operands: op.OperandValues(),
			Results: mlir.TypesOf(op.ResultValues())}
		for name, a := range op.Attributes() { // shardings
			state.Attributes = append(state.Attributes, mlir.NamedAttribute{Name: name, Value: a})
		}
		made := e.Create(state)
		if e.Err() != nil {
			return 0, e.Err()
		}
		op.Result(0).ReplaceAllUses(made.Result(0))
		if err := op.Erase(); err != nil {
			return 0, err
		}
	}
	return len(list), nil
}

// addsBooleans reports whether an addition is one of booleans.
func addsBooleans(op mlir.Operation) bool {
	element, _ := op.Result(0).Type().Element()
	bits, _, ok := element.IntegerWidth()
	return ok && bits == 1
}
