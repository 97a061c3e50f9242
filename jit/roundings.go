package jit

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
)

// keepRoundings removes the flags that let later passes leave out the rounding of a number that is widened again. The
// passes that widen numbers of 16 bits for an operation set them.
func keepRoundings(m *mlir.Module, _ *Executable) error {
	none, err := arith.FastMathFlagsNone.Attribute(m.Context())
	if err != nil {
		return err
	}
	for op := range m.Operation().Index().Named("arith.extf", "arith.truncf") {
		op.SetAttribute("fastmath", none)
	}
	return nil
}
