package execution

import "fmt"

// A MemRef is a Go slice as the argument of a compiled function that takes a memref. The
// compiled function takes two pointers, an offset, the sizes and the strides instead.
type MemRef struct {
	parts []any
	err   error
}

// NewMemRef returns a MemRef of the given sizes over all of data, in row-major order. It
// does not copy data. No other code may modify data while the function runs.
func NewMemRef[T ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64](data []T, sizes ...int64) MemRef {
	n := int64(1)
	for _, s := range sizes {
		n *= max(s, 0)
	}
	if n != int64(len(data)) {
		return MemRef{err: fmt.Errorf("execution: a memref of the sizes %v has %d elements, not %d", sizes, n, len(data))}
	}
	var p *T
	if len(data) > 0 {
		p = &data[0]
	}
	parts := []any{p, p, int64(0)}
	for _, s := range sizes {
		parts = append(parts, s)
	}
	for i := range sizes {
		stride := int64(1)
		for _, s := range sizes[i+1:] {
			stride *= s
		}
		parts = append(parts, stride)
	}
	return MemRef{parts: parts}
}
