package xlafix

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// correctConversions rewrites operations on element types of which XLA makes something else: a bitcast_convert to the
// same type is removed, a complex number is converted by way of its real part, numbers of 4 bits are made integers by
// way of f32, integers of 4 bits that may have wrapped are extended by shifts, a number that XLA rounds to f32 first
// is given bits with which the second rounding is right, numbers of f8E3M4 are rounded to integers in f32, and so are
// their roots, and the bits of an integer of fewer than 8 bits are counted in a wider one. It returns the number of
// operations that it replaced.
func correctConversions(m *mlir.Module) (int, error) {
	return replaceEach(m.Operation().Index(), conversions, func(e emitter, op mlir.Operation) (none mlir.Value) {
		x, t := op.Operand(0), op.Result(0).Type()
		element, _ := t.Element()
		switch op.Name() {
		case "stablehlo.bitcast_convert":
			if t.Equal(x.Type()) {
				return x
			}
		case "stablehlo.convert":
			return e.correctConversion(op)
		case "stablehlo.popcnt":
			bits, _, _ := element.IntegerWidth()
			if bits >= 8 {
				return none
			}
			// XLA may widen the bits with the sign, also those of an unsigned integer.
			wide := e.to(x, m.Context().IntegerType(8, mlir.Unsigned))
			wide = stablehlo.And(e.Builder, wide, e.Filled(wide.Type(), 1<<bits-1))
			return e.to(stablehlo.Popcnt(e.Builder, wide), element)
		case "stablehlo.round_nearest_afz":
			if isF8E3M4(element) {
				return e.to(stablehlo.RoundNearestAfz(e.Builder, e.to(x, m.Context().F32Type())), element)
			}
		case "stablehlo.round_nearest_even":
			if isF8E3M4(element) {
				return e.to(stablehlo.RoundNearestEven(e.Builder, e.to(x, m.Context().F32Type())), element)
			}
		case "stablehlo.sqrt":
			if isF8E3M4(element) {
				return e.to(stablehlo.Sqrt(e.Builder, e.to(x, m.Context().F32Type())), element)
			}
		}
		return none
	})
}

// correctConversion returns what a convert makes, or nil if XLA makes it.
func (e emitter) correctConversion(op mlir.Operation) (none mlir.Value) {
	x, t := op.Operand(0), op.Result(0).Type()
	from, _ := x.Type().Element()
	element, _ := t.Element()
	switch {
	case saturates(op):
		return stablehlo.Convert(e.Builder, t, e.to(x, e.Context().F32Type()))
	case isComplex(from) && !isComplex(element):
		return stablehlo.Convert(e.Builder, t, stablehlo.Real(e.Builder, x))
	case roundsTwice(op):
		return stablehlo.Convert(e.Builder, t, e.roundOnce(x))
	case losesWrap(op):
		bits, sign, _ := from.IntegerWidth()
		v, n := stablehlo.Convert(e.Builder, t, x), e.Filled(t, byte(8-bits))
		v = stablehlo.ShiftLeft(e.Builder, v, n)
		if sign == mlir.Unsigned {
			return stablehlo.ShiftRightLogical(e.Builder, v, n)
		}
		return stablehlo.ShiftRightArithmetic(e.Builder, v, n)
	}
	return none
}

// losesWrap reports whether an operation makes integers of 8 bits of those of 4 bits that may have wrapped. XLA
// computes these in 8 bits, and leaves the conversion out.
func losesWrap(op mlir.Operation) bool {
	from, _ := op.Operand(0).Type().Element()
	to, _ := op.Result(0).Type().Element()
	bits, sign, _ := from.IntegerWidth()
	wide, wideSign, ok := to.IntegerWidth()
	if !ok || bits != 4 || wide != 8 || (sign == mlir.Unsigned) != (wideSign == mlir.Unsigned) || !isStatic(op) ||
		!mayWrap(op.Operand(0), map[mlir.Value]bool{}) {
		return false
	}
	for u := range op.Result(0).Uses() { // which correctConversions has made
		if u.Owner.Name() == "stablehlo.shift_left" {
			return false
		}
	}
	return true
}

// mayWrap reports whether an array may be computed, and not only be given and moved. It looks at each value once.
func mayWrap(v mlir.Value, seen map[mlir.Value]bool) bool {
	if seen[v] {
		return false
	}
	seen[v] = true
	if v.IsArgument() {
		name, _ := v.Block().Parent().Symbol()
		return name != "main"
	}
	switch v.Owner().Name() {
	case "stablehlo.constant", "stablehlo.convert":
		return false
	case "stablehlo.broadcast_in_dim", "stablehlo.concatenate", "stablehlo.dynamic_slice", "stablehlo.gather",
		"stablehlo.optimization_barrier", "stablehlo.pad", "stablehlo.reshape", "stablehlo.slice", "stablehlo.transpose":
		return slices.ContainsFunc(v.Owner().OperandValues(), func(x mlir.Value) bool {
			from, _ := x.Type().Element()
			to, _ := v.Type().Element()
			return from == to && mayWrap(x, seen)
		})
	}
	return true
}

// isF8E3M4 reports whether numbers are of the type which XLA, where it folds constants, rounds to NaN, because it adds
// one that is too large for the type, and whose roots it rounds to f16 first.
func isF8E3M4(element mlir.Type) bool {
	kind, _ := element.FloatKind()
	return kind == mlir.F8E3M4
}

// saturates reports whether XLA takes the largest number of 4 bits for one beyond an integer's range, which is
// rounded to that number.
func saturates(op mlir.Operation) bool {
	from, _ := op.Operand(0).Type().Element()
	kind, isFloat := from.FloatKind()
	to, _ := op.Result(0).Type().Element()
	bits, _, isInteger := to.IntegerWidth()
	return isFloat && kind.Bits() < 6 && isInteger && bits > 1
}

// conversions are the operations that correctConversions rewrites.
var conversions = []string{"stablehlo.bitcast_convert", "stablehlo.convert", "stablehlo.popcnt",
	"stablehlo.round_nearest_afz", "stablehlo.round_nearest_even", "stablehlo.sqrt"}
