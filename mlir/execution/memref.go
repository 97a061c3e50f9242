package execution

import (
	"fmt"
	"math/big"
	"reflect"
	"runtime"
	"slices"
)

// A MemRef is a Go slice as the argument of a compiled function that takes a memref. The
// compiled function takes two pointers, an offset, the sizes and the strides instead.
type MemRef struct {
	data           any // a pointer to the first element of the slice
	element        reflect.Type
	offset         int64
	sizes, strides []int64
	unranked       bool
	err            error
}

// An Element is the type of an element of a MemRef.
type Element interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 |
		~float32 | ~float64 | ~complex64 | ~complex128
}

// NewMemRef returns a MemRef of the given sizes over all of data, in row-major order. It
// does not copy data. No other code may modify data while the function runs.
func NewMemRef[T Element](data []T, sizes ...int64) MemRef {
	n := big.NewInt(1)
	for _, size := range sizes {
		if size < 0 {
			return MemRef{err: negativeSize(size)}
		}
		n.Mul(n, big.NewInt(size))
	}
	if n.Cmp(big.NewInt(int64(len(data)))) != 0 {
		return MemRef{
			err: fmt.Errorf("execution: a memref of the sizes %v has %d elements, not %d", sizes, n, len(data))}
	}
	return newMemRef(data, 0, sizes, rowMajor(sizes))
}

func negativeSize(size int64) error {
	return fmt.Errorf("execution: a memref has the size %d: it must not be negative", size)
}

// rowMajor returns the strides of elements in row-major order.
func rowMajor(sizes []int64) []int64 {
	strides := make([]int64, len(sizes))
	stride := int64(1)
	for i := len(sizes) - 1; i >= 0; i-- {
		strides[i] = stride
		stride *= sizes[i]
	}
	return strides
}

// NewStridedMemRef returns a MemRef of the given sizes whose element at the indices i, j, … is
// data[offset + i*strides[0] + j*strides[1] + …]. A stride may be zero or negative. It does not
// copy data. No other code may modify data while the function runs.
func NewStridedMemRef[T Element](data []T, offset int64, sizes, strides []int64) MemRef {
	if len(sizes) != len(strides) {
		return MemRef{err: fmt.Errorf(
			"execution: a memref has the sizes %v and the strides %v: give one stride for each size", sizes, strides)}
	}
	first, last, empty := big.NewInt(offset), big.NewInt(offset), false
	for i, size := range sizes {
		if size < 0 {
			return MemRef{err: negativeSize(size)}
		}
		empty = empty || size == 0
		way := new(big.Int).Mul(big.NewInt(size-1), big.NewInt(strides[i]))
		if way.Sign() < 0 {
			first.Add(first, way)
		} else {
			last.Add(last, way)
		}
	}
	if !empty && (first.Sign() < 0 || last.Cmp(big.NewInt(int64(len(data)))) >= 0) {
		return MemRef{err: fmt.Errorf("execution: a memref of the sizes %v with the strides %v and the offset %d has elements from %v to %v, outside of the %d of the slice",
			sizes, strides, offset, first, last, len(data))}
	}
	return newMemRef(data, offset, sizes, strides)
}

func newMemRef[T Element](data []T, offset int64, sizes, strides []int64) MemRef {
	var p *T
	if len(data) > 0 {
		p = &data[0]
	}
	return MemRef{data: p, element: reflect.TypeFor[T](), offset: offset, sizes: slices.Clone(sizes),
		strides: slices.Clone(strides)}
}

// Unranked returns m as the argument for a parameter that is an unranked memref. The compiled
// function takes the rank, and a pointer to the parts, instead.
func (m MemRef) Unranked() MemRef {
	m.unranked = true
	return m
}

// arguments returns what a compiled function takes for m.
func (m MemRef) arguments(pins *runtime.Pinner, bare bool) []any {
	if bare {
		return []any{m.data}
	}
	numbers := slices.Concat([]int64{m.offset}, m.sizes, m.strides)
	if !m.unranked {
		parts := []any{m.data, m.data}
		for _, n := range numbers {
			parts = append(parts, n)
		}
		return parts
	}
	// The pointer is a number from here on, so what it points to is pinned.
	p := reflect.ValueOf(m.data).UnsafePointer()
	pin(pins, p)
	words := slices.Concat([]int64{int64(uintptr(p)), int64(uintptr(p))}, numbers)
	return []any{int64(len(m.sizes)), &words[0]}
}
