package autodiff

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// element returns the element type of a tensor.
func element(t mlir.Type) mlir.Type {
	e, _ := t.Element()
	return e
}

func dims(v mlir.Value) []int64 {
	d, _ := v.Type().Dims()
	return d
}

func rank(v mlir.Value) int { return len(dims(v)) }

func isFloat(t mlir.Type) bool {
	e, ok := t.Element()
	if ok {
		_, ok = e.FloatKind()
	}
	return ok
}

func isComplex(t mlir.Type) bool {
	e, ok := t.Element()
	if ok {
		e, ok = e.ComplexElement()
	}
	if ok {
		_, ok = e.FloatKind()
	}
	return ok
}

// differentiable reports whether values of a type have tangents.
func differentiable(t mlir.Type) bool { return t.IsRankedTensor() && (isFloat(t) || isComplex(t)) }

// arguments returns the arguments of a block.
func arguments(b mlir.Block) (list []mlir.Value) {
	for _, v := range b.Arguments() {
		list = append(list, v)
	}
	return list
}

func typesOf(values []mlir.Value) (list []mlir.Type) {
	for _, v := range values {
		list = append(list, v.Type())
	}
	return list
}

// operations returns the operations of a block as they are now, without the terminator.
func operations(b mlir.Block) []mlir.Operation {
	list := slices.Collect(b.Operations())
	return list[:len(list)-1]
}

// upTo returns 0, 1, …, n-1.
func upTo(n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(i)
	}
	return list
}

// without returns 0, 1, …, n-1 without those of a list.
func without(n int, list ...int64) []int64 {
	return slices.DeleteFunc(upTo(n), func(i int64) bool { return slices.Contains(list, i) })
}

func ones(n int) []int64 { return slices.Repeat([]int64{1}, n) }

// home returns the block that has a value, as an argument or as a result of one of its operations.
func home(v mlir.Value) mlir.Block {
	if v.IsResult() {
		return v.Owner().Block()
	}
	return v.Block()
}
