package lower

import (
	"errors"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// lowerAdd makes the sum of booleans a disjunction. MLIR's pass adds them modulo 2.
func lowerAdd(e *emitter) error {
	if bits, _, ok := e.elementOf(e.op.Result(0)).IntegerWidth(); !ok || bits != 1 {
		return nil
	}
	return e.replace([]mlir.Value{stablehlo.Or(e.Builder, e.op.Operand(0), e.op.Operand(1))})
}

// lowerExtremum makes the maximum or minimum of complex numbers a selection. They are ordered by their real parts, and
// those whose real parts are equal by their imaginary parts. MLIR's pass compares only the real parts.
func lowerExtremum(e *emitter) error {
	x, y := e.op.Operand(0), e.op.Operand(1)
	if !isComplex(x) {
		return nil
	}
	how := stablehlo.CompareGT
	if e.op.Name() == "stablehlo.minimum" {
		how = stablehlo.CompareLT
	}
	b := e.Builder
	re := [2]mlir.Value{stablehlo.Real(b, x), stablehlo.Real(b, y)}
	im := [2]mlir.Value{stablehlo.Imag(b, x), stablehlo.Imag(b, y)}
	useX := stablehlo.Or(b, e.compare(re[0], re[1], how),
		stablehlo.And(b, e.compare(re[0], re[1], stablehlo.CompareEQ), e.compare(im[0], im[1], how)))
	return e.replace([]mlir.Value{stablehlo.Select(b, useX, x, y)})
}

// lowerBitcastConvert replaces a bitcast_convert of complex numbers to the same type, on which MLIR's pass crashes.
func lowerBitcastConvert(e *emitter) error {
	x, to := e.op.Operand(0), e.op.Result(0)
	if !isComplex(x) && !isComplex(to) {
		return nil
	}
	if !x.Type().Equal(to.Type()) {
		return errors.New("it converts complex numbers to another type")
	}
	return lowerIdentity(e)
}

// lowerTorchIndexSelect refuses dimensions that the operands lack, on which MLIR's pass crashes, and clamps the
// indices, as XLA does. The pass reads whatever memory is at one out of range.
func lowerTorchIndexSelect(e *emitter) error {
	op, ok := stablehlo.AsTorchIndexSelect(e.op)
	if !ok {
		return errMalformed
	}
	if n := int64(len(dims(op.Index))); op.BatchDims < 0 || op.BatchDims > min(op.Dim, n) ||
		op.Dim >= int64(len(dims(op.Operand))) {
		return errors.New("its dimensions do not fit its operands")
	}
	size := dims(op.Operand)[op.Dim]
	if size == 0 {
		return errors.New("its operand has no elements to select")
	}
	if err := e.signIndices(1); err != nil {
		return err
	}
	index := e.op.Operand(1)
	bits, _, _ := e.elementOf(index).IntegerWidth()
	last := e.scalar(bits, min(size-1, 1<<(bits-1)-1))
	e.op.SetOperand(1, stablehlo.Clamp(e.Builder, e.scalar(bits, 0), index, last))
	return e.Err()
}

// lowerOnFloat8 computes an operation on floats of at most eight bits in f32. MLIR's pass gives formats without
// infinity one, and f8E8M0FNU a zero, rounds constants of f8E3M4 to NaN, and the parts of a logistic, of which the
// exponential is NaN in some formats.
func lowerOnFloat8(e *emitter) error {
	if kind, ok := e.elementOf(e.op.Operand(0)).FloatKind(); !ok || kind.Bits() > 8 {
		return nil
	}
	return e.in(e.Context().F32Type())
}

// lowerCompare compares numbers of f8E8M0FNU in f32. MLIR's pass takes their first bit for a sign in a total order.
func lowerCompare(e *emitter) error {
	if kind, _ := e.elementOf(e.op.Operand(0)).FloatKind(); kind != mlir.F8E8M0FNU {
		return nil
	}
	return e.in(e.Context().F32Type())
}

// lowerPower computes powers of complex numbers of f32 in f64. They are exponentials, which magnify the error of their
// operand, the logarithm times the exponent.
func lowerPower(e *emitter) error {
	part, ok := e.elementOf(e.op.Operand(0)).ComplexElement()
	if !ok || !part.Equal(e.Context().F32Type()) {
		return nil
	}
	wide, err := e.Context().ComplexType(e.Context().F64Type())
	e.Fail(err)
	return e.in(wide)
}

// in makes the operation one on other elements: its operands, and its result if it has their type.
func (e *emitter) in(elem mlir.Type) error {
	before := e.op.Operand(0).Type()
	wide := e.tensorOf(elem, dims(e.op.Operand(0))...)
	for i, v := range e.op.OperandValues() {
		if v = stablehlo.Convert(e.Builder, wide, v); e.Err() == nil {
			e.op.SetOperand(i, v)
		}
	}
	r := e.op.Result(0)
	if e.Err() != nil || !r.Type().Equal(before) {
		return e.Err()
	}
	r.SetType(wide)
	b := mlir.NewBuilder(mlir.After(e.op), e.op.Location())
	back := stablehlo.Convert(b, before, r)
	if b.Err() == nil {
		r.ReplaceAllUsesExcept(back, back.Owner())
	}
	return b.Err()
}

// lowerMap makes a map loops over the elements.
func lowerMap(e *emitter) error {
	return e.elementwise(func(at []mlir.Value) []mlir.Value { return e.extract(e.operands(), at) })
}

// lowerReduce makes a reduce over no dimensions loops over the elements, and one of no elements its initial values. It
// leaves others.
func lowerReduce(e *emitter) error {
	op, ok := stablehlo.AsReduce(e.op)
	if !ok {
		return errMalformed
	}
	if slices.Contains(dims(op.Inputs[0]), 0) {
		var results []mlir.Value
		for i, v := range op.InitValues {
			results = append(results, stablehlo.BroadcastInDim(e.Builder, e.op.Result(i).Type(), v, nil))
		}
		return e.replace(each(results, e.signless))
	}
	if len(op.Dimensions) > 0 {
		return nil
	}
	return e.elementwise(func(at []mlir.Value) []mlir.Value {
		initial := each(each(op.InitValues, e.signless), e.unpack)
		return append(initial, e.extract(each(op.Inputs, e.signless), at)...)
	})
}

// elementwise replaces an operation by loops over the elements of its results, which its region computes of those that
// elements returns.
func (e *emitter) elementwise(elements func(at []mlir.Value) []mlir.Value) error {
	to := each(e.op.ResultValues(), func(r mlir.Value) mlir.Value {
		return e.buffer(signlessType(e.Context(), r.Type()))
	})
	return e.replace(e.nest(dims(to[0]), to, func(at, to []mlir.Value) []mlir.Value {
		results := e.take(e.op.Region(0).First(), each(elements(at), e.pack))
		return e.insert(each(results, e.unpack), to, at)
	}))
}

// lowerDotGeneral computes products of halves in f32, because MLIR's pass rounds each partial sum, and those of
// booleans in integers, because it adds modulo 2.
func lowerDotGeneral(e *emitter) error {
	op, ok := stablehlo.AsDotGeneral(e.op)
	if !ok {
		return errMalformed
	}
	result := e.op.Result(0).Type()
	elem := e.elementOf(e.op.Result(0))
	sizes, _ := result.Dims()
	kind, isFloat := elem.FloatKind()
	bits, _, isInteger := elem.IntegerWidth()
	switch {
	case isFloat && kind != mlir.F32 && kind != mlir.F64:
		op.ResultType = e.tensorOf(e.Context().F32Type(), sizes...)
		return e.replace([]mlir.Value{stablehlo.Convert(e.Builder, result, op.Create(e.Builder).Result(0))})
	case isInteger && bits == 1:
		whole := func(v mlir.Value) mlir.Value {
			return stablehlo.Convert(e.Builder, e.tensorOf(e.integer(32), dims(v)...), v)
		}
		op.LHS, op.RHS, op.ResultType = whole(op.LHS), whole(op.RHS), e.tensorOf(e.integer(32), sizes...)
		return e.replace([]mlir.Value{stablehlo.Convert(e.Builder, result, op.Create(e.Builder).Result(0))})
	}
	return nil
}
