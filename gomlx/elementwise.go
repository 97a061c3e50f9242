package gomlx

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"

	ir "github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/tensor"
)

// unary adds an operation with one operand.
func (f *function) unary(op func(x ir.Value) ir.Value, x compute.Value) (compute.Value, error) {
	return f.one(func(xs []ir.Value) ir.Value { return op(xs[0]) }, x)
}

// binary adds an operation with two operands.
func (f *function) binary(op func(x, y ir.Value) ir.Value, x, y compute.Value) (compute.Value, error) {
	return f.one(func(xs []ir.Value) ir.Value { return op(xs[0], xs[1]) }, x, y)
}

// Abs is builder.Abs.
func (f *function) Abs(x compute.Value) (compute.Value, error) { return f.unary(ir.Abs, x) }

// BitCount is builder.PopCount.
func (f *function) BitCount(x compute.Value) (compute.Value, error) { return f.unary(ir.PopCount, x) }

// BitwiseNot is builder.Not.
func (f *function) BitwiseNot(x compute.Value) (compute.Value, error) { return f.unary(ir.Not, x) }

// Ceil is builder.Ceil.
func (f *function) Ceil(x compute.Value) (compute.Value, error) { return f.unary(ir.Ceil, x) }

// Clz is builder.CountLeadingZeros.
func (f *function) Clz(x compute.Value) (compute.Value, error) {
	return f.unary(ir.CountLeadingZeros, x)
}

// Conj is builder.Conj.
func (f *function) Conj(x compute.Value) (compute.Value, error) { return f.unary(ir.Conj, x) }

// Cos is builder.Cos.
func (f *function) Cos(x compute.Value) (compute.Value, error) { return f.unary(ir.Cos, x) }

// Erf is builder.Erf.
func (f *function) Erf(x compute.Value) (compute.Value, error) { return f.unary(ir.Erf, x) }

// Exp is builder.Exp.
func (f *function) Exp(x compute.Value) (compute.Value, error) { return f.unary(ir.Exp, x) }

// Expm1 is builder.Expm1.
func (f *function) Expm1(x compute.Value) (compute.Value, error) { return f.unary(ir.Expm1, x) }

// Floor is builder.Floor.
func (f *function) Floor(x compute.Value) (compute.Value, error) { return f.unary(ir.Floor, x) }

// Imag is builder.Imag.
func (f *function) Imag(x compute.Value) (compute.Value, error) { return f.unary(ir.Imag, x) }

// IsFinite is builder.IsFinite.
func (f *function) IsFinite(x compute.Value) (compute.Value, error) { return f.unary(ir.IsFinite, x) }

// Log is builder.Log.
func (f *function) Log(x compute.Value) (compute.Value, error) { return f.unary(ir.Log, x) }

// Log1p is builder.Log1p.
func (f *function) Log1p(x compute.Value) (compute.Value, error) { return f.unary(ir.Log1p, x) }

// LogicalNot is builder.Not.
func (f *function) LogicalNot(x compute.Value) (compute.Value, error) { return f.unary(ir.Not, x) }

// Logistic is builder.Sigmoid.
func (f *function) Logistic(x compute.Value) (compute.Value, error) { return f.unary(ir.Sigmoid, x) }

// Neg is builder.Neg.
func (f *function) Neg(x compute.Value) (compute.Value, error) { return f.unary(ir.Neg, x) }

// Real is builder.Real.
func (f *function) Real(x compute.Value) (compute.Value, error) { return f.unary(ir.Real, x) }

// Round is builder.Round.
func (f *function) Round(x compute.Value) (compute.Value, error) { return f.unary(ir.Round, x) }

// Rsqrt is builder.Rsqrt.
func (f *function) Rsqrt(x compute.Value) (compute.Value, error) { return f.unary(ir.Rsqrt, x) }

// Sign is builder.Sign.
func (f *function) Sign(x compute.Value) (compute.Value, error) { return f.unary(ir.Sign, x) }

// Sin is builder.Sin.
func (f *function) Sin(x compute.Value) (compute.Value, error) { return f.unary(ir.Sin, x) }

// Sqrt is builder.Sqrt.
func (f *function) Sqrt(x compute.Value) (compute.Value, error) { return f.unary(ir.Sqrt, x) }

// Tanh is builder.Tanh.
func (f *function) Tanh(x compute.Value) (compute.Value, error) { return f.unary(ir.Tanh, x) }

// Add is builder.Add.
func (f *function) Add(x, y compute.Value) (compute.Value, error) { return f.binary(ir.Add, x, y) }

// Atan2 is builder.Atan2.
func (f *function) Atan2(x, y compute.Value) (compute.Value, error) { return f.binary(ir.Atan2, x, y) }

// BitwiseAnd is builder.And.
func (f *function) BitwiseAnd(x, y compute.Value) (compute.Value, error) {
	return f.binary(ir.And, x, y)
}

// BitwiseOr is builder.Or.
func (f *function) BitwiseOr(x, y compute.Value) (compute.Value, error) { return f.binary(ir.Or, x, y) }

// BitwiseXor is builder.Xor.
func (f *function) BitwiseXor(x, y compute.Value) (compute.Value, error) {
	return f.binary(ir.Xor, x, y)
}

// Complex is builder.Complex.
func (f *function) Complex(x, y compute.Value) (compute.Value, error) {
	return f.binary(ir.Complex, x, y)
}

// Div is builder.Div.
func (f *function) Div(x, y compute.Value) (compute.Value, error) { return f.binary(ir.Div, x, y) }

// LogicalAnd is builder.And.
func (f *function) LogicalAnd(x, y compute.Value) (compute.Value, error) {
	return f.binary(ir.And, x, y)
}

// LogicalOr is builder.Or.
func (f *function) LogicalOr(x, y compute.Value) (compute.Value, error) { return f.binary(ir.Or, x, y) }

// LogicalXor is builder.Xor.
func (f *function) LogicalXor(x, y compute.Value) (compute.Value, error) {
	return f.binary(ir.Xor, x, y)
}

// Max is builder.Max.
func (f *function) Max(x, y compute.Value) (compute.Value, error) { return f.binary(ir.Max, x, y) }

// Min is builder.Min.
func (f *function) Min(x, y compute.Value) (compute.Value, error) { return f.binary(ir.Min, x, y) }

// Mul is builder.Mul.
func (f *function) Mul(x, y compute.Value) (compute.Value, error) { return f.binary(ir.Mul, x, y) }

// Pow is builder.Pow.
func (f *function) Pow(x, y compute.Value) (compute.Value, error) { return f.binary(ir.Pow, x, y) }

// Rem is builder.Rem.
func (f *function) Rem(x, y compute.Value) (compute.Value, error) { return f.binary(ir.Rem, x, y) }

// ShiftLeft is builder.ShiftLeft.
func (f *function) ShiftLeft(x, y compute.Value) (compute.Value, error) {
	return f.binary(ir.ShiftLeft, x, y)
}

// ShiftRightArithmetic is builder.ShiftRight.
func (f *function) ShiftRightArithmetic(x, y compute.Value) (compute.Value, error) {
	return f.binary(ir.ShiftRight, x, y)
}

// ShiftRightLogical is builder.ShiftRightLogical.
func (f *function) ShiftRightLogical(x, y compute.Value) (compute.Value, error) {
	return f.binary(ir.ShiftRightLogical, x, y)
}

// Sub is builder.Sub.
func (f *function) Sub(x, y compute.Value) (compute.Value, error) { return f.binary(ir.Sub, x, y) }

// Equal is builder.Eq.
func (f *function) Equal(x, y compute.Value) (compute.Value, error) { return f.binary(ir.Eq, x, y) }

// NotEqual is builder.Ne.
func (f *function) NotEqual(x, y compute.Value) (compute.Value, error) { return f.binary(ir.Ne, x, y) }

// GreaterOrEqual is builder.Ge.
func (f *function) GreaterOrEqual(x, y compute.Value) (compute.Value, error) {
	return f.binary(ir.Ge, x, y)
}

// GreaterThan is builder.Gt.
func (f *function) GreaterThan(x, y compute.Value) (compute.Value, error) {
	return f.binary(ir.Gt, x, y)
}

// LessOrEqual is builder.Le.
func (f *function) LessOrEqual(x, y compute.Value) (compute.Value, error) {
	return f.binary(ir.Le, x, y)
}

// LessThan is builder.Lt.
func (f *function) LessThan(x, y compute.Value) (compute.Value, error) { return f.binary(ir.Lt, x, y) }

// IsNaN reports which elements are not equal to themselves.
func (f *function) IsNaN(x compute.Value) (compute.Value, error) {
	return f.unary(func(x ir.Value) ir.Value { return ir.Ne(x, x) }, x)
}

// EqualTotalOrder compares by the total order of floating-point numbers.
func (f *function) EqualTotalOrder(x, y compute.Value) (compute.Value, error) {
	return f.binary(func(x, y ir.Value) ir.Value { return ir.Not(ir.Or(before(x, y), before(y, x))) }, x, y)
}

// NotEqualTotalOrder compares by the total order of floating-point numbers.
func (f *function) NotEqualTotalOrder(x, y compute.Value) (compute.Value, error) {
	return f.binary(func(x, y ir.Value) ir.Value { return ir.Or(before(x, y), before(y, x)) }, x, y)
}

// GreaterOrEqualTotalOrder compares by the total order of floating-point numbers.
func (f *function) GreaterOrEqualTotalOrder(x, y compute.Value) (compute.Value, error) {
	return f.binary(func(x, y ir.Value) ir.Value { return ir.Not(before(x, y)) }, x, y)
}

// GreaterThanTotalOrder compares by the total order of floating-point numbers.
func (f *function) GreaterThanTotalOrder(x, y compute.Value) (compute.Value, error) {
	return f.binary(func(x, y ir.Value) ir.Value { return before(y, x) }, x, y)
}

// LessOrEqualTotalOrder compares by the total order of floating-point numbers.
func (f *function) LessOrEqualTotalOrder(x, y compute.Value) (compute.Value, error) {
	return f.binary(func(x, y ir.Value) ir.Value { return ir.Not(before(y, x)) }, x, y)
}

// LessThanTotalOrder compares by the total order of floating-point numbers.
func (f *function) LessThanTotalOrder(x, y compute.Value) (compute.Value, error) {
	return f.binary(func(x, y ir.Value) ir.Value { return before(x, y) }, x, y)
}

// before reports whether x comes before y in the total order.
func before(x, y ir.Value) ir.Value {
	if names[x.Shape().DType].IsFloat() {
		return ir.TotalOrderLt(x, y)
	}
	return ir.Lt(x, y)
}

// Identity returns its operand.
func (f *function) Identity(x compute.Value) (compute.Value, error) {
	return f.unary(func(x ir.Value) ir.Value { return x }, x)
}

// Clamp is builder.Clamp.
func (f *function) Clamp(low, x, high compute.Value) (compute.Value, error) {
	return f.one(func(xs []ir.Value) ir.Value { return ir.Clamp(xs[0], xs[1], xs[2]) }, low, x, high)
}

// Where is builder.Select.
func (f *function) Where(condition, onTrue, onFalse compute.Value) (compute.Value, error) {
	return f.one(func(xs []ir.Value) ir.Value { return ir.Select(xs[0], xs[1], xs[2]) }, condition, onTrue, onFalse)
}

// ConvertDType is builder.Convert.
func (f *function) ConvertDType(x compute.Value, to dtypes.DType) (compute.Value, error) {
	return f.typed(ir.Convert, x, to)
}

// Bitcast is builder.Bitcast.
func (f *function) Bitcast(x compute.Value, to dtypes.DType) (compute.Value, error) {
	return f.typed(ir.Bitcast, x, to)
}

func (f *function) typed(
	op func(ir.Value, tensor.DType) ir.Value, x compute.Value, to dtypes.DType,
) (compute.Value, error) {
	d, err := element(to)
	if err != nil {
		return nil, err
	}
	return f.unary(func(x ir.Value) ir.Value { return op(x, d) }, x)
}
