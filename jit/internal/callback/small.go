package callback

import (
	"slices"
	"unsafe"

	"github.com/calliope-mlir/calliope/tensor"
)

// Compiled code has a byte for each element of less than a byte, and takes the upper bits for zero. On the host the
// upper bits of signed elements are their sign.

// small returns the arrays with elements of less than a byte.
func small(arrays []tensor.Shape) (list []int) {
	for i, s := range arrays {
		if s.DType.Bits() < 8 && s.DType != tensor.Pred {
			list = append(list, i)
		}
	}
	return list
}

// widen gives the elements of arrays their signs. It copies those that the call only reads.
func (s *site) widen(views []tensor.View) {
	for _, i := range s.small {
		v := &views[i]
		if !slices.Contains(s.results, i) {
			v.Data = slices.Clone(v.Data)
		}
		if d := v.Shape.DType; d == tensor.S2 || d == tensor.S4 {
			shift := 8 - d.Bits()
			for k, b := range v.Data {
				v.Data[k] = byte(int8(b<<shift) >> shift)
			}
		}
	}
}

// narrow removes the upper bits of the results.
func (s *site) narrow(addresses *unsafe.Pointer) {
	if len(s.small) == 0 {
		return
	}
	views := make([]tensor.View, len(s.arrays))
	s.view(views, addresses)
	for _, i := range s.small {
		if slices.Contains(s.results, i) {
			for k := range views[i].Data {
				views[i].Data[k] &= 1<<views[i].Shape.DType.Bits() - 1
			}
		}
	}
}
