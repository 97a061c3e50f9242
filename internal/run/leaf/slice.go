package leaf

import (
	"errors"
	"reflect"
	"slices"
	"unsafe"

	"github.com/calliope-mlir/calliope/tensor"
)

// sliceLeaf is a slice of numbers, or of such slices: an array of as many dimensions as there are slices in one
// another.
type sliceLeaf struct {
	dtype tensor.DType
	rank  int
}

func (s sliceLeaf) Accepts() (tensor.DType, int) { return s.dtype, s.rank }

func (s sliceLeaf) Set(v reflect.Value, array tensor.View) bool {
	if array.Shape.DType != s.dtype || len(array.Shape.Dims) != s.rank || array.Check() != nil {
		return false
	}
	data := array.Data
	if s.dtype == tensor.Pred { // a bool in Go is the byte 0 or 1
		data = slices.Clone(data)
		for i, b := range data {
			data[i] = min(b, 1)
		}
	}
	if uintptr(unsafe.Pointer(unsafe.SliceData(data)))%uintptr(elementOf(v.Type()).Align()) != 0 {
		data = slices.Clone(data)
	}
	setSlice(v, array.Shape.Dims, data)
	return true
}

// setSlice makes v a slice on data, or one of slices.
func setSlice(v reflect.Value, dims []int, data []byte) {
	t, n := v.Type(), dims[0]
	if len(dims) == 1 {
		v.Set(reflect.SliceAt(t.Elem(), unsafe.Pointer(unsafe.SliceData(data)), n).Convert(t))
		return
	}
	v.Set(reflect.MakeSlice(t, n, n))
	for i := range n {
		each := len(data) / n
		setSlice(v.Index(i), dims[1:], data[i*each:(i+1)*each])
	}
}

func elementOf(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t
}

func (s sliceLeaf) View(v reflect.Value) (tensor.View, error) {
	shape, _ := s.Shape(v)
	if s.rank == 1 {
		return tensor.View{Shape: shape, Data: bytesOf(v)}, nil
	}
	data, ok := appendRows(make([]byte, 0, shape.NumElements()*s.dtype.Size()), v, shape.Dims)
	if !ok {
		return tensor.View{Shape: shape}, errors.New("the slices in it differ in length")
	}
	return tensor.View{Shape: shape, Data: data}, nil
}

// Shape takes the lengths of the first slices. A nil slice does not determine them.
func (s sliceLeaf) Shape(v reflect.Value) (tensor.Shape, bool) {
	shape := tensor.Shape{DType: s.dtype, Dims: make([]int, s.rank)}
	known := !v.IsNil()
	for i := range shape.Dims {
		shape.Dims[i] = v.Len()
		if v.Len() == 0 || i == s.rank-1 {
			break
		}
		v = v.Index(0)
	}
	return shape, known
}

// appendRows reports whether the slices have the lengths that dims says.
func appendRows(to []byte, v reflect.Value, dims []int) ([]byte, bool) {
	if v.Len() != dims[0] {
		return to, false
	}
	if len(dims) == 1 {
		return append(to, bytesOf(v)...), true
	}
	for i := range v.Len() {
		var ok bool
		if to, ok = appendRows(to, v.Index(i), dims[1:]); !ok {
			return to, false
		}
	}
	return to, true
}

// bytesOf returns the memory of a slice of numbers.
func bytesOf(v reflect.Value) []byte {
	return unsafe.Slice((*byte)(v.UnsafePointer()), v.Len()*int(v.Type().Elem().Size()))
}
