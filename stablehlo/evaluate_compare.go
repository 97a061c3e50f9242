package stablehlo

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
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

// orderedInteger creates the integer with the bits of v, with all but the sign inverted if v
// is negative.
func orderedInteger(op mlir.Operation, v mlir.Value) (mlir.Value, error) {
	from, _ := elementsOf(op)
	bits := from.Bits()
	c := op.Context()
	t, err := ConvertType(v.Type(), c.IntegerType(bits, mlir.Signless))
	if err != nil {
		return v, err
	}
	add := func(s operation) (v mlir.Value) {
		if err == nil {
			var made mlir.Operation
			if made, err = s.Create(mlir.Before(op), op.Location()); err == nil {
				v = made.Result(0)
			}
		}
		return v
	}
	splat := func(n int64) (v mlir.Value) {
		value, parseErr := c.ParseAttribute(fmt.Sprintf("dense<%d> : %s", n, t))
		if parseErr != nil {
			err = parseErr
			return v
		}
		return add(anyConstant{value})
	}
	integer := add(BitcastConvert{Operand: v, Result: t})
	sign := add(Binary{Op: ShiftRightArithmetic, LHS: integer, RHS: splat(int64(bits - 1))})
	mask := add(Binary{Op: And, LHS: sign, RHS: splat(1<<(bits-1) - 1)})
	ordered := add(Binary{Op: Xor, LHS: integer, RHS: mask})
	return ordered, err
}

// operation is a struct from which an operation is created.
type operation interface {
	Create(mlir.InsertionPoint, mlir.Location) (mlir.Operation, error)
}

// anyConstant is a constant with any value.
type anyConstant struct{ value mlir.Attribute }

func (o anyConstant) Create(ip mlir.InsertionPoint, loc mlir.Location) (mlir.Operation, error) {
	t, _ := o.value.Type()
	return mlir.Create(ip, mlir.OperationState{
		Name: "stablehlo.constant", Location: loc, Results: []mlir.Type{t},
		Attributes: []mlir.NamedAttribute{{Name: "value", Value: o.value}},
	})
}
