package stablehlo

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
)

// The interpreter takes the bits of indices for those of a signed integer: 255 in ui8 is -1. So unsigned indices are
// made signed ones of 64 bits.

// indexOperands returns the first and the number of the operands of an operation that are indices into another one.
func indexOperands(op mlir.Operation) (first, n int) {
	switch op.Name() {
	case "stablehlo.dynamic_slice":
		return 1, op.NumOperands() - 1
	case "stablehlo.dynamic_update_slice":
		return 2, op.NumOperands() - 2
	case "stablehlo.gather", "stablehlo.dynamic_gather":
		return 1, 1
	case "stablehlo.scatter":
		return op.NumOperands() / 2, 1
	}
	return 0, 0
}

// unsignedIndices reports whether an operation has indices that are unsigned.
func unsignedIndices(op mlir.Operation) bool {
	first, n := indexOperands(op)
	if n <= 0 {
		return false
	}
	element, _ := op.Operand(first).Type().Element()
	_, sign, ok := element.IntegerWidth()
	return ok && sign == mlir.Unsigned
}

// signIndices makes indices signed ones. Those of 64 bits are 2⁶² if they are above: no dimension is that long.
func signIndices(op mlir.Operation) error {
	b := mlir.NewBuilder(mlir.Before(op), op.Location())
	first, n := indexOperands(op)
	for i := first; i < first+n; i++ {
		v := op.Operand(i)
		t, err := ConvertType(v.Type(), op.Context().IntegerType(64, mlir.Signless))
		if err != nil {
			return err
		}
		element, _ := v.Type().Element()
		if bits, _, _ := element.IntegerWidth(); bits == 64 {
			v = MinimumOp{LHS: v, RHS: splat(b, v.Type(), 1<<62)}.Create(b).Result(0)
		}
		op.SetOperand(i, Convert(b, t, v))
	}
	return b.Err()
}

// splat creates a constant of equal integers.
func splat(b *mlir.Builder, t mlir.Type, n int64) mlir.Value {
	value := b.Attribute(fmt.Sprintf("dense<%d> : %s", n, t))
	return b.Create(mlir.OperationState{
		Name: dialect + "constant", Results: []mlir.Type{t},
		Attributes: []mlir.NamedAttribute{{Name: "value", Value: value}},
	}).Result(0)
}
