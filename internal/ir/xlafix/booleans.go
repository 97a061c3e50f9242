package xlafix

import "github.com/calliope-mlir/calliope/mlir"

// AddBooleans replaces the additions of booleans by or, which the specification says they are, also in the bodies of
// reductions: the folding of constants adds modulo 2. It returns the number of additions that it replaced.
func AddBooleans(m *mlir.Module) (int, error) { return addBooleans(m, m.Operation().Index()) }

func addBooleans(_ *mlir.Module, index *mlir.Index) (int, error) {
	return replaceEach(index, []string{"stablehlo.add"}, func(e emitter, op mlir.Operation) (none mlir.Value) {
		if !addsBooleans(op) {
			return none
		}
		return e.Create(mlir.OperationState{Name: "stablehlo.or", Operands: op.OperandValues(),
			Results: mlir.TypesOf(op.ResultValues())}).Result(0) // whose type may say more than the operands'
	})
}

// addsBooleans reports whether an addition is one of booleans.
func addsBooleans(op mlir.Operation) bool {
	element, _ := op.Result(0).Type().Element()
	bits, _, ok := element.IntegerWidth()
	return ok && bits == 1
}
