package transform

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// Element returns the element type of a tensor.
func Element(t mlir.Type) mlir.Type {
	e, _ := t.Element()
	return e
}

// Dims returns the dimensions of a tensor.
func Dims(v mlir.Value) []int64 {
	d, _ := v.Type().Dims()
	return d
}

// Rank returns the number of dimensions of a tensor.
func Rank(v mlir.Value) int { return len(Dims(v)) }

// IsFloat reports whether a type is a tensor of floating-point numbers.
func IsFloat(t mlir.Type) bool {
	e, ok := t.Element()
	return ok && e.IsFloat()
}

// IsComplex reports whether a type is a tensor of complex numbers.
func IsComplex(t mlir.Type) bool {
	e, ok := t.Element()
	if ok {
		e, ok = e.ComplexElement()
	}
	return ok && e.IsFloat()
}

// Operations returns the operations of a block as they are now, without the terminator.
func Operations(b mlir.Block) []mlir.Operation {
	list := slices.Collect(b.Operations())
	return list[:len(list)-1]
}

// UpTo returns 0, 1, …, n-1.
func UpTo(n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(i)
	}
	return list
}

// Without returns 0, 1, …, n-1 without those of a list.
func Without(n int, list ...int64) []int64 {
	return slices.DeleteFunc(UpTo(n), func(i int64) bool { return slices.Contains(list, i) })
}

// Ones returns n ones.
func Ones(n int) []int64 { return slices.Repeat([]int64{1}, n) }

// Home returns the block that has a value, as an argument or as a result of one of its operations.
func Home(v mlir.Value) mlir.Block {
	if v.IsResult() {
		return v.Owner().Block()
	}
	return v.Block()
}

// Replace replaces values by as many others.
func Replace(values, with []mlir.Value) {
	for i, v := range values {
		v.ReplaceAllUses(with[i])
	}
}
