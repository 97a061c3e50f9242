package hlo

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/run/element"
	"github.com/calliope-mlir/calliope/tensor"
)

// protoShape reads a ShapeProto.
func protoShape(proto []byte) (s tensor.Shape) {
	const elementType, dimensions, dynamic = 2, 3, 6
	for f := range fields(proto, elementType) {
		if f.number < uint64(len(element.DTypes)) {
			s.DType = element.DTypes[f.number]
		}
	}
	for f := range fields(proto, dynamic) {
		if slices.ContainsFunc(f.numbers(), func(n uint64) bool { return n != 0 }) {
			return tensor.Shape{}
		}
	}
	for f := range fields(proto, dimensions) {
		for _, n := range f.numbers() {
			s.Dims = append(s.Dims, int(n))
		}
	}
	return s
}

// arrays returns the ShapeProtos of a tuple's elements, or the only one if the shape is not
// a tuple.
func arrays(shape []byte) [][]byte {
	const elementType, tuple, element = 2, 13, 4
	if first(shape, elementType).number != tuple {
		return [][]byte{shape}
	}
	var list [][]byte
	for f := range fields(shape, element) {
		list = append(list, f.bytes)
	}
	return list
}
