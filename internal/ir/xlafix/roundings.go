package xlafix

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// XLA converts f64 to types of 16 bits, and integers to bf16, by way of f32. A number next to the middle of two results
// is rounded to the middle, and then to the even one of both. A sticky bit keeps it away from the middle: the last bit
// that is not lost says whether one behind it is set.

// roundsTwice reports whether XLA rounds a number twice where it converts it.
func roundsTwice(op mlir.Operation) bool {
	from, _ := op.Operand(0).Type().Element()
	to, _ := op.Result(0).Type().Element()
	kind, isFloat := to.FloatKind()
	if !isFloat || kind.Bits() != 16 || !isStatic(op) {
		return false
	}
	if from, ok := from.FloatKind(); ok {
		return from == mlir.F64 && !isSticky(op) && !isExact(op.Operand(0))
	}
	if bits, _, isInteger := from.IntegerWidth(); kind != mlir.BF16 || !isInteger || bits <= 24 {
		return false
	}
	const exact = 1 << 24 // integers up to it are numbers of f32
	r := rangeOf(op.Operand(0), -1, 0)
	return r.least < -exact || r.most > exact
}

// isExact reports whether the elements of an array are known, and numbers of f32.
func isExact(v mlir.Value) bool {
	x, ok := splatOf(v)
	return ok && float64(float32(x)) == x
}

// takesExact reports whether a value is a parameter of a function for which all calls give what isExact knows. JAX
// makes such functions of what it draws in small types.
func takesExact(index *mlir.Index, v mlir.Value) bool {
	if !v.IsArgument() || index.Has("stablehlo.composite") {
		return false
	}
	f := v.Block().Parent()
	name, ok := f.Symbol()
	if !ok || f.Visibility() == mlir.Public {
		return false
	}
	exact := false
	for call := range index.Named("func.call") {
		callee, _ := call.Attribute("callee")
		if path, _ := callee.SymbolPath(); len(path) != 1 || path[0] != name {
			continue
		}
		if exact = isExact(call.Operand(v.Index())); !exact {
			return false
		}
	}
	return exact
}

// isSticky reports whether a conversion is one of what roundOnce makes.
func isSticky(op mlir.Operation) bool {
	v := op.Operand(0)
	return v.IsResult() && v.Owner().Name() == "stablehlo.bitcast_convert" &&
		v.Owner().Operand(0).IsResult() && v.Owner().Operand(0).Owner().Name() == "stablehlo.or"
}

// roundOnce returns a number of f64 that XLA converts to what x is converted to.
func (e emitter) roundOnce(x mlir.Value) mlir.Value {
	element, _ := x.Type().Element()
	f64, u64 := e.Context().F64Type(), e.Context().IntegerType(64, mlir.Unsigned)
	if bits, _, ok := element.IntegerWidth(); ok {
		if bits == 64 {
			p := &powerExpander{e, x.Type()}
			// f64 has 53 bits: it holds x, or the ones in front of the last 11.
			distance := x
			if _, sign, _ := element.IntegerWidth(); sign != mlir.Unsigned {
				distance = stablehlo.Abs(e.Builder, x)
			}
			x = p.choose(p.compare(distance, stablehlo.CompareLT, p.splat(1<<53)), x, p.sticky(x, 11))
		}
		x = e.to(x, f64)
	}
	t, err := withElement(x.Type(), u64)
	if e.Fail(err); err != nil {
		return x
	}
	p := &powerExpander{e, t}
	// f64 has 29 bits behind those of f32.
	return stablehlo.BitcastConvert(e.Builder, x.Type(), p.sticky(stablehlo.BitcastConvert(e.Builder, t, x), 29))
}

// sticky clears the last bits of integers, and sets the one in front of them if one of them was set.
func (e *powerExpander) sticky(x mlir.Value, bits int) mlir.Value {
	low := stablehlo.And(e.Builder, x, e.splat(1<<bits-1))
	set := e.choose(e.compare(low, stablehlo.CompareNE, e.splat(0)), e.splat(1<<bits), e.splat(0))
	return stablehlo.Or(e.Builder, stablehlo.Xor(e.Builder, x, low), set)
}
