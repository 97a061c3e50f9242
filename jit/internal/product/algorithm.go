package product

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// applyAlgorithms rounds the operands of products as their algorithms say, and gives the products results of the type
// of the sums: MLIR's pass lowers no product with an algorithm.
func applyAlgorithms(m *mlir.Module) error {
	for op := range m.Operation().Index().Named("stablehlo.dot_general") {
		dot, _ := stablehlo.AsDotGeneral(op)
		a := dot.Algorithm
		if a == nil {
			continue
		}
		op.RemoveAttribute("algorithm")
		left := roundedTo(a.LHSPrecisionType, a.NumPrimitiveOperations, dot.LHS)
		right := roundedTo(a.RHSPrecisionType, a.NumPrimitiveOperations, dot.RHS)
		if err := convertAll(op, left, right, a.AccumulationType); err != nil {
			return err
		}
	}
	return nil
}

// roundedTo returns the element type that an algorithm computes with. Several operations have the digits of the
// operand, or nearly so, and nothing computes with tf32: both stay as they are, which is more exact.
func roundedTo(precision mlir.Type, operations int64, operand mlir.Value) mlir.Type {
	if kind, _ := precision.FloatKind(); operations > 1 || kind == mlir.TF32 {
		precision, _ = operand.Type().Element()
	}
	return precision
}
