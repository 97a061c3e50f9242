package bridge

import (
	"slices"

	"github.com/calliope-mlir/calliope/tensor"
)

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
