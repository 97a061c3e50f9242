package extern

import "github.com/calliope-mlir/calliope/mlir"

// Empty creates an array for a call that writes it.
func Empty(b *mlir.Builder, t mlir.Type) mlir.Value { return create(b, "tensor.empty", Signless(b, t)) }

// Cast returns a value as one of a type that differs in signs.
func Cast(b *mlir.Builder, v mlir.Value, t mlir.Type) mlir.Value {
	if b.Err() != nil || v.Type().Equal(t) {
		return v
	}
	return create(b, "builtin.unrealized_conversion_cast", t, v)
}

// Signless returns a type of arrays without the signs of its elements, as linalg has them.
func Signless(b *mlir.Builder, t mlir.Type) mlir.Type {
	elem, _ := t.Element()
	bits, sign, ok := elem.IntegerWidth()
	if !ok || sign == mlir.Signless {
		return t
	}
	dims, _ := t.Dims()
	plain, err := b.Context().TensorType(b.Context().IntegerType(bits, mlir.Signless), dims...)
	b.Fail(err)
	return plain
}

func create(b *mlir.Builder, name string, t mlir.Type, operands ...mlir.Value) mlir.Value {
	if b.Err() != nil {
		return mlir.Value{}
	}
	return b.Create(mlir.OperationState{Name: name, Operands: operands, Results: []mlir.Type{t}}).Result(0)
}
