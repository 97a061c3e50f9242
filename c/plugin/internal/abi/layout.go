package abi

import (
	"errors"
	"fmt"
	"unsafe"
)

// A Tiled is the layout of an array by the order of its dimensions in memory: PJRT_Buffer_MemoryLayout_Tiled.
type Tiled struct {
	StructSize       int
	ExtensionStart   Ptr[ExtensionBase]
	MinorToMajor     Ptr[int64]
	MinorToMajorSize int
	TileDims         Ptr[int64]
	TileDimSizes     Ptr[int]
	NumTiles         int
}

// RowMajor returns a layout by the order of dimensions, that of adjacent elements first, which are in memory of C.
func RowMajor(minorToMajor Ptr[int64], rank int) BufferMemoryLayout {
	l := BufferMemoryLayout{Type: BufferMemoryLayoutTypeTiled}
	l.StructSize = int(unsafe.Sizeof(l))
	t := (*Tiled)(unsafe.Pointer(&l.Value))
	*t = Tiled{StructSize: int(unsafe.Sizeof(*t)), MinorToMajor: minorToMajor, MinorToMajorSize: rank}
	return l
}

// MinorToMajor returns the order of an array's dimensions in memory, that of adjacent elements first. No layout is the
// row-major one.
func MinorToMajor(p Ptr[BufferMemoryLayout], rank int) ([]int64, error) {
	order := make([]int64, rank)
	for i := range order {
		order[i] = int64(rank - 1 - i)
	}
	if p == 0 {
		return order, nil
	}
	l := p.Get()
	if l.Type != BufferMemoryLayoutTypeTiled {
		return nil, errors.New("a layout by strides is not known here: give the order of the dimensions")
	}
	t := (*Tiled)(unsafe.Pointer(&l.Value))
	if t.NumTiles > 0 {
		return nil, errors.New("arrays have no tiles here: leave them out of the layout")
	}
	if t.MinorToMajorSize != rank {
		return nil, fmt.Errorf("the layout is of %d dimensions, and the array has %d", t.MinorToMajorSize, rank)
	}
	seen := make([]bool, rank)
	for i, d := range List(t.MinorToMajor, rank) {
		if d < 0 || d >= int64(rank) || seen[d] {
			return nil, fmt.Errorf("the layout is no order of %d dimensions", rank)
		}
		seen[d], order[i] = true, d
	}
	return order, nil
}
