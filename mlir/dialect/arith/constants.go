package arith

import "github.com/calliope-mlir/calliope/mlir"

// ConstantInt creates an integer of type t, which is an integer type or index. If t is a tensor or vector of one, all
// elements are v.
func ConstantInt(b *mlir.Builder, t mlir.Type, v int64) mlir.Value {
	return constant(b, t, func(c *mlir.Context, t mlir.Type) mlir.Attribute { return c.IntegerAttribute(t, v) })
}

// ConstantIndex creates a value of type index.
func ConstantIndex(b *mlir.Builder, v int64) mlir.Value {
	return ConstantInt(b, b.Context().IndexType(), v)
}

// ConstantFloat creates a floating-point number of type t, to which v is rounded. If t is a tensor or vector of a
// floating-point type, all elements are v.
func ConstantFloat(b *mlir.Builder, t mlir.Type, v float64) mlir.Value {
	return constant(b, t, func(c *mlir.Context, t mlir.Type) mlir.Attribute { return c.FloatAttribute(t, v) })
}

// ConstantDense creates a tensor or vector of type t with the given elements, in row-major order. T must hold the bits
// of t's elements (see [mlir.DenseElement]), and len(values) must be their number.
func ConstantDense[T mlir.DenseElement](b *mlir.Builder, t mlir.Type, values []T) mlir.Value {
	var a mlir.Attribute
	b.Try(func() { a = b.CheckedAttribute(mlir.NewDense(t, values)) })
	return Constant(b, a)
}

// constant creates a constant of a number, or of a shape that is full of it.
func constant(b *mlir.Builder, t mlir.Type, number func(*mlir.Context, mlir.Type) mlir.Attribute) mlir.Value {
	c := b.Context()
	var a mlir.Attribute
	b.Try(func() {
		if element, ok := t.Element(); ok {
			a = b.CheckedAttribute(c.DenseFromAttributes(t, number(c, element)))
		} else {
			a = number(c, t)
		}
	})
	return Constant(b, a)
}
