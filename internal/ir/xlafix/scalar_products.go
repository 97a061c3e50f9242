package xlafix

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// multiplyByScalars replaces the dot products of which an operand has no dimensions by products of elements: an exact
// compile of an older plugin ends the process on a sum of such a product and another array. It returns the number of
// products that it replaced.
func multiplyByScalars(m *mlir.Module) (int, error) {
	return replaceEach(m.Operation().Index(), dots, func(e emitter, op mlir.Operation) (none mlir.Value) {
		scalar := isScalar(op.Operand(0)) || isScalar(op.Operand(1))
		if _, rounds := op.Attribute("algorithm"); rounds || !scalar || !isStatic(op) {
			return none
		}
		t := op.Result(0).Type()
		element, _ := t.Element()
		factors := op.OperandValues()
		for i, v := range factors {
			v = e.to(v, element)
			dims := []int64{}
			for d := range e.Shape(v).Rank() {
				dims = append(dims, int64(d))
			}
			factors[i] = stablehlo.BroadcastInDim(e.Builder, t, v, dims)
		}
		return stablehlo.Multiply(e.Builder, factors[0], factors[1])
	})
}

var dots = []string{"stablehlo.dot", "stablehlo.dot_general"}

func isScalar(v mlir.Value) bool {
	dims, ok := v.Type().Dims()
	return ok && len(dims) == 0
}
