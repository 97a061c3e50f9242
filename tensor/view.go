package tensor

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"
)

// View is a dense, row-major array on the host. Data may be memory of someone else:
// who hands out the view says how long it is valid. Elements are in the machine's
// byte order and take DType.Size bytes each; a pred is a byte 0 or 1.
type View struct {
	Shape Shape
	Data  []byte
}

// FromSlice views a slice as an array of the given dimensions, without copying; with
// no dimensions the slice must hold the one element of a scalar.
func FromSlice[T Element](data []T, dims ...int) (View, error) {
	s := ShapeOf(DTypeOf[T](), dims...)
	if err := s.Check(); err != nil {
		return View{}, err
	}
	if len(data) != s.NumElements() {
		return View{}, fmt.Errorf("tensor: %s has %d elements, the slice has %d", s, s.NumElements(), len(data))
	}
	return View{s, bytesOf(data)}, nil
}

// Vector views a slice as an array of one dimension, without copying.
func Vector[T Element](data ...T) View {
	return View{Shape{DTypeOf[T](), []int{len(data)}}, bytesOf(data)}
}

// Scalar is an array of no dimensions that holds a copy of v.
func Scalar[T Element](v T) View {
	return View{Shape{DType: DTypeOf[T]()}, bytesOf([]T{v})}
}

func bytesOf[T Element](data []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)*int(unsafe.Sizeof(zero)))
}

// Slice views the array's elements as a Go slice, without copying. The element type
// must be the one that T stands for.
func Slice[T Element](v View) ([]T, error) {
	var zero T
	if want := DTypeOf[T](); v.Shape.DType != want {
		return nil, fmt.Errorf("tensor: the array is %s, its elements are no %T (%s)", v.Shape, zero, want)
	}
	if err := v.Check(); err != nil {
		return nil, err
	}
	if len(v.Data) == 0 {
		return []T{}, nil // wherever its memory is
	}
	p := unsafe.Pointer(unsafe.SliceData(v.Data))
	if uintptr(p)%unsafe.Alignof(zero) != 0 {
		return nil, fmt.Errorf("tensor: the array's memory is not aligned for %T: use Clone", zero)
	}
	return unsafe.Slice((*T)(p), v.Shape.NumElements()), nil
}

// Check says what is wrong with a view: a shape that has no size, a token, or data of
// another size.
func (v View) Check() error {
	if err := v.Shape.Check(); err != nil {
		return err
	}
	if v.Shape.DType == Token {
		return errors.New("tensor: a token is no array and has no data")
	}
	if want := v.Shape.NumBytes(); len(v.Data) != want {
		return fmt.Errorf("tensor: an array %s takes %d bytes, there are %d", v.Shape, want, len(v.Data))
	}
	return nil
}

// Clone is a copy with memory of its own, aligned for every element type.
func (v View) Clone() View {
	words := make([]uint64, (len(v.Data)+7)/8)
	data := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*8)[:len(v.Data)]
	copy(data, v.Data)
	return View{ShapeOf(v.Shape.DType, v.Shape.Dims...), data}
}

// printed is the number of elements that String shows.
const printed = 8

// String is the shape and the first elements in order: f32[4] [1 2 3 4]. Floating point
// types of a byte and less are shown by their values, too.
func (v View) String() string {
	if v.Check() != nil {
		return fmt.Sprintf("%s (%d bytes)", v.Shape, len(v.Data))
	}
	n := v.Shape.NumElements()
	if v.Shape.Rank() == 0 {
		return fmt.Sprintf("%s %v", v.Shape, v.value(0))
	}
	var b strings.Builder
	for i := range min(n, printed) {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprint(&b, v.value(i))
	}
	if n > printed {
		b.WriteString(" …")
	}
	return fmt.Sprintf("%s [%s]", v.Shape, b.String())
}

// At is the i-th element in row-major order, as the Go value that prints best:
// halves come as float32, integers of less than a byte as int8 or uint8, and
// floating point types of a byte and less as their bits, for Float8. As with a slice, it panics
// where there is no i-th element.
func (v View) At(i int) any {
	size := v.Shape.DType.Size()
	p := unsafe.Pointer(&v.Data[i*size : i*size+size : len(v.Data)][0]) // not what lies behind, in the capacity
	switch v.Shape.DType {
	case Pred:
		return *(*uint8)(p) != 0
	case S2, S4, S8:
		return *(*int8)(p)
	case S16:
		return load[int16](p)
	case S32:
		return load[int32](p)
	case S64:
		return load[int64](p)
	case U16:
		return load[uint16](p)
	case U32:
		return load[uint32](p)
	case U64:
		return load[uint64](p)
	case F16:
		return load[Float16](p).Float32()
	case BF16:
		return load[BFloat16](p).Float32()
	case F32:
		return load[float32](p)
	case F64:
		return load[float64](p)
	case C64:
		return load[complex64](p)
	case C128:
		return load[complex128](p)
	}
	return *(*uint8)(p)
}

// value is At, with the values of small floating point types.
func (v View) value(i int) any {
	x := v.At(i)
	if bits, ok := x.(uint8); ok {
		if f, small := Float8(v.Shape.DType, bits); small {
			return f
		}
	}
	return x
}

// load reads a value from memory that may not be aligned for it.
func load[T Element](p unsafe.Pointer) (v T) {
	copy(bytesOf(unsafe.Slice(&v, 1)), unsafe.Slice((*byte)(p), unsafe.Sizeof(v)))
	return v
}
