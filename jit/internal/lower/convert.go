package lower

import (
	"math"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// lowerConvert makes a conversion of floats, or of the real parts of complex numbers, to integers give the nearest one
// of the type, and 0 of NaN, as XLA does. MLIR's pass leaves open what becomes of numbers that the type lacks.
func lowerConvert(e *emitter) error {
	x, result := e.op.Operand(0), e.op.Result(0)
	bits, sign, isInteger := e.elementOf(result).IntegerWidth()
	_, isFloat := e.elementOf(x).FloatKind()
	if !isInteger || !isFloat && !isComplex(x) || bits == 1 {
		return nil
	}
	b, t := e.Builder, result.Type()
	if !isFloat {
		x = stablehlo.Real(b, x)
	}
	x = e.widened(x) // a narrow type may lack the bounds
	integers := func(v int64) mlir.Value {
		scalar, _ := t.Element()
		return stablehlo.BroadcastInDim(b, t, e.cast(e.scalar(bits, v), e.tensorOf(scalar)), nil)
	}
	lowest, highest, below := int64(0), int64(-1), 0.0 // as the bits of an unsigned type
	above := math.Ldexp(1, bits)
	if sign != mlir.Unsigned {
		lowest, highest = math.MinInt64>>(64-bits), math.MaxInt64>>(64-bits)
		below, above = float64(lowest), math.Ldexp(1, bits-1)
	}
	low := integers(lowest)
	if lowest != 0 {
		low = stablehlo.Select(b, e.compare(x, x, stablehlo.CompareEQ), low, integers(0))
	}
	y := stablehlo.Convert(b, t, x)
	y = stablehlo.Select(b, e.compare(x, e.like(x, below), stablehlo.CompareGT), y, low)
	y = stablehlo.Select(b, e.compare(x, e.like(x, above), stablehlo.CompareGE), integers(highest), y)
	return e.replace([]mlir.Value{y})
}

// lowerIota makes an iota of floats one of integers that it converts. MLIR's pass counts in integers of the width of
// the floats, which the higher places overflow.
func lowerIota(e *emitter) error {
	op, ok := stablehlo.AsIota(e.op)
	if !ok {
		return errMalformed
	}
	kind, isFloat := e.elementOf(e.op.Result(0)).FloatKind()
	if !isFloat || kind == mlir.F64 {
		return nil
	}
	result, sizes := op.ResultType, dims(e.op.Result(0))
	bits := 32
	if sizes[op.IotaDimension] > math.MaxInt32 {
		bits = 64
	}
	op.ResultType = e.tensorOf(e.integer(bits), sizes...)
	v := op.Create(e.Builder).Result(0)
	if kind.Bits() < 32 {
		v = stablehlo.Convert(e.Builder, e.tensorOf(e.Context().F32Type(), sizes...), v)
	}
	return e.replace([]mlir.Value{stablehlo.Convert(e.Builder, result, v)})
}
