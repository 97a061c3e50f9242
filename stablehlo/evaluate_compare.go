package stablehlo

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// The interpreter compares floating-point numbers as IEEE 754 does, also where totalOrder is
// asked for: a sort of numbers with NaN gives a wrong order. So such a comparison is
// rewritten as one of integers of the same size.

// totalOrder reports whether an operation compares floating-point numbers by totalOrder.
func totalOrder(op mlir.Operation) bool {
	if op.Name() != "stablehlo.compare" || op.NumOperands() == 0 {
		return false
	}
	compare, ok := AsCompare(op)
	from, _ := elementsOf(op)
	return ok && compare.CompareType == CompareTotalOrder && kindOf(from) == 'f'
}

// compareIntegers replaces the operands of a comparison by totalOrder by integers in the
// same order.
func compareIntegers(op mlir.Operation) error {
	for i := range 2 {
		v, err := orderedInteger(op, op.Operand(i))
		if err != nil {
			return err
		}
		op.SetOperand(i, v)
	}
	signed, err := CompareSigned.Attribute(op.Context())
	if err != nil {
		return err
	}
	op.SetAttribute("compare_type", signed)
	return nil
}

// orderedInteger creates the integer with the bits of v, with all but the sign inverted if v is negative.
func orderedInteger(op mlir.Operation, v mlir.Value) (mlir.Value, error) {
	shape, err := ShapeOf(v.Type())
	if err != nil {
		return v, err
	}
	bits := shape.DType.Bits()
	c := op.Context()
	t, err := ConvertType(v.Type(), c.IntegerType(bits, mlir.Signless))
	if err != nil {
		return v, err
	}
	b := mlir.NewBuilder(mlir.Before(op), op.Location())
	splat := func(n int64) mlir.Value {
		value := b.Attribute(fmt.Sprintf("dense<%d> : %s", n, t))
		return b.Create(mlir.OperationState{
			Name: dialect + "constant", Results: []mlir.Type{t},
			Attributes: []mlir.NamedAttribute{{Name: "value", Value: value}},
		}).Result(0)
	}
	integer := BitcastConvert(b, t, v)
	if shape.DType == tensor.F8E8M0FNU { // whose numbers have no sign
		return Xor(b, integer, splat(-1<<(bits-1))), b.Cause()
	}
	mask := And(b, ShiftRightArithmetic(b, integer, splat(int64(bits-1))), splat(1<<(bits-1)-1))
	return Xor(b, integer, mask), b.Cause()
}
