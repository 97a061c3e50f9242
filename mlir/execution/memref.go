package execution

import "fmt"

// MemRef is a Go slice as an argument of a compiled function that takes a memref: such
// a function has two pointers, an offset, the sizes and the strides in its place.
type MemRef struct {
	pieces []any
	err    error
}

// NewMemRef makes a MemRef of the given sizes over all of data, in row-major order and
// without copying. The slice must not be changed by others while the function runs.
func NewMemRef[T ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64](data []T, sizes ...int64) MemRef {
	n := int64(1)
	for _, s := range sizes {
		n *= max(s, 0)
	}
	if n != int64(len(data)) {
		return MemRef{err: fmt.Errorf("execution: a memref of the sizes %v has %d elements and not %d", sizes, n, len(data))}
	}
	var p *T
	if len(data) > 0 {
		p = &data[0]
	}
	pieces := []any{p, p, int64(0)}
	for _, s := range sizes {
		pieces = append(pieces, s)
	}
	for i := range sizes {
		stride := int64(1)
		for _, s := range sizes[i+1:] {
			stride *= s
		}
		pieces = append(pieces, stride)
	}
	return MemRef{pieces: pieces}
}
