package xlafix

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// MakeRandomBitsUnsigned lets rng_bit_generator return unsigned integers, and makes signed ones of them, which have the
// same bits: XLA returns unsigned integers, whatever the module says. It returns the number of generators that it
// changed.
func MakeRandomBitsUnsigned(m *mlir.Module) (int, error) {
	var list []mlir.Operation
	for op := range m.Operation().Index().Named(generator) {
		if isSignedGenerator(op) {
			list = append(list, op)
		}
	}
	for _, op := range list {
		t := op.Result(1).Type()
		element, _ := t.Element()
		bits, _, _ := element.IntegerWidth()
		unsigned, err := withElement(t, m.Context().IntegerType(bits, mlir.Unsigned))
		if err != nil {
			return 0, err
		}
		e := before(op)
		state := mlir.OperationState{Name: op.Name(), Operands: op.OperandValues(),
			Results: []mlir.Type{op.Result(0).Type(), unsigned}}
		for name, a := range op.Attributes() {
			state.Attributes = append(state.Attributes, mlir.NamedAttribute{Name: name, Value: a})
		}
		made := e.Create(state)
		signed := stablehlo.BitcastConvert(e.Builder, t, made.Result(1))
		if e.Cause() != nil {
			return 0, e.Cause()
		}
		op.Result(0).ReplaceAllUses(made.Result(0))
		op.Result(1).ReplaceAllUses(signed)
		if err := op.Erase(); err != nil {
			return 0, err
		}
	}
	return len(list), nil
}

const generator = "stablehlo.rng_bit_generator"

// isSignedGenerator reports whether an operation returns random bits as signed integers.
func isSignedGenerator(op mlir.Operation) bool {
	if op.Name() != generator {
		return false
	}
	element, _ := op.Result(1).Type().Element()
	bits, sign, ok := element.IntegerWidth()
	return ok && bits > 1 && sign != mlir.Unsigned
}
