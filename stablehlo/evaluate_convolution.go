package stablehlo

import (
	"errors"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// The interpreter of StableHLO 1.10 adds the products of a convolution in the operands'
// element type: those of i8 into i32 overflow, and f32 into f16 is nonsense. That of 1.19 is
// right, but for types of one size. Both end the process for integers into floating point.
// So each convolution whose result has another element type is rewritten or refused.

// mixed reports whether an operation is a convolution whose result has another element type
// than its operands.
func mixed(op mlir.Operation) bool {
	if name := op.Name(); name != "stablehlo.convolution" && name != "stablehlo.dynamic_conv" {
		return false
	}
	from, to := elementsOf(op)
	return from != to
}

// elementsOf returns the element types of the first operand and of the result, or Invalid.
func elementsOf(op mlir.Operation) (from, to tensor.DType) {
	if op.NumOperands() == 0 || op.NumResults() == 0 {
		return tensor.Invalid, tensor.Invalid
	}
	in, _ := ShapeOf(op.Operand(0).Type())
	out, _ := ShapeOf(op.Result(0).Type())
	return in.DType, out.DType
}

// convertible reports whether values of both types are numbers of one kind.
func convertible(a, b tensor.DType) bool { return kindOf(a) == kindOf(b) && kindOf(a) != 0 }

// kindOf returns 's', 'u', 'f' or 'c' for signed, unsigned, floating-point and complex
// numbers, and 0 for others.
func kindOf(d tensor.DType) byte {
	switch {
	case d >= tensor.S2 && d <= tensor.S64:
		return 's'
	case d >= tensor.U2 && d <= tensor.U64:
		return 'u'
	case d >= tensor.F16 && d <= tensor.F8E8M0FNU:
		return 'f'
	case d == tensor.C64 || d == tensor.C128:
		return 'c'
	}
	return 0
}

// makeUniform computes a mixed convolution in the wider one of its two types.
func makeUniform(op mlir.Operation) error {
	from, to := elementsOf(op)
	result := op.Result(0)
	if to.Bits() > from.Bits() {
		element, _ := result.Type().Element()
		for i := range 2 {
			v, err := convert(mlir.Before(op), op, op.Operand(i), element)
			if err != nil {
				return err
			}
			op.SetOperand(i, v)
		}
		return nil
	}
	narrow, _ := result.Type().Element()
	wide, _ := op.Operand(0).Type().Element()
	t, err := ConvertType(result.Type(), wide)
	if err != nil {
		return err
	}
	result.SetType(t)
	v, err := convert(mlir.After(op), op, result, narrow)
	if err != nil {
		return err
	}
	result.ReplaceAllUsesExcept(v, v.Owner())
	return nil
}

func convert(at mlir.InsertionPoint, op mlir.Operation, v mlir.Value, element mlir.Type) (mlir.Value, error) {
	t, err := ConvertType(v.Type(), element)
	if err != nil {
		return v, err
	}
	b := mlir.NewBuilder(at, op.Location())
	return Convert(b, t, v), errors.Unwrap(b.Err())
}
