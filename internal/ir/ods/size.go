package ods

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
)

// Split returns the numbers of sizes, and those of them that are values. It keeps an error if a
// value is missing, or if n is not negative and not their number.
func Split(b *mlir.Builder, what string, n int, sizes []mlir.Size) (numbers []int64, values []mlir.Value) {
	if n >= 0 && len(sizes) != n && b.Err() == nil {
		b.Fail(fmt.Errorf("%s: there are %d, and %d are needed", what, len(sizes), n))
	}
	numbers = make([]int64, len(sizes))
	for i, s := range sizes {
		numbers[i] = s.Number()
		if s.Value().IsNil() {
			if s.Number() == mlir.Dynamic && b.Err() == nil {
				b.Fail(fmt.Errorf("%s: the value of number %d is missing", what, i))
			}
			continue
		}
		values = append(values, s.Value())
	}
	return numbers, values
}

// SplitSome is Split for any number of sizes. Without sizes, it returns no numbers.
func SplitSome(b *mlir.Builder, what string, sizes []mlir.Size) (numbers []int64, values []mlir.Value) {
	if len(sizes) == 0 {
		return nil, nil
	}
	return Split(b, what, -1, sizes)
}

// SplitOne is Split for one size.
func SplitOne(b *mlir.Builder, what string, size mlir.Size) (number int64, value mlir.Value) {
	numbers, values := Split(b, what, 1, []mlir.Size{size})
	if len(values) > 0 {
		value = values[0]
	}
	return numbers[0], value
}

// A Slice is a part of an array.
type Slice struct {
	Offsets, Sizes, Strides []int64
	// The values of those that are Dynamic.
	OffsetValues, SizeValues, StrideValues []mlir.Value
}

// SliceOf returns a part of an array with n dimensions, for the named operation. Without strides,
// they are 1.
func SliceOf(b *mlir.Builder, name string, n int, offsets, sizes, strides []mlir.Size) (s Slice) {
	if strides == nil {
		for range sizes {
			strides = append(strides, mlir.Fixed(1))
		}
	}
	s.Offsets, s.OffsetValues = Split(b, "the offsets of "+name, n, offsets)
	s.Sizes, s.SizeValues = Split(b, "the sizes of "+name, n, sizes)
	s.Strides, s.StrideValues = Split(b, "the strides of "+name, n, strides)
	return s
}

// Shaped returns the type of v if it is ranked, and its dimensions. Otherwise it keeps an error.
func Shaped(b *mlir.Builder, what string, v mlir.Value) (t mlir.Type, dims []int64) {
	types := Types(b, what, []mlir.Value{v})
	if types == nil {
		return t, nil
	}
	dims, ok := types[0].Dims()
	if !ok {
		b.Fail(fmt.Errorf("%s has the type %s: it must have a rank", what, types[0]))
	}
	return types[0], dims
}
