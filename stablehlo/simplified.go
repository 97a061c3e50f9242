package stablehlo

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// Simplified describes the operations that XLA's algebraic simplification takes for others with a different
// value, each with its place. It does not list those of which only the last bit may
// differ. engine.CompileOptions.Exact prevents the simplification.
func Simplified(m *mlir.Module) []string {
	var list []string
	m.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		if about := simplified(op); about != "" {
			list = append(list, fmt.Sprintf("%s at %s", about, op.Location().Position()))
		}
		return mlir.WalkContinue
	})
	return list
}

// simplified describes an operation, or returns "".
func simplified(op mlir.Operation) string {
	switch op.Name() {
	case "stablehlo.abs":
		if isInteger(op) && isSquare(op.Operand(0)) {
			return "the absolute value of a square of integers, which may wrap"
		}
	case "stablehlo.compare":
		of := func(v mlir.Value) bool { return isInteger(op) && isSquare(v) || isMadeBy(v, "stablehlo.abs") }
		if of(op.Operand(0)) && isZero(op.Operand(1)) || of(op.Operand(1)) && isZero(op.Operand(0)) {
			return "a comparison of a square or an absolute value with 0, which may wrap or be NaN"
		}
	case "stablehlo.divide":
		if isMadeBy(op.Operand(1), "stablehlo.divide") && !isInteger(op) {
			return "a quotient by a quotient, for which a product may overflow"
		}
	case "stablehlo.add", "stablehlo.subtract":
		x := op.Operand(0)
		if !isInteger(op) && isFixed(op.Operand(1)) && isMadeBy(x, "stablehlo.add", "stablehlo.subtract") &&
			isFixed(x.Owner().Operand(1)) {
			return "a sum with two constants, which are added first"
		}
	case "stablehlo.sqrt":
		if isSquare(op.Operand(0)) {
			return "the square root of a square, which may overflow"
		}
	case "stablehlo.log":
		if isMadeBy(op.Operand(0), "stablehlo.power") {
			return "the logarithm of a power, which may be of a negative number"
		}
	}
	return ""
}

func isInteger(op mlir.Operation) bool {
	element, _ := op.Operand(0).Type().Element()
	_, _, ok := element.IntegerWidth()
	return ok
}

func isMadeBy(v mlir.Value, names ...string) bool {
	return v.IsResult() && slices.Contains(names, v.Owner().Name())
}

func isSquare(v mlir.Value) bool {
	return isMadeBy(v, "stablehlo.multiply") && v.Owner().Operand(0) == v.Owner().Operand(1)
}

// fixed returns the value of a constant, which may be broadcast.
func fixed(v mlir.Value) (mlir.Attribute, bool) {
	for isMadeBy(v, "stablehlo.broadcast_in_dim") {
		v = v.Owner().Operand(0)
	}
	if !isMadeBy(v, "stablehlo.constant") {
		return mlir.Attribute{}, false
	}
	return v.Owner().Attribute("value")
}

func isFixed(v mlir.Value) bool {
	_, ok := fixed(v)
	return ok
}

func isZero(v mlir.Value) bool {
	value, ok := fixed(v)
	if !ok || !value.IsSplat() {
		return false
	}
	t, _ := value.Type()
	dims, _ := t.Dims()
	element, ok := value.ElementAt(make([]int64, len(dims))...)
	if !ok {
		return false
	}
	f, isFloat := element.Float()
	n, isInt := element.Int()
	return isFloat && f == 0 || isInt && n == 0
}
