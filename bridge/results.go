package bridge

import (
	"slices"

	"github.com/calliope-mlir/calliope/tensor"
)

// A result is an output of a program on one device.
type result struct {
	shape tensor.Shape
	// order lists the dimensions from the slowest-varying to the fastest-varying one in
	// memory. nil means row-major.
	order []int
}

// resultsOf returns the outputs of a program (see [parameters]) on one device. It returns
// nil if the program cannot be read, or if an output is not an array of known dimensions
// and layout.
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

// rowMajor returns the elements of data, whose dimensions have that order, in row-major
// order.
func rowMajor(s tensor.Shape, order []int, data []byte) []byte {
	if order == nil {
		return data
	}
	// strides has the distance in bytes between elements along each dimension.
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

// readResults sets the results from the optimized program.
func (e *Executable) readResults(program []byte) {
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
