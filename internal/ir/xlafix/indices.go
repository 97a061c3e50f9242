package xlafix

import (
	"math/big"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// widenIndices makes the indices of slices, gathers and scatters signed integers of 64 bits, unless they are signed
// ones of 32 or 64 bits. XLA counts in the type of the indices, so it loses what lies beyond that, and reads constants
// of unsigned types as signed ones. It returns the number of operations that it changed.
func widenIndices(m *mlir.Module) (int, error) {
	n := 0
	wide, err := m.Context().IntegerType(64, mlir.Signless), error(nil)
	for op := range m.Operation().Index().Named(indexed...) {
		first, end := indicesOf(op)
		if first == end || !isNarrowIndex(op.Operand(first)) {
			continue
		}
		e := before(op)
		for i := first; i < end; i++ {
			v := op.Operand(i)
			t := v.Type()
			element, _ := t.Element()
			if bits, sign, _ := element.IntegerWidth(); bits == 64 && sign == mlir.Unsigned {
				p := &powerExpander{e, t} // an index that no signed integer has is outside of any array
				v = stablehlo.Minimum(e.Builder, v, p.integer(new(big.Int).SetUint64(1<<63-1)))
			}
			if t, err = withElement(t, wide); err != nil {
				return n, err
			}
			v = stablehlo.Convert(e.Builder, t, v)
			if e.Cause() != nil {
				return n, e.Cause()
			}
			op.SetOperand(i, v)
		}
		n++
	}
	return n, nil
}

// indexed are the operations that have indices.
var indexed = []string{"stablehlo.dynamic_gather", "stablehlo.dynamic_slice", "stablehlo.dynamic_update_slice",
	"stablehlo.gather", "stablehlo.scatter", "stablehlo.torch_index_select"}

// indicesOf returns which operands of an operation are indices: from the first one to the end.
func indicesOf(op mlir.Operation) (first, end int) {
	switch op.Name() {
	case "stablehlo.dynamic_slice":
		return 1, op.NumOperands()
	case "stablehlo.dynamic_update_slice":
		return 2, op.NumOperands()
	case "stablehlo.scatter":
		n := op.NumResults()
		return n, n + 1
	case "stablehlo.dynamic_gather", "stablehlo.gather", "stablehlo.torch_index_select":
		return 1, 2
	}
	return 0, 0
}

// isNarrowIndex reports whether indices are of a type that XLA does not count well in.
func isNarrowIndex(v mlir.Value) bool {
	element, _ := v.Type().Element()
	bits, sign, ok := element.IntegerWidth()
	_, static := v.Type().NumElements()
	return ok && static && (bits < 32 || sign == mlir.Unsigned)
}

// losesIndices reports whether XLA gets the indices of an operation wrong: constants that are not signed, and a type
// that does not count the elements of the array.
func losesIndices(op mlir.Operation) bool {
	first, end := indicesOf(op)
	if first == end || !isNarrowIndex(op.Operand(first)) {
		return false
	}
	element, _ := op.Operand(first).Type().Element()
	bits, sign, _ := element.IntegerWidth()
	dims, _ := op.Operand(0).Type().Dims()
	if bits < 32 && slices.ContainsFunc(dims, func(n int64) bool { return n > 1<<(bits-1) }) {
		return true
	}
	return sign == mlir.Unsigned && slices.ContainsFunc(op.OperandValues()[first:end], func(v mlir.Value) bool {
		return v.IsResult() && v.Owner().Name() == "stablehlo.constant"
	})
}
