package hlo

import (
	"slices"

	"github.com/calliope-mlir/calliope/tensor"
)

// DTypes are the element types by their number in XLA's PrimitiveType (xla/xla_data.proto), which call
// frames have too.
var DTypes = [34]tensor.DType{
	1: tensor.Pred, 2: tensor.S8, 3: tensor.S16, 4: tensor.S32, 5: tensor.S64,
	6: tensor.U8, 7: tensor.U16, 8: tensor.U32, 9: tensor.U64,
	10: tensor.F16, 11: tensor.F32, 12: tensor.F64, 15: tensor.C64, 16: tensor.BF16, 17: tensor.Token,
	18: tensor.C128, 19: tensor.F8E5M2, 20: tensor.F8E4M3FN, 21: tensor.S4, 22: tensor.U4,
	23: tensor.F8E4M3B11FNUZ, 24: tensor.F8E5M2FNUZ, 25: tensor.F8E4M3FNUZ,
	26: tensor.S2, 27: tensor.U2, 28: tensor.F8E4M3, 29: tensor.F8E3M4,
	32: tensor.F4E2M1FN, 33: tensor.F8E8M0FNU,
}

// protoShape reads a ShapeProto.
func protoShape(proto []byte) (s tensor.Shape) {
	const elementType, dimensions, dynamic = 2, 3, 6
	for f := range fields(proto, elementType) {
		if f.number < uint64(len(DTypes)) {
			s.DType = DTypes[f.number]
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
