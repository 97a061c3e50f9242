package xlafix

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// RemoveEmptyProducts replaces the products that add up nothing by zeros: an exact compile of XLA divides by the number
// of elements. It returns the number of products that it replaced.
func RemoveEmptyProducts(m *mlir.Module) (int, error) {
	return replaceEach(m.Operation().Index(), products, func(e emitter, op mlir.Operation) (none mlir.Value) {
		if !isEmptyProduct(op) {
			return none
		}
		return e.Zeros(op.Result(0).Type())
	})
}

// products are the operations that multiply arrays and add up.
var products = []string{"stablehlo.convolution", "stablehlo.dot", "stablehlo.dot_general", "stablehlo.dynamic_conv",
	"chlo.ragged_dot"}

// isEmptyProduct reports whether a product is of arrays of which one has no elements, and its result has some.
func isEmptyProduct(op mlir.Operation) bool {
	if s, err := stablehlo.ShapeOf(op.Result(0).Type()); err != nil || s.Check() != nil || s.NumElements() == 0 {
		return false
	}
	x, static := op.Operand(0).Type().NumElements()
	y, staticToo := op.Operand(1).Type().NumElements()
	return static && staticToo && (x == 0 || y == 0)
}
