package stablehlo

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
)

// Unary is an elementwise operation of one operand; its result has the operand's
// type, but for Abs of complex numbers, whose result is real.
type Unary struct {
	Op      UnaryOp
	Operand mlir.Value
}

// UnaryOp names an elementwise operation of one operand.
type UnaryOp string

// Elementwise operations of one operand (StableHLO specification, section Ops).
const (
	Abs               UnaryOp = "abs"
	Cbrt              UnaryOp = "cbrt"
	Ceil              UnaryOp = "ceil"
	Cosine            UnaryOp = "cosine"
	Exponential       UnaryOp = "exponential"
	ExponentialMinus1 UnaryOp = "exponential_minus_one"
	Floor             UnaryOp = "floor"
	Log               UnaryOp = "log"
	Log1p             UnaryOp = "log_plus_one"
	Logistic          UnaryOp = "logistic"
	Negate            UnaryOp = "negate"
	Not               UnaryOp = "not"
	RoundNearestAfz   UnaryOp = "round_nearest_afz"
	RoundNearestEven  UnaryOp = "round_nearest_even"
	Rsqrt             UnaryOp = "rsqrt"
	Sign              UnaryOp = "sign"
	Sine              UnaryOp = "sine"
	Sqrt              UnaryOp = "sqrt"
	Tan               UnaryOp = "tan"
	Tanh              UnaryOp = "tanh"
)

// Binary is an elementwise operation of two operands of one type, which is the
// result's too. A dimension may be known in one operand only; the result knows it.
type Binary struct {
	Op       BinaryOp
	LHS, RHS mlir.Value
}

// BinaryOp names an elementwise operation of two operands.
type BinaryOp string

// Elementwise operations of two operands (StableHLO specification, section Ops).
const (
	Add                  BinaryOp = "add"
	And                  BinaryOp = "and"
	Atan2                BinaryOp = "atan2"
	Divide               BinaryOp = "divide"
	Maximum              BinaryOp = "maximum"
	Minimum              BinaryOp = "minimum"
	Multiply             BinaryOp = "multiply"
	Or                   BinaryOp = "or"
	Power                BinaryOp = "power"
	Remainder            BinaryOp = "remainder"
	ShiftLeft            BinaryOp = "shift_left"
	ShiftRightArithmetic BinaryOp = "shift_right_arithmetic"
	ShiftRightLogical    BinaryOp = "shift_right_logical"
	Subtract             BinaryOp = "subtract"
	Xor                  BinaryOp = "xor"
)

const dialect = "stablehlo."

// names are the operations' full names, put together once and not for each operation.
var names = map[string]string{}

func fullName(op string) string {
	if name, ok := names[op]; ok {
		return name
	}
	return dialect + op
}

func init() {
	for _, op := range []UnaryOp{
		Abs, Cbrt, Ceil, Cosine, Exponential, ExponentialMinus1, Floor, Log, Log1p, Logistic, Negate,
		Not, RoundNearestAfz, RoundNearestEven, Rsqrt, Sign, Sine, Sqrt, Tan, Tanh,
	} {
		names[string(op)] = dialect + string(op)
		mlir.AllowInference(names[string(op)], mlir.Inference{Operands: 1})
	}
	for _, op := range []BinaryOp{
		Add, And, Atan2, Divide, Maximum, Minimum, Multiply, Or, Power, Remainder, ShiftLeft,
		ShiftRightArithmetic, ShiftRightLogical, Subtract, Xor,
	} {
		names[string(op)] = dialect + string(op)
		mlir.AllowInference(names[string(op)], mlir.Inference{Operands: 2})
	}
	mlir.AllowInference(dialect+"constant", mlir.Inference{Attributes: []string{"value"}})
}

// Create makes the operation. Whether it is defined for the operand's element type is
// for the verifier to say.
func (o Unary) Create(in mlir.Place, at mlir.Location) (mlir.Operation, error) {
	// Its inference alone takes the operand for a tensor without looking, and crashes.
	if o.Op == Abs && !o.Operand.Type().IsRankedTensor() {
		return mlir.Operation{}, fmt.Errorf("stablehlo: abs takes a ranked tensor, not %s", o.Operand.Type())
	}
	return mlir.Create(in, mlir.OperationState{
		Name: fullName(string(o.Op)), Location: at,
		Operands: []mlir.Value{o.Operand}, InferResults: true,
	})
}

// Create makes the operation. Shapes that do not agree are an error here; element
// types that do not, or for which the operation is not defined, are one of the verifier.
func (o Binary) Create(in mlir.Place, at mlir.Location) (mlir.Operation, error) {
	return mlir.Create(in, mlir.OperationState{
		Name: fullName(string(o.Op)), Location: at,
		Operands: []mlir.Value{o.LHS, o.RHS}, InferResults: true,
	})
}
