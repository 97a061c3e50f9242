package tensor

import (
	"fmt"
	"slices"
)

// Array is a View whose elements have a Go type: a dense, row-major array. No
// dimensions is a scalar, which has one element.
type Array[T Element] struct {
	Dims []int
	Data []T
}

// ArrayOf makes an array of a view, see Array.SetView.
func ArrayOf[T Element](v View) (a Array[T], err error) {
	err = a.SetView(v)
	return a, err
}

// SetView makes the array what the view is, with the view's own memory where that is
// aligned for T, and a copy where it is not. The dimensions are always a copy. The
// view's element type must be the one that T stands for.
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

// Shape is the element type and the dimensions.
func (a Array[T]) Shape() Shape { return Shape{DTypeOf[T](), a.Dims} }

// View is the array as a view on its own memory. It is an error where Data has another
// number of elements than Dims say.
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

// Clone is a copy with memory of its own.
func (a Array[T]) Clone() Array[T] { return Array[T]{slices.Clone(a.Dims), slices.Clone(a.Data)} }
