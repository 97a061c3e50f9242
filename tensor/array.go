package tensor

import (
	"fmt"
	"slices"
)

// An Array is a View whose elements have a Go type: a dense, row-major array. An Array
// without dimensions is a scalar, which has one element.
type Array[T Element] struct {
	Dims []int
	Data []T
}

// ArrayOf returns an array with the contents of a view; see Array.SetView.
func ArrayOf[T Element](v View) (a Array[T], err error) {
	err = a.SetView(v)
	return a, err
}

// SetView sets the array to the contents of the view. It uses the view's own memory if that
// is aligned for T, and a copy otherwise. The dimensions are always copied. It returns an
// error if the view is not valid or if its element type is not the one of T.
func (a *Array[T]) SetView(v View) error {
	data, err := Slice[T](v)
	if err != nil {
		if v.Shape.DType != DTypeOf[T]() || v.Check() != nil {
			return err
		}
		if data, err = Slice[T](v.Clone()); err != nil {
			return err
		}
	}
	a.Dims, a.Data = slices.Clone(v.Shape.Dims), data
	return nil
}

// Shape returns the element type and the dimensions.
func (a Array[T]) Shape() Shape { return Shape{DTypeOf[T](), a.Dims} }

// View returns a view of the array's own memory. It returns an error if the number of
// elements in Data does not match Dims.
func (a Array[T]) View() (View, error) {
	s := a.Shape()
	if err := s.Check(); err != nil {
		return View{}, err
	}
	if n := s.NumElements(); n != len(a.Data) {
		return View{}, fmt.Errorf("tensor: %s has %d elements, the slice has %d", s, n, len(a.Data))
	}
	return View{s, bytesOf(a.Data)}, nil
}

// Clone returns a copy in new memory.
func (a Array[T]) Clone() Array[T] { return Array[T]{slices.Clone(a.Dims), slices.Clone(a.Data)} }
