package xlafix

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// KeepDivisions lets no plugin divide integers by 0 while it folds constants, which ends the process: it chooses
// another divisor, and then the result that XLA's code has. It divides integers of 16 bits in 32, because the code of a
// plugin ends the process where the least one is divided by -1. It returns the number of divisions that it changed.
func KeepDivisions(m *mlir.Module) (int, error) {
	folds := folding{}
	return replaceEach(m.Operation().Index(), divisions, func(e emitter, op mlir.Operation) (none mlir.Value) {
		x, y := op.Operand(0), op.Operand(1)
		t := op.Result(0).Type()
		element, _ := t.Element()
		bits, sign, ok := element.IntegerWidth()
		if !ok || !isStatic(op) {
			return none
		}
		short := bits == 16 && sign != mlir.Unsigned && hasElement(y, -1)
		folded := hasElement(y, 0) && folds.may(x) && folds.may(y)
		if !short && !folded || isKeptDivisor(y) {
			return none
		}
		if short {
			wide := m.Context().IntegerType(32, mlir.Signless)
			x, y = e.to(x, wide), e.to(y, wide)
		}
		divide := stablehlo.Divide
		if op.Name() == "stablehlo.remainder" {
			divide = stablehlo.Remainder
		}
		p := &powerExpander{e, x.Type()}
		isZero := p.compare(y, stablehlo.CompareEQ, p.splat(0))
		v := divide(e.Builder, x, p.choose(isZero, p.splat(1), y))
		if op.Name() == "stablehlo.remainder" {
			v = p.choose(isZero, x, v)
		} else {
			v = p.choose(isZero, stablehlo.Not(e.Builder, p.splat(0)), v)
		}
		return e.to(v, element)
	})
}

var divisions = []string{"stablehlo.divide", "stablehlo.remainder"}

// isKeptDivisor reports whether a value is the divisor that KeepDivisions chooses.
func isKeptDivisor(v mlir.Value) bool {
	if !v.IsResult() || v.Owner().Name() != "stablehlo.select" {
		return false
	}
	one, ok := splatOf(v.Owner().Operand(1))
	return ok && one == 1
}

// dividesByZero reports whether both operands are constants, and the divisor has a 0.
func dividesByZero(op mlir.Operation) bool {
	element, _ := op.Result(0).Type().Element()
	_, _, ofIntegers := element.IntegerWidth()
	for _, v := range op.Operands() {
		if !isConstant(v) {
			return false
		}
	}
	return ofIntegers && isStatic(op) && hasElement(op.Operand(1), 0)
}

func isConstant(v mlir.Value) bool { return v.IsResult() && v.Owner().Name() == "stablehlo.constant" }

// hasElement reports whether an array may have an element that is n.
func hasElement(v mlir.Value, n int64) bool {
	if x, ok := splatOf(v); ok {
		return x == float64(n)
	}
	r := rangeOf(v, -1, 0)
	return r.least <= n && n <= r.most
}

// A folding knows which values XLA may compute while it compiles.
type folding map[mlir.Value]bool

// may reports whether XLA may know a value, because it is computed of constants. An argument of a block, other than
// main's, may be one.
func (f folding) may(v mlir.Value) bool {
	if known, ok := f[v]; ok {
		return known
	}
	f[v] = true // in a cycle
	known := true
	if v.IsArgument() {
		name, _ := v.Block().Parent().Symbol()
		known = name != "main"
	} else {
		op := v.Owner()
		known = op.NumRegions() > 0 || op.NumOperands() > 0 || op.Name() == "stablehlo.constant" ||
			op.Name() == "stablehlo.iota"
		if op.NumRegions() == 0 && op.Name() != "func.call" {
			for _, operand := range op.Operands() {
				known = known && f.may(operand)
			}
		}
	}
	f[v] = known
	return known
}
