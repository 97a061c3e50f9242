// Package leaf reads and writes Go values that are one array. They are the leaves of the trees that callbacks and
// compiled functions take and return.
package leaf

import (
	"reflect"
	"unsafe"

	"github.com/calliope-mlir/calliope/tensor"
)

// A Leaf is a type of leaves. The values that its methods receive are addressable.
type Leaf interface {
	// Set stores an array in v, on the array's memory if possible, and reports whether v can hold it.
	Set(v reflect.Value, array tensor.View) bool
	// View returns the array in v, on v's own memory if possible.
	View(v reflect.Value) (tensor.View, error)
	// Shape returns the shape of v in a template, which needs no data. The result is false
	// if v does not determine its dimensions.
	Shape(v reflect.Value) (tensor.Shape, bool)
	// Accepts returns what Set accepts: arrays of an element type, or of any if it is Invalid, and of a rank, or of
	// any if it is AnyRank.
	Accepts() (elements tensor.DType, rank int)
}

// AnyRank stands for every number of dimensions.
const AnyRank = -1

// Types names the leaf types, for errors.
const Types = "tensor.View, tensor.Array, numbers, slices of numbers"

var (
	viewType  = reflect.TypeFor[tensor.View]()
	arrayType = reflect.TypeFor[arrayPointer]()
)

// arrayPointer is a *tensor.Array of any element type.
type arrayPointer interface {
	View() (tensor.View, error)
	SetView(tensor.View) error
	Shape() tensor.Shape
}

// Of returns nil for a type that is not a leaf.
func Of(t reflect.Type) Leaf {
	switch {
	case t == viewType:
		return viewLeaf{}
	case t.PkgPath() == viewType.PkgPath() && reflect.PointerTo(t).Implements(arrayType):
		return arrayLeaf{reflect.New(t).Interface().(arrayPointer).Shape().DType}
	case t == reflect.TypeFor[tensor.Float16]():
		return scalarLeaf{tensor.F16}
	case t == reflect.TypeFor[tensor.BFloat16]():
		return scalarLeaf{tensor.BF16}
	}
	if d, ok := scalars[t.Kind()]; ok {
		return scalarLeaf{d}
	}
	rank := 0
	for t.Kind() == reflect.Slice && rank < maxRank { // a slice may hold itself
		t, rank = t.Elem(), rank+1
	}
	if rank == 0 || rank == maxRank {
		return nil
	}
	if of, ok := Of(t).(scalarLeaf); ok {
		return sliceLeaf{of.dtype, rank}
	}
	return nil
}

// maxRank limits how many slices are in one another.
const maxRank = 64

// scalars are the element types of Go's numbers. int and uint are as wide as on the
// machine.
var scalars = map[reflect.Kind]tensor.DType{
	reflect.Bool: tensor.Pred,
	reflect.Int8: tensor.S8, reflect.Int16: tensor.S16, reflect.Int32: tensor.S32, reflect.Int64: tensor.S64,
	reflect.Uint8: tensor.U8, reflect.Uint16: tensor.U16, reflect.Uint32: tensor.U32, reflect.Uint64: tensor.U64,
	reflect.Float32: tensor.F32, reflect.Float64: tensor.F64,
	reflect.Complex64: tensor.C64, reflect.Complex128: tensor.C128,
	reflect.Int: word(tensor.S32, tensor.S64), reflect.Uint: word(tensor.U32, tensor.U64),
}

func word(narrow, wide tensor.DType) tensor.DType {
	if unsafe.Sizeof(int(0)) == 4 {
		return narrow
	}
	return wide
}

// viewLeaf is a tensor.View: any array.
type viewLeaf struct{}

func (viewLeaf) Set(v reflect.Value, array tensor.View) bool {
	*(*tensor.View)(v.Addr().UnsafePointer()) = array
	return true
}

func (viewLeaf) View(v reflect.Value) (tensor.View, error) {
	array := *(*tensor.View)(v.Addr().UnsafePointer())
	return array, array.Check()
}

func (viewLeaf) Shape(v reflect.Value) (tensor.Shape, bool) {
	s := (*tensor.View)(v.Addr().UnsafePointer()).Shape
	return s, s.Check() == nil
}

func (viewLeaf) Accepts() (tensor.DType, int) { return tensor.Invalid, AnyRank }

// arrayLeaf is a tensor.Array: any array of one element type.
type arrayLeaf struct{ dtype tensor.DType }

func (arrayLeaf) Set(v reflect.Value, array tensor.View) bool {
	return v.Addr().Interface().(arrayPointer).SetView(array) == nil
}

func (arrayLeaf) View(v reflect.Value) (tensor.View, error) {
	a := v.Addr().Interface().(arrayPointer)
	view, err := a.View()
	if err != nil {
		view.Shape = a.Shape() // for the error message
	}
	return view, err
}

// Shape treats nil dimensions without elements as undetermined.
func (arrayLeaf) Shape(v reflect.Value) (tensor.Shape, bool) {
	a := v.Addr().Interface().(arrayPointer)
	s := a.Shape()
	if s.Dims == nil {
		_, err := a.View()
		return s, err == nil
	}
	return s, s.Check() == nil
}

func (a arrayLeaf) Accepts() (tensor.DType, int) { return a.dtype, AnyRank }

// scalarLeaf is a Go number or bool: an array of rank 0.
type scalarLeaf struct{ dtype tensor.DType }

func (s scalarLeaf) Set(v reflect.Value, array tensor.View) bool {
	if array.Shape.DType != s.dtype || len(array.Shape.Dims) != 0 || len(array.Data) != s.dtype.Size() {
		return false
	}
	if s.dtype == tensor.Pred {
		v.SetBool(array.Data[0] != 0) // Go represents true as the byte 1 only
		return true
	}
	copy(s.bytes(v), array.Data)
	return true
}

func (s scalarLeaf) View(v reflect.Value) (tensor.View, error) {
	return tensor.View{Shape: tensor.Shape{DType: s.dtype}, Data: s.bytes(v)}, nil
}

func (s scalarLeaf) Shape(reflect.Value) (tensor.Shape, bool) {
	return tensor.Shape{DType: s.dtype}, true
}

func (s scalarLeaf) Accepts() (tensor.DType, int) { return s.dtype, 0 }

// bytes returns the memory of v.
func (s scalarLeaf) bytes(v reflect.Value) []byte {
	return unsafe.Slice((*byte)(v.Addr().UnsafePointer()), s.dtype.Size())
}
