package product

import (
	"github.com/calliope-mlir/calliope/internal/ir/numbers"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// convert gives products and convolutions whose element types are of several kinds operands of one type. MLIR's pass
// extends every integer as if it were signed, and truncates floats.
func convert(m *mlir.Module) error {
	for op := range m.Operation().Index().Named("stablehlo.dot_general", "stablehlo.convolution") {
		if to, ok := computedIn(op); ok {
			if err := computeIn(op, to); err != nil {
				return err
			}
		}
	}
	return nil
}

// convertConvolutions gives the convolutions that stay operands and results of one type, which is that of the sums:
// MLIR's pass rounds each partial sum, and lowers no groups of unsigned elements or of several types.
func convertConvolutions(m *mlir.Module) error {
	for op := range m.Operation().Index().Named("stablehlo.convolution") {
		c := op.Context()
		to, _ := computedIn(op)
		switch k, bits := numbers.KindOf(to); {
		case k == numbers.Other:
			continue
		case k == numbers.Float && bits < 32:
			to = c.F32Type()
		case k == numbers.Integer && bits > 1:
			to = c.IntegerType(bits, mlir.Signless)
		}
		if err := computeIn(op, to); err != nil {
			return err
		}
	}
	return nil
}

// computedIn returns the element type in which an operation is computed, as XLA chooses it: the type of the result, or
// that of an operand if the result is of a lesser kind or width. It reports whether MLIR's pass does otherwise.
func computedIn(op mlir.Operation) (to mlir.Type, otherwise bool) {
	to, _ = op.Result(0).Type().Element()
	for _, v := range op.OperandValues() {
		elem, _ := v.Type().Element()
		k, bits := numbers.KindOf(elem)
		most, mostBits := numbers.KindOf(to)
		if k == numbers.Other || most == numbers.Other {
			return to, false
		}
		// What the pass extends is signed, or a float.
		if k != most || k == numbers.Integer && !elem.Equal(to) && !isSigned(elem) {
			otherwise = true
		}
		if k > most || k == most && k != numbers.Integer && bits > mostBits {
			to = elem
		}
	}
	return to, otherwise
}

// isSigned reports whether a type of integers has negative ones. Booleans have none.
func isSigned(elem mlir.Type) bool {
	bits, sign, _ := elem.IntegerWidth()
	return bits > 1 && sign != mlir.Unsigned
}

// computeIn gives an operation operands and a result of an element type, and converts the result back.
func computeIn(op mlir.Operation, elem mlir.Type) error { return convertAll(op, elem, elem, elem) }

// convertAll gives an operation two operands and a result of element types, and converts the result back.
func convertAll(op mlir.Operation, left, right, result mlir.Type) error {
	b := mlir.NewBuilder(mlir.Before(op), op.Location())
	for i, elem := range []mlir.Type{left, right} {
		v := op.Operand(i)
		if t := withElements(b, v.Type(), elem); b.Err() == nil && !t.Equal(v.Type()) {
			v = stablehlo.Convert(b, t, v)
		}
		if b.Err() != nil {
			return b.Err()
		}
		op.SetOperand(i, v)
	}
	r := op.Result(0)
	stated := r.Type()
	t := withElements(b, stated, result)
	if b.Err() != nil || t.Equal(stated) {
		return b.Err()
	}
	r.SetType(t)
	b = b.At(mlir.After(op))
	back := stablehlo.Convert(b, stated, r)
	if b.Err() != nil {
		return b.Err()
	}
	r.ReplaceAllUsesExcept(back, back.Owner())
	return nil
}

// withElements returns a type of tensors with another element type.
func withElements(b *mlir.Builder, t, elem mlir.Type) mlir.Type {
	sizes, _ := t.Dims()
	changed, err := b.Context().TensorType(elem, sizes...)
	b.Fail(err)
	return changed
}
