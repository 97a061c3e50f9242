package stablehlo

import (
	"errors"
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo/internal/ods"
)

// Unary is an elementwise operation of one operand. Its result has the operand's type,
// except that Abs of complex numbers is real.
type Unary struct {
	Op      UnaryOp
	Operand mlir.Value
	// ResultAccuracy is nil for the default accuracy. Only exponentials, logarithms,
	// roots and trigonometric functions take one.
	ResultAccuracy *ResultAccuracy
	// Result is the type of the result if it is not the one inferred: a quantized type, or
	// one with other dynamic dimensions.
	Result mlir.Type
}

// A UnaryOp is the full name of an elementwise operation of one operand.
type UnaryOp string

// Elementwise operations of one operand (StableHLO specification, section Ops).
const (
	Abs               UnaryOp = "stablehlo.abs"
	Cbrt              UnaryOp = "stablehlo.cbrt"
	Ceil              UnaryOp = "stablehlo.ceil"
	Cosine            UnaryOp = "stablehlo.cosine"
	Exponential       UnaryOp = "stablehlo.exponential"
	ExponentialMinus1 UnaryOp = "stablehlo.exponential_minus_one"
	Floor             UnaryOp = "stablehlo.floor"
	Log               UnaryOp = "stablehlo.log"
	Log1p             UnaryOp = "stablehlo.log_plus_one"
	Logistic          UnaryOp = "stablehlo.logistic"
	Negate            UnaryOp = "stablehlo.negate"
	Not               UnaryOp = "stablehlo.not"
	RoundNearestAfz   UnaryOp = "stablehlo.round_nearest_afz"
	RoundNearestEven  UnaryOp = "stablehlo.round_nearest_even"
	Rsqrt             UnaryOp = "stablehlo.rsqrt"
	Sign              UnaryOp = "stablehlo.sign"
	Sine              UnaryOp = "stablehlo.sine"
	Sqrt              UnaryOp = "stablehlo.sqrt"
	Tan               UnaryOp = "stablehlo.tan"
	Tanh              UnaryOp = "stablehlo.tanh"
)

// Binary is an elementwise operation of two operands of the same type, which is also
// the type of the result. If a dimension is dynamic in only one operand, the result has
// the size of the other.
type Binary struct {
	Op       BinaryOp
	LHS, RHS mlir.Value
	Result   mlir.Type // optional: the type, if it is not the one inferred
}

// A BinaryOp is the full name of an elementwise operation of two operands.
type BinaryOp string

// Elementwise operations of two operands (StableHLO specification, section Ops).
const (
	Add                  BinaryOp = "stablehlo.add"
	And                  BinaryOp = "stablehlo.and"
	Atan2                BinaryOp = "stablehlo.atan2"
	Divide               BinaryOp = "stablehlo.divide"
	Maximum              BinaryOp = "stablehlo.maximum"
	Minimum              BinaryOp = "stablehlo.minimum"
	Multiply             BinaryOp = "stablehlo.multiply"
	Or                   BinaryOp = "stablehlo.or"
	Power                BinaryOp = "stablehlo.power"
	Remainder            BinaryOp = "stablehlo.remainder"
	ShiftLeft            BinaryOp = "stablehlo.shift_left"
	ShiftRightArithmetic BinaryOp = "stablehlo.shift_right_arithmetic"
	ShiftRightLogical    BinaryOp = "stablehlo.shift_right_logical"
	Subtract             BinaryOp = "stablehlo.subtract"
	Xor                  BinaryOp = "stablehlo.xor"
)

const dialect = "stablehlo."

// Create makes the operation. The verifier checks whether it is defined for the operand's
// element type.
func (o Unary) Create(ip mlir.InsertionPoint, loc mlir.Location) (mlir.Operation, error) {
	if o.ResultAccuracy == nil {
		op, err := mlir.CreateInferred(ip, loc, string(o.Op), o.Operand)
		return setType(o.Result, op, err)
	}
	a, err := o.accuracy(mlir.ContextOf(ip))
	if err != nil {
		return mlir.Operation{}, fmt.Errorf("stablehlo: %s %w", strings.TrimPrefix(string(o.Op), dialect), err)
	}
	op, err := mlir.Create(ip, mlir.OperationState{
		Name: string(o.Op), Location: loc, Operands: []mlir.Value{o.Operand}, InferResults: true,
		Attributes: []mlir.NamedAttribute{{Name: "result_accuracy", Value: a}},
	})
	return setType(o.Result, op, err)
}

func (o Unary) accuracy(c *mlir.Context) (mlir.Attribute, error) {
	if !accurate[string(o.Op)] { // the library would keep it as an unknown attribute
		return mlir.Attribute{}, errors.New("takes no result accuracy")
	}
	return o.ResultAccuracy.Attribute(c)
}

// setType gives the result of an operation that was just created a type, if it is not nil.
func setType(t mlir.Type, op mlir.Operation, err error) (mlir.Operation, error) {
	if err == nil && !t.IsNil() {
		if v := op.Result(0); v.Type() != t {
			v.SetType(t)
		}
	}
	return op, err
}

// AsUnary returns op as a Unary. It returns false if op is not an elementwise operation
// of one operand.
func AsUnary(op mlir.Operation) (Unary, bool) {
	if op.IsNil() || !elementwise[op.Name()] {
		return Unary{}, false
	}
	r := ods.Read(op, op.Name(), 1, 0)
	o := Unary{
		Op:             UnaryOp(op.Name()),
		Operand:        r.Operand(),
		ResultAccuracy: ods.GetPointer(r, "result_accuracy", AsResultAccuracy),
		Result:         r.DifferingOne(),
	}
	return o, r.OK()
}

// AsBinary returns op as a Binary. It returns false if op is not an elementwise operation
// of two operands.
func AsBinary(op mlir.Operation) (Binary, bool) {
	if op.IsNil() || !elementwise[op.Name()] {
		return Binary{}, false
	}
	r := ods.Read(op, op.Name(), 2, 0)
	return Binary{Op: BinaryOp(op.Name()), LHS: r.Operand(), RHS: r.Operand(), Result: r.DifferingOne()}, r.OK()
}

// Create makes the operation. It returns an error if the shapes do not match. The
// verifier checks that the element types are equal and that the operation is defined for
// them.
func (o Binary) Create(ip mlir.InsertionPoint, loc mlir.Location) (mlir.Operation, error) {
	op, err := mlir.CreateInferred(ip, loc, string(o.Op), o.LHS, o.RHS)
	return setType(o.Result, op, err)
}
