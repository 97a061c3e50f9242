package bridge

import (
	"slices"

	"github.com/calliope-mlir/calliope/tensor"
)

// result is an output of a program on one device.
type result struct {
	shape tensor.Shape
	// The dimensions from the one that varies slowest in memory to the one that varies
	// fastest; nil for row-major.
	order []int
}

// resultsOf are the outputs of a program, which is as [parameters] says, on one device;
// nil where it cannot be read, or where one is no array of known dimensions and layout.
func resultsOf(program []byte) []result {
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
				list := []result{}
				for _, proto := range protos {
					r := result{shape: protoShape(proto)}
					var ok bool
					if r.order, ok = orderOf(proto, r.shape.Rank()); !ok || r.shape.DType == tensor.Invalid {
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

// orderOf is the order of the dimensions in a ShapeProto; ok is false for a layout of
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

// rowMajor is an array row-major whose dimensions stand in that order in data.
func rowMajor(s tensor.Shape, order []int, data []byte) []byte {
	if order == nil {
		return data
	}
	// How far apart the elements along each dimension are in data.
	strides := make([]int, len(order))
	stride := s.DType.Size()
	for _, dim := range slices.Backward(order) {
		strides[dim] = stride
		stride *= s.Dims[dim]
	}
	out := make([]byte, 0, len(data))
	at := make([]int, len(order))
	for from := 0; len(out) < len(data); {
		out = append(out, data[from:from+s.DType.Size()]...)
		for dim := len(at) - 1; dim >= 0; dim-- {
			at[dim]++
			from += strides[dim]
			if at[dim] < s.Dims[dim] {
				break
			}
			from -= at[dim] * strides[dim]
			at[dim] = 0
		}
	}
	return out
}

// knowResults takes what the program says of its outputs.
func (e *Executable) knowResults(program []byte) {
	e.ordered = slices.Sorted(slices.Values(e.devices))
	results := resultsOf(program)
	if len(results) != e.outputs {
		return
	}
	e.results = results
	for _, r := range results {
		e.resultBytes += deviceBytes(r.shape) * int64(e.NumDevices())
	}
}
