package passes

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// RemoveEmptyProducts replaces the products that add up nothing by zeros: an exact compile of XLA divides by the number
// of elements. It returns the number of products that it replaced.
//
// See Prepare.
func RemoveEmptyProducts(m *mlir.Module) (int, error) {
	var list []mlir.Operation
	m.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		if isEmptyProduct(op) {
			list = append(list, op)
		}
		return mlir.WalkContinue
	})
	for _, op := range list {
		e := before(op)
		zeros := e.zeros(op.Result(0).Type())
		if e.Err() != nil {
			return 0, e.Err()
		}
		op.Result(0).ReplaceAllUses(zeros)
		if err := op.Erase(); err != nil {
			return 0, err
		}
	}
	return len(list), nil
}

// isEmptyProduct reports whether an operation multiplies arrays, of which one has no elements and its result has some.
func isEmptyProduct(op mlir.Operation) bool {
	switch op.Name() {
	case "stablehlo.convolution", "stablehlo.dot", "stablehlo.dot_general", "stablehlo.dynamic_conv",
		"stablehlo.einsum", "chlo.ragged_dot":
	default:
		return false
	}
	if s, err := stablehlo.ShapeOf(op.Result(0).Type()); err != nil || s.Check() != nil || s.NumElements() == 0 {
		return false
	}
	x, static := op.Operand(0).Type().NumElements()
	y, staticToo := op.Operand(1).Type().NumElements()
	return static && staticToo && (x == 0 || y == 0)
}
