package einsum

import (
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// takeDiagonals leaves one of the dimensions that have the same label. The elements of the diagonal of n × n elements
// are in the first column of n × (n+1), which has the same elements in the same order and n more.
func (e expander) takeDiagonals(t *term) {
	for i := 0; i < len(t.labels) && e.Err() == nil; i++ {
		j := strings.LastIndexByte(t.labels, t.labels[i])
		if j == i {
			continue
		}
		e.moveToEnd(t, i, j)
		sizes := t.dims()
		last := len(sizes) - 2
		n := sizes[last]
		sizes = sizes[:last]
		x := e.reshape(t.Value, with(sizes, n*n)...)
		x = e.extend(x, n)
		x = e.reshape(x, with(sizes, n, n+1)...)
		t.Value = e.reshape(e.first(x, 1), with(sizes, n)...)
		t.labels = t.labels[:last+1]
		i = -1 // the labels have moved
	}
}

// spread puts the labels into the order of the result. A label that is there twice gets its second dimension, with
// zeros beside the diagonal: takeDiagonals backwards.
func (e expander) spread(t *term, result term) {
	for i, l := range []byte(result.labels) {
		if result.index(l) == i || e.Err() != nil {
			continue
		}
		e.moveToEnd(t, t.index(l))
		sizes := t.dims()
		last := len(sizes) - 1
		n := sizes[last]
		sizes = sizes[:last]
		x := e.reshape(t.Value, with(sizes, n, 1)...)
		x = e.extend(x, n)
		x = e.reshape(x, with(sizes, n*(n+1))...)
		t.Value = e.reshape(e.first(x, n*n), with(sizes, n, n)...)
		t.labels += string(l)
	}
	order, left := make([]int64, len(result.labels)), []byte(t.labels)
	for i, l := range []byte(result.labels) {
		k := slices.Index(left, l)
		order[i], left[k] = int64(k), 0
	}
	if !slices.IsSorted(order) && e.Err() == nil {
		t.Value = stablehlo.Transpose(e.Builder, t.Value, order)
	}
}

// dropOnes leaves out the dimensions of size 1 for which another array has a larger size.
func (e expander) dropOnes(t *term, terms []term, result term) {
	labels, sizes := "", []int64{}
	for i, l := range []byte(t.labels) {
		if t.dims()[i] == 1 && slices.ContainsFunc(append(slices.Clone(terms), result), func(other term) bool {
			k := other.index(l)
			return k >= 0 && other.dims()[k] != 1
		}) {
			continue
		}
		labels, sizes = labels+string(l), append(sizes, t.dims()[i])
	}
	if len(labels) < len(t.labels) {
		t.Value, t.labels = e.reshape(t.Value, sizes...), labels
	}
}

// moveToEnd makes some dimensions the last ones.
func (e expander) moveToEnd(t *term, which ...int) {
	var order []int64
	labels := ""
	for d := range t.labels {
		if !slices.Contains(which, d) {
			order, labels = append(order, int64(d)), labels+t.labels[d:d+1]
		}
	}
	for _, d := range which {
		order, labels = append(order, int64(d)), labels+t.labels[d:d+1]
	}
	t.Value, t.labels = stablehlo.Transpose(e.Builder, t.Value, order), labels
}

// extend pads the last dimension with n zeros.
func (e expander) extend(x mlir.Value, n int64) mlir.Value {
	shape := term{Value: x}
	none := make([]int64, len(shape.dims()))
	high := slices.Clone(none)
	high[len(high)-1] = n
	return stablehlo.Pad(e.Builder, x, e.zero(shape.element()), none, high, none)
}

// first returns the first n elements of the last dimension.
func (e expander) first(x mlir.Value, n int64) mlir.Value {
	limits := slices.Clone(term{Value: x}.dims())
	limits[len(limits)-1] = n
	return stablehlo.Slice(e.Builder, x, make([]int64, len(limits)), limits, slices.Repeat([]int64{1}, len(limits)))
}

// with returns sizes and more of them in a new slice.
func with(sizes []int64, more ...int64) []int64 { return slices.Concat(sizes, more) }
