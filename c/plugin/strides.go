package main

import (
	"slices"

	"github.com/calliope-mlir/calliope/tensor"
)

// descending returns n-1, …, 0: the dimensions of a row-major array, that of adjacent elements first.
func descending(n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(n - 1 - i)
	}
	return list
}

// stridesOf returns the distances in bytes of elements along each dimension, of an array whose dimensions lie in memory
// in an order, that of adjacent elements first.
func stridesOf(s tensor.Shape, order []int64) []int64 {
	strides := make([]int64, s.Rank())
	step := int64(s.DType.Size())
	for _, d := range order {
		strides[d] = step
		step *= int64(s.Dims[d])
	}
	return strides
}

// scatter copies a row-major array to one whose dimensions lie in memory in an order.
func scatter(to, from []byte, s tensor.Shape, order []int64) {
	if slices.Equal(order, descending(s.Rank())) {
		copy(to, from)
		return
	}
	size := s.DType.Size()
	i := 0
	each(s.Dims, stridesOf(s, order), func(at int64) {
		copy(to[at:][:size], from[i:])
		i += size
	})
}

// each calls visit with the place of each element, in row-major order.
func each(dims []int, strides []int64, visit func(at int64)) {
	index := make([]int, len(dims))
	if slices.Contains(dims, 0) {
		return
	}
	at := int64(0)
	for {
		visit(at)
		d := len(dims) - 1
		for ; d >= 0; d-- {
			index[d]++
			at += strides[d]
			if index[d] < dims[d] {
				break
			}
			at -= strides[d] * int64(dims[d])
			index[d] = 0
		}
		if d < 0 {
			return
		}
	}
}
