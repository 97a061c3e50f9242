package main

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/tensor"
)

// element returns the i-th element in row-major order. Every floating point type is
// returned as a floating point number.
func element(v tensor.View, i int) any {
	x := v.At(i)
	bits, ok := x.(uint8)
	if !ok {
		return x
	}
	if m, ok := minifloats[v.Shape.DType]; ok {
		return m.value(bits)
	}
	if v.Shape.DType == tensor.F8E8M0FNU {
		return e8m0(bits)
	}
	return x
}

// show returns an array in readable form: its shape and the first and last elements, with
// brackets for each dimension.
func show(v tensor.View) string {
	if v.Shape.NumElements() == 0 {
		return v.Shape.String() + " (no elements)"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s ", v.Shape)
	edge := 1
	switch {
	case v.Shape.NumElements() <= 40:
		edge = 40
	case v.Shape.Rank() <= 2:
		edge = 3
	}
	showPart(&b, v, v.Shape.Dims, 0, edge)
	return b.String()
}

// showPart shows the elements from a position on: of each dimension the first and last edge
// elements.
func showPart(b *strings.Builder, v tensor.View, dims []int, at, edge int) {
	if len(dims) == 0 {
		fmt.Fprint(b, element(v, at))
		return
	}
	inner := 1
	for _, d := range dims[1:] {
		inner *= d
	}
	b.WriteByte('[')
	for i := 0; i < dims[0]; i++ {
		if i > 0 {
			b.WriteByte(' ')
		}
		if dims[0] > 2*edge && i == edge {
			b.WriteString("… ")
			i = dims[0] - edge
		}
		showPart(b, v, dims[1:], at+i*inner, edge)
	}
	b.WriteByte(']')
}
