package arith

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
)

// ConstantInt creates an integer of type t, which is an integer type or index.
func ConstantInt(b *mlir.Builder, t mlir.Type, v int64) mlir.Value {
	if b.Err() != nil {
		return Constant(b, mlir.Attribute{})
	}
	if _, _, ok := t.IntegerWidth(); !ok && !t.IsIndex() {
		b.Fail(notA(t, "an integer type or index"))
		return Constant(b, mlir.Attribute{})
	}
	return Constant(b, b.Context().IntegerAttribute(t, v))
}

// ConstantIndex creates a value of type index.
func ConstantIndex(b *mlir.Builder, v int64) mlir.Value {
	return ConstantInt(b, b.Context().IndexType(), v)
}

// ConstantFloat creates a floating-point number of type t.
func ConstantFloat(b *mlir.Builder, t mlir.Type, v float64) mlir.Value {
	if b.Err() != nil {
		return Constant(b, mlir.Attribute{})
	}
	if _, ok := t.FloatKind(); !ok {
		b.Fail(notA(t, "a floating-point type"))
		return Constant(b, mlir.Attribute{})
	}
	return Constant(b, b.Context().FloatAttribute(t, v))
}

func notA(t mlir.Type, want string) error {
	return fmt.Errorf("arith.constant: the type is %s, want %s", t, want)
}
