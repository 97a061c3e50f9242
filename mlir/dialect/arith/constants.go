package arith

import "github.com/calliope-mlir/calliope/mlir"

// ConstantInt creates an integer of type t, which is an integer type or index.
func ConstantInt(b *mlir.Builder, t mlir.Type, v int64) mlir.Value {
	var a mlir.Attribute
	b.Try(func() { a = b.Context().IntegerAttribute(t, v) })
	return Constant(b, a)
}

// ConstantIndex creates a value of type index.
func ConstantIndex(b *mlir.Builder, v int64) mlir.Value {
	return ConstantInt(b, b.Context().IndexType(), v)
}

// ConstantFloat creates a floating-point number of type t.
func ConstantFloat(b *mlir.Builder, t mlir.Type, v float64) mlir.Value {
	var a mlir.Attribute
	b.Try(func() { a = b.Context().FloatAttribute(t, v) })
	return Constant(b, a)
}
