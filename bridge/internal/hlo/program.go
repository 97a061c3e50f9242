package hlo

import (
	"slices"

	"github.com/calliope-mlir/calliope/tensor"
)

// Parameters returns the shapes of a program's parameters on one device. XLA itself
// compares only the number of bytes of an input, not its element type and dimensions. The
// program is a HloModuleProtoWithConfig. A parameter that is not an array of known dimensions has the zero
// Shape. ok is false if the program cannot be read.
func Parameters(program []byte) (shapes []tensor.Shape, ok bool) {
	const module, programShape, parameter = 1, 4, 1
	for hlo := range fields(program, module) {
		for shape := range fields(hlo.bytes, programShape) {
			for p := range fields(shape.bytes, parameter) {
				shapes = append(shapes, protoShape(p.bytes))
			}
			return shapes, true
		}
	}
	return nil, false
}

// A Result is an output of a program on one device.
type Result struct {
	Shape tensor.Shape
	// Order lists the dimensions from the slowest-varying to the fastest-varying one in
	// memory. nil means row-major.
	Order []int
}

// Results returns the outputs of a program on one device. It returns
// nil if the program cannot be read, or if an output is not an array of known dimensions
// and layout.
func Results(program []byte) []Result {
	const module, programShape, output, tupleShapes, elementType, tuple = 1, 4, 2, 4, 2, 13
	for hlo := range fields(program, module) {
		for shape := range fields(hlo.bytes, programShape) {
			for out := range fields(shape.bytes, output) {
				protos := [][]byte{out.bytes}
				for f := range fields(out.bytes, elementType) {
					if f.number == tuple {
						protos = nil
					}
				}
				for inner := range fields(out.bytes, tupleShapes) {
					protos = append(protos, inner.bytes)
				}
				list := []Result{}
				for _, proto := range protos {
					r := Result{Shape: protoShape(proto)}
					var ok bool
					if r.Order, ok = orderOf(proto, r.Shape.Rank()); !ok || r.Shape.DType == tensor.Invalid {
						return nil
					}
					list = append(list, r)
				}
				return list
			}
		}
	}
	return nil
}

// orderOf returns the order of the dimensions in a ShapeProto. ok is false for a layout of
// another kind.
func orderOf(proto []byte, rank int) (order []int, ok bool) {
	const layout, minorToMajor, tiles = 5, 1, 6
	for l := range fields(proto, layout) {
		for range fields(l.bytes, tiles) {
			return nil, false
		}
		for f := range fields(l.bytes, minorToMajor) {
			for _, dim := range f.numbers() {
				order = append(order, int(dim))
			}
		}
		slices.Reverse(order)
		sorted := slices.Sorted(slices.Values(order))
		for i, dim := range sorted {
			if dim != i || len(order) != rank {
				return nil, false
			}
		}
		if slices.Equal(order, sorted) {
			return nil, true
		}
	}
	return order, true
}

// LeadingTokens returns the number of tokens at the beginning of a list.
func LeadingTokens(shapes []tensor.Shape) (n int) {
	for n < len(shapes) && shapes[n].DType == tensor.Token {
		n++
	}
	return n
}
